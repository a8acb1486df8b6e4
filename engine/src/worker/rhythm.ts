import type { Claimed, Want } from '../port.ts';

/** When a pool claims again, judged by what its last claim found. */
export interface Rhythm {
  /** How long to wait; null: a free slot is all that the next claim needs. `restMs`: suspects may be asked for then. */
  after(claim: {
    readonly wants: readonly Want[];
    readonly claimed: Claimed;
    readonly isReplay: boolean;
    readonly restMs: number;
  }): number | null;
  /** The last claim filled the kind's limit: a slot that comes free is worth a claim. */
  isBacklogged(kind: string): boolean;
}

/** Between claims that find nothing although something is due: others were faster, or hold it for a moment. */
const CONTENDED_MS = { first: 5, most: 1_000 };

export function createRhythm({ activeMs, idleMs }: { activeMs: number; idleMs: number }): Rhythm {
  const backlogged = new Set<string>();
  let contendedMs = CONTENDED_MS.first;

  function noteBacklog(wants: readonly Want[], { jobs }: Claimed): void {
    for (const { kind, limit, tenantLimit } of wants) {
      if (tenantLimit !== undefined) continue;
      const got =
        wants.length === 1
          ? jobs.length
          : jobs.reduce((sum, job) => (job.kind === kind ? sum + 1 : sum), 0);
      if (got >= limit) backlogged.add(kind);
      else backlogged.delete(kind);
    }
  }

  return {
    after({ wants, claimed, isReplay, restMs }) {
      noteBacklog(wants, claimed);
      const { jobs, more, nextDueMs } = claimed;
      if (!more || jobs.length > 0) contendedMs = CONTENDED_MS.first;
      // A replay claims nothing new: whether there is more, only a claim can tell.
      if (isReplay || (more && jobs.length > 0)) return null;
      const waitMs = more ? contendedMs : jobs.length > 0 ? activeMs : idleMs;
      if (more) contendedMs = Math.min(contendedMs * 2, CONTENDED_MS.most);
      return Math.max(CONTENDED_MS.first, Math.min(waitMs, nextDueMs ?? Infinity, restMs));
    },
    isBacklogged: (kind) => backlogged.has(kind),
  };
}
