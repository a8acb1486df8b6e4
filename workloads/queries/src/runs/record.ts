import type { Field } from '@millrace/marketing-cloud';
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

/** A row as `COLUMNS` reads it. */
export type RunRow = {
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

export const COLUMNS = `seq, tenant_id, user_id, mid, eid, sql_text, snippet_name, status, mce_status, task_id,
       query_definition_id, query_customer_key, target_de_name, columns, target_fields, as_text, row_count::float8 AS row_count,
       poll_count, api_calls, error_code, error_message, correlation_id, ${ms('created_at')}, ${ms('start_requested_at')},
       ${ms('poll_started_at')}, ${ms('completed_at')}, ${ms('results_expire_at')}, ${ms('query_gone_at')},
       ${ms('target_gone_at')}, ${ms('millrace.clock()', 'read_at')}`;

export function recordOf(row: RunRow): RunRecord {
  // Of a run that is not over, the message without a code is what its last try said, or what its last poll waits for.
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
    trouble: row.status === 'queued' ? message : null,
    waitsFor: row.status === 'running' ? message : null,
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
