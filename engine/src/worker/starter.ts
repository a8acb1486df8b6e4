import { MillraceError } from '../errors.ts';
import type { ExecutorParts } from '../execution/parts.ts';
import { Execution, type SlotOwner, handBack } from '../executor.ts';
import type { ClaimedJob } from '../job.ts';
import type { JobKind } from '../kinds/kind.ts';

/** Begins what was claimed, and hands back what cannot begin. */
export interface Starter {
  /** Null when it was handed back: nobody asked for its kind, the pool has stopped, or its lease is almost over. */
  begin(job: ClaimedJob, askedAt: number): Execution | null;
  /** Resolves when the job can be claimed again. */
  giveBack(job: ClaimedJob): Promise<void>;
}

/** `owner` hears of each slot that comes free; one object for all jobs of a pool. */
export function createStarter(params: {
  parts: ExecutorParts;
  kinds: ReadonlyMap<string, JobKind>;
  owner: SlotOwner;
  isStopped: () => boolean;
  /** What a store that was silent until the worker's end still gives is left to its lease. */
  isWorkerStopped: () => boolean;
}): Starter {
  const { parts, kinds, owner, isStopped, isWorkerStopped } = params;
  const { clock, events, leases } = parts;

  function begin(job: ClaimedJob, askedAt: number): Execution | null {
    const kind = kinds.get(job.kind);
    if (kind === undefined) {
      const error = new MillraceError('unknown_kind', `It was not asked for a "${job.kind}".`);
      events.emit('store.failed', { during: 'claim', error });
    }
    if (kind === undefined || isStopped() || clock.now() >= leases.deadlineOf(askedAt)) {
      void giveBack(job);
      return null;
    }
    const execution = new Execution(parts, owner, job, kind, askedAt);
    execution.begin();
    return execution;
  }

  function giveBack(job: ClaimedJob): Promise<void> {
    owner.freeSlot(job.kind);
    return isWorkerStopped() ? Promise.resolve() : handBack(parts, job);
  }

  return { begin, giveBack };
}
