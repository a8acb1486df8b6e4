import { type LoopWatch, watchLoop } from '../execution/blocked.ts';
import { MillraceError } from '../errors.ts';
import type { Events } from '../events.ts';
import type { ExecutorParts, Tracing } from '../executor.ts';
import { createLeases } from '../execution/leases.ts';
import { type WriteLine, createLogBook, plainLine } from '../execution/log-lines.ts';
import { ABORT_GRACE_MS, type Running } from '../execution/running.ts';
import { type Settler, createSettler } from '../execution/settler.ts';
import type { ClaimedJob, JobId, Lease, LogLine } from '../job.ts';
import type { Log } from '../kinds/kind.ts';
import type { Registry } from '../kinds/registry.ts';
import type { Store } from '../port.ts';
import type { Schedules } from '../services/schedules.ts';
import { startService } from '../services/service.ts';
import { type Clock, type Random, atMost, sleep } from '../time/clock.ts';
import { type Duration, toMs } from '../time/duration.ts';
import { backgroundOf, createSteering } from './background.ts';
import { type PoolConfig, poolsOf } from './pool-config.ts';
import { type PoolHost, createPool } from './pool.ts';
import { type Crew, createCrew, createQuarantine } from './quarantine.ts';
import type { SharedSlots } from './shared-slots.ts';
import {
  type WorkerState,
  type WorkerStatus,
  countEvents,
  noteTakeOvers,
  poolStatus,
} from './status.ts';

export interface WorkerConfig {
  /** Unique per process: a name and something random. */
  readonly id: string;
  /** The name of the process. Where it has several workers, a request to the process goes to each. */
  readonly replica?: string;
  /** The version of the program, shown to people who look at its replicas. */
  readonly version?: string;
  readonly pools?: readonly PoolConfig[];
  readonly schedules?: Schedules;
  /** How long a claim is good for without a heartbeat. */
  readonly lease?: Duration;
  /** How long running work may take to end once the process was asked to stop. */
  readonly shutdownGrace?: Duration;
}

export interface Worker {
  readonly id: string;
  start(): void;
  /** No more claims here until `resume`; running jobs go on. False if the worker is paused already. */
  pause(): boolean;
  resume(): boolean;
  /** Ends or hands back everything. Resolves when nothing of this worker is left in the store. */
  stop(): Promise<void>;
  status(): WorkerStatus;
  /** The log of a job's newest execution here; null: not known here. */
  log(id: JobId): readonly LogLine[] | null;
}

/** Less would be all heartbeat and no work. */
const SHORTEST_LEASE_MS = 100;
const SERVICE_RETRY_MS = 5_000;
/** A worker that ends waits no longer for an answer of the store, beyond its grace. */
const SILENCE_MS = 5_000;
/** Running jobs that a report names. */
const JOBS_NAMED = 20;
const SILENT: Log = { info() {}, warn() {}, error() {} };

interface WorkerParams {
  readonly config: WorkerConfig;
  readonly store: Store;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly random: Random;
  readonly events: Events;
  readonly logFor?: (job: ClaimedJob) => Log;
  /** How lines that handlers log are kept with their jobs: without what nobody may see. */
  readonly writeLine?: WriteLine;
  readonly wallClock?: () => number;
  readonly tracing?: Tracing;
  /** The third argument of a kind's `run`, by the kind's name. */
  readonly services?: ReadonlyMap<string, unknown>;
  /** Shared by all workers of a process that has several. */
  readonly crew?: Crew;
  /** The same. */
  readonly shared?: SharedSlots;
}

