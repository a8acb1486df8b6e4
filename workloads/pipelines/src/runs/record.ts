import type { Progress } from '@millrace/engine';
import type { StepOutput, Who } from '@millrace/workload-kit';
import type { RunState, StepState } from '../definition/graph.ts';
import type { Plan, Value } from '../definition/plan.ts';
import { runIdOf } from '../ids.ts';

/** One execution of a pipeline for someone. */
export interface RunRecord {
  readonly seq: number;
  readonly id: string;
  readonly tenant: string;
  readonly submitter: string | null;
  readonly roles: readonly string[];
  readonly claims: Readonly<Record<string, readonly string[]>>;
  readonly pipeline: string;
  readonly digest: string;
  readonly plan: Plan;
  readonly parameters: Parameters;
  /** What names in the plan stand for: `month`, `month.first`. */
  readonly values: Readonly<Record<string, Value | readonly Value[]>>;
  readonly state: RunState;
  readonly revision: number;
  readonly passed: readonly string[];
  readonly schedule: string | null;
  readonly createdAt: number;
  readonly finishedAt: number | null;
  /** The database's clock when the record was read. */
  readonly readAt: number;
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

/** A run with its steps, in the order of the plan. */
export interface WholeRun {
  readonly run: RunRecord;
  readonly steps: readonly StepRecord[];
}

export type RunRow = {
  seq: number;
  tenant: string;
  submitter: string | null;
  roles: string[];
  claims: Record<string, string[]>;
  pipeline: string;
  digest: string;
  plan: Plan;
  parameters: Parameters;
  values: RunRecord['values'];
  state: RunState;
  revision: number;
  passed: string[];
  schedule: string | null;
  created_at: number;
  finished_at: number | null;
  read_at: number;
};

export type StepRow = {
  run: number;
  step: string;
  state: StepState;
  try: number;
  job: string | null;
  epoch: number;
  starting: boolean;
  started_id: string | null;
  retried: boolean;
  stop_pending: boolean;
  output: StepOutput | null;
  progress: Progress | null;
  error_code: string | null;
  error_message: string | null;
  started_at: number | null;
  finished_at: number | null;
};

const ms = (column: string, as = column): string =>
  `(date_part('epoch', ${column}) * 1000)::float8 AS ${as}`;

export const RUN_COLUMNS = `seq, tenant, submitter, roles, claims, pipeline, digest, plan, parameters, "values", state,
       revision, passed, schedule, ${ms('created_at')}, ${ms('finished_at')}, ${ms('millrace.clock()', 'read_at')}`;

export const STEP_COLUMNS = `run, step, state, try, job, epoch::float8 AS epoch, starting, started_id, retried, stop_pending, output,
       progress, error_code, error_message, ${ms('started_at')}, ${ms('finished_at')}`;

export function runOf(row: RunRow): RunRecord {
  return {
    seq: row.seq,
    id: runIdOf(row.seq),
    tenant: row.tenant,
    submitter: row.submitter,
    roles: row.roles,
    claims: row.claims,
    pipeline: row.pipeline,
    digest: row.digest,
    plan: row.plan,
    parameters: row.parameters,
    values: row.values,
    state: row.state,
    revision: row.revision,
    passed: row.passed,
    schedule: row.schedule,
    createdAt: Math.round(row.created_at),
    finishedAt: rounded(row.finished_at),
    readAt: Math.round(row.read_at),
  };
}

export function stepOf(row: StepRow): StepRecord {
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

function rounded(at: number | null): number | null {
  return at === null ? null : Math.round(at);
}

/** On whose behalf its steps work. */
export function whoOf({ tenant, submitter, roles, claims, id }: RunRecord): Who {
  return { tenant, submitter, roles, claims, correlationId: id };
}
