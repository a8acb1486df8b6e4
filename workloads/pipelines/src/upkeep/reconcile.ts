import type { Log } from '@millrace/engine';
import { type Database, type Statement, numbers } from '@millrace/store-postgres';
import type { PipelineMetrics } from '../observe.ts';
import type { StepJobs } from '../runs/jobs.ts';
import { rows } from '../runs/statements.ts';
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
  live(): number;
}

// Those about which nothing was written for a minute; by then a job that is to be made has been made. $1 limit
const LIVE: Statement = {
  name: 'pipelines_live_runs',
  text: `
UPDATE millrace.pipeline_runs SET touched_at = millrace.clock() WHERE seq = ANY (ARRAY(
  SELECT seq FROM millrace.pipeline_runs
   WHERE state = 'running' AND touched_at < millrace.clock() - interval '55 seconds'
   ORDER BY touched_at LIMIT $1 FOR UPDATE SKIP LOCKED)) RETURNING seq`,
};

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

const COUNT: Statement = {
  name: 'pipelines_count_live',
  text: `SELECT count(*)::int AS live FROM millrace.pipeline_runs WHERE state = 'running'`,
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
  let live = 0;
  const seqsOf = async (statement: Statement): Promise<number[]> =>
    (await database.query<{ seq: number }>(statement, [AT_ONCE])).map(({ seq }) => seq);

  return {
    async runOnce() {
      const [count] = await database.query<{ live: number }>(COUNT, []);
      live = count?.live ?? live;
      const seqs = await seqsOf(LIVE);
      let restored = 0;
      for (const whole of await rows.wholes(database, seqs)) {
        // An error of one run must not keep the others from going on.
        restored += await jobs.restore(whole).catch((err: unknown) => {
          log.error({ err, run: whole.run.id }, 'The jobs of a run could not be looked at');
          return 0;
        });
      }
      const toStop = await seqsOf(TO_STOP);
      if (toStop.length > 0) await database.query(TOUCH, [numbers(toStop)]);
      for (const whole of await rows.wholes(database, toStop)) {
        await jobs.cancel(whole.run);
        await stopWork(whole);
      }
      if (restored > 0) {
        metrics.restored(restored);
        log.warn(
          { runs: seqs.length, restored },
          'Steps of pipelines without a job were carried on',
        );
      }
      return { checked: seqs.length, restored, more: seqs.length === AT_ONCE };
    },
    live: () => live,
  };
}
