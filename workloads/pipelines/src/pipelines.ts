import type { Clock, Log, Queue } from '@millrace/engine';
import { type WatchRun, createWatch } from '@millrace/runs';
import { type Migrations, type PostgresStore, migrate } from '@millrace/store-postgres';
import type { Live } from '@millrace/workload-kit';
import type { Catalogue } from './catalogue.ts';
import type { PipelineMetrics } from './observe.ts';
import { createStepJobs } from './runs/jobs.ts';
import { type Runs, createRuns } from './runs/runs.ts';
import type { PipelineRunRecord } from './runs/pipeline-run.ts';
import { PIPELINE_TOPIC, type RunStore, createRunStore } from './runs/store.ts';
import type { Workshop } from './step/run-step.ts';
import { type StopWork, createStopWork } from './step/stop.ts';
import type { Works } from './step/work.ts';
import { type Erase, createErase } from './upkeep/erase.ts';
import { type Reconcile, createReconcile } from './upkeep/reconcile.ts';
import { type Sweep, createSweep } from './upkeep/sweep.ts';

/** The pipelines on a database, a queue and the steps of other workloads. */
export interface Pipelines {
  readonly runs: Runs;
  readonly watch: WatchRun<PipelineRunRecord>;
  readonly catalogue: Catalogue;
  readonly store: RunStore;
  readonly stopWork: StopWork;
  readonly works: Works;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** What the jobs of steps work with. */
  readonly workshop: Workshop;
  readonly reconcile: Reconcile;
  readonly sweep: Sweep;
  readonly erase: Erase;
  close(): Promise<void>;
}

export interface PipelinesParams {
  readonly store: Pick<PostgresStore, 'database'>;
  readonly queue: Pick<Queue, 'enqueueAll' | 'list' | 'get' | 'cancelWhere'>;
  readonly catalogue: Catalogue;
  readonly works: Works;
  readonly live: Live;
  readonly clock: Clock;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly log: Log;
  readonly metrics: PipelineMetrics;
  readonly keepRunsMs: number;
}

export const MIGRATIONS: Migrations = {
  owner: 'pipelines',
  folder: new URL('../migrations/', import.meta.url),
};

/** Sets up or updates its own tables. */
export async function openPipelines(params: PipelinesParams): Promise<Pipelines> {
  const { queue, catalogue, works, live, clock, now, log, metrics, keepRunsMs } = params;
  const { database } = params.store;
  await migrate(database, MIGRATIONS);
  const store = createRunStore({ database, live });
  const jobs = createStepJobs({ queue, store });
  const stopWork = createStopWork({ store, database, works, log });
  await catalogue.open(works);
  return {
    runs: createRuns({ database, store, jobs, catalogue, works, stopWork, now }),
    watch: createWatch({ topic: PIPELINE_TOPIC, find: store.find, live, clock }),
    catalogue,
    store,
    stopWork,
    works,
    now,
    workshop: { store, database, works, metrics },
    reconcile: createReconcile({ database, jobs, stopWork, metrics, log }),
    sweep: createSweep({ database, keepRunsMs }),
    erase: createErase({ database }),
    close: () => catalogue.close(),
  };
}
