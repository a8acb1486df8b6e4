import { sleep } from './clock.ts';
import { MillraceError, StoreTimedOut, StoreUnavailable } from './errors.ts';
import { Execution, type ExecutorParts, type SlotOwner, handBack } from './executor.ts';
import type { ClaimedJob, JobId } from './job.ts';
import type { JobKind } from './kind.ts';
import type { ClaimParams, Claimed, Want } from './port.ts';
import { type PoolConfig, settingsOf } from './pool-config.ts';
import { type Slots, createSlots } from './slots.ts';
import { createWakeUp } from './wake-up.ts';
import { pausedUntil } from './window.ts';

export interface Pool {
  readonly name: string;
  readonly kinds: readonly string[];
  readonly concurrency: number;
  readonly minPriority: number | null;
  inFlight(): number;
  /** Kinds that run as often as their own limit allows. */
  fullKinds(): string[];
  /** When the claims of this pool go on, if a window holds them now. */
  heldUntil(): number | null;
  /** Milliseconds since 1970 by the store's clock, null before the first claim. */
  lastPoll(): number | null;
  /** A claim is on its way, or its jobs have yet to begin. */
  isClaiming(): boolean;
  wake(kinds: readonly string[] | null): void;
  start(): void;
  /** No pause window holds its claims. */
  isOpen(): Promise<boolean>;
  /** Claims one suspect; null when there is none. It has to begin, or be handed back, before its lease can end. */
  claimSuspect(): Promise<Suspect | null>;
  /** No new claims; resolves when the claim under way has been dealt with. */
  stop(): Promise<void>;
}

/** A suspect that was claimed and waits for its process to be empty. */
export interface Suspect {
  readonly id: JobId;
  /** On the worker's clock: what has not begun by then is no longer ours. */
  readonly beginBy: number;
  begin(): Execution | null;
  /** Resolves when it can be claimed again. */
  handBack(): Promise<void>;
}

/** What all pools of a worker share. */
export interface PoolHost {
  readonly worker: string;
  readonly parts: ExecutorParts;
  nextClaim(): number;
  /** The worker has ended: what a store that was silent until then still gives is left to its lease. */
  isStopped(): boolean;
  /** Null when pools may claim; while the worker is paused or keeps a suspect alone, a promise of its going on. */
  held(): Promise<void> | null;
  /** Suspects of the pool wait to run alone. Answers how long the others still have the worker before that. */
  onSuspects(pool: Pool, foundOthers: boolean): number;
}

const RETRY_MS = { first: 100, most: 10_000 };
/** Between claims that find nothing although something is due: others were faster, or hold it for a moment. */
const CONTENDED_MS = { first: 5, most: 1_000 };

/** Jobs that were claimed and have yet to begin. */
interface Batch {
  readonly jobs: readonly ClaimedJob[];
  readonly askedAt: number;
  /** What to wait for before the next claim; null: a free slot is all it needs. */
  readonly waitMs: number | null;
}
const NOTHING: Batch = { jobs: [], askedAt: 0, waitMs: null };

/**
 * Claims for as long as there is work and room, then waits: for a notification, the next due time or the interval,
 * whichever comes first. Two stages, of which the first is always one batch ahead:
 *
 *     claim n+1 is sent ──► wait (hint | due | interval) unless there is more ──► wait for room ──► answer
 *     meanwhile batch n begins
 */
