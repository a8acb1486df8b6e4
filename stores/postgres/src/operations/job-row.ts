import type {
  Execution,
  FailureRecord,
  Job,
  JobState,
  JobSummary,
  Progress,
} from '@millrace/engine';
import type { Ids } from '../ids.ts';

const ms = (column: string): string => `date_part('epoch', ${column}) * 1000`;

/** A job as people see it: from `jobs j LEFT JOIN lease l`. */
export const SUMMARY_COLUMNS = `
  j.seq, j.kind, j.tenant, CASE WHEN l.seq IS NULL THEN j.state ELSE 'PROCESSING' END AS state, j.priority,
  coalesce(l.attempt, j.attempt) AS attempt, j.max_attempts, ${ms('j.created_at')} AS created_at,
  ${ms('j.run_at')} AS run_at, ${ms('coalesce(l.started_at, j.started_at)')} AS started_at,
  ${ms('j.finished_at')} AS finished_at, l.worker, ${ms('l.until')} AS lease_until, coalesce(l.cancel, false) AS cancel,
  j.error::text, j.progress::text, j.key, j.correlation_id, j.submitter,
  CASE WHEN j.erased IS NULL THEN j.subject END AS subject, j.webhook, j.parents::text, j.schedule`;

export const JOB_COLUMNS = `${SUMMARY_COLUMNS}, j.payload::text, j.result::text, j.cursor::text, j.executions::text`;

export type SummaryRow = {
  seq: number;
  kind: string;
  tenant: string;
  state: JobState;
  priority: number | null;
  attempt: number;
  max_attempts: number;
  created_at: number;
  run_at: number;
  started_at: number | null;
  finished_at: number | null;
  worker: string | null;
  lease_until: number | null;
  cancel: boolean;
  error: string | null;
  progress: string | null;
  key: string | null;
  correlation_id: string | null;
  submitter: string | null;
  subject: string | null;
  webhook: string | null;
  parents: string | null;
  schedule: string | null;
};

export type JobRow = SummaryRow & {
  payload: string | null;
  result: string | null;
  cursor: string | null;
  executions: string | null;
};

export function jobOf(ids: Ids, row: JobRow): Job {
  const { payload, result, cursor } = row;
  const executions = (parsed(row.executions) ?? []) as Execution[];
  return { ...summaryOf(ids, row), payload, result, cursor, executions };
}

export function summaryOf(ids: Ids, row: SummaryRow): JobSummary {
  return {
    id: ids.of(row.seq),
    kind: row.kind,
    tenant: row.tenant,
    state: row.state,
    priority: row.priority,
    attempt: row.attempt,
    maxAttempts: row.max_attempts,
    createdAt: Math.round(row.created_at),
    runAt: Math.round(row.run_at),
    startedAt: row.started_at === null ? null : Math.round(row.started_at),
    finishedAt: row.finished_at === null ? null : Math.round(row.finished_at),
    worker: row.worker,
    leaseUntil: row.lease_until === null ? null : Math.round(row.lease_until),
    cancelRequested: row.cancel,
    error: parsed(row.error) as FailureRecord | null,
    progress: parsed(row.progress) as Progress | null,
    key: row.key,
    correlationId: row.correlation_id,
    submitter: row.submitter,
    subject: row.subject,
    webhook: row.webhook,
    parents: parsed(row.parents) as Record<string, string> | null,
    schedule: row.schedule,
  };
}

/** Written by this store from the same type. */
function parsed(text: string | null): unknown {
  return text === null ? null : JSON.parse(text);
}
