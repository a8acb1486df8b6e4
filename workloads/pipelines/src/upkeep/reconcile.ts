import type { Log } from '@millrace/engine';
import type { LiveCounts } from '@millrace/runs';
import { type Database, type Statement, numbers } from '@millrace/store-postgres';
import type { PipelineMetrics } from '../observe.ts';
import type { StepJobs } from '../runs/jobs.ts';
import { pipelineRuns } from '../runs/pipeline-run.ts';
import type { StopWork } from '../step/stop.ts';

export interface Reconciled {
  readonly checked: number;
  /** Steps that had no job, or a job that had ended without them. */
  readonly restored: number;
  readonly more: boolean;
}

/** Finds runs that live and that nobody works on, and work of cancelled runs that nobody has cancelled. */
export interface Reconcile {
  runOnce(): Promise<Reconciled>;
  /** How many runs lived when it last looked. */
  live(): LiveCounts;
}

// $1 limit
const TO_STOP: Statement = {
  name: 'pipelines_runs_to_stop',
  text: `
SELECT DISTINCT s.run AS seq FROM millrace.pipeline_steps s JOIN millrace.pipeline_runs r ON r.seq = s.run
 WHERE s.stop_pending AND r.touched_at < millrace.clock() - interval '30 seconds' LIMIT $1`,
};

// $1 seq[]
const TOUCH: Statement = {
  name: 'pipelines_touch_runs',
  text: `UPDATE millrace.pipeline_runs SET touched_at = millrace.clock() WHERE seq = ANY ($1::text::bigint[])`,
};

const AT_ONCE = 200;

export function createReconcile(parts: {
  database: Database;
  jobs: StepJobs;
  stopWork: StopWork;
  metrics: PipelineMetrics;
  log: Log;
}): Reconcile {
  const { database, jobs, stopWork, metrics, log } = parts;
  let live: LiveCounts = { QUEUED: 0, PROCESSING: 0 };

  return {
    async runOnce() {
      live = await pipelineRuns.countLive(database);
      const runs = await pipelineRuns.untouched(database, AT_ONCE);
      let restored = 0;
      for (const run of runs) {
        // An error of one run must not keep the others from going on.
        restored += await jobs.restore(run).catch((err: unknown) => {
          log.error({ err, run: run.id }, 'The jobs of a run could not be looked at');
          return 0;
        });
      }
      const toStop = await database.query<{ seq: number }>(TO_STOP, [AT_ONCE]);
      const seqs = toStop.map(({ seq }) => seq);
      if (seqs.length > 0) await database.query(TOUCH, [numbers(seqs)]);
      for (const run of await pipelineRuns.bySeq(database, seqs)) {
        await jobs.cancel(run);
        await stopWork(run);
      }
      if (restored > 0) {
        metrics.restored(restored);
        log.warn(
          { runs: runs.length, restored },
          'Steps of pipelines without a job were carried on',
        );
      }
      return { checked: runs.length, restored, more: runs.length === AT_ONCE };
    },
    live: () => live,
  };
}
