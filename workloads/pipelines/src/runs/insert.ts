import { StoreUnavailable } from '@millrace/engine';
import type { Database, Param, Session, Statement } from '@millrace/store-postgres';
import { type KeptFile, keepFiles } from './files.ts';
import { RUN_COLUMNS, type RunRecord, type RunRow, type WholeRun, runOf } from './record.ts';
import { rows, withSteps } from './statements.ts';

/** One run for one key of a submitter, as jobs have it: while the run lives, and for the window after it went well. */
export interface RunKey {
  readonly value: string;
  readonly windowMs: number;
}

export interface NewRunRecord extends Pick<
  RunRecord,
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
  readonly key: RunKey | null;
  readonly files: readonly KeptFile[];
}

export interface Inserted {
  readonly whole: WholeRun;
  /** False: another run has the key, and `whole` is that one. */
  readonly created: boolean;
}

// $1 tenant $2 submitter $3 roles $4 claims $5 pipeline $6 digest $7 plan $8 parameters $9 values $10 schedule $11 key
const INSERT: Statement = {
  name: 'pipelines_add_run',
  text: `
INSERT INTO millrace.pipeline_runs (tenant, submitter, roles, claims, pipeline, digest, plan, parameters, "values", schedule, key,
                                    state, created_at, touched_at)
VALUES ($1, $2, $3::text::jsonb, $4::text::jsonb, $5, $6, $7::text::json, $8::text::json, $9::text::json, $10, $11,
        'running', millrace.clock(), millrace.clock())
ON CONFLICT (tenant, coalesce(submitter, ''), key) WHERE key IS NOT NULL DO NOTHING
RETURNING ${RUN_COLUMNS}`,
};

// A statement of its own: an INSERT of the same statement would still see the key. $1 tenant $2 submitter $3 key $4 window, ms
const GIVE_UP_KEY: Statement = {
  name: 'pipelines_give_up_key',
  text: `
UPDATE millrace.pipeline_runs SET key = NULL
 WHERE tenant = $1 AND coalesce(submitter, '') = $2 AND key = $3
   AND (state IN ('failed', 'canceled')
     OR (state = 'succeeded' AND finished_at <= millrace.clock() - $4::float8 * interval '1 millisecond'))`,
};

// $1 tenant $2 submitter $3 key
const OWNER: Statement = {
  name: 'pipelines_run_of_key',
  text: `
SELECT ${RUN_COLUMNS} FROM millrace.pipeline_runs WHERE tenant = $1 AND coalesce(submitter, '') = $2 AND key = $3`,
};

/** Tries at a key whose run is removed or erased each time it is looked for. */
const TRIES = 5;

export async function insertRun(database: Database, run: NewRunRecord): Promise<Inserted> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const found = await database.transaction((session) => tryToInsert(session, run));
    if (found !== null) return found;
  }
  throw new StoreUnavailable('A key of runs changed hands again and again. Send the run again.');
}

async function tryToInsert(session: Session, run: NewRunRecord): Promise<Inserted | null> {
  const { tenant, submitter, key, plan } = run;
  const owner = [tenant, submitter ?? '', key?.value ?? null];
  const first = async (statement: Statement, params: readonly Param[]) => {
    const [row] = await session.query<RunRow>(statement, params);
    return row === undefined ? null : runOf(row);
  };
  if (key !== null) await session.query(GIVE_UP_KEY, [...owner, key.windowMs]);
  const made = await first(INSERT, [
    tenant,
    submitter,
    JSON.stringify(run.roles),
    JSON.stringify(run.claims),
    run.pipeline,
    run.digest,
    JSON.stringify(plan),
    JSON.stringify(run.parameters),
    JSON.stringify(run.values),
    run.schedule,
    key?.value ?? null,
  ]);
  if (made !== null) {
    await rows.addSteps(session, made.seq, plan);
    await keepFiles(session, made.seq, run.files);
  }
  const record = made ?? (await first(OWNER, owner));
  if (record === null) return null;
  const [whole] = await withSteps(session, [record]);
  return whole === undefined ? null : { whole, created: made !== null };
}
