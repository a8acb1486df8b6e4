import { type Duration, INTERNAL_KEYS, MillraceError, toMs } from '@millrace/engine';

/**
 * One run for one key of a submitter, as jobs have it: while the run lives, and for the window after it succeeded. With the window
 * `always`, however the run ended: whoever lost the answer must not begin a second one because the first has failed meanwhile.
 */
export interface RunKey {
  readonly value: string;
  readonly windowMs: number | 'always';
}

const TEN_YEARS_MS = 10 * 365 * 86_400_000;

export function runKeyOf(
  value: string | undefined,
  window: Duration | 'always' = '24h',
): RunKey | null {
  if (value === undefined) return null;
  if (window === 'always') return { value, windowMs: window };
  const windowMs = toMs(window);
  if (windowMs >= 0 && windowMs <= TEN_YEARS_MS) return { value, windowMs };
  throw new MillraceError('invalid_key', 'The keyWindow must be between 0 and ten years.');
}

/** Refuses a key of the service's own from outside: a run that somebody made by hand must not be taken for that of a step or a schedule. */
export function requireForeignKey(key: string | undefined): void {
  if (key?.startsWith(INTERNAL_KEYS) !== true) return;
  throw new MillraceError(
    'invalid_key',
    `Keys that begin with "${INTERNAL_KEYS}" are the service's own. Let yours begin otherwise.`,
  );
}
