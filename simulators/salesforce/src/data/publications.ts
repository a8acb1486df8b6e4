import type { Clock } from '@millrace/simulator-kit';
import { ApiError } from '../errors.ts';

const DAY = 86_400_000;

/** New versions of files are limited by the day, whether they are committed or not. */
export function createPublications(clock: Clock, most: number): () => void {
  const moments: number[] = [];
  return () => {
    const since = clock.now() - DAY;
    while (moments[0] !== undefined && moments[0] <= since) moments.shift();
    if (moments.length >= most) {
      throw new ApiError('LIMIT_EXCEEDED', 'ContentPublication Limit exceeded.', { fields: [] });
    }
    moments.push(clock.now());
  };
}
