import {
  type ClaimedJob,
  type Execution,
  type FailureRecord,
  type Job,
  type JobState,
  type JobSummary,
  MillraceError,
  type NewJob,
  refuseUnstorableJob,
} from '@millrace/engine';
import { type Reply, list, textOf } from './context.ts';
import { jobId, kindOf, queueOf, rankOf } from './names.ts';

/** The hash of a job: BullMQ's fields (name, data, opts, timestamp, …) and, beside them, ours. */

/** A new job as the script `enqueue` takes it; see lua/making.ts. */
export type Spec = readonly [...(readonly string[]), readonly string[]];

export function specOf(job: NewJob): Spec {
  refuseUnstorableJob(job);
  if (job.webhook !== undefined) throw noWebhooks(job.kind);
  const { due, key } = job;
  const rank = rankOf(job.priority);
  const uniqueKey = key === undefined ? '' : JSON.stringify([job.kind, job.tenant, key.value]);
  const fields: readonly (readonly [string, string | number | null | undefined])[] = [
    ['name', job.kind],
    ['data', job.payload],
    ['opts', JSON.stringify({ attempts: job.maxAttempts, priority: rank })],
    ['priority', rank],
    ['rank', rank],
    ['prio', job.priority],
    ['maxAttempts', job.maxAttempts],
    ['tenant', job.tenant === '' ? null : job.tenant],
    ['uniqueKey', uniqueKey === '' ? null : uniqueKey],
    ['keyWindow', key?.windowMs],
    ['correlationId', job.correlationId],
    ['submitter', job.submitter],
    ['subject', job.subject],
    ['webhook', job.webhook],
    ['parents', job.parents && JSON.stringify(job.parents)],
    ['schedule', job.schedule],
    ['traceparent', job.traceparent],
  ];
  return [
    queueOf(job.kind),
    String(rank),
    due === undefined ? '' : 'at' in due ? 'at' : 'after',
    due === undefined ? '' : String('at' in due ? due.at : due.afterMs),
    uniqueKey,
    String(key?.windowMs ?? ''),
    job.tenant,
    job.correlationId ?? '',
    job.subject ?? '',
    fields.flatMap(([name, value]) =>
      value === undefined || value === null ? [] : [name, String(value)],
    ),
  ];
}

/** A webhook is a job that follows from the end of another, in the store that has all kinds. */
function noWebhooks(kind: string): MillraceError {
  return new MillraceError(
    'unsupported_by_store',
    `The jobs of "${kind}" are in Redis, which calls no webhooks: leave the webhook out, or keep the kind in the database.`,
  );
}

/** What a claim answers of a job, in this order, after its queue. */
export const CLAIMED = [
  'number',
  'epoch',
  'claim',
  'tenant',
  'data',
  'attempt',
  'maxAttempts',
  'prio',
  'timestamp',
  'suspect',
  'correlationId',
  'submitter',
  'subject',
  'webhook',
  'parents',
  'traceparent',
] as const;

export function toClaimed(reply: Reply): ClaimedJob {
  const [queue, ...values] = list(reply);
  const field = reader(CLAIMED, values);
  return {
    id: jobId(field('number') ?? ''),
    epoch: Number(field('epoch')),
    claim: Number(field('claim')),
    kind: kindOf(textOf(queue) ?? ''),
    tenant: field('tenant') ?? '',
    payload: field('data'),
    attempt: Number(field('attempt')),
    maxAttempts: Number(field('maxAttempts')),
    priority: numberOrNull(field('prio')),
    createdAt: Number(field('timestamp')),
    cursor: null,
    suspect: field('suspect') !== null,
    correlationId: field('correlationId'),
    submitter: field('submitter'),
    subject: field('subject'),
    webhook: field('webhook'),
    parents: parentsOf(field('parents')),
    traceparent: field('traceparent'),
  };
}

/** What lists answer of a job, in this order, after its queue. */
export const SUMMARY = [
  'number',
  'tenant',
  'state',
  'prio',
  'attempt',
  'maxAttempts',
  'timestamp',
  'runAt',
  'processedOn',
  'finishedOn',
  'pb',
  'leaseUntil',
  'cancelRequested',
  'errorCode',
  'failedReason',
  'errorRetryable',
  'uniqueKey',
  'correlationId',
  'submitter',
  'subject',
  'webhook',
  'parents',
  'schedule',
  'erased',
] as const;

/** Null where the hash is gone: a tool of BullMQ removed the job, and an index still names it. */
export function toSummary(reply: Reply): JobSummary | null {
  const [queue, ...values] = list(reply);
  const field = reader(SUMMARY, values);
  const number = field('number');
  if (number === null) return null;
  return {
    id: jobId(number),
    kind: kindOf(textOf(queue) ?? ''),
    tenant: field('tenant') ?? '',
    state: field('state') as JobState,
    priority: numberOrNull(field('prio')),
    attempt: Number(field('attempt')),
    maxAttempts: Number(field('maxAttempts')),
    createdAt: Number(field('timestamp')),
    runAt: Number(field('runAt')),
    startedAt: numberOrNull(field('processedOn')),
    finishedAt: numberOrNull(field('finishedOn')),
    worker: field('pb'),
    leaseUntil: numberOrNull(field('leaseUntil')),
    cancelRequested: field('cancelRequested') !== null,
    error: failureOf(field('errorCode'), field('failedReason'), field('errorRetryable')),
    progress: null,
    key: keyOf(field('uniqueKey')),
    correlationId: field('correlationId'),
    submitter: field('submitter'),
    // One that may still write keeps it, so that a second erasure finds what it wrote.
    subject: field('erased') === null ? field('subject') : null,
    webhook: field('webhook'),
    parents: parentsOf(field('parents')),
    schedule: field('schedule'),
  };
}

/** [summary, data, returnvalue, executions] of the script `get`. */
export function toJob(reply: Reply): Job | null {
  const [summary, data, result, executions] = list(reply);
  const job = toSummary(summary ?? null);
  if (job === null) return null;
  return {
    ...job,
    payload: textOf(data),
    result: textOf(result),
    cursor: null,
    executions: list(executions).map((each) => toExecution(textOf(each) ?? '{}')),
  };
}

/** As lua/ending.ts writes it: every value is a text. */
type ExecutionText = Readonly<Partial<Record<string, string>>>;

function toExecution(json: string): Execution {
  const text = JSON.parse(json) as ExecutionText;
  const error = failureOf(text['code'] ?? null, text['message'] ?? null, text['retryable'] ?? null);
  return {
    attempt: Number(text['attempt']),
    worker: text['worker'] ?? null,
    startedAt: Number(text['startedAt']),
    endedAt: Number(text['endedAt']),
    outcome: text['outcome'] as Execution['outcome'],
    error,
    stack: text['stack'] ?? null,
  };
}

function failureOf(
  code: string | null,
  message: string | null,
  retryable: string | null,
): FailureRecord | null {
  return code === null ? null : { code, message: message ?? '', retryable: retryable === '1' };
}

function keyOf(uniqueKey: string | null): string | null {
  if (uniqueKey === null) return null;
  const [, , value] = JSON.parse(uniqueKey) as string[];
  return value ?? null;
}

function parentsOf(json: string | null): Job['parents'] {
  return json === null ? null : (JSON.parse(json) as NonNullable<Job['parents']>);
}

function numberOrNull(text: string | null): number | null {
  return text === null ? null : Number(text);
}

function reader<Name extends string>(
  names: readonly Name[],
  values: readonly Reply[],
): (name: Name) => string | null {
  return (name) => textOf(values[names.indexOf(name)]);
}
