import type { Lease } from '@millrace/engine';

/**
 * The fence: decides whether the lease that a write names is the one in force. Replaceable only to prove
 * that the simulation bites: with a fence that lets everything pass, its invariants must break.
 */
export type Fence = (lease: Lease, current: Lease) => boolean;

/** When the lease ends plays no part: until someone takes the job over, it is still its holder's. */
export const leaseHolds: Fence = (lease, current) =>
  lease.epoch === current.epoch && lease.claim === current.claim;
