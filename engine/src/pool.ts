import { type Clock, sleep } from './clock.ts';
import { type Duration, toMs } from './duration.ts';
import { MillraceError, StoreUnavailable } from './errors.ts';
import { type ExecutorParts, execute, handBack } from './executor.ts';
import type { ClaimedJob } from './job.ts';
import type { JobKind } from './kind.ts';
import type { ClaimParams, Claimed, Want } from './port.ts';
import { checkPriority } from './priority.ts';
import { type PauseWindow, checkWindow, pausedUntil } from './window.ts';

/** A workload's share of a worker: its own rhythm, batch and concurrency. */
export interface PoolConfig {
  readonly name: string;
  /** Left out: every kind that no other pool names. */
  readonly kinds?: readonly string[];
  readonly concurrency?: number;
  readonly batch?: number;
  /** Claims only while so many slots are free: worth it where a claim is a call that someone counts. */
  readonly least?: number;
  /** How long to wait after a claim that found something, and after one that found nothing. */
  readonly interval?: { readonly active: Duration; readonly idle: Duration };
  readonly minPriority?: number;
  readonly pauseWindows?: readonly PauseWindow[];
}

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
  wake(kinds: readonly string[] | null): void;
  start(): void;
  /** No new claims; resolves when the claim under way has been dealt with. */
  stop(): Promise<void>;
}

const DEFAULTS = { concurrency: 20, batch: 20, active: '5s', idle: '15s' } as const;
const RETRY_MS = { first: 100, most: 10_000 };
/** Between claims that find nothing although something is said to be due: another's transaction may hold it. */
const SOONEST_MS = 5;

/**
 * Claims for as long as there is work and room, then waits: for a notification, the next due time or the
 * interval, whichever comes first.
 *
 *     claim ──► some, more ──► room? ──► claim        (as soon as a slot is free)
 *       │
 *       └─────► none or the last ──► wait(hint | due | interval) ──► claim
 */
