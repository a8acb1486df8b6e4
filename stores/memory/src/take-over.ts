import {
  type Claimed,
  type FailureRecord,
  type Lost,
  TAKEN_TOLD,
  type TakenFrom,
} from '@millrace/engine';
import type { JobRow, LeaseRow, Transaction } from './data.ts';
import { storable } from './erase.ts';
import { executionsWith } from './executions.ts';
import { finish } from './finish.ts';
import { putBack } from './rows.ts';

/** Leases whose time is over, of any kind and worker, oldest job first. */
export function takeOver(tx: Transaction): Pick<Claimed, 'takenOver' | 'lost'> & {
  readonly takenFrom: TakenFrom[];
} {
  const { leases, jobs } = tx.data;
  const expired = [...leases.values()]
    .flatMap((lease) => {
      const row = jobs.get(lease.id);
      return lease.until < tx.now && row !== undefined ? [{ row, lease }] : [];
    })
    .toSorted((a, b) => a.row.n - b.row.n);
  const takenFrom = expired
    .slice(0, TAKEN_TOLD)
    .map(({ row: { id, worker } }) => ({ id, worker: worker ?? '' }));
  const lost = expired.flatMap(({ row, lease }) => takeOne(tx, row, lease) ?? []);
  return { takenOver: expired.length, takenFrom, lost };
}

/**
 * Takes one lease over. Gives the job if it ends with its worker; null where it goes back to the queue, or was to
 * stop anyway.
 */
function takeOne(tx: Transaction, row: JobRow, lease: LeaseRow): Lost | null {
  const error = storable(row, workerLost(row, lease));
  const executions = executionsWith(tx, { row, lease }, { outcome: 'lost', error });
  if (row.cancelRequested) {
    finish(tx, row, 'cancel', { executions });
    return null;
  }
  const isLast = lease.renewed && row.attempt >= row.maxAttempts;
  if (isLast && row.suspect) {
    finish(tx, row, 'fail', { error, executions });
    const { id, kind, attempt, correlationId } = row;
    return { id, kind, attempt, correlationId };
  }
  const keepsAttempt = lease.renewed && !isLast;
  putBack(tx, row, 'takeOver', {
    attempt: keepsAttempt ? row.attempt : row.attempt - 1,
    runAt: tx.now,
    suspect: true,
    executions,
  });
  return null;
}

/** Says no more than is known: the lease was not renewed. */
function workerLost({ worker }: JobRow, { attempt }: LeaseRow): FailureRecord {
  return {
    code: 'worker_lost',
    message:
      `The worker ${worker ?? ''} stopped renewing its lease during attempt ${attempt}: it died, froze or was cut ` +
      'off. The job may be the cause (memory, a crash): look at the log of the worker before you retry it.',
    retryable: false,
  };
}