export function createWorker(params: WorkerParams): Worker {
  const { config, store, registry, clock, random, events } = params;
  const { parts, loop } = partsOf(params);
  const { leases, settler, leaseMs } = parts;
  const graceMs = toMs(config.shutdownGrace ?? '5m');
  const crew = params.crew ?? createCrew();
  const totals = countEvents(events);
  const lifecycle = createLifecycle(config.id, events);
  const { state, enter } = lifecycle;
  // Below 2^52, which leaves room to count on.
  let claims = Math.floor(random() * 2 ** 52);
  const host: PoolHost = {
    worker: config.id,
    parts,
    nextClaim: () => (claims += 1),
    isStopped: () => state() === 'stopped',
    shared: params.shared ?? null,
    held: () => lifecycle.held() ?? crew.turn,
    onSuspects: (pool, foundOthers) => quarantine.ask(pool, foundOthers),
  };
  const pools = poolsOf(config.pools ?? [], registry).map(({ pool, kinds }) =>
    createPool({ config: pool, kinds, host }),
  );
  const quarantine = createQuarantine({ crew, pools: () => pools, leases, clock, events, state });
  const background = backgroundOf({
    store,
    registry,
    clock,
    events,
    schedules: config.schedules ?? [],
    report,
  });
  const steering = createSteering({
    control: store.control,
    names: [config.id, config.replica ?? config.id],
    pause: () => void turn('running', 'paused'),
    resume: () => void turn('paused', 'running'),
    yieldAll() {
      for (const running of leases.running.values()) running.isAskedToYield = true;
    },
  });
  const tookOver = noteTakeOvers(events, parts.wallClock);
  let startedAt = clock.now();
  let services: { stop(): Promise<void> }[] = [];
  let unwatch: () => void = () => {};
  let stopping: Promise<void> = Promise.resolve();

  function start(): void {
    if (state() !== 'stopped') return;
    startedAt = clock.now();
    enter('running');
    loop.start();
    leases.start();
    unwatch = store.watch((hint) => {
      if (hint.type === 'cancel') leases.requestCancel(hint.leases);
      if (hint.type === 'ready') for (const pool of pools) pool.wake(hint.kinds);
      if (hint.type === 'control') {
        for (const pool of pools) pool.wake(null);
        void steering
          .apply()
          .catch((error: unknown) => events.emit('store.failed', { during: 'report', error }));
      }
    });
    services = background().map((service) =>
      startService(service, clock, events, SERVICE_RETRY_MS),
    );
    for (const pool of pools) pool.start();
  }

  async function report(): Promise<void> {
    await steering.apply();
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

  function turn(from: WorkerState, to: WorkerState): boolean {
    if (state() !== from) return false;
    enter(to);
    void reportChange();
    return true;
  }

  /** A second call while it is under way waits for the same end. */
  function stop(): Promise<void> {
    if (state() === 'running' || state() === 'paused') stopping = shutDown();
    return stopping;
  }

  async function shutDown(): Promise<void> {
    enter('stopping');
    const until = clock.now() + graceMs;
    const underWay = Promise.all([
      ...pools.map((pool) => pool.stop()),
      ...services.map((service) => service.stop()),
      crew.turn,
    ]);
    const cancelTimers = [...leases.running.values()].map(abortByItsKind);
    await atMost(clock, Math.max(graceMs, SILENCE_MS), underWay);
    await ended(until);
    for (const cancel of cancelTimers) cancel();
    for (const running of leases.running.values()) running.abort('shutdown');
    await ended(clock.now() + ABORT_GRACE_MS * 2);
    // A store that is away for longer than a lease gets nothing more from us: others may have the jobs by then.
    await settler.flushed(leaseMs);
    leases.stop();
    loop.stop();
    unwatch();
    enter('stopped');
    await atMost(clock, SILENCE_MS, reportChange());
  }

  function abortByItsKind(running: Running): () => void {
    const { shutdownGraceMs } = running.kind;
    return shutdownGraceMs < graceMs
      ? clock.after(shutdownGraceMs, () => running.abort('shutdown'))
      : () => {};
  }

  /** When nothing runs any more, or the time is over. */
  async function ended(until: number): Promise<void> {
    while (leases.running.size > 0 && clock.now() < until) await sleep(clock, 20);
  }

  function status(): WorkerStatus {
    const polls = pools.map((pool) => pool.lastPoll()).filter((poll) => poll !== null);
    return {
      id: config.id,
      store: store.name,
      state: state(),
      ...(config.version !== undefined && { version: config.version }),
      uptimeMs: clock.now() - startedAt,
      inFlight: leases.running.size,
      alone: crew.alone,
      settling: settler.pending(),
      lastPoll: polls.length === 0 ? null : Math.max(...polls),
      totals,
      pools: pools.map(poolStatus),
      jobs: [...leases.running.values()].slice(0, JOBS_NAMED).map(({ job }) => job.id),
      tookOver: tookOver(),
    };
  }

  return {
    id: config.id,
    start,
    pause: () => turn('running', 'paused'),
    resume: () => turn('paused', 'running'),
    stop,
    status,
    log: (id) => leases.running.get(id)?.logLines?.all() ?? parts.logBook.of(id),
  };
}

/** The parts that the worker's executions share, and the watch for handlers that hold the process up. */
function partsOf(params: WorkerParams): { parts: ExecutorParts; loop: LoopWatch } {
  const { config, store, registry, clock, random, events } = params;
  const { logFor = () => SILENT, tracing = null, services = new Map() } = params;
  const { writeLine = plainLine, wallClock = () => clock.now() } = params;
  const leaseMs = toMs(config.lease ?? '2m');
  if (!(leaseMs >= SHORTEST_LEASE_MS))
    throw new MillraceError('invalid_definition', 'A lease lasts at least 100 ms.');
  const settler = createSettler({ store, clock, events });
  const settling = (): Iterable<Lease> => leasesToKeep(settler);
  const kept = createLeases({ store, clock, events, leaseMs, settling });
  const loop = watchLoop({ leases: kept, clock, events, leaseMs });
  const { leases } = loop;
  const shared = { store, registry, clock, random, events, leases, settler, leaseMs };
  const logging = { logFor, writeLine, wallClock, logBook: createLogBook() };
  return { parts: { ...shared, ...logging, tracing, services }, loop };
}

/** A job that was only handed back may never have begun: its lease shows that as long as nobody renews it. */
function* leasesToKeep(settler: Settler): Iterable<Lease> {
  for (const { job, outcome } of settler.unanswered()) if (outcome.move !== 'handBack') yield job;
}

/** The state that a worker is in, and who waits for another one. */
interface Lifecycle {
  state(): WorkerState;
  enter(next: WorkerState): void;
  /** While the worker is paused, a promise of the next state; else null. */
  held(): Promise<void> | null;
}

function createLifecycle(worker: string, events: Events): Lifecycle {
  let state: WorkerState = 'stopped';
  let waiting: (() => void)[] = [];
  return {
    state: () => state,
    enter(next) {
      state = next;
      events.emit('worker.state', { worker, state: next });
      for (const goOn of waiting.splice(0)) goOn();
    },
    held: () => (state === 'paused' ? new Promise((resolve) => waiting.push(resolve)) : null),
  };
}
