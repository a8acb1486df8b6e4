import type { TaskStatus } from '@millrace/marketing-cloud';

/** What a status means for the polling. `none`: no word, or one that nobody has described. */
export type Signal = 'complete' | 'error' | 'queued' | 'processing' | 'none';

/** Only `Error` and `FatalError` have been described; a query can be ended in other ways, known by how their words begin. */
const FAILED = /^(error|fatal|fail)/;
/** `Canceled`, `Cancelled`, `Stopped`, `Timed Out`, …: no type of a column is the cause, and a second try would end alike. */
const STOPPED = /^(cancel|stop|abort|timeout|timed|skip)/;

/** Spelt as it may: ` Complete `, `FATALERROR`. A text in ErrorMsg is an error whatever the status says, unless complete. */
export function signalOf({ status, errorMsg }: TaskStatus): Signal {
  const word = normal(status);
  if (word === 'complete') return 'complete';
  if (FAILED.test(word) || STOPPED.test(word) || hasText(errorMsg)) return 'error';
  return word === 'queued' || word === 'processing' ? word : 'none';
}

export function isStopped({ status }: TaskStatus): boolean {
  return STOPPED.test(normal(status));
}

/** A word that says neither that the query waits, runs or is complete, nor that it failed. */
export function isOdd(status: string | null): status is string {
  return hasText(status) && !['complete', 'queued', 'processing'].includes(normal(status));
}

/** Of two answers for one task: the one that says that it is over. */
export function later(one: TaskStatus, other: TaskStatus): TaskStatus {
  return isOver(one) && !isOver(other) ? one : other;
}

function isOver(status: TaskStatus): boolean {
  const signal = signalOf(status);
  return signal === 'complete' || signal === 'error';
}

export function hasText(text: string | null): text is string {
  return text !== null && text.trim() !== '';
}

function normal(status: string | null): string {
  return status?.trim().toLowerCase() ?? '';
}
