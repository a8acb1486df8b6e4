import type { JobState } from '@millrace/engine';
import { iso, isoOrNull } from '@millrace/workload-kit';

/** What every run has, whatever its workload does with it. Times are milliseconds since 1970, by the clock of the database. */
export interface RunRecord {
  readonly seq: number;
  readonly id: string;
  readonly tenant: string;
  readonly submitter: string | null;
  readonly state: JobState;
  readonly error: RunError | null;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  /** When the record was read: what its times are compared with. */
  readonly readAt: number;
}

export interface RunError {
  readonly code: string;
  readonly message: string;
}

export function isOver({ state }: Pick<RunRecord, 'state'>): boolean {
  return state !== 'QUEUED' && state !== 'PROCESSING';
}

/** A row as `RUN_COLUMNS` reads it. */
export type RunRow = {
  seq: number;
  tenant: string;
  submitter: string | null;
  state: JobState;
  error_code: string | null;
  error_message: string | null;
  created_at: number;
  started_at: number | null;
  finished_at: number | null;
  read_at: number;
};

/** A time in the columns of a SELECT, in milliseconds. */
export function ms(column: string, as = column): string {
  return `(date_part('epoch', ${column}) * 1000)::float8 AS ${as}`;
}

/** The columns that the table of every workload's runs has. */
export const RUN_COLUMNS = `seq, tenant, submitter, state, error_code, error_message, ${ms('created_at')}, ${ms('started_at')},
       ${ms('finished_at')}, ${ms('millrace.clock()', 'read_at')}`;

export function recordOf(id: string, row: RunRow): RunRecord {
  const { error_code: code, error_message: message } = row;
  return {
    seq: row.seq,
    id,
    tenant: row.tenant,
    submitter: row.submitter,
    state: row.state,
    error: code === null ? null : { code, message: message ?? '' },
    createdAt: Math.round(row.created_at),
    startedAt: rounded(row.started_at),
    finishedAt: rounded(row.finished_at),
    readAt: Math.round(row.read_at),
  };
}

export function rounded(at: number | null): number | null {
  return at === null ? null : Math.round(at);
}

/** The same as the contract has it. */
export function runJsonOf(run: RunRecord) {
  const { id, tenant, submitter, state, error } = run;
  return {
    id,
    tenant,
    submitter,
    state,
    error,
    createdAt: iso(run.createdAt),
    startedAt: isoOrNull(run.startedAt),
    finishedAt: isoOrNull(run.finishedAt),
  };
}

/** The ids of a workload's runs: a word and the number of the row, such as `run-7`. */
export interface RunIds {
  of(seq: number): string;
  /** Null for what is no such id. */
  seqOf(id: string): number | null;
}

export function runIds(word: string): RunIds {
  return {
    of: (seq) => `${word}-${seq}`,
    seqOf(id) {
      const digits = id.startsWith(`${word}-`) ? id.slice(word.length + 1) : '';
      return /^[1-9]\d{0,14}$/.test(digits) ? Number(digits) : null;
    },
  };
}
