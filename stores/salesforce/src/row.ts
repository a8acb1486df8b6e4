import type { FailureRecord, Job, JobState, JobSummary } from '@millrace/engine';
import type { Context } from './context.ts';
import type { Field } from './names.ts';

/** A record of Generated_Document__c as we know it. */
export interface Row {
  readonly id: string;
  readonly createdAt: number;
  readonly status: JobState;
  readonly priority: number | null;
  readonly attempts: number;
  readonly maxAttempts: number;
  readonly lockedUntil: number | null;
  readonly leaseToken: string | null;
  readonly settledToken: string | null;
  readonly epoch: number;
  /** Which claim gave the lease; empty from the moment on in which its worker begins. */
  readonly claimId: string | null;
  readonly suspect: boolean;
  readonly worker: string | null;
  readonly due: number | null;
  readonly cancelRequested: boolean;
  readonly key: string | null;
  readonly correlationId: string | null;
  readonly request: string | null;
  readonly result: string | null;
  readonly error: string | null;
  readonly errorCode: string | null;
  readonly kind: string;
  readonly submitter: string | null;
  readonly subject: string | null;
  readonly traceparent: string | null;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
}

const LONG: readonly Field[] = ['request', 'result'];
const READ: readonly Field[] = [
  'status',
  'priority',
  'attempts',
  'maxAttempts',
  'lockedUntil',
  'leaseToken',
  'settledToken',
  'epoch',
  'claimId',
  'suspect',
  'worker',
  'due',
  'cancelRequested',
  'key',
  'correlationId',
  'error',
  'errorCode',
  'kind',
  'submitter',
  'subject',
  'traceparent',
  'startedAt',
  'finishedAt',
];

export function columns({ names }: Context, what: 'summary' | 'whole'): string {
  const fields = what === 'whole' ? [...READ, ...LONG] : READ;
  return [
    'Id',
    'CreatedDate',
    'CreatedBy.Username',
    ...fields.map((name) => names.field[name]),
  ].join(', ');
}

export function rowOf({ names, defaultKind, maxAttempts }: Context, from: object): Row {
  const raw = from as Readonly<Record<string, unknown>>;
  const text = (name: Field): string | null => textOf(raw[names.field[name]]);
  const number = (name: Field): number | null => numberOf(raw[names.field[name]]);
  const time = (name: Field): number | null => timeOf(raw[names.field[name]]);
  const creator = raw['CreatedBy'] as { readonly Username?: unknown } | null | undefined;
  return {
    id: String(raw['Id']),
    createdAt: timeOf(raw['CreatedDate']) ?? 0,
    status: (text('status') ?? 'QUEUED') as JobState,
    priority: number('priority'),
    attempts: number('attempts') ?? 0,
    maxAttempts: number('maxAttempts') ?? maxAttempts,
    lockedUntil: time('lockedUntil'),
    leaseToken: text('leaseToken'),
    settledToken: text('settledToken'),
    epoch: number('epoch') ?? 0,
    claimId: text('claimId'),
    suspect: raw[names.field.suspect] === true,
    worker: text('worker'),
    due: time('due'),
    cancelRequested: raw[names.field.cancelRequested] === true,
    key: text('key'),
    correlationId: text('correlationId'),
    request: text('request'),
    result: text('result'),
    error: text('error'),
    errorCode: text('errorCode'),
    kind: text('kind') ?? defaultKind,
    submitter: text('submitter') ?? textOf(creator?.Username),
    subject: text('subject'),
    traceparent: text('traceparent'),
    startedAt: time('startedAt'),
    finishedAt: time('finishedAt'),
  };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

/** Salesforce writes 2026-03-01T12:00:00.000+0000, which Date.parse takes. */
function timeOf(value: unknown): number | null {
  return typeof value === 'string' ? Date.parse(value) : null;
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

/** The record says the reason, not whether it passes: these do not. */
const LASTING = ['template_not_found', 'validation_error', 'worker_lost', 'result_unstorable'];

function errorOf({ errorCode, error }: Row): FailureRecord | null {
  if (errorCode === null && error === null) return null;
  const code = errorCode ?? 'unknown';
  return { code, message: error ?? '', retryable: !LASTING.includes(code) };
}
