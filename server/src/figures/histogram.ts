import { FIRST_BUCKET_MS } from '@millrace/store-postgres';

/** Below so many of all. Within a bucket by the logarithm, so at most a third off; null: there is nothing. */
export function quantile(counts: readonly number[], part: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let left = part * total;
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
