import { type Overview, type OverviewWindow, SOURCES } from '@millrace/api';
import type { Scope } from '@millrace/engine';
import {
  type Counted,
  FIRST_BUCKET_MS,
  type Figures,
  type Range,
  type Sampled,
  type Summed,
} from '@millrace/store-postgres';
import { iso, isoOrNull } from '@millrace/workload-kit';
import { rangeOf } from './windows.ts';

/** Incoming and finished jobs of a window, from the per-minute counts of all replicas. */
export interface Flow extends Pick<Overview, 'flow' | 'series' | 'bucketSeconds'> {
  readonly figures: Omit<Overview['figures'], 'endedLately'>;
  readonly from: number;
}

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;

export async function flowOf(
  {
    figures,
    documentKinds,
  }: {
    readonly figures: Pick<Figures, 'sum' | 'samples'>;
    /** Kinds whose executions make a document each: what is promised of documents is about these. */
    readonly documentKinds: readonly string[];
  },
  { tenants }: Pick<Scope, 'tenants'>,
  window: OverviewWindow,
  now: number,
): Promise<Flow> {
  const range = rangeOf(window, now);
  const [summed, ofDocuments, samples, before] = await Promise.all([
    figures.sum({ ...range, tenants }),
    documentKinds.length === 0 ? [] : figures.sum({ ...range, tenants, kinds: documentKinds }),
    figures.samples({ ...range, tenants }),
    endedBefore(figures, tenants, range, now),
  ]);
  const minutes = (now - range.from) / 60_000;
  const total = summed.reduce<Counted>(together, NOTHING);
  const { succeeded, failed, canceled, retried } = total;
  const rate = (count: number): number => rounded(count / minutes);
  const executions = succeeded + failed + retried;
  const peak = samples.reduce<Sampled | null>(higher, null);
  return {
    from: range.from,
    bucketSeconds: range.bucketMs / 1_000,
    flow: {
      sources: SOURCES.map((source, place) => ({
        source,
        perMinute: rate(total.enqueued[place] ?? 0),
      })),
      outcomes: {
        succeeded: rate(succeeded),
        failed: rate(failed),
        canceled: rate(canceled),
        retried: rate(retried),
      },
    },
    figures: {
      perMinute: rate(succeeded + failed + canceled),
      succeeded,
      failed,
      canceled,
      retried,
      successRate: part(succeeded, succeeded + failed),
      retryRate: part(retried, executions),
      p50Ms: quantile(total.ran, 0.5),
      p95Ms: quantile(total.ran, 0.95),
      documentP95Ms: quantile(ofDocuments.reduce<Counted>(together, NOTHING).ran, 0.95),
      waitP50Ms: quantile(total.waited, 0.5),
      waitP95Ms: quantile(total.waited, 0.95),
      peakOldestDueSeconds: peak?.oldestDueSeconds ?? null,
      peakOldestDueAt: isoOrNull(peak?.oldestAt ?? null),
      perMinuteBefore: before?.perMinute ?? null,
      beforeIs: before?.when ?? null,
    },
    series: seriesOf(range, summed, ofDocuments, samples),
  };
}

const MINUTE_MS = 60_000;

/** In this minute and the one before. */
export async function endedLately(
  figures: Pick<Figures, 'sum'>,
  tenants: Scope['tenants'],
  now: number,
): Promise<number> {
  const to = (Math.floor(now / MINUTE_MS) + 1) * MINUTE_MS;
  const sums = await figures.sum({
    from: to - 2 * MINUTE_MS,
    to,
    bucketMs: 2 * MINUTE_MS,
    tenants,
  });
  return sums.reduce((sum, each) => sum + each.succeeded + each.failed + each.canceled, 0);
}

/**
 * Of the same time a week ago, from whole hours, since minutes are merged by then; where nothing is known of it, of the window
 * before this one. Of longer windows there is no before: nothing is kept for longer than eight days.
 */
