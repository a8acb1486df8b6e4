import type { Lease } from '@millrace/engine';
import type { JobRow, LeaseRow, Transaction } from './data.ts';

/** The job and the lease in force, or null when the lease named is not it. */
export function held(tx: Transaction, lease: Lease): { row: JobRow; lease: LeaseRow } | null {
  const row = tx.data.jobs.get(lease.id);
  const current = tx.data.leases.get(lease.id);
  if (row === undefined || current === undefined || !tx.holds(lease, current)) return null;
  return { row, lease: current };
}
