import { setTimeout as wait } from 'node:timers/promises';
import { HttpError } from './errors.ts';

/** Whoever needs more patience has it: a queue, not a connection. */
const MOST_REPEATS = 3;
const FIRST_PAUSE_MS = 500;
/** Throttling lasts longer than a broken connection: 2, 4 and 8 s at the most. */
const FIRST_PAUSE_OF_LIMIT_MS = 2_000;
/** A longer wait is the caller's: the error says how long, and a job that defers holds no slot meanwhile. */
const LONGEST_WAIT_MS = 30_000;
/** A clock that is wrong, ours or theirs, must not stop anybody for a day. */
const LONGEST_RETRY_AFTER_MS = 60 * 60_000;

/** Sent again, they would end in the same way. */
const FINAL = new Set(['canceled', 'closed', 'tls_failed']);

export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

export const sleep: Sleep = async (ms, signal) => {
  await wait(ms, undefined, signal === undefined ? {} : { signal });
};

/**
 * Runs an attempt until it succeeds, or `pause` says that its error is the last: by null, or in ms how long to wait before the
 * next one.
 */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  params: {
    pause(error: HttpError): number | null;
    readonly sleep: Sleep;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<T> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      const ms = error instanceof HttpError ? params.pause(error) : null;
      if (ms === null) throw error;
      try {
        if (ms > 0) await params.sleep(ms, params.signal);
      } catch {
        // The caller gave up during the pause: the error before it is reported.
        throw error;
      }
    }
  }
}

/** Whether a request passes by itself. `safe`: it does no harm where it was done already. */
export function isTransient(error: HttpError, safe: boolean): boolean {
  if (error.kind !== 'limit' && error.kind !== 'unavailable') return false;
  return error.retryable && !FINAL.has(error.code) && (safe || error.outcome !== 'unknown');
}

/**
 * The pause before a request is sent again after so many repeats, longer after a limit; null where it was sent often enough, or
 * would wait too long.
 */
export function pauseMs(
  repeats: number,
  random: () => number,
  error?: Pick<HttpError, 'kind' | 'retryAfterMs'>,
): number | null {
  const asks = error?.retryAfterMs ?? 0;
  if (repeats >= MOST_REPEATS || asks > LONGEST_WAIT_MS) return null;
  const first = error?.kind === 'limit' ? FIRST_PAUSE_OF_LIMIT_MS : FIRST_PAUSE_MS;
  // Half of the pause is random, so that callers who failed together do not come back together.
  return asks + first * 2 ** repeats * (0.5 + random() / 2);
}

/** `Retry-After`: seconds or a date. Null where it is neither, or a date that is over. */
export function retryAfterMs(header: string | undefined, now: number): number | null {
  const text = header?.trim() ?? '';
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now;
  return ms > 0 ? Math.min(Math.ceil(ms), LONGEST_RETRY_AFTER_MS) : null;
}
