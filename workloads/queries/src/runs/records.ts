import type { Field } from '@millrace/marketing-cloud';
import { type Param, type Session, type Statement, numbers, texts } from '@millrace/store-postgres';
import { runIdOf } from '../ids.ts';
import type { Run, RunColumn, RunStatus } from '../run.ts';

/** A run with what only the workload itself looks at. */
export interface RunRecord extends Run {
  readonly seq: number;
  readonly correlationId: string;
  /** The columns of the target, once they are derived. */
  readonly targetFields: readonly Field[] | null;
  readonly asText: boolean;
  readonly startRequestedAt: number | null;
  readonly queryGoneAt: number | null;
  readonly targetGoneAt: number | null;
  /** The database's clock when the record was read: what its times are compared with. */
  readonly readAt: number;
}

type RunRow = {
  seq: number;
  tenant_id: string;
  user_id: string;
  mid: string;
  eid: string | null;
  sql_text: string;
  snippet_name: string | null;
  status: RunStatus;
  mce_status: string | null;
  task_id: string | null;
  query_definition_id: string | null;
  query_customer_key: string | null;
  target_de_name: string | null;
  columns: RunColumn[] | null;
  target_fields: Field[] | null;
  as_text: boolean;
  row_count: number | null;
  poll_count: number;
  api_calls: number;
  error_code: string | null;
  error_message: string | null;
  correlation_id: string;
  created_at: number;
  start_requested_at: number | null;
  poll_started_at: number | null;
  completed_at: number | null;
  results_expire_at: number | null;
  query_gone_at: number | null;
  target_gone_at: number | null;
  read_at: number;
};

const ms = (column: string, as = column): string =>
  `(date_part('epoch', ${column}) * 1000)::float8 AS ${as}`;

const COLUMNS = `seq, tenant_id, user_id, mid, eid, sql_text, snippet_name, status, mce_status, task_id,
       query_definition_id, query_customer_key, target_de_name, columns, target_fields, as_text, row_count::float8 AS row_count,
       poll_count, api_calls, error_code, error_message, correlation_id, ${ms('created_at')}, ${ms('start_requested_at')},
       ${ms('poll_started_at')}, ${ms('completed_at')}, ${ms('results_expire_at')}, ${ms('query_gone_at')},
       ${ms('target_gone_at')}, ${ms('millrace.clock()', 'read_at')}`;

/** A run is written only while it lives: what comes too late changes nothing, and gives no row. */
const LIVE = `status IN ('queued', 'running')`;

// The keys in Marketing Cloud are made of the seq. $1 tenant $2 user $3 mid $4 eid $5 sql $6 snippet $7 correlation id
// $8 prefix of keys
const INSERT: Statement = {
  name: 'queries_add_run',
  text: `
WITH next AS (SELECT nextval(pg_get_serial_sequence('millrace.shell_query_runs', 'seq')) AS seq)
INSERT INTO millrace.shell_query_runs (seq, tenant_id, user_id, mid, eid, sql_text, snippet_name, status, correlation_id,
                                       created_at, touched_at, query_customer_key, target_de_name)
OVERRIDING SYSTEM VALUE
SELECT seq, $1, $2, $3, $4, $5, $6, 'queued', coalesce($7, 'run-' || seq), millrace.clock(), millrace.clock(),
       $8::text || seq, $8::text || seq FROM next
RETURNING ${COLUMNS}`,
};

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
UPDATE millrace.shell_query_runs SET status = 'running', task_id = $2, poll_started_at = millrace.clock()
 WHERE seq = $1 AND status = 'queued' RETURNING ${COLUMNS}`,
};

// $1 seq $2 status of Marketing Cloud $3 polls $4 calls
const NOTE: Statement = {
  name: 'queries_note',
  text: `
UPDATE millrace.shell_query_runs
   SET mce_status = $2, poll_count = greatest(poll_count, $3), api_calls = api_calls + $4::float8
 WHERE seq = $1 AND ${LIVE} RETURNING ${COLUMNS}`,
};

// Calls that were made after the end, such as those of cleaning up. $1 seq $2 calls
const ADD_CALLS: Statement = {
  name: 'queries_add_calls',
  text: `UPDATE millrace.shell_query_runs SET api_calls = api_calls + $2::float8 WHERE seq = $1`,
};

// The one way to an end. $1 seq $2 status $3 rows $4 error code $5 error message $6 keep results, ms
const END: Statement = {
  name: 'queries_end_run',
  text: `
UPDATE millrace.shell_query_runs
   SET status = $2, row_count = $3, error_code = $4, error_message = $5, completed_at = millrace.clock(),
       results_expire_at = millrace.clock() + $6::float8 * interval '1 millisecond'
 WHERE seq = $1 AND ${LIVE} RETURNING ${COLUMNS}`,
};

// Once. $1 seq $2 key
const AS_TEXT: Statement = {
  name: 'queries_as_text',
  text: `
