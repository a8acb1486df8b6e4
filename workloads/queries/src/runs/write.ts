import type { Field } from '@millrace/marketing-cloud';
import { LIVE, type RunKey, UNLESS_KEY_TAKEN } from '@millrace/runs';
import { type Session, type Statement, numbers, texts } from '@millrace/store-postgres';
import { COLUMNS, type QueryRunRecord, type RunColumn, queryRuns } from './query-run.ts';

/** What is written to `shell_query_runs`: only while the run lives. What comes too late changes nothing, and gives no row. */

// The key in Marketing Cloud is made of the seq and a random part (asset-keys.ts). $1 tenant $2 submitter $3 mid $4 eid $5 sql $6 snippet
// $7 correlation id $8 prefix of keys $9 key of the run
const INSERT: Statement = {
  name: 'queries_add_run',
  text: `
WITH next AS (SELECT nextval(pg_get_serial_sequence('millrace.shell_query_runs', 'seq')) AS seq,
                     substr(gen_random_uuid()::text, 1, 6) AS part)
INSERT INTO millrace.shell_query_runs (seq, tenant, submitter, mid, eid, sql_text, snippet_name, state, correlation_id,
                                       created_at, touched_at, query_customer_key, target_de_name, key)
OVERRIDING SYSTEM VALUE
SELECT seq, $1, $2, $3, $4, $5, $6, 'QUEUED', coalesce($7, 'run-' || seq), millrace.clock(), millrace.clock(),
       $8::text || seq || '-' || part, $8::text || seq || '-' || part, $9 FROM next
${UNLESS_KEY_TAKEN} RETURNING ${COLUMNS}`,
};

// $1 seq $2 columns $3 fields of the target
const DERIVED: Statement = {
  name: 'queries_derived',
  text: `
UPDATE millrace.shell_query_runs SET columns = $2::text::jsonb, target_fields = $3::text::jsonb
 WHERE seq = $1 AND state = 'QUEUED' RETURNING ${COLUMNS}`,
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
 WHERE seq = $1 AND state = 'QUEUED' AND start_requested_at IS NULL RETURNING ${COLUMNS}`,
};

// Not an end: the job tries again. $1 seq $2 what the try said
const TROUBLED: Statement = {
  name: 'queries_troubled',
  text: `
UPDATE millrace.shell_query_runs SET error_message = $2 WHERE seq = $1 AND state = 'QUEUED' RETURNING ${COLUMNS}`,
};

// Marketing Cloud surely did not begin. $1 seq
const TAKE_BACK_START: Statement = {
  name: 'queries_take_back_start',
  text: `
UPDATE millrace.shell_query_runs SET start_requested_at = NULL WHERE seq = $1 AND state = 'QUEUED' RETURNING ${COLUMNS}`,
};

// $1 seq $2 task
const STARTED: Statement = {
  name: 'queries_started',
  text: `
UPDATE millrace.shell_query_runs SET state = 'PROCESSING', task_id = $2, started_at = millrace.clock(), error_message = NULL
 WHERE seq = $1 AND state = 'QUEUED' RETURNING ${COLUMNS}`,
};

// Of many polls that fell together, one statement. $1 seq[] $2 status of Marketing Cloud[] $3 polls[] $4 calls[] $5 what it waits for[]
const NOTE: Statement = {
  name: 'queries_note',
  text: `
UPDATE millrace.shell_query_runs AS run
   SET mce_status = noted.said, error_message = CASE WHEN run.state = 'PROCESSING' THEN noted.waits ELSE run.error_message END,
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

// The one way to an end. $1 seq $2 state $3 rows $4 error code $5 error message $6 keep results, ms; what the last poll noted:
// $7 status of Marketing Cloud $8 polls $9 calls
const END: Statement = {
  name: 'queries_end_run',
  text: `
UPDATE millrace.shell_query_runs
   SET state = $2, row_count = $3, error_code = $4, error_message = $5, finished_at = millrace.clock(),
       results_expire_at = millrace.clock() + $6::float8 * interval '1 millisecond',
       mce_status = coalesce($7, mce_status), poll_count = greatest(poll_count, $8::int), api_calls = api_calls + $9::float8
 WHERE seq = $1 AND ${LIVE} RETURNING ${COLUMNS}`,
};

// Once. $1 seq $2 key
const AS_TEXT: Statement = {
  name: 'queries_as_text',
  text: `
UPDATE millrace.shell_query_runs
   SET state = 'QUEUED', as_text = true, task_id = NULL, query_definition_id = NULL, mce_status = NULL,
       query_customer_key = $2, target_de_name = $2, columns = NULL, target_fields = NULL, start_requested_at = NULL,
       started_at = NULL, error_message = NULL
 WHERE seq = $1 AND state = 'PROCESSING' AND NOT as_text RETURNING ${COLUMNS}`,
};

// $1 seq $2 rows
const COUNTED: Statement = {
  name: 'queries_counted',
  text: `
UPDATE millrace.shell_query_runs SET row_count = $2 WHERE seq = $1 AND state = 'SUCCEEDED' AND row_count < $2 RETURNING ${COLUMNS}`,
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
  | { readonly state: 'SUCCEEDED'; readonly rowCount: number; readonly keepMs: number }
  | { readonly state: 'FAILED'; readonly code: string; readonly message: string }
  | { readonly state: 'CANCELED' };

export interface NewQueryRun extends Pick<
  QueryRunRecord,
  'tenant' | 'submitter' | 'mid' | 'eid' | 'sqlText' | 'snippetName'
> {
  readonly correlationId: string | null;
  readonly key: RunKey | null;
}

/** What a poll saw of a run, for whoever looks at it. */
export interface Noted {
  readonly mceStatus: string | null;
  /** Where it is not what Marketing Cloud says. */
  readonly waitsFor: string | null;
  readonly pollCount: number;
  /** To Marketing Cloud, since the last time. */
  readonly calls: number;
}

const { first } = queryRuns;

/** Each that gives null found the run in a state that it does not fit. */
export const runRows = {
  /** Null: another run has the key. */
  add: (session: Session, run: NewQueryRun, prefix: string) =>
    first(session, INSERT, [
      run.tenant,
      run.submitter,
      run.mid,
      run.eid,
      run.sqlText,
      run.snippetName,
      run.correlationId,
      prefix,
      run.key?.value ?? null,
    ]),
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
      end.state,
      end.state === 'SUCCEEDED' ? end.rowCount : null,
      end.state === 'FAILED' ? end.code : null,
      end.state === 'FAILED' ? end.message.slice(0, LONGEST_MESSAGE) : null,
      end.state === 'SUCCEEDED' ? end.keepMs : 0,
      noted?.mceStatus ?? null,
      noted?.pollCount ?? 0,
      noted?.calls ?? 0,
    ]),
  asText: (session: Session, seq: number, key: string) => first(session, AS_TEXT, [seq, key]),
  counted: (session: Session, seq: number, rowCount: number) =>
    first(session, COUNTED, [seq, rowCount]),
  async queryGone(session: Session, seq: number): Promise<void> {
    await session.query(QUERY_GONE, [seq]);
  },
  async targetGone(session: Session, seq: number): Promise<void> {
    await session.query(TARGET_GONE, [seq]);
  },
};

const LONGEST_MESSAGE = 4_000;
