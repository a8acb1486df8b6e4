import type { JobKind } from '../kinds/kind.ts';
import type { ClaimedJob } from '../job.ts';
import type { Want } from '../port.ts';
import type { Seat, SharedSlots } from './shared-slots.ts';

/** The wants of a claim and its limit over all kinds. */
export interface Room {
  readonly wants: readonly Want[];
  readonly limit: number;
}

/** The places of a pool: how many jobs may run, over all and of each kind, and how much a claim may ask for. */
export interface Slots {
  inFlight(): number;
  /**
   * The room for a claim now, `most` at the most; null while fewer places are free than a claim is worth. As much of what pools share is
   * reserved until `claimed`.
   */
  free(most: number): Room | null;
  /** The last answer of `free` was null. */
  isFull(): boolean;
  /** The same limit for every kind, whatever is free. */
  wants(limit: number): Want[];
  /** What the claim got, also if that is nothing. */
  claimed(jobs: readonly ClaimedJob[]): void;
  /** Claimed without asking what is free. */
  take(job: ClaimedJob): void;
  give(kind: string): void;
  /** No claim follows until `free` is asked again. */
  leave(): void;
  /** Kinds that run as often as their own limit allows. */
  fullKinds(): string[];
}

export function createSlots(
  kinds: readonly JobKind[],
  { concurrency, batch, least }: { concurrency: number; batch: number; least: number },
  /** `wake`: places that other pools share came free. */
  { shared, wake }: { readonly shared: SharedSlots | null; readonly wake: () => void },
): Slots {
  const inFlightOf = new Map<string, number>();
  let inFlight = 0;
  let wasFull = false;
  const isShared = (kind: string): boolean => shared?.has(kind) === true;
  const sharing = kinds.filter(({ kind }) => isShared(kind));
  const seat: Seat | null = sharing.length === 0 ? null : (shared?.join(wake) ?? null);
  const leastShared = sharing.length === kinds.length ? least : 1;

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

  function free(most: number): Room | null {
    const room = Math.min(concurrency - inFlight, batch);
    if (room < least) return null;
    const limit = Math.min(room, most);
    const all = wants((kind) => Math.min(limit, kind.concurrency - taken(kind.kind)));
    const asked = all.filter(({ kind }) => isShared(kind)).map((want) => want.limit);
    const granted = asked.length === 0 ? 0 : (seat?.reserve(Math.max(...asked), leastShared) ?? 0);
    const some = all.flatMap((want) => {
      if (!isShared(want.kind)) return [want];
      return granted === 0 ? [] : [{ ...want, limit: Math.min(want.limit, granted) }];
    });
    if (some.length === 0) return null;
    return { wants: some, limit: asked.length === all.length ? Math.min(limit, granted) : limit };
  }

  function add(kind: string, by: number): void {
    inFlight += by;
    inFlightOf.set(kind, taken(kind) + by);
  }

  return {
    inFlight: () => inFlight,
    free(most) {
      const found = free(most);
      wasFull = found === null;
      return found;
    },
    isFull: () => wasFull,
    wants: (limit) => wants(() => limit),
    claimed(jobs) {
      for (const { kind } of jobs) add(kind, 1);
      seat?.claimed(jobs.filter(({ kind }) => isShared(kind)).length);
    },
    take({ kind }) {
      add(kind, 1);
      if (isShared(kind)) seat?.take();
    },
    give(kind) {
      add(kind, -1);
      if (isShared(kind)) seat?.give();
    },
    leave: () => seat?.leave(),
    fullKinds: () =>
      kinds.filter((kind) => taken(kind.kind) >= kind.concurrency).map((kind) => kind.kind),
  };
}
