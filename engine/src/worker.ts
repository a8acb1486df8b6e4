import { watchLoop } from './blocked.ts';
import { type Clock, type Random, sleep, within } from './clock.ts';
import { type Duration, toMs } from './duration.ts';
import { MillraceError } from './errors.ts';
import type { Events } from './events.ts';
import type { ExecutorParts, Tracing } from './executor.ts';
import type { ClaimedJob, JobId, Lease } from './job.ts';
import type { Log } from './kind.ts';
import { createLeases } from './leases.ts';
import { type Pool, type PoolHost, createPool } from './pool.ts';
import { type PoolConfig, poolsOf, refuseTwice } from './pool-config.ts';
import type { Store, UpkeepPart } from './port.ts';
import { type Crew, createCrew, createQuarantine } from './quarantine.ts';
import type { Registry } from './registry.ts';
import { createRetention } from './retention.ts';
import { ABORT_GRACE_MS } from './running.ts';
import { type Schedule, checkSchedule, createScheduler } from './schedules.ts';
import { type Service, startService } from './service.ts';
import { createSettler } from './settler.ts';
import { type Totals, countEvents } from './statistics.ts';

export interface WorkerConfig {
  /** Unique per process: a name and something random. */
  readonly id: string;
  readonly pools?: readonly PoolConfig[];
  readonly schedules?: readonly Schedule[];
  /** How long a claim is good for without a heartbeat. */
  readonly lease?: Duration;
  /** How long running work may take to end once the process was told to stop. */
  readonly shutdownGrace?: Duration;
}

export interface Worker {
  readonly id: string;
  start(): void;
  /** No more claims here until `resume`; what runs goes on. False when it is so already. */
  pause(): boolean;
  resume(): boolean;
  /** Ends or hands back everything. Resolves when nothing of this worker is left in the store. */
  stop(): Promise<void>;
  status(): WorkerStatus;
}

export interface WorkerStatus {
  readonly id: string;
  readonly state: 'stopped' | 'running' | 'paused' | 'stopping';
  readonly uptimeMs: number;
  readonly inFlight: number;
  /** A suspect that the process keeps for itself, or empties itself for: nothing else begins. */
  readonly alone: JobId | null;
  readonly settling: number;
  readonly lastPoll: number | null;
  readonly totals: Readonly<Totals>;
  readonly pools: readonly PoolStatus[];
}

export interface PoolStatus {
  readonly name: string;
  readonly kinds: readonly string[];
  readonly concurrency: number;
  readonly inFlight: number;
  /** Kinds that run as often as their own limit allows. */
  readonly fullKinds: readonly string[];
  readonly minPriority: number | null;
  readonly heldUntil: number | null;
}

/** Less would be all heartbeat and no work. */
const SHORTEST_LEASE_MS = 100;
const REPORT_EVERY_MS = 10_000;
/** A worker that has missed three reports died, froze or is cut off. */
export const SILENT_AFTER_MS = 3 * REPORT_EVERY_MS;
const SERVICE_RETRY_MS = 5_000;
/** A worker that ends waits no longer for an answer of the store, beyond its grace. */
const SILENCE_MS = 5_000;
const SILENT: Log = { info() {}, warn() {}, error() {} };