export function createPool(params: {
  config: PoolConfig;
  kinds: readonly JobKind[];
  host: PoolHost;
}): Pool {
  const { config, kinds, host } = params;
  const { parts, worker } = host;
  const { store, clock, events, leases, settler, leaseMs } = parts;
  const { concurrency, batch, least, activeMs, idleMs, windows } = settingsOf(config);
  const kindsByName = new Map(kinds.map((kind) => [kind.kind, kind]));
  const slots = createSlots(kinds, { concurrency, batch, least });
  /** Kinds whose limit was filled by the last claim: a slot that comes free is worth a claim. */
  const backlogged = new Set<string>();
  const signal = createWakeUp(clock);
  const room = createWakeUp(clock);
  /** Woken by `stop` alone: hints must not cut the waiting for a failing store short. */
  const halt = createWakeUp(clock);
  settler.onRoom(room.wake);
  let stopped = true;
  let unbegun = 0;
  let loop: Promise<void> = Promise.resolve();
  let retryMs = RETRY_MS.first;
  let contendedMs = CONTENDED_MS.first;
  /** Less than what is free after a claim that the store could not finish in time. */
  let most = batch;
  let heldUntil: number | null = null;
  let lastPoll: number | null = null;

  /** Nothing ends the loop but `stop`: a pool that died would leave its work lying about in silence. */
  async function run(): Promise<void> {
    let ahead = nextBatch(NOTHING);
    for (;;) {
      const claimed = await ahead;
      slots.take(claimed.jobs);
      if (stopped) return begin(claimed);
      ahead = nextBatch(claimed);
      // Where a claim follows at once it leaves first, and the database answers it while these begin.
      if (claimed.waitMs === null) await sleep(clock, 0);
      begin(claimed);
    }
  }

  async function nextBatch({ jobs, waitMs }: Batch): Promise<Batch> {
    try {
      // They are handed back and due again: without a pause they would come and go as fast as the store answers.
      if (jobs.some(isForeign)) await backOff();
      else if (waitMs !== null) await signal.wait(waitMs);
      return await claimWhenPossible();
    } catch (error) {
      events.emit('store.failed', { during: 'claim', error });
      await backOff();
      return NOTHING;
    }
  }

  async function claimWhenPossible(): Promise<Batch> {
    await outsideWindows();
    for (;;) {
      if (stopped) return NOTHING;
      const free = settler.isFull() ? null : slots.free(most);
      // Asked last, so that no claim leaves after a pause.
      const onward = free === null ? null : host.held();
      if (free !== null && onward === null) return claim(free);
      await (onward ?? room.wait(null));
    }
  }

  /** After a lost answer the same claim is asked for again, so that its leases are not left to expire. */
  async function claim({ wants, limit }: NonNullable<ReturnType<Slots['free']>>): Promise<Batch> {
    unbegun += 1;
    const request = requestFor(wants, limit);
    const askedAt = clock.now();
    for (let replay = false; ; replay = true) {
      try {
        const claimed = await store.claim(replay ? { ...request, replay } : request);
        if (!claimed.jobs.some(isForeign)) wentWell();
        if (claimed.jobs.length >= most) most = Math.min(batch, most * 2);
        report(claimed, limit);
        noteBacklog(wants, claimed);
        const foundOthers = claimed.jobs.length > 0 || claimed.more;
        const restMs = claimed.suspects ? host.onSuspects(pool, foundOthers) : Infinity;
        return { jobs: claimed.jobs, askedAt, waitMs: untilNext(claimed, restMs, replay) };
      } catch (error) {
        events.emit('store.failed', { during: 'claim', error });
        if (!stopped) await backOff();
        // Too much to be fetched in time, most likely: the same again would take as long.
        const isTooSlow = error instanceof StoreTimedOut;
        if (isTooSlow) most = Math.max(1, Math.floor(limit / 2));
        // Leases that may have been given are over by now, or the fault is not the network's: start afresh.
        const isLost =
          isTooSlow || clock.now() - askedAt > leaseMs || !(error instanceof StoreUnavailable);
        if (!stopped && !isLost) continue;
        unbegun -= 1;
        return NOTHING;
      }
    }
  }

  function requestFor(wants: readonly Want[], limit: number): ClaimParams {
    return {
      worker,
      claim: host.nextClaim(),
      wants,
      limit,
      leaseMs,
      ...(config.minPriority !== undefined && { minPriority: config.minPriority }),
    };
  }

  function wentWell(): void {
    if (retryMs > RETRY_MS.first) events.emit('store.recovered', { during: 'claim' });
    retryMs = RETRY_MS.first;
  }

  function untilNext(
    { jobs, more, nextDueMs }: Claimed,
    restMs: number,
    isReplay: boolean,
  ): number | null {
    if (!more || jobs.length > 0) contendedMs = CONTENDED_MS.first;
    // A replay claims nothing new: whether there is more, only a claim can tell.
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

  function report(claimed: Claimed, asked: number): void {
    events.emit('pool.polled', { pool: config.name, claimed: claimed.jobs.length, asked });
    lastPoll = claimed.now;
    const { takenOver, takenFrom = [] } = claimed;
    if (takenOver > 0)
      events.emit('lease.takenOver', {
        count: takenOver,
        jobs: takenFrom.map(({ id }) => id),
        workers: [...new Set(takenFrom.map((each) => each.worker))],
      });
    for (const lost of claimed.lost)
      events.emit('job.lost', { ...lost, correlationId: lost.correlationId ?? lost.id });
  }

  function kindOf(job: ClaimedJob): JobKind | undefined {
    return kindsByName.get(job.kind);
  }

  function isForeign(job: ClaimedJob): boolean {
    return kindOf(job) === undefined;
  }

  function begin(claimed: Batch): void {
    for (const job of claimed.jobs) beginOne(job, claimed.askedAt);
    if (claimed !== NOTHING) unbegun -= 1;
  }

  function beginOne(job: ClaimedJob, askedAt: number): Execution | null {
    const kind = kindOf(job);
    if (kind === undefined) {
      const error = new MillraceError('unknown_kind', `It was not asked for a "${job.kind}".`);
      events.emit('store.failed', { during: 'claim', error });
    }
    if (kind === undefined || stopped || clock.now() >= leases.deadlineOf(askedAt)) {
      void giveBack(job);
      return null;
    }
    const execution = new Execution(parts, owner, job, kind, askedAt);
    execution.begin();
    return execution;
  }

  const owner: SlotOwner = {
    freeSlot(kind) {
      slots.give(kind);
      room.wake();
      if (backlogged.has(kind)) signal.wake();
    },
    // The store counts a tenant's running jobs, so its place is free when the end is written, not before.
    onSettled(kind) {
      if (kind.quota.running !== null) signal.wake();
    },
  };

  async function isOpen(): Promise<boolean> {
    return windows.length === 0 || (await windowMs()) === null;
  }

  async function claimSuspect(): Promise<Suspect | null> {
    if (stopped || !(await isOpen())) return null;
    const askedAt = clock.now();
    const request = { ...requestFor(slots.wants(1), 1), alone: true };
    const claimed = await store.claim(request).catch(async (error: unknown) => {
      // Once more, for the answer; what it may have given otherwise is taken over when its lease is over.
      if (error instanceof StoreUnavailable) return store.claim({ ...request, replay: true });
      throw error;
    });
    report(claimed, 1);
    const [job] = claimed.jobs;
    if (job === undefined) return null;
    slots.take([job]);
    return {
      id: job.id,
      // Half of its time: the other half is for its renewal to find an answer.
      beginBy: askedAt + leaseMs / 2,
      begin: () => beginOne(job, askedAt),
      handBack: () => giveBack(job),
    };
  }

  function giveBack(job: ClaimedJob): Promise<void> {
    owner.freeSlot(job.kind);
    return host.isStopped() ? Promise.resolve() : handBack(parts, job);
  }

  async function backOff(): Promise<void> {
    if (!stopped) await halt.wait(retryMs);
    retryMs = Math.min(retryMs * 2, RETRY_MS.most);
  }

  async function outsideWindows(): Promise<void> {
    while (windows.length > 0 && !stopped) {
      const ms = await windowMs();
      if (ms === null) return;
      await signal.wait(Math.min(ms, 60_000));
    }
  }

  /** How long a window holds the claims; null: none does, or the store cannot tell. */
  async function windowMs(): Promise<number | null> {
    const now = await store.now().catch(() => null);
    heldUntil = now === null ? null : pausedUntil(windows, now);
    return now === null || heldUntil === null ? null : heldUntil - now;
  }

  const pool: Pool = {
    name: config.name,
    kinds: kinds.map((kind) => kind.kind),
    concurrency,
    minPriority: config.minPriority ?? null,
    inFlight: slots.inFlight,
    fullKinds: slots.fullKinds,
    heldUntil: () => heldUntil,
    lastPoll: () => lastPoll,
    isClaiming: () => unbegun > 0,
    wake(hinted) {
      if (hinted === null || hinted.some((kind) => kinds.some((mine) => mine.kind === kind)))
        signal.wake();
    },
    start() {
      if (!stopped) return;
      stopped = false;
      // A claim from before the stop may still be under way: its loop goes on in place of a new one.
      loop = loop.then(run);
    },
    isOpen,
    claimSuspect,
    async stop() {
      stopped = true;
      for (const each of [signal, room, halt]) each.wake();
      await loop;
    },
  };
  return pool;
}
