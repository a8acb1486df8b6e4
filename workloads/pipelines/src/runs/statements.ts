import { type Session, type Statement, numbers, texts } from '@millrace/store-postgres';
import type { RunState } from '../definition/graph.ts';
import type { Plan } from '../definition/plan.ts';
import {
  RUN_COLUMNS,
  type RunRecord,
  type RunRow,
  STEP_COLUMNS,
  type StepRecord,
  type StepRow,
  type WholeRun,
  runOf,
  stepOf,
} from './record.ts';

/** The statements on `pipeline_runs` and `pipeline_steps`. */

// $1 seq[]
const GET: Statement = {
  name: 'pipelines_runs',
  text: `SELECT ${RUN_COLUMNS} FROM millrace.pipeline_runs WHERE seq = ANY ($1::text::bigint[]) ORDER BY seq DESC`,
};

// Whoever changes steps has the run for itself: two that end at the same moment take turns, and the second one sees what the
// first has written. $1 seq
const LOCK: Statement = {
  name: 'pipelines_lock_run',
  text: `SELECT ${RUN_COLUMNS} FROM millrace.pipeline_runs WHERE seq = $1 FOR UPDATE`,
};

// $1 seq[]
const STEPS: Statement = {
  name: 'pipelines_steps',
  text: `SELECT ${STEP_COLUMNS} FROM millrace.pipeline_steps WHERE run = ANY ($1::text::bigint[]) ORDER BY run, place`,
};

// $1 run $2 step $3 state $4 try $5 job $6 epoch $7 starting $8 started id $9 retried $10 stop pending $11 output
// $12 progress $13 error code $14 error message $15 started at, ms $16 finished at, ms
const WRITE_STEP: Statement = {
  name: 'pipelines_write_step',
  text: `
UPDATE millrace.pipeline_steps
   SET state = $3, try = $4, job = $5, epoch = $6, starting = $7, started_id = $8, retried = $9, stop_pending = $10,
       output = $11::text::json, progress = $12::text::jsonb, error_code = $13, error_message = $14,
       started_at = to_timestamp($15::float8 / 1000), finished_at = to_timestamp($16::float8 / 1000)
 WHERE run = $1 AND step = $2`,
};

// $1 seq $2 state $3 finished at, ms
const WRITE_RUN: Statement = {
  name: 'pipelines_write_run',
  text: `
UPDATE millrace.pipeline_runs
   SET state = $2, finished_at = to_timestamp($3::float8 / 1000), touched_at = millrace.clock()
 WHERE seq = $1`,
};

// $1 seq $2 passed
const NEW_REVISION: Statement = {
  name: 'pipelines_new_revision',
  text: `UPDATE millrace.pipeline_runs SET revision = revision + 1, passed = $2::text::jsonb WHERE seq = $1`,
};

// $1 seq $2 digest $3 plan $4 parameters $5 values
const NEW_PLAN: Statement = {
  name: 'pipelines_new_plan',
  text: `
UPDATE millrace.pipeline_runs
   SET digest = $2, plan = $3::text::json, parameters = $4::text::json, "values" = $5::text::json
 WHERE seq = $1`,
};

// $1 run $2 steps in the order of the plan
const REMOVE_OTHER_STEPS: Statement = {
  name: 'pipelines_remove_other_steps',
  text: `DELETE FROM millrace.pipeline_steps WHERE run = $1 AND NOT step = ANY ($2::text::text[])`,
};

// $1 run $2 steps in the order of the plan
const ADD_STEPS: Statement = {
  name: 'pipelines_add_steps',
  text: `
INSERT INTO millrace.pipeline_steps (run, step, place)
SELECT $1, step, place FROM unnest($2::text::text[]) WITH ORDINALITY AS u(step, place)
ON CONFLICT (run, step) DO UPDATE SET place = excluded.place`,
};

// $1 seq
const REMOVE: Statement = {
  name: 'pipelines_remove_run',
  text: `DELETE FROM millrace.pipeline_runs WHERE seq = $1`,
};

export const rows = {
  async wholes(session: Session, seqs: readonly number[]): Promise<WholeRun[]> {
    if (seqs.length === 0) return [];
    const runs = await session.query<RunRow>(GET, [numbers(seqs)]);
    return withSteps(session, runs.map(runOf));
  },
  /** Locked until the transaction ends. */
  async lock(session: Session, seq: number): Promise<WholeRun | null> {
    const [row] = await session.query<RunRow>(LOCK, [seq]);
    if (row === undefined) return null;
    const [whole] = await withSteps(session, [runOf(row)]);
    return whole ?? null;
  },
  async writeStep(session: Session, run: RunRecord, step: StepRecord): Promise<void> {
    const { output, progress, error } = step;
    await session.query(WRITE_STEP, [
      run.seq,
      step.step,
      step.state,
      step.try,
      step.job,
      step.epoch,
      step.starting,
      step.startedId,
      step.retried,
      step.stopPending,
      output === null ? null : JSON.stringify(output),
      progress === null ? null : JSON.stringify(progress),
      error?.code ?? null,
      error?.message.slice(0, LONGEST_MESSAGE) ?? null,
      step.startedAt,
      step.finishedAt,
    ]);
  },
  async writeRun(session: Session, seq: number, state: RunState, finishedAt: number | null) {
    await session.query(WRITE_RUN, [seq, state, finishedAt]);
  },
  async newRevision(session: Session, seq: number, passed: readonly string[]): Promise<void> {
    await session.query(NEW_REVISION, [seq, JSON.stringify(passed)]);
  },
  async newPlan(
    session: Session,
    seq: number,
    next: Pick<RunRecord, 'digest' | 'plan' | 'parameters' | 'values'>,
  ): Promise<void> {
    const { digest, plan, parameters, values } = next;
    const json = [plan, parameters, values].map((each) => JSON.stringify(each));
    await session.query(NEW_PLAN, [seq, digest, ...json]);
    await session.query(REMOVE_OTHER_STEPS, [seq, namesOf(plan)]);
    await rows.addSteps(session, seq, plan);
  },
  async addSteps(session: Session, seq: number, plan: Plan): Promise<void> {
    await session.query(ADD_STEPS, [seq, namesOf(plan)]);
  },
  async remove(session: Session, seq: number): Promise<void> {
    await session.query(REMOVE, [seq]);
  },
};

const LONGEST_MESSAGE = 4_000;

function namesOf({ steps }: Plan): string {
  return texts(steps.map(({ name }) => name));
}

export async function withSteps(session: Session, runs: readonly RunRecord[]): Promise<WholeRun[]> {
  if (runs.length === 0) return [];
  const found = await session.query<StepRow>(STEPS, [numbers(runs.map(({ seq }) => seq))]);
  return runs.map((run) => ({
    run,
    steps: found.filter((row) => row.run === run.seq).map(stepOf),
  }));
}
