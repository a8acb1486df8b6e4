import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import type { Clock, Count, Store, Worker } from '@millrace/engine';
import type { MetricTable, SetGauge } from '@millrace/workload-kit';
import { type Bounds, OTHER } from './bounds.ts';
import type { Gauges, Observer } from './gauges.ts';
import type { GaugeName } from './metrics.ts';
import { within } from './within.ts';

/** Whoever scrapes, and however many they are: the store is asked once a second at most. */
const COUNTS_EVERY_MS = 1_000;
/** A scraper gives up after ten seconds. A store that is away costs it the store's gauges only. */
const COUNTS_WITHIN_MS = 2_000;

/** Each gauge's value from a row of counts. A thousand jobs for tomorrow are not a backlog. */
const BY_KIND = {
  queue_depth: ({ state, count, scheduled }) => (state === 'QUEUED' ? count - scheduled : 0),
  queue_scheduled: ({ scheduled }) => scheduled,
  jobs_running: ({ state, count }) => (state === 'PROCESSING' ? count : 0),
  jobs_failed: ({ state, count }) => (state === 'FAILED' ? count : 0),
} as const satisfies Partial<Record<GaugeName, (row: Count) => number>>;

export interface Observed {
  readonly store: Pick<Store, 'counts'>;
  /** Kinds that were left out of the counts, because their store does not answer: no number is theirs, not even 0. */
  readonly unknownKinds?: () => readonly string[];
  /** Null in a process that only serves the API. */
  readonly worker: Pick<Worker, 'status'> | null;
  /** Where the live events are. */
  readonly hub?: { streams(): number };
  /** Salesforce orgs, and what they have cost. */
  readonly orgs?: readonly OrgUsage[];
  /** Sets the gauges of each workload. */
  readonly workloads?: readonly ((set: SetGauge<MetricTable>) => void)[];
}

export interface OrgUsage {
  readonly org: string;
  /** Null before the first answer. */
  usage(): number | null;
  /** Null before the first document. */
  callsPerDocument(): number | null;
}

/** Gauges that are read only at a scrape. */
export function observeAll(
  { store, unknownKinds = () => [], worker, hub, workloads = [], orgs = [] }: Observed,
  { gauges, bounds, clock }: { gauges: Gauges; bounds: Bounds; clock: Clock },
): () => void {
  const loop = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  loop.enable();
  const stops: (() => unknown)[] = [
    gauges.observe(storeGauges(sharedCounts(store, clock), unknownKinds, bounds)),
    gauges.observe(eventLoopGauges(loop)),
    gauges.observe(memoryGauges),
    () => loop.disable(),
  ];
  if (worker !== null) stops.push(gauges.observe(workerGauges(worker)));
  if (hub !== undefined) stops.push(gauges.observe((set) => set('live_streams', hub.streams())));
  for (const org of orgs) stops.push(gauges.observe(orgGauges(org)));
  for (const tell of workloads)
    stops.push(gauges.observe((set) => tell(set as SetGauge<MetricTable>)));
  return () => {
    for (const stop of stops) stop();
  };
}

function storeGauges(
  counts: () => Promise<readonly Count[] | null>,
  unknownKinds: () => readonly string[],
  bounds: Bounds,
): Observer {
  return async (set) => {
    const rows = await counts();
    if (rows === null) return;
    const unknown = unknownKinds();
    const kinds = bounds.kinds().filter((kind) => !unknown.includes(kind));
    for (const gauge of Object.keys(BY_KIND) as (keyof typeof BY_KIND)[]) {
      // An empty queue is 0, not nothing: alerts have to see it fall.
      const sums = new Map(kinds.map((kind) => [kind, 0]));
      for (const row of rows) {
        const added = BY_KIND[gauge](row);
        if (added === 0) continue;
        const kind = sums.has(row.kind) ? row.kind : OTHER;
        sums.set(kind, (sums.get(kind) ?? 0) + added);
      }
      for (const [kind, sum] of sums) set(gauge, sum, { kind });
    }
  };
}

/** Null while the store is away. A call that hangs is not joined by another. */
function sharedCounts(
  store: Pick<Store, 'counts'>,
  clock: Clock,
): () => Promise<readonly Count[] | null> {
  let askedAt = Number.NEGATIVE_INFINITY;
  let pending = false;
  let answer: Promise<readonly Count[] | null> = Promise.resolve(null);

  async function ask(): Promise<readonly Count[] | null> {
    pending = true;
    try {
      return await store.counts();
    } catch {
      return null;
    } finally {
      pending = false;
    }
  }

  return () => {
    if (!pending && clock.now() - askedAt >= COUNTS_EVERY_MS) {
      askedAt = clock.now();
      answer = ask();
    }
    return within(clock, COUNTS_WITHIN_MS, answer);
  };
}

function workerGauges(worker: Pick<Worker, 'status'>): Observer {
  return (set) => {
    const { state, uptimeMs, pools } = worker.status();
    set('poller_uptime_seconds', state === 'running' ? uptimeMs / 1_000 : 0);
    for (const { name: pool, inFlight, concurrency } of pools) {
      set('in_flight_jobs', inFlight, { pool });
      set('job_slots', concurrency, { pool });
    }
  };
}

function orgGauges({ org, usage, callsPerDocument }: OrgUsage): Observer {
  return (set) => {
    const [used, calls] = [usage(), callsPerDocument()];
    if (used !== null) set('salesforce_api_usage_ratio', used, { org });
    if (calls !== null) set('salesforce_calls_per_document', calls, { org });
  };
}

const memoryGauges: Observer = (set) => {
  const { rss, heapUsed, external } = process.memoryUsage();
  set('process_memory_bytes', rss, { type: 'rss' });
  set('process_memory_bytes', heapUsed, { type: 'heapUsed' });
  set('process_memory_bytes', external, { type: 'external' });
};

const RESOLUTION_MS = 20;

type Monitor = Pick<IntervalHistogram, 'count' | 'percentile' | 'max' | 'reset'>;

/** Since the last reading, whoever it was by. */
export function eventLoopGauges(monitor: Monitor): Observer {
  // Node reports the distance between the ticks of a timer, so an idle loop shows the timer's own interval.
  const late = (nanoseconds: number): number =>
    monitor.count === 0 ? 0 : Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
  return (set) => {
    set('event_loop_delay_ms', late(monitor.percentile(50)), { percentile: '50' });
    set('event_loop_delay_ms', late(monitor.percentile(99)), { percentile: '99' });
    set('event_loop_delay_ms', late(monitor.max), { percentile: '100' });
    monitor.reset();
  };
}
