import type { Compression, TableFormat } from '@millrace/tables';
import type { ReportIdentity } from '../identity/types.ts';
import type { ResolvedParameters } from '../parameters/types.ts';

/** How a job ended, or how its end is kept after the job is gone. */
export type RunEnd = 'SUCCEEDED' | 'FAILED' | 'CANCELED';

/** A run as its row has it. Whether it waits, runs or has ended is for its job to say (`sight.ts`). */
export interface RunRecord {
  readonly seq: number;
  /** Of the job. */
  readonly id: string;
  readonly report: string;
  readonly digest: string;
  readonly title: string;
  readonly parameters: ResolvedParameters;
  readonly tenant: string;
  readonly submitter: string | null;
  /** On whose behalf it reads; null: erased, or of before this was kept. */
  readonly identity: ReportIdentity | null;
  readonly correlationId: string;
  readonly schedule: string | null;
  readonly parents: Readonly<Record<string, string>> | null;
  readonly format: TableFormat;
  readonly compression: Compression | null;
  readonly epoch: number | null;
  readonly begunAt: number | null;
  readonly resumes: number;
  readonly rows: number | null;
  readonly bytes: number | null;
  readonly chunks: number | null;
  readonly totalRows: number | null;
  readonly rowsPerSecond: number | null;
  readonly sha256: string | null;
  /** Where the outputs have it: theirs to read. */
  readonly file: unknown;
  readonly fileName: string | null;
  readonly note: string | null;
  readonly end: RunEnd | null;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  readonly expiresAt: number | null;
  readonly fileGoneAt: number | null;
  readonly erasedAt: number | null;
  /** The database's clock when the record was read: what its times are compared with. */
  readonly readAt: number;
}

/** A row as `COLUMNS` reads it. */
export type RunRow = {
  seq: number;
  job: string;
  report: string;
  digest: string;
  title: string;
  parameters: ResolvedParameters;
  tenant: string;
  submitter: string | null;
  identity: ReportIdentity | null;
  correlation_id: string;
  schedule: string | null;
  parents: Record<string, string> | null;
  format: TableFormat;
  compression: Compression | null;
  epoch: number | null;
  begun_at: number | null;
  resumes: number;
  rows: number | null;
  bytes: number | null;
  chunks: number | null;
  total_rows: number | null;
  rows_per_second: number | null;
  sha256: string | null;
  file: unknown;
  file_name: string | null;
  note: string | null;
  state: RunEnd | null;
  error_code: string | null;
  error_message: string | null;
  created_at: number;
  started_at: number | null;
  finished_at: number | null;
  expires_at: number | null;
  file_gone_at: number | null;
  erased_at: number | null;
  read_at: number;
};

const ms = (column: string, as = column): string =>
  `(date_part('epoch', ${column}) * 1000)::float8 AS ${as}`;
const number = (column: string): string => `${column}::float8 AS ${column}`;

export const COLUMNS = `seq, job, report, digest, title, parameters, tenant, submitter, identity, correlation_id, schedule, parents, format,
       compression, ${number('epoch')}, ${ms('begun_at')}, resumes, ${number('rows')}, ${number('bytes')}, chunks, ${number('total_rows')},
       rows_per_second, sha256, file, file_name, note, state, error_code, error_message, ${ms('created_at')}, ${ms('started_at')},
       ${ms('finished_at')}, ${ms('expires_at')}, ${ms('file_gone_at')}, ${ms('erased_at')}, ${ms('millrace.clock()', 'read_at')}`;

export function recordOf(row: RunRow): RunRecord {
  const { error_code: code, error_message: message } = row;
  return {
    seq: row.seq,
    id: row.job,
    report: row.report,
    digest: row.digest,
    title: row.title,
    parameters: row.parameters,
    tenant: row.tenant,
    submitter: row.submitter,
    identity: row.identity,
    correlationId: row.correlation_id,
    schedule: row.schedule,
    parents: row.parents,
    format: row.format,
    compression: row.compression,
    epoch: row.epoch,
    begunAt: rounded(row.begun_at),
    resumes: row.resumes,
    rows: row.rows,
    bytes: row.bytes,
    chunks: row.chunks,
    totalRows: row.total_rows,
    rowsPerSecond: row.rows_per_second,
    sha256: row.sha256,
    file: row.file,
    fileName: row.file_name,
    note: row.note,
    end: row.state,
    error: code === null ? null : { code, message: message ?? '' },
    createdAt: Math.round(row.created_at),
    startedAt: rounded(row.started_at),
    finishedAt: rounded(row.finished_at),
    expiresAt: rounded(row.expires_at),
    fileGoneAt: rounded(row.file_gone_at),
    erasedAt: rounded(row.erased_at),
    readAt: Math.round(row.read_at),
  };
}

function rounded(at: number | null): number | null {
  return at === null ? null : Math.round(at);
}

/** Job ids end in their number; null for what is no such id. */
export function seqOf(id: string): number | null {
  const [, digits] = /-([1-9]\d{0,15})$/.exec(id) ?? [];
  const seq = Number(digits);
  return digits !== undefined && Number.isSafeInteger(seq) ? seq : null;
}
