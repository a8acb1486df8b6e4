import { MillraceError } from '../errors.ts';
import { Execution, type ExecutorParts, type SlotOwner, handBack } from '../executor.ts';
import type { ClaimedJob, JobId } from '../job.ts';
import type { JobKind } from '../kinds/kind.ts';
import type { Store } from '../port.ts';
import { createWakeUp, sleep } from '../time/clock.ts';
import { type PauseWindow, pausedUntil } from '../time/window.ts';
import { type Batch, NOTHING, createClaims } from './claims.ts';
import { type PoolConfig, settingsOf } from './pool-config.ts';
import type { SharedSlots } from './shared-slots.ts';
import { createSlots } from './slots.ts';

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
  /** On the worker's clock: a suspect that has not begun by then is no longer ours. */
  readonly beginBy: number;
  /** The largest group that it may run in, itself included: 1 in its last execution, which can end it. */
  readonly share: number;
  begin(): Execution | null;
  /** Resolves when it can be claimed again. */
  handBack(): Promise<void>;
}

/** The worker, as its pools see it. */
export interface PoolHost {
  readonly worker: string;
  readonly parts: ExecutorParts;
  nextClaim(): number;
  /** The worker has ended: jobs that a store gives only after that are left to their leases. */
  isStopped(): boolean;
  /** Null where no kind has places that it shares with kinds of other pools. */
  readonly shared: SharedSlots | null;
  /** Null when pools may claim; while the worker is paused or keeps a suspect alone, a promise of its going on. */
  held(): Promise<void> | null;
  /** Suspects of the pool wait to run alone. Answers how long the others still have the worker before that. */
  onSuspects(pool: Pool, foundOthers: boolean): number;
}

/**
 * Claims for as long as there is work and room, then waits: for a notification, the next due time or the interval,
 * whichever comes first. Two stages, of which the first is always one batch ahead:
 *
 *     claim n+1 is sent ──► wait (hint | due | interval) unless there is more ──► wait for room ──► answer
 *     meanwhile batch n begins
 *
 * A batch goes one way: there is room (`slots`), it is claimed (`claims`), it begins (`begin`).
 */
export function createPool(params: {
  config: PoolConfig;
  kinds: readonly JobKind[];
  host: PoolHost;
}): Pool {
  const { config, kinds, host } = params;
  const { parts, worker } = host;
  const { store, clock, events, leases, settler, leaseMs } = parts;
  const settings = settingsOf(config);
  const { concurrency, batch, least, together, activeMs, idleMs, windows: pauseWindows } = settings;
  const byName = new Map(kinds.map((kind) => [kind.kind, kind]));
  const signal = createWakeUp(clock);
  const room = createWakeUp(clock);
  settler.onRoom(room.wake);
  let stopped = true;
  let loop: Promise<void> = Promise.resolve();
  const slots = createSlots(
    kinds,
    { concurrency, batch, least },
    { shared: host.shared, wake: () => (slots.isFull() ? room : signal).wake() },
  );
  const windows = createHeldWindows(pauseWindows, store);
  const claims = createClaims({
    pool: config.name,
    worker,
    parts,
    settings: { batch, minPriority: config.minPriority, activeMs, idleMs },
    slots,
    windows,
    signal,
    room,
    nextClaim: host.nextClaim,
    isForeign: ({ kind }) => !byName.has(kind),
    isStopped: () => stopped,
    held: host.held,
    onSuspects: (foundOthers) => host.onSuspects(pool, foundOthers),
  });
  const owner: SlotOwner = {
    freeSlot(kind) {
      slots.give(kind);
      room.wake();
      if (claims.isBacklogged(kind)) signal.wake();
    },
    // The store counts a tenant's running jobs, so its place is free when the end is written, not before.
    onSettled(kind) {
      if (kind.quota.running !== null) signal.wake();
    },
  };
  /** Nothing ends the loop but `stop`: a pool that died would leave its work lying about in silence. */
  async function run(): Promise<void> {
    let coming = claims.next(NOTHING);
    for (;;) {
      const claimed = await coming;
      slots.claimed(claimed.jobs);
      if (stopped) return beginAll(claimed);
      coming = claims.next(claimed);
      // Where a claim follows at once it leaves first, and the database answers it while these begin.
      if (claimed.waitMs === null) await sleep(clock, 0);
      beginAll(claimed);
    }
  }

  function beginAll(claimed: Batch): void {
    for (const job of claimed.jobs) begin(job, claimed.askedAt);
    claims.begun(claimed);
  }

  /** Null when it was handed back: nobody asked for its kind, the pool has stopped, or its lease is almost over. */
  function begin(job: ClaimedJob, askedAt: number): Execution | null {
    const kind = byName.get(job.kind);
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

  /** Resolves when the job can be claimed again. */
  function giveBack(job: ClaimedJob): Promise<void> {
    owner.freeSlot(job.kind);
    return host.isStopped() ? Promise.resolve() : handBack(parts, job);
  }

  async function isOpen(): Promise<boolean> {
    return (await windows.heldMs()) === null;
  }

  async function claimSuspect(): Promise<Suspect | null> {
    if (stopped || !(await isOpen())) return null;
    const { claimed, askedAt } = await claims.claimSuspect(slots.wants(1));
    const [job] = claimed.jobs;
    if (job === undefined) return null;
    slots.take(job);
    return {
      id: job.id,
      // Half of its time: the other half is for its renewal to find an answer.
      beginBy: askedAt + leaseMs / 2,
      share: shareOf(job, byName.get(job.kind)?.concurrency ?? 1, together),
      begin: () => begin(job, askedAt),
      handBack: () => giveBack(job),
    };
  }

  const pool: Pool = {
    name: config.name,
    kinds: kinds.map((kind) => kind.kind),
    concurrency,
    minPriority: config.minPriority ?? null,
    inFlight: slots.inFlight,
    fullKinds: slots.fullKinds,
    heldUntil: windows.heldUntil,
    lastPoll: claims.lastPoll,
    isClaiming: claims.isClaiming,
    wake(hinted) {
      if (hinted === null || hinted.some((kind) => byName.has(kind))) signal.wake();
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
      signal.wake();
      room.wake();
      claims.halt();
      await loop;
      if (stopped) slots.leave();
    },
  };
  return pool;
}

/**
 * Half as many after each execution that was begun and lost. In the last one a suspect is alone: only then does the loss of its
 * worker prove anything, and only then does the store end it.
 */
function shareOf({ attempt, maxAttempts }: ClaimedJob, ofKind: number, together: number): number {
  if (attempt >= maxAttempts) return 1;
  return Math.max(1, Math.min(ofKind, Math.floor(together / 2 ** (attempt - 1))));
}

/** The pause windows of a pool, by the store's clock. */
export interface HeldWindows {
  /** The answer of the last look. */
  heldUntil(): number | null;
  /** How long a window holds the claims; null: none does, or the store cannot say. */
  heldMs(): Promise<number | null>;
}

export function createHeldWindows(windows: readonly PauseWindow[], store: Store): HeldWindows {
  let heldUntil: number | null = null;
  return {
    heldUntil: () => heldUntil,
    async heldMs() {
      if (windows.length === 0) return null;
      const now = await store.now().catch(() => null);
      heldUntil = now === null ? null : pausedUntil(windows, now);
      return now === null || heldUntil === null ? null : heldUntil - now;
    },
  };
}
