import type { FailureRecord, Job, JobState, JobSummary } from '@millrace/engine';
import type { Context } from '../context.ts';
import { isRetryable } from './codes.ts';
import { type Values, fieldsToRead, textOf, timeOf, valuesOf } from './fields.ts';

/** A record of Generated_Document__c as we know it. */
export interface Row extends Values {
  readonly id: string;
  readonly createdAt: number;
  // The meaning of an empty field:
  readonly status: JobState;
  readonly attempts: number;
  readonly maxAttempts: number;
  readonly epoch: number;
  readonly kind: string;
  /** Submitter__c alone; `submitter` is otherwise who made the record in the org. */
  readonly namedSubmitter: string | null;
}

export function columns({ names }: Context, what: 'summary' | 'whole'): string {
  const fields = fieldsToRead(what).map((field) => names.field[field]);
  return ['Id', 'CreatedDate', 'CreatedBy.Username', ...fields].join(', ');
}

export function rowOf({ names, defaultKind, maxAttempts }: Context, from: object): Row {
  const raw = from as Readonly<Record<string, unknown>>;
  const values = valuesOf(names.field, raw);
  const creator = raw['CreatedBy'] as { readonly Username?: unknown } | null | undefined;
  return {
    ...values,
    id: String(raw['Id']),
    createdAt: timeOf(raw['CreatedDate']) ?? 0,
    status: (values.status ?? 'QUEUED') as JobState,
    attempts: values.attempts ?? 0,
    maxAttempts: values.maxAttempts ?? maxAttempts,
    epoch: values.epoch ?? 0,
    kind: values.kind ?? defaultKind,
    submitter: values.submitter ?? textOf(creator?.Username),
    namedSubmitter: values.submitter,
  };
}

export function summaryOf({ ids, keys, tenant }: Context, row: Row): JobSummary {
  const running = row.status === 'PROCESSING';
  return {
    id: ids.jobId(row.id),
    kind: row.kind,
    tenant,
    state: row.status,
    priority: row.priority,
    attempt: running || row.status === 'SUCCEEDED' ? row.attempts + 1 : row.attempts,
    maxAttempts: row.maxAttempts,
    createdAt: row.createdAt,
    runAt: row.due ?? row.createdAt,
    startedAt: row.startedAt,
    finishedAt: row.finishedAt,
    worker: row.worker,
    leaseUntil: running ? row.lockedUntil : null,
    cancelRequested: running && row.cancelRequested,
    error: errorOf(row),
    progress: null,
    key: row.key === null ? null : keys.read(row.kind, row.key),
    correlationId: row.correlationId,
    submitter: row.submitter,
    subject: row.subject,
    webhook: null,
    parents: null,
    schedule: null,
  };
}

export function jobOf(context: Context, row: Row): Job {
  return {
    ...summaryOf(context, row),
    payload: row.request,
    result: row.result,
    cursor: null,
    executions: [],
  };
}

/** A record that waits for its next attempt had a temporary failure, whatever its code mostly is. */
function errorOf({ errorCode, error, status }: Row): FailureRecord | null {
  if (errorCode === null && error === null) return null;
  const code = errorCode ?? 'unknown';
  return {
    code,
    message: error ?? '',
    retryable: status === 'QUEUED' || isRetryable(code),
  };
}
