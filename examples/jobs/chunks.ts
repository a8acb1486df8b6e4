import { defineJob, done } from '@millrace/engine';
import { z } from 'zod';

/**
 * Long work in chunks. After each `yield` the cursor, the progress and the lease are saved together: a crash, a cancel or a
 * deployment costs one chunk at the most, and the next execution goes on from the cursor.
 */
const CHUNK = 1_000;
const START = { from: 2, primes: 0 };

export const countPrimes = defineJob({
  kind: 'count-primes',
  input: z.object({ upTo: z.number().int().min(2).max(10_000_000) }),
  public: true,

  async *run({ data: { upTo }, cursor }) {
    // What is not in the cursor is lost with the process: keep the sum in it, not beside it.
    let { from, primes } = (cursor as typeof START | null) ?? START;
    while (from <= upTo) {
      const end = Math.min(from + CHUNK, upTo + 1);
      for (let number = from; number < end; number += 1) if (isPrime(number)) primes += 1;
      from = end;
      yield { cursor: { from, primes }, progress: { done: from - 1, total: upTo } };
    }
    return done({ primes });
  },
});

function isPrime(number: number): boolean {
  for (let factor = 2; factor * factor <= number; factor += 1)
    if (number % factor === 0) return false;
  return true;
}
