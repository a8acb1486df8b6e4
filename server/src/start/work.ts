import {
  type Events,
  MillraceError,
  type PoolConfig,
  type Worker,
  createEvents,
  createQueue,
  logEvents,
  within,
} from '@millrace/engine';
import { systemClock } from '@millrace/engine/system';
import { watchEndedJobs } from '@millrace/workload-kit';
import { BULK_KIND, type BulkService } from '../bulk/kind.ts';
import type { ServedFigures } from '../figures/overview.ts';
import { type Hub, createHub } from '../live/hub.ts';
import { createThings } from '../live/things.ts';
import { createTopics } from '../live/topics.ts';
import { createFetchPublic } from '../outside/fetch-public.ts';
import { usageOf } from '../salesforce/orgs.ts';
import { inWords } from '../start-error.ts';
import { traceAnnouncements } from '../telemetry/store.ts';
import { requireWebhook } from '../webhook/require.ts';
import { VERSION } from '../version.ts';
import { createWorkers } from '../workers.ts';
import { type OpenedWorkloads, openWorkloads } from '../workloads/open.ts';
import type { Kinds } from './kinds.ts';
import { openFigures } from './figures.ts';
import type { Process } from './process.ts';
import type { Queues } from './queues.ts';

/** The workers, and what reports on them. */
export interface Work {
  readonly events: Events;
  readonly workloads: OpenedWorkloads;
  /** Null in a process that only answers. It has not begun yet. */
  readonly worker: Worker | null;
  readonly hub: Hub;
  readonly figures: ServedFigures;
}

export async function openWork(process: Process, kinds: Kinds, queues: Queues): Promise<Work> {
  const { config, log, telemetry, closing } = process;
  const { declared, registry, schedules } = kinds;
  const { stores, orgs } = queues;
  const { database, joined, away } = stores;
  const events = createEvents();
  logEvents(events, log, systemClock.now);
  telemetry.watch(events);
  const topics = createTopics();
  const workloads = await openWorkloads(
    declared.active,
    {
      store: database,
      queue: createQueue({ store: joined, registry, events }),
      registry,
      orgs,
      telemetry,
      fetchPublic: createFetchPublic(telemetry.call),
      live: topics.live,
      clock: systemClock,
      log,
      deliver: kinds.deliver,
      requireWebhook: (url) => requireWebhook(url, config.webhook),
      dataFolder: config.dataFolder,
      version: VERSION,
    },
    closing,
  );
  watchEndedJobs(events, workloads.ended);
  const bulk: BulkService = {
    log: database.bulk,
    within: (scope) => createQueue({ store: within(joined, scope), registry, events }),
  };
  const createWorker = (): Worker =>
    createWorkers({
      ...process,
      stores,
      places: kinds.places,
      salesforce: kinds.salesforce,
      kindsOf: declared.kindsOf,
      rooms: declared.rooms,
      schedules,
      pools: mergedPools(config.pools, declared.pools),
      services: new Map([...workloads.services, [BULK_KIND, bulk]]),
      events,
    });
  const worker = config.role === 'api' ? null : inWords(createWorker);
  const hub = createHub({
    store: joined,
    announcements: traceAnnouncements(database.announcements, telemetry),
    events,
    topics,
    things: createThings(workloads.topics),
    log,
    streamsPerCaller: config.streamsPerCaller,
    serves: config.role !== 'worker',
    onDropped: () => telemetry.count('live_streams_dropped_total', 1),
  });
  telemetry.observe({
    store: joined,
    unknownKinds: away.kinds,
    worker,
    registry,
    hub,
    orgs: orgs.map((org) => usageOf(org, events)),
    workloads: workloads.gauges,
  });
  const figures = openFigures(process, kinds, queues, { events, workloads });
  return { events, workloads, worker, hub, figures };
}

/**
 * The operator's pools, and those that workloads bring for kinds that must not wait behind others. Where the operator names such a kind,
 * their pool has it: concurrency, rhythm, priorities and pauses of every kind can be set.
 */
export function mergedPools(
  own: readonly PoolConfig[],
  ofWorkloads: readonly PoolConfig[],
): PoolConfig[] {
  const named = new Set(own.flatMap(({ kinds = [] }) => kinds));
  const left = ofWorkloads.flatMap((pool) => {
    const kinds = pool.kinds?.filter((kind) => !named.has(kind)) ?? [];
    return kinds.length === 0 ? [] : [{ ...pool, kinds }];
  });
  for (const { name, kinds } of left) {
    if (!own.some((pool) => pool.name === name)) continue;
    throw new MillraceError(
      'invalid_definition',
      `MILLRACE_POOLS: the pool "${name}" has the kind "${kinds.join('", "')}" by itself. Add it to the kinds of yours, or choose another name.`,
    );
  }
  return [...own, ...left];
}
