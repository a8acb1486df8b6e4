import { StoreTimedOut, StoreUnavailable } from '../errors.ts';
import type { ExecutorParts } from '../executor.ts';
import type { ClaimedJob } from '../job.ts';
import type { ClaimParams, Claimed, Want } from '../port.ts';
import { type WakeUp, createWakeUp } from '../time/clock.ts';
import type { HeldWindows } from './pool.ts';
import type { Room, Slots } from './slots.ts';

/** Jobs that were claimed and have yet to begin. */
export interface Batch {
  readonly jobs: readonly ClaimedJob[];
  /** On the worker's clock, when the claim was first asked for: its leases count from there. */
  readonly askedAt: number;
  /** A job is of a kind that was not asked for. It is handed back, and due again. */
  readonly hasForeign: boolean;
  /** How long to wait before the next claim; null: a free slot is all it needs. */
  readonly waitMs: number | null;
}

export const NOTHING: Batch = { jobs: [], askedAt: 0, hasForeign: false, waitMs: null };

/** The first stage of a pool: the next batch, claimed while the last one begins. */
export interface Claims {
  /** Waits for what the last batch says, for room and for leave to claim. Never rejects. */
  next(last: Batch): Promise<Batch>;
  /** Every batch that was given has to be reported when its jobs have begun. */
  begun(batch: Batch): void;
  /** A claim is on its way, or its jobs have yet to begin. */
  isClaiming(): boolean;
  /** Asks for one suspect, and throws where `next` tries again: the next turn of the quarantine does. */
  claimSuspect(wants: readonly Want[]): Promise<{ claimed: Claimed; askedAt: number }>;
  /** The last claim filled the kind's limit: a slot that comes free is worth a claim. */
  isBacklogged(kind: string): boolean;
  /** Cuts a back-off short, which hints do not. */
  halt(): void;
  /** Milliseconds since 1970 by the store's clock, null before the first claim. */
  lastPoll(): number | null;
}

/** After a claim that failed, for longer each time until one goes well. */
const RETRY_MS = { first: 100, most: 10_000 };
/** Between claims that find nothing although something is due: others were faster, or hold it for a moment. */
const CONTENDED_MS = { first: 5, most: 1_000 };
/** A window that is changed, or a clock that is set, is noticed so soon. */
const LOOK_AT_WINDOWS_MS = 60_000;

