import { type LoopWatch, watchLoop } from '../execution/blocked.ts';
import { MillraceError } from '../errors.ts';
import type { Events } from '../events.ts';
import { createLeases } from '../execution/leases.ts';
import { type WriteLine, createLogBook, plainLine } from '../execution/log-lines.ts';
import type { ExecutorParts, Tracing } from '../execution/parts.ts';
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
import { backgroundOf } from './background.ts';
import { createLifecycle } from './lifecycle.ts';
import { type PoolConfig, poolsOf } from './pool-config.ts';
import { type PoolHost, createPool } from './pool.ts';
import { type Crew, createCrew, createQuarantine } from './quarantine.ts';
import type { SharedSlots } from './shared-slots.ts';
import { countEvents } from './statistics.ts';
import { createSteering } from './steering.ts';
import { noteTakeOvers } from './take-overs.ts';
import { type WorkerState, type WorkerStatus, poolStatus } from './status.ts';

export interface WorkerConfig {
  /** Unique per process: a name and something random. */
  readonly id: string;
  /** Of the process, where it has several workers: what is asked of it is asked of each. */
  readonly replica?: string;
  /** Of the program, for those who look at its replicas. */
  readonly version?: string;
  readonly pools?: readonly PoolConfig[];
  readonly schedules?: Schedules;
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
  /** What a job has logged in its execution here that runs or ended last; null: not known here. */
  log(id: JobId): readonly LogLine[] | null;
}

/** Less would be all heartbeat and no work. */
const SHORTEST_LEASE_MS = 100;
const SERVICE_RETRY_MS = 5_000;
/** A worker that ends waits no longer for an answer of the store, beyond its grace. */
const SILENCE_MS = 5_000;
/** Of what runs, so many are named in a report. */
const JOBS_TOLD = 20;
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
  /** What `run` of a kind is given as its third argument, by the kind's name. */
  readonly services?: ReadonlyMap<string, unknown>;
  /** Given to all workers of a process that has several. */
  readonly crew?: Crew;
  /** The same. */
  readonly shared?: SharedSlots;
}

export function createWorker(params: WorkerParams): Worker {
  const { config, store, registry, clock, random, events } = params;
  const { parts, loop } = partsOf(params);
  const { leases, settler, leaseMs } = parts;
  const graceMs = toMs(config.shutdownGrace ?? '5m');
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
    held: () => lifecycle.held() ?? quarantine.held(),
    onSuspects: (pool, foundOthers) => quarantine.ask(pool, foundOthers),
  };
  const pools = poolsOf(config.pools ?? [], registry).map(({ pool, kinds }) =>
    createPool({ config: pool, kinds, host }),
  );
  const crew = params.crew ?? createCrew();
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
          .look()
          .catch((error: unknown) => events.emit('store.failed', { during: 'report', error }));
      }
    });
    services = background().map((service) =>
      startService(service, clock, events, SERVICE_RETRY_MS),
    );
    for (const pool of pools) pool.start();
  }

  async function report(): Promise<void> {
    await steering.look();
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

  /** Whoever asks while it is under way waits for the same end. */
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
      quarantine.held(),
    ]);
    const takeBack = [...leases.running.values()].map(abortByItsKind);
    await atMost(clock, Math.max(graceMs, SILENCE_MS), underWay);
    await ended(until);
    for (const cancel of takeBack) cancel();
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
      jobs: [...leases.running.values()].slice(0, JOBS_TOLD).map(({ job }) => job.id),
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

/** What the worker's executions share, and the watch on what holds the process up. */
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

/** What was only handed back may have never begun: its lease tells so as long as nobody renews it. */
function* leasesToKeep(settler: Settler): Iterable<Lease> {
  for (const { job, outcome } of settler.unanswered()) if (outcome.move !== 'handBack') yield job;
}