export function createPool(params: {
  config: PoolConfig;
  kinds: readonly JobKind[];
  worker: string;
  parts: ExecutorParts;
  /** Null when the worker may claim; while it is paused, a promise of its going on. */
  held: () => Promise<void> | null;
}): Pool {
  const { config, kinds, worker, parts, held } = params;
  const { store, clock, events, leases, settler, leaseMs } = parts;
  const concurrency = config.concurrency ?? DEFAULTS.concurrency;
  const batch = config.batch ?? DEFAULTS.batch;
  const activeMs = toMs(config.interval?.active ?? DEFAULTS.active);
  const idleMs = toMs(config.interval?.idle ?? DEFAULTS.idle);
  if (![concurrency, batch].every((count) => Number.isInteger(count) && count >= 1)) {
    throw new MillraceError(
      'invalid_definition',
      `The pool "${config.name}" needs a whole concurrency and a whole batch of at least 1.`,
    );
  }
  const least = config.least ?? 1;
  if (!Number.isInteger(least) || least < 1 || least > Math.min(concurrency, batch)) {
    throw new MillraceError(
      'invalid_definition',
      `The pool "${config.name}" would never claim: \`least\` is a whole number from 1 to its batch and its concurrency.`,
    );
  }
  if (config.minPriority !== undefined) checkPriority(config.minPriority);
  const inFlightOf = new Map<string, number>();
  const windows = (config.pauseWindows ?? []).map(checkWindow);
  /** Kinds whose limit was filled by the last claim: a slot that comes free is worth a claim. */
  const backlogged = new Set<string>();
  const signal = createWakeUp(clock);
  const slots = createWakeUp(clock);
  /** Woken by `stop` alone: hints must not cut the waiting for a failing store short. */
  const halt = createWakeUp(clock);
  settler.onRoom(slots.wake);
  let inFlight = 0;
  let stopped = true;
  let loop: Promise<void> = Promise.resolve();
  let ahead: Ahead = NONE_AHEAD;
  let claims = 0;
  let retryMs = RETRY_MS.first;
  let heldUntil: number | null = null;
  let lastPoll: number | null = null;

  /** Nothing ends the loop but `stop`: a pool that died would leave its work lying about in silence. */
  async function run(): Promise<void> {
    while (!stopped) {
      try {
        await round();
      } catch (error) {
        events.emit('store.failed', { during: 'claim', error });
        await backOff();
      }
    }
  }

  async function round(): Promise<void> {
    if (await heldByWindow()) return;
    const wants = freeSlots();
    if (wants.length === 0 || settler.isFull()) return slots.wait(null);
    // Asked last, so that no claim leaves after a pause.
    const onward = held();
    if (onward !== null) return onward;
    if (stopped) return;
    const askedAt = clock.now();
    const claimed = await claim(wants);
    if (claimed === null) return;
    noteBacklog(wants, claimed);
    for (const { kind } of claimed.jobs) takeSlot(kind);
    startAhead();
    ahead = { jobs: claimed.jobs, askedAt };
    if (claimed.more) return void clock.after(0, startAhead);
    startAhead();
    await signal.wait(untilNext(claimed));
  }

  /** The next claim leaves first, and the database answers it while these begin. */
  function startAhead(): void {
    const { jobs, askedAt } = ahead;
    ahead = NONE_AHEAD;
    for (const job of jobs) start(job, askedAt);
  }

  function untilNext({ jobs, nextDueMs }: Claimed): number {
    const interval = jobs.length > 0 ? activeMs : idleMs;
    return Math.max(SOONEST_MS, Math.min(interval, nextDueMs ?? Infinity));
  }

  async function backOff(): Promise<void> {
    if (!stopped) await halt.wait(retryMs);
    retryMs = Math.min(retryMs * 2, RETRY_MS.most);
  }

  function freeSlots(): Want[] {
    const free = Math.min(concurrency - inFlight, batch);
    if (free < least) return [];
    return kinds
      .map((kind) => ({
        kind: kind.kind,
        limit: Math.min(free, kind.concurrency - (inFlightOf.get(kind.kind) ?? 0)),
        ...(kind.quota.running !== null && { tenantLimit: kind.quota.running }),
      }))
      .filter((want) => want.limit > 0);
  }

  /** After a lost answer the same claim is asked for again, so that its leases are not left to expire. */
  async function claim(wants: readonly Want[]): Promise<Claimed | null> {
    const request: ClaimParams = {
      worker,
      claimId: `${config.name}:${(claims += 1)}`,
      wants,
      limit: Math.min(concurrency - inFlight, batch),
      leaseMs,
      ...(config.minPriority !== undefined && { minPriority: config.minPriority }),
    };
    const askedAt = clock.now();
    for (let replay = false; ; replay = true) {
      try {
        const claimed = await store.claim(replay ? { ...request, replay } : request);
        tellClaimed(claimed, request.limit);
        if (retryMs > RETRY_MS.first) events.emit('store.recovered', { during: 'claim' });
        retryMs = RETRY_MS.first;
        // A replay claims nothing new and says so; any other claim that found nothing has to wait.
        return replay || claimed.jobs.length > 0 ? claimed : { ...claimed, more: false };
      } catch (error) {
        events.emit('store.failed', { during: 'claim', error });
        if (stopped) return null;
        await backOff();
        // Leases that may have been given are over by now, or the fault is not the network's: start afresh.
        if (clock.now() - askedAt > leaseMs || !(error instanceof StoreUnavailable)) return null;
      }
    }
  }

  function noteBacklog(wants: readonly Want[], { jobs }: Claimed): void {
    for (const { kind, limit, tenantLimit } of wants) {
      if (tenantLimit !== undefined) continue;
      const got = jobs.reduce((sum, job) => (job.kind === kind ? sum + 1 : sum), 0);
      if (got >= limit) backlogged.add(kind);
      else backlogged.delete(kind);
    }
  }

  function tellClaimed(claimed: Claimed, asked: number): void {
    events.emit('pool.polled', { pool: config.name, claimed: claimed.jobs.length, asked });
    lastPoll = claimed.now;
    if (claimed.takenOver > 0) events.emit('lease.takenOver', { count: claimed.takenOver });
    for (const lost of claimed.lost)
      events.emit('job.lost', { ...lost, correlationId: lost.correlationId ?? lost.id });
  }

  function start(job: ClaimedJob, askedAt: number): void {
    if (stopped || clock.now() >= leases.deadlineOf(askedAt)) {
      freeSlot(job.kind);
      return void handBack(parts, job);
    }
    const kind = parts.registry.require(job.kind);
    const executed = execute(parts, job, kind, askedAt, freeSlot);
    // The store counts a tenant's running jobs, so its place is free when the end is written, not before.
    if (kind.quota.running !== null) void executed.then(signal.wake);
  }

  function takeSlot(kind: string): void {
    inFlight += 1;
    inFlightOf.set(kind, (inFlightOf.get(kind) ?? 0) + 1);
  }

  function freeSlot(kind: string): void {
    inFlight -= 1;
    inFlightOf.set(kind, (inFlightOf.get(kind) ?? 1) - 1);
    slots.wake();
    if (backlogged.has(kind)) signal.wake();
  }

  async function heldByWindow(): Promise<boolean> {
    if (windows.length === 0) return false;
    const now = await store.now().catch(() => null);
    heldUntil = now === null ? null : pausedUntil(windows, now);
    if (now === null || heldUntil === null) return false;
    await signal.wait(Math.min(heldUntil - now, 60_000));
    return true;
  }

  return {
    name: config.name,
    kinds: kinds.map((kind) => kind.kind),
    concurrency,
    minPriority: config.minPriority ?? null,
    inFlight: () => inFlight,
    fullKinds: () =>
      kinds
        .filter((kind) => (inFlightOf.get(kind.kind) ?? 0) >= kind.concurrency)
        .map((kind) => kind.kind),
    heldUntil: () => heldUntil,
    lastPoll: () => lastPoll,
    wake(hinted) {
      if (hinted === null || hinted.some((kind) => kinds.some((mine) => mine.kind === kind)))
        signal.wake();
    },
    start() {
      if (!stopped) return;
      stopped = false;
      loop = run();
    },
    async stop() {
      stopped = true;
      for (const each of [signal, slots, halt]) each.wake();
      await loop;
      startAhead();
    },
  };
}

/** A batch that was claimed and has yet to begin. */
interface Ahead {
  readonly jobs: readonly ClaimedJob[];
  readonly askedAt: number;
}
const NONE_AHEAD: Ahead = { jobs: [], askedAt: 0 };

interface WakeUp {
  wake(): void;
  /** Until woken (also by a call since the last wait) or until the time has passed. */
  wait(ms: number | null): Promise<void>;
}

function createWakeUp(clock: Clock): WakeUp {
  let woken = false;
  let resolveWait: (() => void) | null = null;
  return {
    wake() {
      woken = true;
      resolveWait?.();
    },
    async wait(ms) {
      if (!woken) {
        await new Promise<void>((resolve) => {
          resolveWait = resolve;
          if (ms === null || ms === Infinity) return;
          const takeBack = clock.after(ms, resolve);
          resolveWait = () => {
            takeBack();
            resolve();
          };
        });
        resolveWait = null;
      }
      woken = false;
      // What ends in the same turn is answered by one claim.
      await sleep(clock, 0);
    },
  };
}
