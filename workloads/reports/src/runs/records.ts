import { type Param, type Session, type Statement, numbers, texts } from '@millrace/store-postgres';
import type { ResolvedParameters } from '../parameters/types.ts';
import { COLUMNS, type RunEnd, type RunRecord, type RunRow, recordOf } from './record.ts';

/** What is known of a run when its job is made. */
export interface NewRunRecord extends Pick<
  RunRecord,
  | 'seq'
  | 'id'
  | 'report'
  | 'digest'
  | 'title'
  | 'tenant'
  | 'submitter'
  | 'identity'
  | 'correlationId'
  | 'schedule'
  | 'parents'
  | 'format'
  | 'compression'
> {
  readonly parameters: ResolvedParameters;
  /** Encrypted. */
  readonly token: string | null;
  /** When the token itself ends. */
  readonly tokenExpiresAt: number | null;
  /** Of the job; left out: now. */
  readonly createdAt?: number;
}

// $1 seq $2 job $3 report $4 digest $5 title $6 parameters $7 tenant $8 submitter $9 correlation id $10 schedule $11 parents
// $12 format $13 compression $14 token $15 created, ms $16 identity $17 end of the token, ms
const ADD: Statement = {
  name: 'reports_add_run',
  text: `
INSERT INTO millrace.report_runs (seq, job, report, digest, title, parameters, tenant, submitter, correlation_id, schedule, parents,
                                  format, compression, token, created_at, identity, token_expires_at)
VALUES ($1, $2, $3, $4, $5, $6::text::jsonb, $7, $8, $9, $10, $11::text::jsonb, $12, $13, $14,
        coalesce(to_timestamp($15::float8 / 1000), millrace.clock()), $16::text::jsonb, to_timestamp($17::float8 / 1000))
ON CONFLICT (seq) DO NOTHING RETURNING ${COLUMNS}`,
};

// What is to be forgotten is not there any more. $1 seq $2 job
const GET: Statement = {
  name: 'reports_run',
  text: `SELECT ${COLUMNS} FROM millrace.report_runs WHERE seq = $1 AND job = $2 AND erased_at IS NULL`,
};

// $1 seq[]
const BY_SEQ: Statement = {
  name: 'reports_runs',
  text: `SELECT ${COLUMNS} FROM millrace.report_runs WHERE seq = ANY ($1::text::bigint[]) AND erased_at IS NULL`,
};

// $1 seq[]
const MISSING: Statement = {
  name: 'reports_runs_missing',
  text: `
SELECT u.seq::float8 AS seq FROM unnest($1::text::bigint[]) AS u(seq)
 WHERE NOT EXISTS (SELECT FROM millrace.report_runs r WHERE r.seq = u.seq)`,
};

// Those whose end is not noted, oldest first. $1 after $2 limit
const LIVE: Statement = {
  name: 'reports_live_runs',
  text: `SELECT seq::float8 AS seq, job FROM millrace.report_runs WHERE state IS NULL AND seq > $1 ORDER BY seq LIMIT $2`,
};

// $1 seq
const FORGET_TOKEN: Statement = {
  name: 'reports_forget_token',
  text: `UPDATE millrace.report_runs SET token = NULL WHERE seq = $1`,
};

// $1 seq
const TOKEN: Statement = {
  name: 'reports_token',
  text: `
SELECT token FROM millrace.report_runs
 WHERE seq = $1 AND (token_expires_at IS NULL OR token_expires_at > millrace.clock())`,
};

// An execution that begins. An older one, which has lost its lease, gets no row. $1 seq $2 epoch $3 title $4 parameters $5 resumed
const BEGIN: Statement = {
  name: 'reports_begin_run',
  text: `
UPDATE millrace.report_runs
   SET resumes = resumes + CASE WHEN $5 AND epoch IS DISTINCT FROM $2::bigint THEN 1 ELSE 0 END,
       epoch = $2::bigint, begun_at = coalesce(begun_at, millrace.clock()), started_at = coalesce(started_at, millrace.clock()),
       title = $3, parameters = $4::text::jsonb, state = NULL, error_code = NULL, error_message = NULL, finished_at = NULL
 WHERE seq = $1 AND (epoch IS NULL OR epoch <= $2::bigint) AND erased_at IS NULL RETURNING ${COLUMNS}`,
};

