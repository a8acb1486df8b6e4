import type { Field } from '@millrace/marketing-cloud';
import { type Param, type Session, type Statement, numbers, texts } from '@millrace/store-postgres';
import type { RunColumn, RunStatus } from '../run.ts';
import { COLUMNS, type RunRecord, type RunRow, recordOf } from './record.ts';

/** A run is written only while it lives: what comes too late changes nothing, and gives no row. */
const LIVE = `status IN ('queued', 'running')`;

// $1 seq
const GET: Statement = {
  name: 'queries_run',
  text: `SELECT ${COLUMNS} FROM millrace.shell_query_runs WHERE seq = $1`,
};

// $1 seq[]
const BY_SEQ: Statement = { name: 'queries_runs', text: `seq = ANY ($1::text::bigint[])` };

// $1 seq $2 columns $3 fields of the target
const DERIVED: Statement = {
  name: 'queries_derived',
  text: `
UPDATE millrace.shell_query_runs SET columns = $2::text::jsonb, target_fields = $3::text::jsonb
 WHERE seq = $1 AND status = 'queued' RETURNING ${COLUMNS}`,
};

// $1 seq $2 query definition
const MADE_QUERY: Statement = {
  name: 'queries_made_query',
  text: `
UPDATE millrace.shell_query_runs SET query_definition_id = $2 WHERE seq = $1 AND ${LIVE} RETURNING ${COLUMNS}`,
};

// Whoever gets the row may start the query, and nobody else does. $1 seq
const REQUEST_START: Statement = {
  name: 'queries_request_start',
  text: `
UPDATE millrace.shell_query_runs SET start_requested_at = millrace.clock()
 WHERE seq = $1 AND status = 'queued' AND start_requested_at IS NULL RETURNING ${COLUMNS}`,
};

// Not an end: the job tries again. $1 seq $2 what the try said
const TROUBLED: Statement = {
  name: 'queries_troubled',
  text: `
UPDATE millrace.shell_query_runs SET error_message = $2 WHERE seq = $1 AND status = 'queued' RETURNING ${COLUMNS}`,
};

// Marketing Cloud surely did not begin. $1 seq
const TAKE_BACK_START: Statement = {
  name: 'queries_take_back_start',
  text: `
UPDATE millrace.shell_query_runs SET start_requested_at = NULL WHERE seq = $1 AND status = 'queued' RETURNING ${COLUMNS}`,
};

// $1 seq $2 task
const STARTED: Statement = {
  name: 'queries_started',
  text: `
UPDATE millrace.shell_query_runs SET status = 'running', task_id = $2, poll_started_at = millrace.clock(), error_message = NULL
 WHERE seq = $1 AND status = 'queued' RETURNING ${COLUMNS}`,
};

// Of many polls that fell together, one statement. $1 seq[] $2 status of Marketing Cloud[] $3 polls[] $4 calls[] $5 what it waits for[]
const NOTE: Statement = {
  name: 'queries_note',
  text: `
UPDATE millrace.shell_query_runs AS run
   SET mce_status = noted.said, error_message = CASE WHEN run.status = 'running' THEN noted.waits ELSE run.error_message END,
       poll_count = greatest(run.poll_count, noted.polls), api_calls = run.api_calls + noted.calls
  FROM unnest($1::text::bigint[], $2::text::text[], $3::text::int[], $4::text::float8[], $5::text::text[])
       AS noted (seq, said, polls, calls, waits)
 WHERE run.seq = ANY ($1::text::bigint[]) AND run.seq = noted.seq AND ${LIVE} RETURNING run.seq`,
};

// Calls that were made after the end, such as those of cleaning up. $1 seq $2 calls
const ADD_CALLS: Statement = {
  name: 'queries_add_calls',
  text: `UPDATE millrace.shell_query_runs SET api_calls = api_calls + $2::float8 WHERE seq = $1`,
};

// The one way to an end. $1 seq $2 status $3 rows $4 error code $5 error message $6 keep results, ms; what the last poll noted:
// $7 status of Marketing Cloud $8 polls $9 calls
const END: Statement = {
  name: 'queries_end_run',
  text: `
UPDATE millrace.shell_query_runs
   SET status = $2, row_count = $3, error_code = $4, error_message = $5, completed_at = millrace.clock(),
       results_expire_at = millrace.clock() + $6::float8 * interval '1 millisecond',
       mce_status = coalesce($7, mce_status), poll_count = greatest(poll_count, $8::int), api_calls = api_calls + $9::float8
 WHERE seq = $1 AND ${LIVE} RETURNING ${COLUMNS}`,
};

