import { type Duration, toMs } from '@millrace/engine';

/**
 * A source or an object storage that is away for a while costs no attempt: one that is started again takes longer than the three
 * short retries of a chunk. The job puts itself back, less and less often, and gives up in the end. A chunk that is saved
 * meanwhile ends the wait: the next one begins from the start.
 */
export interface Waiting {
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly tries: number;
}

const FIRST_MS = 1_000;
const MOST_MS = 30_000;

/** When to try again; null: it has been away for too long. */
export function nextTry(
  waiting: Waiting | undefined,
  now: number,
  patience: Duration,
): { readonly afterMs: number; readonly waiting: Waiting } | null {
  const { since, tries } = waiting ?? { since: now, tries: 0 };
  if (now - since >= toMs(patience)) return null;
  const afterMs = Math.min(FIRST_MS * 2 ** tries, MOST_MS);
  return { afterMs, waiting: { since, tries: tries + 1 } };
}
