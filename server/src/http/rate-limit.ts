import { Refusal } from './refusal.ts';

/** Callers remembered at the same time; beyond, the one not seen for longest is forgotten. */
const MOST_CALLERS = 10_000;

/** A bucket per caller: so many requests a minute, and a minute's worth of them at once. */
export interface RateLimit {
  /** Takes one, or throws. */
  take(caller: string): void;
}

interface Bucket {
  left: number;
  at: number;
}

export function createRateLimit(params: {
  readonly perMinute: number;
  /** Monotonic, in milliseconds. */
  readonly now: () => number;
}): RateLimit {
  const { perMinute, now } = params;
  const perMs = perMinute / 60_000;
  const buckets = new Map<string, Bucket>();

  function filled(caller: string): Bucket {
    const at = now();
    const known = buckets.get(caller);
    const bucket =
      known === undefined
        ? { left: perMinute, at }
        : { left: Math.min(perMinute, known.left + (at - known.at) * perMs), at };
    // A Map keeps the order of insertion: the first is the one not seen for longest.
    buckets.delete(caller);
    buckets.set(caller, bucket);
    if (buckets.size > MOST_CALLERS) {
      const [oldest] = buckets.keys();
      if (oldest !== undefined) buckets.delete(oldest);
    }
    return bucket;
  }

  function take(caller: string): void {
    const bucket = filled(caller);
    if (bucket.left >= 1) {
      bucket.left -= 1;
      return;
    }
    const seconds = Math.ceil((1 - bucket.left) / perMs / 1_000);
    throw new Refusal(
      'rate_limited',
      `More than ${perMinute} requests a minute. Wait ${seconds} s, or send jobs in batches.`,
      { retryAfterSeconds: seconds },
    );
  }

  return { take };
}