// Once. $1 seq $2 key
const AS_TEXT: Statement = {
  name: 'queries_as_text',
  text: `
UPDATE millrace.shell_query_runs
   SET status = 'queued', as_text = true, task_id = NULL, query_definition_id = NULL, mce_status = NULL,
       query_customer_key = $2, target_de_name = $2, columns = NULL, target_fields = NULL, start_requested_at = NULL,
       poll_started_at = NULL, error_message = NULL
 WHERE seq = $1 AND status = 'running' AND NOT as_text RETURNING ${COLUMNS}`,
};

// $1 seq $2 rows
const COUNTED: Statement = {
  name: 'queries_counted',
  text: `
UPDATE millrace.shell_query_runs SET row_count = $2 WHERE seq = $1 AND status = 'ready' AND row_count < $2 RETURNING ${COLUMNS}`,
};

// $1 seq
const REMOVE: Statement = {
  name: 'queries_remove_run',
  text: `DELETE FROM millrace.shell_query_runs WHERE seq = $1`,
};

// $1 seq
const QUERY_GONE: Statement = {
  name: 'queries_query_gone',
  text: `UPDATE millrace.shell_query_runs SET query_gone_at = millrace.clock() WHERE seq = $1`,
};

// $1 seq
const TARGET_GONE: Statement = {
  name: 'queries_target_gone',
  text: `UPDATE millrace.shell_query_runs SET target_gone_at = millrace.clock() WHERE seq = $1`,
};

export type End =
  | { readonly status: 'ready'; readonly rowCount: number; readonly keepMs: number }
  | { readonly status: 'failed'; readonly code: string; readonly message: string }
  | { readonly status: 'canceled' };

/** What a poll saw of a run, for whoever looks at it. */
export interface Noted {
  readonly mceStatus: string | null;
  /** Where it is not what Marketing Cloud says. */
  readonly waitsFor: string | null;
  readonly pollCount: number;
  /** To Marketing Cloud, since the last time. */
  readonly calls: number;
}

/** Of which tenants a list is, and of whom; an empty list of tenants has nothing. */
export interface RunFilter {
  readonly tenants?: readonly string[] | 'all' | undefined;
  readonly submitter?: string | undefined;
  readonly status?: RunStatus | undefined;
  readonly mid?: string | undefined;
  readonly snippet?: string | undefined;
  /** Part of the SQL, of its snippet's name, its id, or the one that another system had for it; case aside. */
  readonly q?: string | undefined;
  readonly createdAfter?: number | undefined;
  readonly createdBefore?: number | undefined;
}

async function first(
  session: Session,
  statement: Statement,
  params: readonly Param[],
): Promise<RunRecord | null> {
  const [row] = await session.query<RunRow>(statement, params);
  return row === undefined ? null : recordOf(row);
}

