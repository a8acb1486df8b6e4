import {
  MillraceError,
  type SettleAnswer,
  type Settlement,
  refuseUnstorableOutcome,
} from '@millrace/engine';
import type { JobRow, Transaction } from './data.ts';
import { enqueue } from './enqueue.ts';
import { finish } from './finish.ts';
import { held } from './lease.ts';
import { putBack } from './rows.ts';

export function settle(tx: Transaction, settlements: readonly Settlement[]): SettleAnswer[] {
  return settlements.map((settlement) => settleOne(tx, settlement));
}

function settleOne(tx: Transaction, { job: lease, outcome, children }: Settlement): SettleAnswer {
  refuseUnstorableOutcome(outcome);
  const current = held(tx, lease);
  if (current === null)
    return tx.data.jobs.get(lease.id)?.settledEpoch === lease.epoch ? 'already' : 'stale';
  apply(tx, { ...current.row, settledEpoch: lease.epoch }, outcome);
  enqueue(tx, children);
  return 'settled';
}

function apply(tx: Transaction, row: JobRow, outcome: Settlement['outcome']): void {
  switch (outcome.move) {
    case 'succeed':
      if (outcome.effects.length > 0) throw cannotCommitEffects(tx);
      return finish(tx, row, 'succeed', {
        result: outcome.result,
        error: null,
        ...(outcome.purgePayload && { payload: null }),
      });
    case 'fail':
      return finish(tx, row, 'fail', { error: outcome.error });
    case 'cancel':
      return finish(tx, row, 'cancel', {});
    case 'retry':
      return againUnlessCanceled(tx, row, 'retry', {
        error: outcome.error,
        runAt: tx.now + outcome.delayMs,
      });
    case 'defer':
      return againUnlessCanceled(tx, row, 'defer', {
        attempt: attemptGivenBack(row),
        error: null,
        runAt: tx.now + outcome.delayMs,
        ...(outcome.payload !== null && { payload: outcome.payload }),
      });
    case 'handBack':
      return againUnlessCanceled(tx, row, 'handBack', {
        attempt: attemptGivenBack(row),
        runAt: tx.now,
      });
  }
}

/** Someone asked for the job to stop while it ran, and the worker did not know yet: it must not run again. */
function againUnlessCanceled(
  tx: Transaction,
  row: JobRow,
  by: 'retry' | 'defer' | 'handBack',
  changes: Partial<JobRow>,
): void {
  if (row.cancelRequested) finish(tx, row, 'cancel', {});
  else putBack(tx, row, by, changes);
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