export function createClaims(params: {
  pool: string;
  worker: string;
  parts: ExecutorParts;
  settings: { batch: number; minPriority: number | undefined; activeMs: number; idleMs: number };
  slots: Slots;
  windows: HeldWindows;
  /** Woken by hints. */
  signal: WakeUp;
  /** Woken when there may be room. */
  room: WakeUp;
  nextClaim: () => number;
  isForeign: (job: { readonly kind: string }) => boolean;
  isStopped: () => boolean;
  /** Null when pools may claim, else a promise of the worker's going on. */
  held: () => Promise<void> | null;
  /** Suspects are due. Answers in how many milliseconds they may be asked about again. */
  onSuspects: (foundOthers: boolean) => number;
}): Claims {
  const { pool, worker, slots, windows, signal, room, isStopped, held } = params;
  const { batch, minPriority, activeMs, idleMs } = params.settings;
  const { store, clock, events, settler, leaseMs } = params.parts;
  const halt = createWakeUp(clock);
  const backlogged = new Set<string>();
  /** Claims that are under way, and batches that have yet to begin. */
  let unbegun = 0;
  let retryMs = RETRY_MS.first;
  let contendedMs = CONTENDED_MS.first;
  /** Less than a batch after a claim that the store could not finish in time. */
  let most = batch;
  let lastPoll: number | null = null;

  async function next({ hasForeign, waitMs }: Batch): Promise<Batch> {
    try {
      // Without a pause, foreign jobs would come and go as fast as the store answers.
      if (hasForeign) await backOff();
      else if (waitMs !== null) await signal.wait(waitMs);
      await outsideWindows();
      return await claimWhenPossible();
    } catch (error) {
      events.emit('store.failed', { during: 'claim', error });
      await backOff();
      return NOTHING;
    }
  }

  async function outsideWindows(): Promise<void> {
    while (!isStopped()) {
      const ms = await windows.heldMs();
      if (ms === null) return;
      await signal.wait(Math.min(ms, LOOK_AT_WINDOWS_MS));
    }
  }

  async function claimWhenPossible(): Promise<Batch> {
    for (;;) {
      if (isStopped()) return NOTHING;
      // The claim leaves in the same turn: none leaves after a pause, or beside a suspect.
      const onward = held();
      const free = onward !== null || settler.isFull() ? null : slots.free(most);
      if (free !== null) return claim(free);
      await (onward ?? room.wait(null));
    }
  }

  /**
   * After a lost answer the same claim is asked for again, so that its leases are not left to expire. Without any
   * answer, what the store may have given is taken over when its lease is over.
   */
  async function claim(free: Room): Promise<Batch> {
    const request = requestFor(free.wants, free.limit);
    const askedAt = clock.now();
    unbegun += 1;
    for (let isReplay = false; ; isReplay = true) {
      try {
        const claimed = await store.claim(isReplay ? { ...request, replay: true } : request);
        return batchOf(free, claimed, askedAt, isReplay);
      } catch (error) {
        events.emit('store.failed', { during: 'claim', error });
        if (!isStopped()) await backOff();
        // Too much to be fetched in time, most likely: the same again would take as long.
        const isTooSlow = error instanceof StoreTimedOut;
        if (isTooSlow) most = Math.max(1, Math.floor(free.limit / 2));
        // Leases that may have been given are over by now, or the fault is not the network's: start again.
        const isLost =
          isTooSlow || clock.now() - askedAt > leaseMs || !(error instanceof StoreUnavailable);
        if (!isStopped() && !isLost) continue;
        unbegun -= 1;
        return NOTHING;
      }
    }
  }

  function batchOf(free: Room, claimed: Claimed, askedAt: number, isReplay: boolean): Batch {
    const { jobs, more, suspects } = claimed;
    const hasForeign = jobs.some(params.isForeign);
    if (!hasForeign) wentWell();
    if (jobs.length >= most) most = Math.min(batch, most * 2);
    report(claimed, free.limit);
    const restMs = suspects ? params.onSuspects(jobs.length > 0 || more) : Infinity;
    noteBacklog(free.wants, claimed);
    return { jobs, askedAt, hasForeign, waitMs: waitAfter(claimed, isReplay, restMs) };
  }

  function waitAfter(
    { jobs, more, nextDueMs }: Claimed,
    isReplay: boolean,
    restMs: number,
  ): number | null {
    if (!more || jobs.length > 0) contendedMs = CONTENDED_MS.first;
    // A replay claims nothing new: only a claim shows whether there is more.
    if (isReplay || (more && jobs.length > 0)) return null;
    const waitMs = more ? contendedMs : jobs.length > 0 ? activeMs : idleMs;
    if (more) contendedMs = Math.min(contendedMs * 2, CONTENDED_MS.most);
    return Math.max(CONTENDED_MS.first, Math.min(waitMs, nextDueMs ?? Infinity, restMs));
  }

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

  async function claimSuspect(
    wants: readonly Want[],
  ): Promise<{ claimed: Claimed; askedAt: number }> {
    const askedAt = clock.now();
    const request = { ...requestFor(wants, 1), alone: true };
    const claimed = await store.claim(request).catch(async (error: unknown) => {
      // Once more, for the answer; what it may have given otherwise is taken over when its lease is over.
      if (error instanceof StoreUnavailable) return store.claim({ ...request, replay: true });
      throw error;
    });
    report(claimed, 1);
    return { claimed, askedAt };
  }

  function requestFor(wants: readonly Want[], limit: number): ClaimParams {
    return {
      worker,
      claim: params.nextClaim(),
      wants,
      limit,
      leaseMs,
      ...(minPriority !== undefined && { minPriority }),
    };
  }

  function wentWell(): void {
    if (retryMs > RETRY_MS.first) events.emit('store.recovered', { during: 'claim' });
    retryMs = RETRY_MS.first;
  }

  async function backOff(): Promise<void> {
    if (!isStopped()) await halt.wait(retryMs);
    retryMs = Math.min(retryMs * 2, RETRY_MS.most);
  }

  function report(claimed: Claimed, asked: number): void {
    events.emit('pool.polled', { pool, claimed: claimed.jobs.length, asked });
    lastPoll = claimed.now;
    const { takenOver, takenFrom = [] } = claimed;
    if (takenOver > 0)
      events.emit('lease.takenOver', {
        count: takenOver,
        jobs: takenFrom.map(({ id }) => id),
        workers: [...new Set(takenFrom.map((each) => each.worker))],
        from: takenFrom,
      });
    for (const lost of claimed.lost)
      events.emit('job.lost', { ...lost, correlationId: lost.correlationId ?? lost.id });
  }

  return {
    next,
    begun(done) {
      if (done !== NOTHING) unbegun -= 1;
    },
    isClaiming: () => unbegun > 0,
    claimSuspect,
    isBacklogged: (kind) => backlogged.has(kind),
    halt: halt.wake,
    lastPoll: () => lastPoll,
  };
}
