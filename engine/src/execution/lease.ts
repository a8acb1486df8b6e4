import type { Lease } from '../job.ts';

/** Of a job or an execution, the lease alone. */
export function leaseOf({ id, epoch, claim }: Lease): Lease {
  return { id, epoch, claim };
}

export function isSameLease(a: Lease, b: Lease): boolean {
  return a.id === b.id && a.epoch === b.epoch && a.claim === b.claim;
}
