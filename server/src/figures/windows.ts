import type { OverviewWindow } from '@millrace/api';
import type { Range } from '@millrace/store-postgres';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** At most 60 buckets each, and from three hours on whole hours: older minutes are merged into hours. */
const WINDOWS: Readonly<
  Record<OverviewWindow, { lasts: number; bucketMs: number; forMs: number }>
> = {
  '15m': { lasts: 15 * MINUTE, bucketMs: MINUTE, forMs: 1_000 },
  '1h': { lasts: HOUR, bucketMs: MINUTE, forMs: 2_000 },
  '24h': { lasts: DAY, bucketMs: 30 * MINUTE, forMs: 10_000 },
  '7d': { lasts: 7 * DAY, bucketMs: 3 * HOUR, forMs: 30_000 },
};

/** Ends with the bucket that has begun, so that buckets stay where they are from one look to the next. */
export function rangeOf(window: OverviewWindow, now: number): Range {
  const { lasts, bucketMs } = WINDOWS[window];
  const to = (Math.floor(now / bucketMs) + 1) * bucketMs;
  return { from: to - lasts, to, bucketMs };
}

/** How long figures of the window are good enough. */
export function freshFor(window: OverviewWindow): number {
  return WINDOWS[window].forMs;
}

const MOST_BUCKETS = 120;
const LENGTHS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1_440].map((each) => each * MINUTE);
const MINUTES_KEPT = 2 * DAY;
const KEPT = 8 * DAY;

/** A time that somebody chose, widened to whole buckets. */
export function historyRange(from: number, to: number, now: number): Range {
  const begin = Math.max(from, now - KEPT);
  const end = Math.max(Math.min(to, now + MINUTE), begin + MINUTE);
  const least = begin < now - MINUTES_KEPT ? HOUR : MINUTE;
  const bucketMs =
    LENGTHS.find((each) => each >= least && (end - begin) / each <= MOST_BUCKETS - 1) ?? DAY;
  const first = Math.floor(begin / bucketMs) * bucketMs;
  return { from: first, to: Math.ceil(end / bucketMs) * bucketMs, bucketMs };
}
