import type { Param, Session, Statement } from '@millrace/store-postgres';
import { type Whose, ofTenants } from '../belongings.ts';
import type { BatchSettings } from '../contract/envelope.ts';
import { idOf } from '../ids.ts';
import type { RowFacts } from './rows/rows.ts';

/** The statements on `document_batches`. */

/** What is kept about where the rows of a batch came from. */
export interface BatchSource extends RowFacts {
  /** Rows that were read; with a preview the batch has fewer. */
  readonly rows: number;
  /** Whom each document is about, with fields of its row. */
  readonly subject?: string;
  /** Fields of the template that no column has and that are left empty on purpose. */
  readonly left?: readonly string[];
}

export type BatchState = 'LOADING' | 'RUNNING' | 'FINISHED' | 'CANCELED';

export interface BatchRecord {
  readonly seq: number;
  readonly id: string;
  readonly tenant: string;
  readonly state: BatchState;
  /** Counted up by each cancel and retry. */
  readonly run: number;
  readonly settings: BatchSettings;
  readonly priority: number | null;
  readonly total: number;
  /** Known when all rows are there. */
  readonly source: BatchSource | null;
  readonly jobId: string | null;
  readonly correlationId: string;
  readonly submitter: string | null;
  readonly createdAt: number;
  readonly finishedAt: number | null;
  readonly expiresAt: number;
}

type BatchRow = {
  seq: number;
  tenant: string;
  state: BatchState;
  run: number;
  settings: BatchSettings;
  priority: number | null;
  total: number;
  source: BatchSource | null;
  job: string | null;
  correlation_id: string | null;
  submitter: string | null;
  created_at: number;
  finished_at: number | null;
  expires_at: number;
};

const COLUMNS = `seq, tenant, state, run, settings, priority, total, source, job, correlation_id, submitter,
       date_part('epoch', created_at) * 1000 AS created_at, date_part('epoch', finished_at) * 1000 AS finished_at,
       date_part('epoch', expires_at) * 1000 AS expires_at`;

// No row where another batch has the key. $1 tenant $2 template $3 settings $4 priority $5 correlation id $6 submitter
// $7 keep, ms $8 key
const INSERT: Statement = {
  name: 'documents_add_batch',
  text: `
INSERT INTO millrace.document_batches (tenant, state, template, settings, priority, correlation_id, submitter,
                                       created_at, touched_at, expires_at, key)
VALUES ($1, 'LOADING', $2, $3::text::jsonb, $4, $5, $6, millrace.clock(), millrace.clock(),
        millrace.clock() + $7::float8 * interval '1 millisecond', $8)
ON CONFLICT (tenant, key) WHERE key IS NOT NULL DO NOTHING
RETURNING ${COLUMNS}`,
};

// $1 seq $2 tenant
const GET: Statement = {
  name: 'documents_batch',
  text: `SELECT ${COLUMNS} FROM millrace.document_batches WHERE seq = $1 AND tenant = $2`,
};

// $1 tenant $2 key
const BY_KEY: Statement = {
  name: 'documents_batch_by_key',
  text: `SELECT ${COLUMNS} FROM millrace.document_batches WHERE tenant = $1 AND key = $2`,
};

// What a process left whose rows stopped coming. Where it lives after all, its next row finds no batch. $1 seq
const REMOVE_LOADING: Statement = {
  name: 'documents_remove_loading_batch',
  text: `DELETE FROM millrace.document_batches WHERE seq = $1 AND state = 'LOADING'`,
};

// All rows are there: its job may begin. $1 seq $2 total $3 source $4 settings
const LOADED: Statement = {
  name: 'documents_loaded_batch',
  text: `
UPDATE millrace.document_batches SET total = $2, source = $3::text::jsonb, settings = $4::text::jsonb, state = 'RUNNING', touched_at = millrace.clock()
 WHERE seq = $1 AND state = 'LOADING' RETURNING ${COLUMNS}`,
};

// $1 seq $2 run $3 job
const SET_JOB: Statement = {
  name: 'documents_batch_job',
  text: `UPDATE millrace.document_batches SET job = $3 WHERE seq = $1 AND run = $2`,
};

// Ends the batch if no item is open at the moment of writing, whoever writes it.
// $1 seq $2 run
const FINISH: Statement = {
  name: 'documents_finish_batch',
  text: `
UPDATE millrace.document_batches SET state = 'FINISHED', finished_at = millrace.clock()
 WHERE seq = $1 AND run = $2 AND state = 'RUNNING'
   AND NOT EXISTS (SELECT FROM millrace.document_items WHERE batch = $1 AND state IN ('PENDING', 'RUNNING'))
RETURNING seq`,
};

