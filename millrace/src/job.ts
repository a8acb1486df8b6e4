import type { Job, JsonText } from '@millrace/engine';

/** A job as it is now, with its data and what came of it as values. */
export interface FoundJob extends Omit<Job, 'payload' | 'result' | 'cursor'> {
  /** Null once purged or erased. */
  readonly data: unknown;
  /** The value passed to `done`; null before that. */
  readonly result: unknown;
  readonly cursor: unknown;
}

export function foundJob({ payload, result, cursor, ...job }: Job): FoundJob {
  return { ...job, data: valueOf(payload), result: valueOf(result), cursor: valueOf(cursor) };
}

function valueOf(text: JsonText | null): unknown {
  return text === null ? null : JSON.parse(text);
}
