import {
  type Events,
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
import { mergedPools } from './pools.ts';
import type { Process } from './process.ts';
import type { Queues } from './queues.ts';

/** What does the work, and what tells of it. */
export interface Work {
  readonly events: Events;
  readonly workloads: OpenedWorkloads;
  /** Null in a process that only answers. It has not begun yet. */
  readonly worker: Worker | null;
  readonly hub: Hub;
  readonly figures: ServedFigures;
}

export async function openWork(process: Process, kinds: Kinds, queues: Queues): Promise<Work> {
  const { config, log, telemetry, replica, closing } = process;
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
      roomOf: declared.roomOf,
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