// $1 seq $2 tenant
const CANCEL: Statement = {
  name: 'documents_cancel_batch',
  text: `
UPDATE millrace.document_batches SET state = 'CANCELED', run = run + 1, finished_at = millrace.clock()
 WHERE seq = $1 AND tenant = $2 AND state IN ('LOADING', 'RUNNING') RETURNING ${COLUMNS}`,
};

// $1 seq $2 tenant
const RERUN: Statement = {
  name: 'documents_rerun_batch',
  text: `
UPDATE millrace.document_batches SET state = 'RUNNING', run = run + 1, finished_at = NULL, touched_at = millrace.clock()
 WHERE seq = $1 AND tenant = $2 AND state IN ('FINISHED', 'CANCELED') AND total > 0 RETURNING ${COLUMNS}`,
};

// $1 seq
const REMOVE: Statement = {
  name: 'documents_remove_batch',
  text: `DELETE FROM millrace.document_batches WHERE seq = $1`,
};

export interface NewBatch {
  readonly tenant: string;
  readonly settings: BatchSettings;
  readonly priority: number | null;
  readonly correlationId: string | null;
  readonly submitter: string | null;
  readonly keepMs: number;
  readonly key: string | null;
}

export interface LoadedRows {
  readonly total: number;
  readonly source: BatchSource;
  /** With what the rows have decided. */
  readonly settings: BatchSettings;
}

async function first(
  session: Session,
  statement: Statement,
  params: (string | number | null)[],
): Promise<BatchRecord | null> {
  const [row] = await session.query<BatchRow>(statement, params);
  return row === undefined ? null : recordOf(row);
}

export const batchRows = {
  /** Null: another batch has the key. */
  insert(session: Session, batch: NewBatch): Promise<BatchRecord | null> {
    const { tenant, settings, priority, correlationId, submitter, keepMs, key } = batch;
    return first(session, INSERT, [
      tenant,
      settings.templateId,
      JSON.stringify(settings),
      priority,
      correlationId,
      submitter,
      keepMs,
      key,
    ]);
  },
  byKey: (session: Session, tenant: string, key: string) => first(session, BY_KEY, [tenant, key]),
  async removeLoading(session: Session, seq: number): Promise<void> {
    await session.query(REMOVE_LOADING, [seq]);
  },
  get: (session: Session, seq: number, tenant: string) => first(session, GET, [seq, tenant]),
  async list(
    session: Session,
    { tenants = 'all', submitter }: Whose,
    below: number,
    limit: number,
  ): Promise<BatchRecord[]> {
    const values: Param[] = [below, limit];
    const where = ['seq < $1'];
    if (tenants !== 'all') where.push(`tenant = ${ofTenants(tenants, values)}`);
    if (submitter !== undefined) where.push(`submitter = $${values.push(submitter)}`);
    const text = `SELECT ${COLUMNS} FROM millrace.document_batches WHERE ${where.join(' AND ')} ORDER BY seq DESC LIMIT $2`;
    return (await session.query<BatchRow>({ name: '', text }, values)).map(recordOf);
  },
  loaded: (session: Session, seq: number, { total, source, settings }: LoadedRows) =>
    first(session, LOADED, [seq, total, JSON.stringify(source), JSON.stringify(settings)]),
  async setJob(session: Session, { seq, run }: BatchRecord, job: string): Promise<void> {
    await session.query(SET_JOB, [seq, run, job]);
  },
  finish: async (session: Session, seq: number, run: number) =>
    (await session.query(FINISH, [seq, run])).length > 0,
  cancel: (session: Session, seq: number, tenant: string) => first(session, CANCEL, [seq, tenant]),
  rerun: (session: Session, seq: number, tenant: string) => first(session, RERUN, [seq, tenant]),
  async remove(session: Session, seq: number): Promise<void> {
    await session.query(REMOVE, [seq]);
  },
};

function recordOf(row: BatchRow): BatchRecord {
  const id = idOf('batch', row.seq);
  return {
    id,
    seq: row.seq,
    tenant: row.tenant,
    state: row.state,
    run: row.run,
    settings: row.settings,
    priority: row.priority,
    total: row.total,
    source: row.source,
    jobId: row.job,
    correlationId: row.correlation_id ?? id,
    submitter: row.submitter,
    createdAt: Math.round(row.created_at),
    finishedAt: row.finished_at === null ? null : Math.round(row.finished_at),
    expiresAt: Math.round(row.expires_at),
  };
}