export function createWorker(params: {
  config: WorkerConfig;
  store: Store;
  registry: Registry;
  clock: Clock;
  random: Random;
  events: Events;
  logFor?: (job: ClaimedJob) => Log;
  tracing?: Tracing;
  /** What `run` of a kind is given as its third argument, by the kind's name. */
  services?: ReadonlyMap<string, unknown>;
  /** Given to all workers of a process that has several. */
  crew?: Crew;
}): Worker {
  const { config, store, registry, clock, random, events } = params;
  const leaseMs = toMs(config.lease ?? '2m');
  if (!(leaseMs >= SHORTEST_LEASE_MS))
    throw new MillraceError('invalid_definition', 'A lease lasts at least 100 ms.');
  const graceMs = toMs(config.shutdownGrace ?? '5m');
  const settler = createSettler({ store, clock, events });
  const loop = watchLoop({
    leases: createLeases({ store, clock, events, leaseMs, settling }),
    clock,
    events,
    leaseMs,
  });
  const { leases } = loop;
  const totals = countEvents(events);
  const parts: ExecutorParts = {
    store,
    registry,
    clock,
    random,
    events,
    leases,
    settler,
    leaseMs,
    logFor: params.logFor ?? (() => SILENT),
    tracing: params.tracing ?? null,
    services: params.services ?? new Map(),
  };
  // Below 2^52, which leaves room to count on.
  let claims = Math.floor(random() * 2 ** 52);
  const host: PoolHost = {
    worker: config.id,
    parts,
    nextClaim: () => (claims += 1),
    isStopped: () => state === 'stopped',
    held: () => held() ?? quarantine.held(),
    onSuspects: (pool, foundOthers) => quarantine.ask(pool, foundOthers),
  };
  const pools = poolsOf(config.pools ?? [], registry).map(({ pool, kinds }) =>
    createPool({ config: pool, kinds, host }),
  );
  const crew = params.crew ?? createCrew();
  const quarantine = createQuarantine({
    crew,
    pools: () => pools,
    leases,
    clock,
    events,
    state: () => state,
  });
  const schedules = (config.schedules ?? []).map((schedule) => checkSchedule(registry, schedule));
  refuseTwice(
    'schedules',
    schedules.map(({ name }) => name),
  );
  if (schedules.length > 0 && store.schedules === undefined) {
    throw new MillraceError(
      'unsupported_by_store',
      `The store "${store.name}" has no schedules. Give the scheduled kinds to another store.`,
    );
  }

  let state: WorkerStatus['state'] = 'stopped';
  let startedAt = clock.now();
  let resumers: (() => void)[] = [];
  let services: { stop(): Promise<void> }[] = [];
  let unwatch: () => void = () => {};
  let stopping: Promise<void> = Promise.resolve();

  function held(): Promise<void> | null {
    return state === 'paused' ? new Promise((resolve) => resumers.push(resolve)) : null;
  }

  /** What was only handed back may have never begun: its lease tells so as long as nobody renews it. */
  function* settling(): Iterable<Lease> {
    for (const { job, outcome } of settler.unanswered()) if (outcome.move !== 'handBack') yield job;
  }

  function enter(next: WorkerStatus['state']): void {
    state = next;
    events.emit('worker.state', { worker: config.id, state: next });
    for (const resume of resumers.splice(0)) resume();
  }

  function start(): void {
    if (state !== 'stopped') return;
    startedAt = clock.now();
    enter('running');
    loop.start();
    leases.start();
    unwatch = store.watch((hint) => {
      if (hint.type === 'cancel') leases.requestCancel(hint.leases);
      if (hint.type === 'ready') for (const pool of pools) pool.wake(hint.kinds);
      if (hint.type === 'control') for (const pool of pools) pool.wake(null);
    });
    services = background().map((service) =>
      startService(service, clock, events, SERVICE_RETRY_MS),
    );
    for (const pool of pools) pool.start();
  }

  function background(): Service[] {
    const reporting: Service = {
      name: 'report',
      async runOnce() {
        await report();
        await store.upkeep?.maintain();
        return { nextMs: REPORT_EVERY_MS };
      },
    };
    const retention = (upkeep: UpkeepPart): Service =>
      createRetention({ upkeep, followers: store.followers, registry, clock, events });
    return [
      reporting,
      ...(store.upkeep === undefined ? [] : [retention(store.upkeep)]),
      ...(store.schedules === undefined || schedules.length === 0
        ? []
        : [createScheduler({ store, part: store.schedules, registry, schedules, events })]),
    ];
  }

  async function report(): Promise<void> {
    await store.control?.reportWorker({
      worker: config.id,
      kinds: pools.flatMap((pool) => pool.kinds),
      stats: JSON.stringify(status()),
    });
  }

  /** Now rather than with the next report. Without an answer, the old state is seen for a while. */
  async function reportChange(): Promise<void> {
    try {
      await report();
    } catch (error) {
      events.emit('store.failed', { during: 'report', error });
    }
  }

  /** Whoever asks while it is under way waits for the same end. */
  function stop(): Promise<void> {
    if (state === 'running' || state === 'paused') stopping = shutDown();
    return stopping;
  }

  async function shutDown(): Promise<void> {
    enter('stopping');
    const until = clock.now() + graceMs;
    const underWay = Promise.all([
      ...pools.map((pool) => pool.stop()),
      ...services.map((service) => service.stop()),
      quarantine.held(),
    ]);
    await within(clock, Math.max(graceMs, SILENCE_MS), underWay);
    await ended(until);
    for (const running of leases.running.values()) running.abort('shutdown');
    await ended(clock.now() + ABORT_GRACE_MS * 2);
    // A store that is away for longer than a lease gets nothing more from us: others may have the jobs by then.
    await settler.flushed(leaseMs);
    leases.stop();
    loop.stop();
    unwatch();
    enter('stopped');
    await within(clock, SILENCE_MS, reportChange());
  }

  /** When nothing runs any more, or the time is over. */
  async function ended(until: number): Promise<void> {
    while (leases.running.size > 0 && clock.now() < until) await sleep(clock, 20);
  }

  function status(): WorkerStatus {
    const polls = pools.map((pool) => pool.lastPoll()).filter((poll) => poll !== null);
    return {
      id: config.id,
      state,
      uptimeMs: clock.now() - startedAt,
      inFlight: leases.running.size,
      alone: crew.alone,
      settling: settler.pending(),
      lastPoll: polls.length === 0 ? null : Math.max(...polls),
      totals,
      pools: pools.map(poolStatus),
    };
  }

  return {
    id: config.id,
    start,
    pause() {
      if (state !== 'running') return false;
      enter('paused');
      void reportChange();
      return true;
    },
    resume() {
      if (state !== 'paused') return false;
      enter('running');
      void reportChange();
      return true;
    },
    stop,
    status,
  };
}

function poolStatus(pool: Pool): PoolStatus {
  const { name, kinds, concurrency, minPriority } = pool;
  return {
    name,
    kinds,
    concurrency,
    minPriority,
    inFlight: pool.inFlight(),
    fullKinds: pool.fullKinds(),
    heldUntil: pool.heldUntil(),
  };
}
