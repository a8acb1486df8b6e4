import type { Clock, Log, Queue } from '@millrace/engine';
import type { BusinessUnit, CallReport, MarketingCloud } from '@millrace/marketing-cloud';
import { type WatchRun, createWatch } from '@millrace/runs';
import { type Migrations, type PostgresStore, migrate } from '@millrace/store-postgres';
import type { Live } from '@millrace/workload-kit';
import { type Tally, createMeter } from './calls.ts';
import { type Catalog, createCatalog } from './catalog/catalog.ts';
import { createCleanup } from './cleanup.ts';
import { notConfigured } from './errors.ts';
import { createRunJobs } from './jobs.ts';
import { type MidOfTenant, type Mids, createMids } from './mids.ts';
import type { QueryMetrics } from './observe.ts';
import { createStatuses } from './poll/statuses.ts';
import { readKeys } from './runs/asset-keys.ts';
import type { QueryRunRecord } from './runs/query-run.ts';
import type { End } from './runs/write.ts';
import { type Runs, createRuns } from './runs/runs.ts';
import { RUN_TOPIC, createRunStore } from './runs/store.ts';
import { type Snippets, createSnippets } from './snippets/snippets.ts';
import { type Erase, createErase } from './upkeep/erase.ts';
import { type Reconcile, createReconcile } from './upkeep/reconcile.ts';
import { type Sweep, createSweep } from './upkeep/sweep.ts';
import type { Tallied, WorkConfig, Workshop } from './workshop.ts';

/** The queries on a database and an account of Marketing Cloud. */
export interface Queries {
  readonly runs: Runs;
  readonly watch: WatchRun<QueryRunRecord>;
  readonly mids: Mids;
  readonly snippets: Snippets;
  readonly catalog: Catalog;
  /** Of any tenant: within.ts says whose. Throws where there is no account. */
  businessUnit(mid: string): BusinessUnit;
  /** What jobs work with. Throws where there is no account. */
  workshop(): Workshop;
  readonly reconcile: Reconcile;
  readonly sweep: Sweep;
  readonly erase: Erase;
  /** There are more rows than were counted when the run became ready. */
  counted(run: QueryRunRecord, rowCount: number): Promise<void>;
  /** Adds the calls of the work to those of the run. */
  counting<T>(run: QueryRunRecord, work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface QueriesParams {
  readonly store: Pick<PostgresStore, 'database'>;
  readonly queue: Pick<Queue, 'enqueueAll' | 'list'>;
  /** Opened with the given listener; null: there is no account. */
  readonly account: {
    readonly mids: readonly MidOfTenant[];
    /** Whether tenants may read the tables of the business unit above theirs, which belongs to none of them. */
    readonly enterpriseTables?: boolean;
    open(onCall: (call: CallReport) => void): Pick<MarketingCloud, 'businessUnit' | 'close'>;
  } | null;
  readonly live: Live;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: QueryMetrics;
  readonly config: WorkConfig;
  readonly gatherMs: number;
  readonly keepRunsMs: number;
  readonly installation?: string | undefined;
  readonly random?: () => number;
}

export const MIGRATIONS: Migrations = {
  owner: 'queries',
  folder: new URL('../migrations/', import.meta.url),
};

/** Sets up or updates its own tables. */
export async function openQueries(params: QueriesParams): Promise<Queries> {
  const { store, queue, account, live, clock, log, metrics, config, gatherMs } = params;
  const { database } = store;
  await migrate(database, MIGRATIONS);
  const keys = await readKeys(database, params.installation);
  const mids = createMids(account?.mids ?? [], account?.enterpriseTables);
  const meter = createMeter(metrics.called);
  const cloud = account?.open(meter.onCall) ?? null;
  const runs = createRunStore({ database, keys, live });
  const jobs = createRunJobs({ queue, initialDelayMs: config.poll.initialDelayMs });

  function businessUnit(mid: string): BusinessUnit {
    if (cloud === null) throw notConfigured();
    if (!mids.all().includes(mid))
      throw notConfigured(`The business unit ${mid} is no longer in MCE_MIDS.`);
    return cloud.businessUnit(mid);
  }

  const catalog = createCatalog({ businessUnit, now: () => clock.now() });
  const cleanup = createCleanup({ runs, businessUnit, log });

  async function end(run: QueryRunRecord, how: End, last?: Tallied): Promise<void> {
    const ended = await runs.end(run, how, last && { ...last.noted, calls: last.tally.calls });
    if (ended !== null) {
      if (last !== undefined) last.tally.calls = 0;
      metrics.ended(ended);
    }
    await cleanup.after(ended ?? (await runs.again(run)));
  }

  const workshop: Workshop = {
    runs,
    jobs,
    businessUnit,
    fieldsOf: catalog.fieldsOf,
    namesOf: catalog.namesOf,
    statuses: createStatuses({
      businessUnit,
      meter,
      clock,
      gatherMs,
      onAsked: metrics.statusCall,
      onApart: (mid) =>
        log.warn(
          { mid },
          'Marketing Cloud does not honour IN for TaskID: for an hour, statuses are asked for one at a time',
        ),
    }),
    meter,
    metrics,
    config,
    random: params.random ?? Math.random,
    log,
    cleanup,
    end,
    fail: (run, code, message, last) => end(run, { state: 'FAILED', code, message }, last),
  };

  return {
    runs: createRuns({ database, store: runs, jobs, mids, onEnded: metrics.ended }),
    watch: createWatch({ topic: RUN_TOPIC, find: runs.find, live, clock }),
    mids,
    snippets: createSnippets({ database }),
    catalog,
    businessUnit,
    workshop() {
      if (cloud === null) throw notConfigured();
      return workshop;
    },
    reconcile: createReconcile({ database, workshop, queue }),
    sweep: createSweep({ database, keys, mids, workshop, keepRunsMs: params.keepRunsMs }),
    erase: createErase({ database }),
    counted: runs.counted,
    async counting(run, work) {
      const tally: Tally = { calls: 0 };
      try {
        return await meter.during(tally, work);
      } finally {
        await runs.addCalls(run.seq, tally.calls);
      }
    },
    close: async () => cloud?.close(),
  };
}