// $1 seq $2 epoch $3 rows $4 bytes $5 chunks $6 total $7 rows per second
const PROGRESS: Statement = {
  name: 'reports_progress',
  text: `
UPDATE millrace.report_runs SET rows = $3, bytes = $4, chunks = $5, total_rows = $6, rows_per_second = $7
 WHERE seq = $1 AND epoch = $2::bigint RETURNING ${COLUMNS}`,
};

// $1 seq $2 epoch $3 rows $4 bytes $5 chunks $6 sha256 $7 file $8 file name $9 note $10 keep, ms; null: for ever $11 rows per second
const FINISH: Statement = {
  name: 'reports_finish_run',
  text: `
UPDATE millrace.report_runs
   SET rows = $3, bytes = $4, chunks = $5, sha256 = $6, file = $7::text::jsonb, file_name = $8, note = $9, rows_per_second = $11,
       expires_at = millrace.clock() + $10::float8 * interval '1 millisecond', file_gone_at = NULL
 WHERE seq = $1 AND epoch = $2::bigint AND erased_at IS NULL RETURNING ${COLUMNS}`,
};

// Once for each end, whichever replica sees it first. $1 seq $2 state $3 error code $4 error message $5 finished, ms
const NOTE_END: Statement = {
  name: 'reports_note_end',
  text: `
UPDATE millrace.report_runs
   SET state = $2, error_code = $3, error_message = $4, token = NULL,
       finished_at = coalesce(to_timestamp($5::float8 / 1000), millrace.clock())
 WHERE seq = $1 AND state IS NULL RETURNING ${COLUMNS}`,
};

// A retry by hand. $1 seq
const LIVE_AGAIN: Statement = {
  name: 'reports_live_again',
  text: `
UPDATE millrace.report_runs SET state = NULL, error_code = NULL, error_message = NULL, finished_at = NULL
 WHERE seq = $1 RETURNING ${COLUMNS}`,
};

// $1 seq
const FILE_GONE: Statement = {
  name: 'reports_file_gone',
  text: `UPDATE millrace.report_runs SET file_gone_at = millrace.clock() WHERE seq = $1 AND file_gone_at IS NULL RETURNING ${COLUMNS}`,
};

/** Of which tenants a list is, and of whom; an empty list of tenants has nothing. */
export interface RunFilter {
  readonly tenants?: readonly string[] | 'all' | undefined;
  readonly submitter?: string | undefined;
  readonly report?: string | undefined;
  readonly correlationId?: string | undefined;
  readonly createdAfter?: number | undefined;
  readonly createdBefore?: number | undefined;
  /** Whose end is noted so, or not noted. */
  readonly end?: RunEnd | 'none' | undefined;
}

/** How far a run is. */
export interface RunFigures {
  readonly rows: number;
  readonly bytes: number;
  readonly chunks: number;
  /** The database's guess; null: there is none. */
  readonly total: number | null;
  readonly rowsPerSecond: number | null;
}

export interface RunFile extends Omit<RunFigures, 'total'> {
  readonly sha256: string;
  /** Where the outputs have it, as JSON. */
  readonly file: unknown;
  readonly fileName: string;
  readonly note: string | null;
  /** Null: for ever. */
  readonly keepMs: number | null;
}

async function first(
  session: Session,
  statement: Statement,
  params: readonly Param[],
): Promise<RunRecord | null> {
  const [row] = await session.query<RunRow>(statement, params);
  return row === undefined ? null : recordOf(row);
}

async function all(
  session: Session,
  statement: Statement,
  params: readonly Param[],
): Promise<RunRecord[]> {
  return (await session.query<RunRow>(statement, params)).map(recordOf);
}

