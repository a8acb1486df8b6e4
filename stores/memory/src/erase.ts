import type { FailureRecord } from '@millrace/engine';
import type { Transaction } from './data.ts';
import { giveKeyUp, save } from './rows.ts';

/** What is said about a person goes; that a job ran, when and with which end, stays. */
export function erase(tx: Transaction, subject: string): number {
  const rows = [...tx.data.jobs.values()].filter((row) => row.subject === subject);
  for (const row of rows) {
    giveKeyUp(tx.data, row);
    save(tx.data, {
      ...row,
      erased: true,
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
      })),
    });
  }
  return rows.length;
}

/** A message may name the person; a code does not. */
export function withoutText(error: FailureRecord): FailureRecord {
  return { ...error, message: '' };
}