UPDATE millrace.shell_query_runs
   SET status = 'queued', as_text = true, task_id = NULL, query_definition_id = NULL, mce_status = NULL,
       query_customer_key = $2, target_de_name = $2, columns = NULL, target_fields = NULL, start_requested_at = NULL,
       poll_started_at = NULL
 WHERE seq = $1 AND status = 'running' AND NOT as_text RETURNING ${COLUMNS}`,
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

export interface NewRunRecord {
  readonly tenantId: string;
  readonly userId: string;
  readonly mid: string;
  readonly eid: string | null;
  readonly sqlText: string;
  readonly snippetName: string | null;
  readonly correlationId: string | null;
}

export type End =
  | { readonly status: 'ready'; readonly rowCount: number; readonly keepMs: number }
  | { readonly status: 'failed'; readonly code: string; readonly message: string }
  | { readonly status: 'canceled' };

/** Of which tenants a list is, and of whom; an empty list of tenants has nothing. */
export interface RunFilter {
  readonly tenants?: readonly string[] | 'all' | undefined;
  readonly submitter?: string | undefined;
  readonly status?: RunStatus | undefined;
  readonly mid?: string | undefined;
  readonly snippet?: string | undefined;
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
  async insert(session: Session, run: NewRunRecord, prefix: string): Promise<RunRecord> {
    const { tenantId, userId, mid, eid, sqlText, snippetName, correlationId } = run;
    const made = await first(session, INSERT, [
      tenantId,
      userId,
      mid,
      eid,
      sqlText,
      snippetName,
      correlationId,
      prefix,
    ]);
    if (made === null) throw new Error('The database made no run and gave no reason.');
    return made;
  },
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
  started: (session: Session, seq: number, taskId: string | null) =>
    first(session, STARTED, [seq, taskId]),
  note: (
    session: Session,
    seq: number,
    { mceStatus, pollCount, calls }: { mceStatus: string | null; pollCount: number; calls: number },
  ) => first(session, NOTE, [seq, mceStatus, pollCount, calls]),
  async addCalls(session: Session, seq: number, calls: number): Promise<void> {
    if (calls > 0) await session.query(ADD_CALLS, [seq, calls]);
  },
  end: (session: Session, seq: number, end: End) =>
    first(session, END, [
      seq,
      end.status,
      end.status === 'ready' ? end.rowCount : null,
      end.status === 'failed' ? end.code : null,
      end.status === 'failed' ? end.message.slice(0, LONGEST_MESSAGE) : null,
      end.status === 'ready' ? end.keepMs : 0,
    ]),
  asText: (session: Session, seq: number, key: string) => first(session, AS_TEXT, [seq, key]),
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
  const { tenants = 'all', submitter, status, mid, snippet, createdAfter, createdBefore } = filter;
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
  if (createdAfter !== undefined)
    where.push(`created_at >= to_timestamp($${values.push(createdAfter)}::float8 / 1000)`);
  if (createdBefore !== undefined)
    where.push(`created_at < to_timestamp($${values.push(createdBefore)}::float8 / 1000)`);
  return where;
}

function recordOf(row: RunRow): RunRecord {
  const { error_code: code, error_message: message } = row;
  return {
    id: runIdOf(row.seq),
    seq: row.seq,
    tenantId: row.tenant_id,
    userId: row.user_id,
    mid: row.mid,
    eid: row.eid,
    sqlText: row.sql_text,
    snippetName: row.snippet_name,
    status: row.status,
    mceStatus: row.mce_status,
    taskId: row.task_id,
    queryDefinitionId: row.query_definition_id,
    queryCustomerKey: row.query_customer_key,
    targetDeName: row.target_de_name,
    columns: row.columns,
    targetFields: row.target_fields,
    asText: row.as_text,
    rowCount: row.row_count,
    pollCount: row.poll_count,
    apiCalls: row.api_calls,
    error: code === null ? null : { code, message: message ?? '' },
    correlationId: row.correlation_id,
    createdAt: Math.round(row.created_at),
    startRequestedAt: rounded(row.start_requested_at),
    pollStartedAt: rounded(row.poll_started_at),
    completedAt: rounded(row.completed_at),
    resultsExpireAt: rounded(row.results_expire_at),
    queryGoneAt: rounded(row.query_gone_at),
    targetGoneAt: rounded(row.target_gone_at),
    readAt: Math.round(row.read_at),
  };
}

function rounded(at: number | null): number | null {
  return at === null ? null : Math.round(at);
}