async function endedBefore(
  figures: Pick<Figures, 'sum'>,
  tenants: Scope['tenants'],
  { from, bucketMs }: Range,
  now: number,
): Promise<Before | null> {
  const lasts = now - from;
  if (lasts > DAY_MS) return null;
  const ended = async (range: Omit<Range, 'bucketMs'>): Promise<number | null> => {
    const sums = await figures.sum({ ...range, bucketMs, tenants });
    if (sums.length === 0) return null;
    const count = sums.reduce((sum, each) => sum + each.succeeded + each.failed + each.canceled, 0);
    return count / ((range.to - range.from) / 60_000);
  };
  const weekAgo = await ended({
    from: Math.floor((from - WEEK_MS) / HOUR_MS) * HOUR_MS,
    to: Math.ceil((now - WEEK_MS) / HOUR_MS) * HOUR_MS,
  });
  if (weekAgo !== null) return { perMinute: rounded(weekAgo), when: 'week_ago' };
  const justBefore = await ended({ from: from - lasts, to: from });
  return justBefore === null ? null : { perMinute: rounded(justBefore), when: 'window_before' };
}

interface Before {
  readonly perMinute: number;
  readonly when: NonNullable<Overview['figures']['beforeIs']>;
}

function seriesOf(
  { from, to, bucketMs }: Range,
  summed: readonly Summed[],
  ofDocuments: readonly Summed[],
  samples: readonly Sampled[],
): Overview['series'] {
  const sums = new Map(summed.map((each) => [each.bucket, each]));
  const made = new Map(ofDocuments.map((each) => [each.bucket, each]));
  const sampled = new Map(samples.map((each) => [each.bucket, each]));
  return Array.from({ length: Math.round((to - from) / bucketMs) }, (_, bucket) => {
    const counted = sums.get(bucket) ?? NOTHING;
    const { succeeded, failed, canceled, retried, ran } = counted;
    return {
      at: iso(from + bucket * bucketMs),
      enqueued: enqueuedOf(counted),
      succeeded,
      failed,
      canceled,
      retried,
      p50Ms: quantile(ran, 0.5),
      p95Ms: quantile(ran, 0.95),
      documentP95Ms: quantile((made.get(bucket) ?? NOTHING).ran, 0.95),
      waiting: sampled.get(bucket)?.waiting ?? null,
      oldestDueSeconds: sampled.get(bucket)?.oldestDueSeconds ?? null,
    };
  });
}

export function enqueuedOf({ enqueued }: Pick<Counted, 'enqueued'>): number {
  return enqueued.reduce((sum, count) => sum + count, 0);
}

export const NOTHING: Counted = {
  enqueued: [],
  succeeded: 0,
  failed: 0,
  canceled: 0,
  retried: 0,
  ran: [],
  waited: [],
};

function together(a: Counted, b: Counted): Counted {
  return {
    enqueued: added(a.enqueued, b.enqueued),
    succeeded: a.succeeded + b.succeeded,
    failed: a.failed + b.failed,
    canceled: a.canceled + b.canceled,
    retried: a.retried + b.retried,
    ran: added(a.ran, b.ran),
    waited: added(a.waited, b.waited),
  };
}

function higher(before: Sampled | null, sample: Sampled): Sampled | null {
  if (sample.oldestDueSeconds === null) return before;
  return (before?.oldestDueSeconds ?? -1) >= sample.oldestDueSeconds ? before : sample;
}

function part(some: number, all: number): number | null {
  return all === 0 ? null : some / all;
}

/** To a hundredth: nobody reads more. */
function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Below so many of all. Within a bucket by the logarithm, so at most a third off; null: there is nothing. */
export function quantile(counts: readonly number[], fraction: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let left = fraction * total;
  for (const [bucket, count] of counts.entries()) {
    if (count > 0 && left <= count) {
      const upper = FIRST_BUCKET_MS * 2 ** bucket;
      return Math.round(bucket === 0 ? upper * (left / count) : (upper / 2) * 2 ** (left / count));
    }
    left -= count;
  }
  return FIRST_BUCKET_MS * 2 ** (counts.length - 1);
}

export function added(a: readonly number[], b: readonly number[]): number[] {
  return Array.from(
    { length: Math.max(a.length, b.length) },
    (_, index) => (a[index] ?? 0) + (b[index] ?? 0),
  );
}
