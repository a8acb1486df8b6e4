import { type FinishedJob, type Move, isFinished } from '@millrace/engine';
import type { JobRow, Transaction } from './data.ts';
import { enqueueOne } from './enqueue.ts';
import { arrive } from './gates.ts';
import { move } from './rows.ts';

/** Ends a job and makes what follows from its end, in the same transaction. */
export function finish(tx: Transaction, row: JobRow, by: Move, changes: Partial<JobRow>): void {
  tx.data.leases.delete(row.id);
  const ended = move(tx.data, row, by, {
    ...changes,
    suspect: false,
    finishedAt: tx.now,
  });
  for (const { child, gate } of tx.dependants(finishedJob(row, ended))) {
    const ready = gate === undefined ? child : arrive(tx, gate, row.id, child);
    if (ready !== null) enqueueOne(tx, ready);
  }
}

/** The ended job with its payload as it was: rules match by it, also when the kind purges it. */
function finishedJob({ payload }: JobRow, ended: JobRow): FinishedJob {
  const { id, kind, tenant, state, correlationId, submitter, subject, webhook, result } = ended;
  const { parents, traceparent } = ended;
  if (!isFinished(state)) throw new Error(`The job ${id} is ${state}, which is no end.`);
  return {
    id,
    kind,
    tenant,
    payload,
    result,
    state,
    correlationId,
    submitter,
    subject,
    webhook,
    parents,
    traceparent,
  };
}
