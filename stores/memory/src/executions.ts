import {
  EXECUTIONS_KEPT,
  type Execution,
  type FailureRecord,
  type LogLine,
} from '@millrace/engine';
import type { JobRow, LeaseRow, Transaction } from './data.ts';
import { storable } from './erase.ts';

/** The executions of the job with the one that ends now; a success is kept only beside others, or with its log. */
export function executionsWith(
  tx: Transaction,
  { row, lease }: { row: JobRow; lease: LeaseRow },
  end: Pick<Execution, 'outcome'> & {
    error?: FailureRecord;
    stack?: string | null;
    log?: readonly LogLine[];
  },
): readonly Execution[] {
  const { outcome, error, stack = null, log = null } = end;
  if (outcome === 'succeeded' && row.executions.length === 0 && log === null) return row.executions;
  const execution: Execution = {
    attempt: lease.attempt,
    worker: row.worker,
    startedAt: row.startedAt ?? tx.now,
    endedAt: tx.now,
    outcome,
    error: error === undefined ? null : storable(row, error),
    stack: row.erased ? null : stack,
    epoch: lease.epoch,
    log: row.erased ? null : log,
  };
  return [...row.executions, execution].slice(-EXECUTIONS_KEPT);
}
