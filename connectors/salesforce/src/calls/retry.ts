import { isCrowded } from './classify.ts';
import type { SalesforceError } from '../errors.ts';

/** Three repeats within 2 to 4 s. Whoever needs more patience has it: a queue, not a connection. */
export const MOST_REPEATS = 3;
const FIRST_DELAY_MS = 500;

/**
 * Whether a failed request may be sent again. `safe`: it does no harm when it was done already.
 *
 * - A row lock: nothing was done, whatever it was.
 * - It never left: the same.
 * - Salesforce is down or the connection broke: only what is safe.
 * - A timeout is not repeated: it has taken two minutes, and its request may still be running.
 * - A limit is not repeated: each try would be counted. That of long requests at once is: it was not let in at all.
 */
export function mayRepeat(error: SalesforceError, safe: boolean): boolean {
  if (error.kind === 'lock' || isCrowded(error)) return true;
  if (error.code === 'unreachable') return safe || error.outcome === 'notSent';
  const isDown = error.code === 'SERVER_UNAVAILABLE' || [502, 503, 504].includes(error.status ?? 0);
  return safe && isDown && error.kind === 'unavailable';
}

/** The pause before a repeat; half of it is random, so that callers who failed together do not come back together. */
export function delayMs(repeats: number, random: () => number): number {
  return FIRST_DELAY_MS * 2 ** repeats * (0.5 + random() / 2);
}
