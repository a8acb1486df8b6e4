/**
 * The org's clock, as far as the Date header of its answers tells. Date has whole seconds, and the answer was under way for
 * a while, so each answer gives a span in which the difference to our clock must lie: as wide as the answer took,
 * plus a second. The spans of the last minutes are laid over each other; what all of them allow is the difference.
 * A quick answer has a narrow span and therefore counts most. With a few dozen answers the error falls to
 * about half the quickest answer's time.
 */
export interface Clock {
  now(): number;
  /** An answer with this Date header was asked for at `sentAt` and came at `receivedAt`, by our clock. */
  note(date: string | undefined, sentAt: number, receivedAt: number): void;
}

interface Span {
  readonly at: number;
  /** The org's clock minus ours lies between these. */
  readonly low: number;
  readonly high: number;
}

/** Two clocks in order drift apart by less than 10 ms in this time. */
const KEEP_MS = 5 * 60_000;
const KEEP_SPANS = 100;

export function createClock(local: () => number): Clock {
  let spans: Span[] = [];
  let difference = 0;

  return {
    now: () => Math.round(local() + difference),
    note(date, sentAt, receivedAt) {
      const second = date === undefined ? Number.NaN : Date.parse(date);
      if (Number.isNaN(second)) return;
      const span = { at: receivedAt, low: second - receivedAt, high: second + 1_000 - sentAt };
      const recent = spans.filter(({ at }) => Math.abs(receivedAt - at) <= KEEP_MS);
      spans = [...recent.slice(1 - KEEP_SPANS), span];
      let common = overlap(spans);
      if (common === null) {
        // No difference fits all spans: one of the clocks was set, so the older spans are dropped.
        spans = [span];
        common = span;
      }
      difference = (common.low + common.high) / 2;
    },
  };
}

function overlap(spans: readonly Span[]): { low: number; high: number } | null {
  const low = Math.max(...spans.map((span) => span.low));
  const high = Math.min(...spans.map((span) => span.high));
  return low <= high ? { low, high } : null;
}
