import type { HttpError } from '@millrace/http';
import { isCrowded } from './classify.ts';

/**
 * Whether a failed request may be sent again. `safe`: it does no harm when it was done already.
 *
 * - A row lock: nothing was done, whatever it was.
 * - It never left: the same.
 * - Salesforce is down or the connection broke: only what is safe.
 * - A timeout is not repeated: it has taken two minutes, and its request may still be running.
 * - A limit is not repeated: each try would be counted. That of long requests at once is: it was not let in at all.
 */
export function mayRepeat(error: HttpError, safe: boolean): boolean {
  if (error.kind === 'lock' || isCrowded(error)) return true;
  if (error.code === 'unreachable') return safe || error.outcome === 'notSent';
  const isDown = error.code === 'SERVER_UNAVAILABLE' || [502, 503, 504].includes(error.status ?? 0);
  return safe && isDown && error.kind === 'unavailable';
}
