import type { Clock } from '@millrace/simulator-kit';
import { ApiError } from '../errors.ts';
import type { Strikes } from '../faults.ts';

const MOST_LONG = 25;
const LONG_MS = 20_000;

/**
 * No more than 25 requests may last longer than 20 seconds at the same time ("API Request Limits and Allocations" of the
 * platform's limits).
 */
export interface Crowd {
  enter<T>(strikes: Strikes, run: () => Promise<T>): Promise<T>;
}

export function createCrowd(clock: Clock): Crowd {
  const since = new Set<{ readonly at: number }>();
  return {
    async enter(strikes, run) {
      const now = clock.now();
      const long = [...since].filter(({ at }) => now - at > LONG_MS);
      if (long.length >= MOST_LONG || strikes.strikes('crowded') !== null) {
        throw new ApiError(
          'REQUEST_LIMIT_EXCEEDED',
          'ConcurrentRequests (Concurrent API Requests) Limit exceeded.',
        );
      }
      const entry = { at: now };
      since.add(entry);
      try {
        return await run();
      } finally {
        since.delete(entry);
      }
    },
  };
}
