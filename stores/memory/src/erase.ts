import { type FailureRecord, isFinished } from '@millrace/engine';
import type { JobRow, Transaction } from './data.ts';
import { giveKeyUp, save } from './rows.ts';

/** Removes everything about a person; that a job ran, when and with which end, stays. */
export function erase(tx: Transaction, subject: string): number {
  const rows = [...tx.data.jobs.values()].filter((row) => row.subject === subject);
  for (const row of rows) {
    giveKeyUp(tx.data, row);
    save(tx.data, {
      ...row,
      erased: true,
      // One that waits or runs keeps it, unseen: by it, erasing again finds what the job still made.
      subject: isFinished(row.state) ? null : row.subject,
      payload: null,
      result: null,
      cursor: null,
      progress: null,
      key: null,
      keyWindowMs: null,
      error: row.error === null ? null : withoutText(row.error),
      executions: row.executions.map((execution) => ({
        ...execution,
        error: execution.error === null ? null : withoutText(execution.error),
        stack: null,
        log: null,
      })),
    });
  }
  return rows.length;
}

/** The part of an error that the job may still keep. */
export function storable(row: JobRow, error: FailureRecord): FailureRecord {
  return row.erased ? withoutText(error) : error;
}

/** A message may name the person; a code does not. */
function withoutText(error: FailureRecord): FailureRecord {
  return { ...error, message: '' };
}
