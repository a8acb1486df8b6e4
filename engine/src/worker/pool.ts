import type { ExecutorParts } from '../execution/parts.ts';
import type { Execution, SlotOwner } from '../executor.ts';
import type { ClaimedJob, JobId } from '../job.ts';
import type { JobKind } from '../kinds/kind.ts';
import { sleep } from '../time/clock.ts';
import { type Batch, NOTHING, createAhead } from './ahead.ts';
import { createClaims } from './claims.ts';
import { createHeldWindows } from './held-windows.ts';
import { type PoolConfig, settingsOf } from './pool-config.ts';
import { createRhythm } from './rhythm.ts';
import type { SharedSlots } from './shared-slots.ts';
import { createSlots } from './slots.ts';
import { createStarter } from './starter.ts';
import { createWakeUp } from './wake-up.ts';

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
  /** With so many others at the most it may run, itself among them: 1 in its last execution, which can end it. */
  readonly share: number;
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
 * A batch goes one way: there is room (`slots`), it is asked for (`ahead`, `claims`), it begins (`starter`).
 */
export function createPool(params: {
  config: PoolConfig;
  kinds: readonly JobKind[];
  host: PoolHost;
}): Pool {
  const { config, kinds, host } = params;
  const { parts, worker } = host;
  const { store, clock, settler, leaseMs } = parts;
  const settings = settingsOf(config);
  const { concurrency, batch, least, together, activeMs, idleMs, windows: pauseWindows } = settings;
  const byName = new Map(kinds.map((kind) => [kind.kind, kind]));
  const signal = createWakeUp(clock);
  const room = createWakeUp(clock);
  settler.onRoom(room.wake);
  let stopped = true;
  let loop: Promise<void> = Promise.resolve();
  const isStopped = (): boolean => stopped;
  const slots = createSlots(
    kinds,
    { concurrency, batch, least },
    { shared: host.shared, wake: () => (slots.isFull() ? room : signal).wake() },
  );
  const claims = createClaims({
    pool: config.name,
    worker,
    parts,
    batch,
    minPriority: config.minPriority,
    nextClaim: host.nextClaim,
    isForeign: ({ kind }) => !byName.has(kind),
    isStopped,
  });
  const rhythm = createRhythm({ activeMs, idleMs });
  const windows = createHeldWindows(pauseWindows, store);
  const ahead = createAhead({
    parts,
    slots,
    claims,
    rhythm,
    windows,
    signal,
    room,
    isStopped,
    held: host.held,
    onSuspects: (foundOthers) => host.onSuspects(pool, foundOthers),
  });
  const owner: SlotOwner = {
    freeSlot(kind) {
      slots.give(kind);
      room.wake();
      if (rhythm.isBacklogged(kind)) signal.wake();
    },
    // The store counts a tenant's running jobs, so its place is free when the end is written, not before.
    onSettled(kind) {
      if (kind.quota.running !== null) signal.wake();
    },
  };
  const starter = createStarter({
    parts,
    kinds: byName,
    owner,
    isStopped,
    isWorkerStopped: host.isStopped,
  });

  /** Nothing ends the loop but `stop`: a pool that died would leave its work lying about in silence. */
  async function run(): Promise<void> {
    let coming = ahead.next(NOTHING);
    for (;;) {
      const claimed = await coming;
      slots.claimed(claimed.jobs);
      if (stopped) return begin(claimed);
      coming = ahead.next(claimed);
      // Where a claim follows at once it leaves first, and the database answers it while these begin.
      if (claimed.waitMs === null) await sleep(clock, 0);
      begin(claimed);
    }
  }

  function begin(claimed: Batch): void {
    for (const job of claimed.jobs) starter.begin(job, claimed.askedAt);
    ahead.begun(claimed);
  }

  async function isOpen(): Promise<boolean> {
    return (await windows.heldMs()) === null;
  }

  async function claimSuspect(): Promise<Suspect | null> {
    if (stopped || !(await isOpen())) return null;
    const { claimed, askedAt } = await claims.askAlone(slots.wants(1));
    const [job] = claimed.jobs;
    if (job === undefined) return null;
    slots.take(job);
    return {
      id: job.id,
      // Half of its time: the other half is for its renewal to find an answer.
      beginBy: askedAt + leaseMs / 2,
      share: shareOf(job, byName.get(job.kind)?.concurrency ?? 1, together),
      begin: () => starter.begin(job, askedAt),
      handBack: () => starter.giveBack(job),
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
    isClaiming: ahead.isClaiming,
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