export const runRows = {
  add: (session: Session, run: NewRunRecord) =>
    first(session, ADD, [
      run.seq,
      run.id,
      run.report,
      run.digest,
      run.title,
      JSON.stringify(run.parameters),
      run.tenant,
      run.submitter,
      run.correlationId,
      run.schedule,
      run.parents === null ? null : JSON.stringify(run.parents),
      run.format,
      run.compression,
      run.token,
      run.createdAt ?? null,
      run.identity === null ? null : JSON.stringify(run.identity),
      run.tokenExpiresAt,
    ]),
  get: (session: Session, seq: number, id: string) => first(session, GET, [seq, id]),
  bySeq: (session: Session, seqs: readonly number[]) => all(session, BY_SEQ, [numbers(seqs)]),
  async missing(session: Session, seqs: readonly number[]): Promise<number[]> {
    const rows = await session.query<{ seq: number }>(MISSING, [numbers(seqs)]);
    return rows.map(({ seq }) => seq);
  },
  live: (session: Session, after: number, limit: number) =>
    session.query<{ seq: number; job: string }>(LIVE, [after, limit]),
  async token(session: Session, seq: number): Promise<string | null> {
    const [row] = await session.query<{ token: string | null }>(TOKEN, [seq]);
    return row?.token ?? null;
  },
  async forgetToken(session: Session, seq: number): Promise<void> {
    await session.query(FORGET_TOKEN, [seq]);
  },
  list(session: Session, filter: RunFilter, below: number, limit: number): Promise<RunRecord[]> {
    const values: Param[] = [below, limit];
    const where = ['seq < $1', 'erased_at IS NULL', ...conditionsOf(filter, values)];
    const text = `SELECT ${COLUMNS} FROM millrace.report_runs WHERE ${where.join(' AND ')} ORDER BY seq DESC LIMIT $2`;
    return all(session, { name: '', text }, values);
  },
  begin: (
    session: Session,
    seq: number,
    epoch: number,
    facts: { title: string; parameters: ResolvedParameters; resumed: boolean },
  ) =>
    first(session, BEGIN, [
      seq,
      epoch,
      facts.title,
      JSON.stringify(facts.parameters),
      facts.resumed,
    ]),
  progress: (session: Session, seq: number, epoch: number, figures: RunFigures) =>
    first(session, PROGRESS, [
      seq,
      epoch,
      figures.rows,
      figures.bytes,
      figures.chunks,
      figures.total === null ? null : Math.round(figures.total),
      figures.rowsPerSecond,
    ]),
  finish: (session: Session, seq: number, epoch: number, file: RunFile) =>
    first(session, FINISH, [
      seq,
      epoch,
      file.rows,
      file.bytes,
      file.chunks,
      file.sha256,
      JSON.stringify(file.file),
      file.fileName,
      file.note?.slice(0, LONGEST_TEXT) ?? null,
      file.keepMs,
      file.rowsPerSecond,
    ]),
  noteEnd: (
    session: Session,
    seq: number,
    end: {
      readonly state: RunEnd;
      readonly error: { readonly code: string; readonly message: string } | null;
      readonly finishedAt: number | null;
    },
  ) =>
    first(session, NOTE_END, [
      seq,
      end.state,
      end.error?.code ?? null,
      end.error?.message.slice(0, LONGEST_TEXT) ?? null,
      end.finishedAt,
    ]),
  liveAgain: (session: Session, seq: number) => first(session, LIVE_AGAIN, [seq]),
  fileGone: (session: Session, seq: number) => first(session, FILE_GONE, [seq]),
};

const LONGEST_TEXT = 4_000;

function conditionsOf(filter: RunFilter, values: Param[]): string[] {
  const { tenants = 'all', createdAfter, createdBefore, end } = filter;
  const where: string[] = [];
  const equal = (column: string, value: Param | undefined): void => {
    if (value !== undefined) where.push(`${column} = $${values.push(value)}`);
  };
  const [only] = tenants;
  // One tenant alone is named as it is, so that the list is read in the order of the tenant's index.
  if (tenants !== 'all' && tenants.length === 1) equal('tenant', only);
  else if (tenants !== 'all')
    where.push(`tenant = ANY ($${values.push(texts(tenants))}::text::text[])`);
  equal('submitter', filter.submitter);
  equal('report', filter.report);
  equal('correlation_id', filter.correlationId);
  if (end === 'none') where.push('state IS NULL');
  // An end that nobody has noted yet may be this one.
  else if (end !== undefined) where.push(`(state IS NULL OR state = $${values.push(end)})`);
  if (createdAfter !== undefined)
    where.push(`created_at >= to_timestamp($${values.push(createdAfter)}::float8 / 1000)`);
  if (createdBefore !== undefined)
    where.push(`created_at < to_timestamp($${values.push(createdBefore)}::float8 / 1000)`);
  return where;
}
