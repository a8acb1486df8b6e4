import type { JobKind } from '../kinds/kind.ts';
import type { ClaimedJob } from '../job.ts';
import type { Want } from '../port.ts';

/** The wants of a claim and its limit over all kinds. */
export interface Room {
  readonly wants: readonly Want[];
  readonly limit: number;
}

/** The places of a pool: how many jobs may run, over all and of each kind, and how much a claim may ask for. */
export interface Slots {
  inFlight(): number;
  /** The room for a claim now, `most` at the most; null while fewer places are free than a claim is worth. */
  free(most: number): Room | null;
  /** The same limit for every kind, whatever is free. */
  wants(limit: number): Want[];
  take(jobs: readonly ClaimedJob[]): void;
  give(kind: string): void;
  /** Kinds that run as often as their own limit allows. */
  fullKinds(): string[];
}

export function createSlots(
  kinds: readonly JobKind[],
  { concurrency, batch, least }: { concurrency: number; batch: number; least: number },
): Slots {
  const inFlightOf = new Map<string, number>();
  let inFlight = 0;

  function taken(kind: string): number {
    return inFlightOf.get(kind) ?? 0;
  }

  function wants(limitOf: (kind: JobKind) => number): Want[] {
    return kinds
      .map((kind) => ({
        kind: kind.kind,
        limit: limitOf(kind),
        ...(kind.quota.running !== null && { tenantLimit: kind.quota.running }),
      }))
      .filter((want) => want.limit > 0 && want.tenantLimit !== 0);
  }

  return {
    inFlight: () => inFlight,
    free(most) {
      const room = Math.min(concurrency - inFlight, batch);
      if (room < least) return null;
      const limit = Math.min(room, most);
      const free = wants((kind) => Math.min(limit, kind.concurrency - taken(kind.kind)));
      return free.length === 0 ? null : { wants: free, limit };
    },
    wants: (limit) => wants(() => limit),
    take(jobs) {
      inFlight += jobs.length;
      for (const { kind } of jobs) inFlightOf.set(kind, taken(kind) + 1);
    },
    give(kind) {
      inFlight -= 1;
      inFlightOf.set(kind, taken(kind) - 1);
    },
    fullKinds: () =>
      kinds.filter((kind) => taken(kind.kind) >= kind.concurrency).map((kind) => kind.kind),
  };
}
