import {
  type FailureRecord,
  type LogLine,
  MillraceError,
  type SettleAnswer,
  type Settlement,
  refuseUnstorableOutcome,
} from '@millrace/engine';
import type { JobRow, LeaseRow, Transaction } from './data.ts';
import { enqueue } from './enqueue.ts';
import { storable } from './erase.ts';
import { executionsWith } from './executions.ts';
import { finish } from './finish.ts';
import { held } from './fence.ts';
import { putBack } from './rows.ts';

/** A running job with the lease in force. */
interface Running {
  readonly row: JobRow;
  readonly lease: LeaseRow;
}

export function settle(tx: Transaction, settlements: readonly Settlement[]): SettleAnswer[] {
  return settlements.map((settlement) => settleOne(tx, settlement));
}

function settleOne(tx: Transaction, { job, outcome, children }: Settlement): SettleAnswer {
  refuseUnstorableOutcome(outcome);
  const current = held(tx, job);
  if (current === null) return settledBy(tx, job) ? 'already' : 'stale';
  const { epoch, claim } = job;
  const running = { ...current, row: { ...current.row, settled: { epoch, claim } } };
  const answer = apply(tx, running, outcome);
  if (answer === 'settled' && !running.row.erased) enqueue(tx, children);
  return answer;
}

function settledBy(tx: Transaction, { id, epoch, claim }: Settlement['job']): boolean {
  const settled = tx.data.jobs.get(id)?.settled;
  return settled?.epoch === epoch && settled.claim === claim;
}

function apply(
  tx: Transaction,
  running: Running,
  outcome: Settlement['outcome'],
): 'settled' | 'canceled' {
  const { row } = running;
  switch (outcome.move) {
    case 'succeed':
      if (outcome.effects.length > 0) throw cannotCommitEffects(tx);
      finish(tx, row, 'succeed', {
        result: row.erased ? null : outcome.result,
        error: null,
        executions: executionsWith(tx, running, {
          outcome: 'succeeded',
          ...(outcome.log !== undefined && { log: outcome.log }),
        }),
        ...(outcome.purgePayload && { payload: null }),
      });
      return 'settled';
    case 'fail':
      finish(tx, row, 'fail', {
        error: storable(row, outcome.error),
        executions: executionsWith(tx, running, { ...outcome, outcome: 'failed' }),
      });
      return 'settled';
    case 'cancel':
      return cancel(tx, running, 'settled', outcome);
    case 'retry':
      if (row.cancelRequested) return cancel(tx, running, 'canceled', outcome);
      return again(tx, row, 'retry', {
        suspect: false,
        error: storable(row, outcome.error),
        executions: executionsWith(tx, running, { ...outcome, outcome: 'retried' }),
        runAt: tx.now + outcome.delayMs,
      });
    case 'defer':
      if (row.cancelRequested) return cancel(tx, running, 'canceled');
      return again(tx, row, 'defer', {
        suspect: false,
        attempt: attemptGivenBack(row),
        error: null,
        runAt: tx.now + outcome.delayMs,
        ...(outcome.payload !== null && !row.erased && { payload: outcome.payload }),
      });
    case 'handBack':
      if (row.cancelRequested) return cancel(tx, running, 'canceled');
      return again(tx, row, 'handBack', { attempt: attemptGivenBack(row), runAt: tx.now });
  }
}

/**
 * Ends the job CANCELED, also where its worker would have put it back: someone asked for it to stop, so it must not
 * run again.
 */
function cancel<A extends SettleAnswer>(
  tx: Transaction,
  running: Running,
  answer: A,
  cause: { error?: FailureRecord; stack?: string | null; log?: readonly LogLine[] } = {},
): A {
  const executions = executionsWith(tx, running, { ...cause, outcome: 'canceled' });
  finish(tx, running.row, 'cancel', { executions });
  return answer;
}

function again(
  tx: Transaction,
  row: JobRow,
  by: 'retry' | 'defer' | 'handBack',
  changes: Partial<JobRow>,
): 'settled' {
  putBack(tx, row, by, changes);
  return 'settled';
}

function attemptGivenBack({ attempt }: JobRow): number {
  return Math.max(0, attempt - 1);
}

function cannotCommitEffects({ data }: Transaction): MillraceError {
  return new MillraceError(
    'unsupported_by_store',
    `The store "${data.name}" cannot commit effects: perform them before the handler returns.`,
  );
}
