import { UNLESS_KEY_TAKEN } from '@millrace/runs';
import { type Session, type Statement, texts } from '@millrace/store-postgres';
import type { Plan } from '../definition/plan.ts';
import { type KeptFile, keepFiles } from './files.ts';
import { COLUMNS, type PipelineRunRecord, type StepRecord, pipelineRuns } from './pipeline-run.ts';

/** What is written to `pipeline_runs` and `pipeline_steps`. */

export interface NewPipelineRun extends Pick<
  PipelineRunRecord,
  | 'tenant'
  | 'submitter'
  | 'roles'
  | 'claims'
  | 'pipeline'
  | 'digest'
  | 'plan'
  | 'parameters'
  | 'values'
  | 'schedule'
> {
  readonly files: readonly KeptFile[];
}

export type NextPlan = Pick<PipelineRunRecord, 'digest' | 'plan' | 'parameters' | 'values'> & {
  readonly files: readonly KeptFile[];
};

// $1 tenant $2 submitter $3 roles $4 claims $5 pipeline $6 digest $7 plan $8 parameters $9 values $10 schedule $11 key
const INSERT: Statement = {
  name: 'pipelines_add_run',
  text: `
INSERT INTO millrace.pipeline_runs (tenant, submitter, roles, claims, pipeline, digest, plan, parameters, "values", schedule, key,
                                    state, created_at, touched_at)
VALUES ($1, $2, $3::text::jsonb, $4::text::jsonb, $5, $6, $7::text::json, $8::text::json, $9::text::json, $10, $11,
        'QUEUED', millrace.clock(), millrace.clock())
${UNLESS_KEY_TAKEN} RETURNING seq`,
};

// Whoever changes steps has the run for itself: two that end at the same moment take turns, and the second one sees what the
// first has written. $1 seq
const LOCK: Statement = {
  name: 'pipelines_lock_run',
  text: `SELECT ${COLUMNS} FROM millrace.pipeline_runs WHERE seq = $1 FOR UPDATE`,
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

// $1 seq $2 state $3 error code $4 error message $5 started at, ms $6 finished at, ms
const WRITE_RUN: Statement = {
  name: 'pipelines_write_run',
  text: `
UPDATE millrace.pipeline_runs
   SET state = $2, error_code = $3, error_message = $4, started_at = to_timestamp($5::float8 / 1000),
       finished_at = to_timestamp($6::float8 / 1000), touched_at = millrace.clock()
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

export const rows = {
  /** In a transaction. Null: another run has the key. */
  async add(
    session: Session,
    run: NewPipelineRun,
    key: string | null,
  ): Promise<PipelineRunRecord | null> {
    const [made] = await session.query<{ seq: number }>(INSERT, [
      run.tenant,
      run.submitter,
      JSON.stringify(run.roles),
      JSON.stringify(run.claims),
      run.pipeline,
      run.digest,
      JSON.stringify(run.plan),
      JSON.stringify(run.parameters),
      JSON.stringify(run.values),
      run.schedule,
      key,
    ]);
    if (made === undefined) return null;
    await session.query(ADD_STEPS, [made.seq, namesOf(run.plan)]);
    await keepFiles(session, made.seq, run.files);
    return (await pipelineRuns.bySeq(session, [made.seq]))[0] ?? null;
  },
  /** Locked until the transaction ends. */
  lock: (session: Session, seq: number) => pipelineRuns.first(session, LOCK, [seq]),
  async writeStep(session: Session, run: PipelineRunRecord, step: StepRecord): Promise<void> {
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
  async writeRun(session: Session, run: PipelineRunRecord): Promise<void> {
    const { seq, state, error, startedAt, finishedAt } = run;
    const message = error?.message.slice(0, LONGEST_MESSAGE) ?? null;
    await session.query(WRITE_RUN, [
      seq,
      state,
      error?.code ?? null,
      message,
      startedAt,
      finishedAt,
    ]);
  },
  async newRevision(session: Session, seq: number, passed: readonly string[]): Promise<void> {
    await session.query(NEW_REVISION, [seq, JSON.stringify(passed)]);
  },
  async newPlan(session: Session, seq: number, next: NextPlan): Promise<void> {
    const { digest, plan, parameters, values, files } = next;
    const json = [plan, parameters, values].map((each) => JSON.stringify(each));
    await session.query(NEW_PLAN, [seq, digest, ...json]);
    await session.query(REMOVE_OTHER_STEPS, [seq, namesOf(plan)]);
    await session.query(ADD_STEPS, [seq, namesOf(plan)]);
    await keepFiles(session, seq, files);
  },
};

const LONGEST_MESSAGE = 4_000;

function namesOf({ steps }: Plan): string {
  return texts(steps.map(({ name }) => name));
}