/** The statements on `shell_query_runs`. Each that gives null found the run in a state that it does not fit. */
export const runRows = {
  get: (session: Session, seq: number) => first(session, GET, [seq]),
  async list(
    session: Session,
    filter: RunFilter,
    below: number,
    limit: number,
  ): Promise<RunRecord[]> {
    const values: Param[] = [below, limit];
    const where = ['seq < $1', ...conditionsOf(filter, values)];
    const text = `SELECT ${COLUMNS} FROM millrace.shell_query_runs WHERE ${where.join(' AND ')} ORDER BY seq DESC LIMIT $2`;
    return (await session.query<RunRow>({ name: '', text }, values)).map(recordOf);
  },
  bySeq: (session: Session, seqs: readonly number[]): Promise<RunRecord[]> =>
    runRows.where(session, BY_SEQ, [numbers(seqs)]),
  /** Some runs, by a condition of upkeep's. */
  async where(
    session: Session,
    condition: Statement,
    params: readonly Param[],
  ): Promise<RunRecord[]> {
    const text = `SELECT ${COLUMNS} FROM millrace.shell_query_runs WHERE ${condition.text}`;
    return (await session.query<RunRow>({ name: condition.name, text }, params)).map(recordOf);
  },
  derived: (
    session: Session,
    seq: number,
    columns: readonly RunColumn[],
    fields: readonly Field[],
  ) => first(session, DERIVED, [seq, JSON.stringify(columns), JSON.stringify(fields)]),
  madeQuery: (session: Session, seq: number, queryDefinitionId: string) =>
    first(session, MADE_QUERY, [seq, queryDefinitionId]),
  requestStart: (session: Session, seq: number) => first(session, REQUEST_START, [seq]),
  takeBackStart: (session: Session, seq: number) => first(session, TAKE_BACK_START, [seq]),
  troubled: (session: Session, seq: number, message: string) =>
    first(session, TROUBLED, [seq, message.slice(0, LONGEST_MESSAGE)]),
  started: (session: Session, seq: number, taskId: string | null) =>
    first(session, STARTED, [seq, taskId]),
  /** Gives those that are not over. */
  async note(
    session: Session,
    all: readonly (Noted & { readonly seq: number })[],
  ): Promise<{ seq: number }[]> {
    return session.query<{ seq: number }>(NOTE, [
      numbers(all.map(({ seq }) => seq)),
      texts(all.map(({ mceStatus }) => mceStatus)),
      numbers(all.map(({ pollCount }) => pollCount)),
      numbers(all.map(({ calls }) => calls)),
      texts(all.map(({ waitsFor }) => waitsFor?.slice(0, LONGEST_MESSAGE) ?? null)),
    ]);
  },
  async addCalls(session: Session, seq: number, calls: number): Promise<void> {
    if (calls > 0) await session.query(ADD_CALLS, [seq, calls]);
  },
  end: (session: Session, seq: number, end: End, noted: Noted | null) =>
    first(session, END, [
      seq,
      end.status,
      end.status === 'ready' ? end.rowCount : null,
      end.status === 'failed' ? end.code : null,
      end.status === 'failed' ? end.message.slice(0, LONGEST_MESSAGE) : null,
      end.status === 'ready' ? end.keepMs : 0,
      noted?.mceStatus ?? null,
      noted?.pollCount ?? 0,
      noted?.calls ?? 0,
    ]),
  asText: (session: Session, seq: number, key: string) => first(session, AS_TEXT, [seq, key]),
  counted: (session: Session, seq: number, rowCount: number) =>
    first(session, COUNTED, [seq, rowCount]),
  async remove(session: Session, seq: number): Promise<void> {
    await session.query(REMOVE, [seq]);
  },
  async queryGone(session: Session, seq: number): Promise<void> {
    await session.query(QUERY_GONE, [seq]);
  },
  async targetGone(session: Session, seq: number): Promise<void> {
    await session.query(TARGET_GONE, [seq]);
  },
};

const LONGEST_MESSAGE = 4_000;

function conditionsOf(filter: RunFilter, values: Param[]): string[] {
  const {
    tenants = 'all',
    submitter,
    status,
    mid,
    snippet,
    q,
    createdAfter,
    createdBefore,
  } = filter;
  const where: string[] = [];
  const equal = (column: string, value: Param | undefined): void => {
    if (value !== undefined) where.push(`${column} = $${values.push(value)}`);
  };
  const [only] = tenants;
  // One tenant alone is named as it is, so that the list is read in the order of the tenant's index.
  if (tenants !== 'all' && tenants.length === 1) equal('tenant_id', only);
  else if (tenants !== 'all')
    where.push(`tenant_id = ANY ($${values.push(texts(tenants))}::text::text[])`);
  equal('user_id', submitter);
  equal('status', status);
  equal('mid', mid);
  equal('snippet_name', snippet);
  if (q !== undefined) {
    const text = `lower($${values.push(q)})`;
    where.push(
      `(position(${text} IN lower(sql_text)) > 0 OR position(${text} IN lower(coalesce(snippet_name, ''))) > 0 OR 'run-' || seq = ${text} OR lower(correlation_id) = ${text})`,
    );
  }
  if (createdAfter !== undefined)
    where.push(`created_at >= to_timestamp($${values.push(createdAfter)}::float8 / 1000)`);
  if (createdBefore !== undefined)
    where.push(`created_at < to_timestamp($${values.push(createdBefore)}::float8 / 1000)`);
  return where;
}
