import type { Progress } from '@millrace/engine';
import {
  RUN_COLUMNS,
  type RunRecord,
  type RunRow,
  ms,
  recordOf,
  rounded,
  runIds,
  runTable,
} from '@millrace/runs';
import { type Session, type Statement, numbers } from '@millrace/store-postgres';
import type { StepOutput, Who } from '@millrace/workload-kit';
import type { StepState } from '../definition/graph.ts';
import type { Plan, Value } from '../definition/plan.ts';

/** One execution of a pipeline for someone. */
export interface PipelineRunRecord extends RunRecord {
  readonly roles: readonly string[];
  readonly claims: Readonly<Record<string, readonly string[]>>;
  readonly pipeline: string;
  readonly digest: string;
  readonly plan: Plan;
  readonly parameters: Parameters;
  /** What names in the plan stand for: `month`, `month.first`. */
  readonly values: Readonly<Record<string, Value | readonly Value[]>>;
  readonly revision: number;
  readonly passed: readonly string[];
  readonly schedule: string | null;
  /** In the order of the plan. */
  readonly steps: readonly StepRecord[];
}

export type Parameters = Readonly<Record<string, string | readonly string[] | null>>;

export interface StepRecord {
  readonly step: string;
  readonly state: StepState;
  readonly try: number;
  readonly job: string | null;
  readonly epoch: number;
  readonly starting: boolean;
  /** What it has begun: the id of a run, a batch, a report. */
  readonly startedId: string | null;
  readonly retried: boolean;
  readonly stopPending: boolean;
  readonly output: StepOutput | null;
  readonly progress: Progress | null;
  /** Why it failed; of one that runs, why the last try did not succeed. */
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
}

type PipelineRunRow = RunRow & Omit<PipelineRunRecord, keyof RunRecord | 'steps'>;

type StepRow = Omit<
  StepRecord,
  'error' | 'startedId' | 'stopPending' | 'startedAt' | 'finishedAt'
> & {
  readonly run: number;
  readonly started_id: string | null;
  readonly stop_pending: boolean;
  readonly error_code: string | null;
  readonly error_message: string | null;
  readonly started_at: number | null;
  readonly finished_at: number | null;
};

export const pipelineIds = runIds('pipe');

export const COLUMNS = `${RUN_COLUMNS}, roles, claims, pipeline, digest, plan, parameters, "values", revision, passed, schedule`;

/** The table of the runs, and with each run its steps. */
export const pipelineRuns = runTable({
  table: 'millrace.pipeline_runs',
  names: 'pipelines',
  ids: pipelineIds,
  columns: COLUMNS,
  recordsOf: withSteps,
});

// $1 seq[]
const STEPS: Statement = {
  name: 'pipelines_steps',
  text: `
SELECT run, step, state, try, job, epoch::float8 AS epoch, starting, started_id, retried, stop_pending, output,
       progress, error_code, error_message, ${ms('started_at')}, ${ms('finished_at')}
  FROM millrace.pipeline_steps WHERE run = ANY ($1::text::bigint[]) ORDER BY run, place`,
};

async function withSteps(
  session: Session,
  runs: readonly PipelineRunRow[],
): Promise<PipelineRunRecord[]> {
  if (runs.length === 0) return [];
  const found = await session.query<StepRow>(STEPS, [numbers(runs.map(({ seq }) => seq))]);
  return runs.map((row) => ({
    ...recordOf(pipelineIds.of(row.seq), row),
    roles: row.roles,
    claims: row.claims,
    pipeline: row.pipeline,
    digest: row.digest,
    plan: row.plan,
    parameters: row.parameters,
    values: row.values,
    revision: row.revision,
    passed: row.passed,
    schedule: row.schedule,
    steps: found.filter(({ run }) => run === row.seq).map(stepOf),
  }));
}

function stepOf(row: StepRow): StepRecord {
  const { error_code: code, error_message: message } = row;
  return {
    step: row.step,
    state: row.state,
    try: row.try,
    job: row.job,
    epoch: row.epoch,
    starting: row.starting,
    startedId: row.started_id,
    retried: row.retried,
    stopPending: row.stop_pending,
    output: row.output,
    progress: row.progress,
    error: code === null ? null : { code, message: message ?? '' },
    startedAt: rounded(row.started_at),
    finishedAt: rounded(row.finished_at),
  };
}

/** On whose behalf its steps work. */
export function whoOf({ tenant, submitter, roles, claims, id }: PipelineRunRecord): Who {
  return { tenant, submitter, roles, claims, correlationId: id };
}
