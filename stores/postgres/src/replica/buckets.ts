import { BUCKETS } from '../figures.ts';

/** Bucket n counts up to 4 · 2ⁿ ms; the last one everything beyond. */
export const FIRST_BUCKET_MS = 4;

export function bucketOf(ms: number): number {
  if (!(ms > FIRST_BUCKET_MS)) return 0;
  return Math.min(BUCKETS - 1, Math.ceil(Math.log2(ms / FIRST_BUCKET_MS)));
}
