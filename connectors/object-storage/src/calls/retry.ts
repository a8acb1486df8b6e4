import type { ObjectStorageError } from '../errors.ts';

/** Whoever needs more patience has it: a queue, not a connection. */
const MOST_REPEATS = 3;
const FIRST_PAUSE_MS = 500;
/** SlowDown lasts longer than a broken connection: 2, 4 and 8 s at the most. */
const FIRST_PAUSE_OF_LIMIT_MS = 2_000;
/** A longer wait is the caller's: the error says how long, and a job that waits holds no slot meanwhile. */
const LONGEST_WAIT_MS = 30_000;
/** A clock that is wrong, ours or theirs, must not stop a report for a day. */
const LONGEST_RETRY_AFTER_MS = 60 * 60_000;

/** Sent again, they would end in the same way. */
const FINAL = new Set(['canceled', 'closed', 'tls_failed']);

/**
 * The pause before a failed request is sent again, or null where it is not. Every operation may be sent again: a part, an
 * object, a deletion come out the same; a second upload that nobody knows of is swept; a Complete that was done is refused by its
 * condition, and its caller looks.
 */
export function pauseMs(
  error: ObjectStorageError,
  repeats: number,
  random: () => number,
): number | null {
  const isTemporary = error.kind === 'limit' || error.kind === 'unavailable';
  if (!isTemporary || !error.retryable || FINAL.has(error.code)) return null;
  const asked = error.retryAfterMs ?? 0;
  if (repeats >= MOST_REPEATS || asked > LONGEST_WAIT_MS) return null;
  const first = error.kind === 'limit' ? FIRST_PAUSE_OF_LIMIT_MS : FIRST_PAUSE_MS;
  // Half of the pause is random, so that callers who failed together do not come back together.
  return asked + first * 2 ** repeats * (0.5 + random() / 2);
}

/** `Retry-After`: seconds or a date. Null where it is neither, or a date that is over. */
export function retryAfterMs(header: string | undefined, now: number): number | null {
  const text = header?.trim() ?? '';
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now;
  return ms > 0 ? Math.min(Math.ceil(ms), LONGEST_RETRY_AFTER_MS) : null;
}
