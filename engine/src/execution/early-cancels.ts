import type { Lease } from '../job.ts';
import { isSameLease } from './lease.ts';

/** Cancels of jobs that do not run here, or not yet: a hint may overtake the answer of the claim that it is about. */
export interface EarlyCancels {
  remember(lease: Lease): void;
  /** True if the cancel of this lease came early. What is remembered of its job is forgotten either way. */
  take(lease: Lease): boolean;
}

/** Jobs of which the newest cancel is remembered. */
const MOST = 1_000;

export function createEarlyCancels(): EarlyCancels {
  const byJob = new Map<string, Lease>();

  return {
    remember(lease) {
      byJob.delete(lease.id);
      byJob.set(lease.id, lease);
      const [oldest] = byJob.keys();
      if (byJob.size > MOST && oldest !== undefined) byJob.delete(oldest);
    },
    take(lease) {
      if (byJob.size === 0) return false;
      const asked = byJob.get(lease.id);
      byJob.delete(lease.id);
      return asked !== undefined && isSameLease(asked, lease);
    },
  };
}
