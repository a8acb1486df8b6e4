import type { Lease } from '@millrace/engine';
import type { JobRow, LeaseRow, Transaction } from './data.ts';

/**
 * The fence: decides whether the lease that a write names is the one in force. Replaceable only to prove
 * that the simulation bites: with a fence that lets everything pass, its invariants must break.
 */
export type Fence = (lease: Lease, current: Lease) => boolean;

/** When the lease ends plays no part: until someone takes the job over, it is still its holder's. */
export const leaseHolds: Fence = (lease, current) =>
  lease.epoch === current.epoch && lease.claim === current.claim;

/** The job and the lease in force, or null when the lease named is not it. */
export function held(tx: Transaction, lease: Lease): { row: JobRow; lease: LeaseRow } | null {
  const row = tx.data.jobs.get(lease.id);
  const current = tx.data.leases.get(lease.id);
  if (row === undefined || current === undefined || !tx.holds(lease, current)) return null;
  return { row, lease: current };
}
