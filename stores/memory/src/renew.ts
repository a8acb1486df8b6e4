import {
  type Checkpoint,
  type Lease,
  type RenewAnswer,
  refuseUnstorableCheckpoint,
} from '@millrace/engine';
import type { JobRow, LeaseRow, Transaction } from './data.ts';
import { enqueue } from './enqueue.ts';
import { held } from './fence.ts';
import { save } from './rows.ts';

export function renew(tx: Transaction, leases: readonly Lease[], leaseMs: number): RenewAnswer[] {
  return leases.map((lease) => {
    const current = held(tx, lease);
    return current === null ? 'stale' : prolong(tx, current, leaseMs);
  });
}

/**
 * Cursor, progress, children and the lease's new end are saved together, or none of them. A step that was
 * taken already, by a repeated or a late request, only renews.
 */
export function checkpoint(
  tx: Transaction,
  checkpoints: readonly Checkpoint[],
  leaseMs: number,
): RenewAnswer[] {
  return checkpoints.map((each) => {
    refuseUnstorableCheckpoint(each);
    const current = held(tx, each.lease);
    if (current === null) return 'stale';
    const { row, lease } = current;
    if (each.step <= lease.step) return prolong(tx, current, leaseMs);
    save(tx.data, { ...row, ...saved(row, each) });
    if (!row.erased) enqueue(tx, each.children);
    return prolong(tx, { row, lease: { ...lease, step: each.step } }, leaseMs);
  });
}

/** A cursor that moved is proof of work: the attempts count again from here, this one included, and no suspicion is left. */
function saved(row: JobRow, { cursor, progress }: Checkpoint): Partial<JobRow> {
  const moved = cursor !== undefined && cursor !== row.cursor && { attempt: 1, suspect: false };
  if (row.erased) return { ...moved };
  return {
    ...moved,
    ...(cursor !== undefined && { cursor }),
    ...(progress !== undefined && { progress: { ...progress } }),
  };
}

function prolong(
  tx: Transaction,
  { row, lease }: { row: JobRow; lease: LeaseRow },
  leaseMs: number,
): RenewAnswer {
  tx.data.leases.set(row.id, { ...lease, until: tx.now + leaseMs, renewed: true });
  return row.cancelRequested ? 'cancel' : 'renewed';
}
