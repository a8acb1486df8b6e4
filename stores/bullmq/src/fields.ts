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
import { jobId, kindOf, queueOf } from './names.ts';

/** The hash of a job: BullMQ's fields (name, data, opts, timestamp, …) and, beside them, ours. */

/**
 * A new job as the script `enqueue` takes it; see lua/making.ts. What every job has comes without the names of its fields: a
 * text less is 0.1 µs less for Redis.
 */
export type Spec = readonly [...(readonly string[]), readonly string[]];

export function specOf(job: NewJob): Spec {
  refuseUnstorableJob(job);
  if (job.webhook !== undefined) throw noWebhooks(job.kind);
  const { due, key } = job;
  const uniqueKey = key === undefined ? '' : JSON.stringify([job.kind, job.tenant, key.value]);
  const rare: readonly (readonly [string, string | number | null | undefined])[] = [
    ['prio', job.priority],
    ['tenant', job.tenant === '' ? null : job.tenant],
    ['uniqueKey', uniqueKey === '' ? null : uniqueKey],
    ['keyWindow', key?.windowMs],
    ['correlationId', job.correlationId],
    ['submitter', job.submitter],
    ['subject', job.subject],
    ['parents', job.parents && JSON.stringify(job.parents)],
    ['schedule', job.schedule],
    ['traceparent', job.traceparent],
  ];
  return [
    queueOf(job.kind),
    job.kind,
    job.payload,
    String(job.maxAttempts),
    job.priority === null ? '' : String(job.priority),
    due === undefined ? '' : 'at' in due ? 'at' : 'after',
    due === undefined ? '' : String('at' in due ? due.at : due.afterMs),
    uniqueKey,
    String(key?.windowMs ?? ''),
    job.tenant,
    job.correlationId ?? '',
    job.subject ?? '',
    ownName(job),
    rare.flatMap(([name, value]) =>
      value === undefined || value === null ? [] : [name, String(value)],
    ),
  ];
}

/**
 * The id in Redis of a job with a key: the key itself, as `jobId` of BullMQ, so that `queue.getJob('poll-run-7')` finds it. A digit keeps it
 * apart from BullMQ's own keys (`wait`, `waiting-children`), something else from its numbers. Of a job about somebody the key can be erased, and an
 * id cannot.
 */
function ownName({ key, subject }: NewJob): string {
  const value = key?.value ?? '';
  const fits = /^(?=.*\d)(?!\d+$)(?!bull-)[\w.-]{1,100}$/.test(value);
  return fits && (subject ?? null) === null ? value : '';
}

/** A webhook is a job that follows from the end of another, in the store that has all kinds. */
function noWebhooks(kind: string): MillraceError {
  return new MillraceError(
    'unsupported_by_store',
    `The jobs of "${kind}" are in Redis, which calls no webhooks: leave the webhook out, or keep the kind in the database.`,
  );
}

/** The fields that a claim reads of a job, and answers in this order before its queue. */
export const CLAIMED = [
  'number',
  'state',
  'lease',
  'tenant',
  'data',
  'ats',
  'maxAttempts',
  'prio',
  'timestamp',
  'suspect',
  'correlationId',
  'submitter',
  'subject',
  'parents',
  'traceparent',
] as const;

const CLAIMED_AT = placesOf(CLAIMED);

export function toClaimed(reply: Reply): ClaimedJob {
  const values = list(reply);
  const field = reader(CLAIMED_AT, values);
  const [epoch, claim] = (field('lease') ?? '').split(':');
  return {
    id: jobId(field('number') ?? ''),
    epoch: Number(epoch),
    claim: Number(claim),
    kind: kindOf(textOf(values[CLAIMED.length]) ?? ''),
    tenant: field('tenant') ?? '',
    payload: field('data'),
    attempt: Number(field('ats')),
    maxAttempts: Number(field('maxAttempts')),
    priority: numberOrNull(field('prio')),
    createdAt: Number(field('timestamp')),
    cursor: null,
    suspect: field('suspect') !== null,
    correlationId: field('correlationId'),
    submitter: field('submitter'),
    subject: field('subject'),
    webhook: null,
    parents: parentsOf(field('parents')),
    traceparent: field('traceparent'),
  };
}

/** The fields that lists answer of a job, in this order, after its queue. */
export const SUMMARY = [
  'number',
  'tenant',
  'state',
  'prio',
  'ats',
  'maxAttempts',
  'timestamp',
  'runAt',
  'processedOn',
  'finishedOn',
  'pb',
  'leaseUntil', // of `.leases`, while the job runs
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

const SUMMARY_AT = placesOf(SUMMARY);

/** Null where the hash is gone: a tool of BullMQ removed the job, and an index still names it. */
export function toSummary(reply: Reply): JobSummary | null {
  const [queue, ...values] = list(reply);
  const field = reader(SUMMARY_AT, values);
  const number = field('number');
  if (number === null) return null;
  return {
    id: jobId(number),
    kind: kindOf(textOf(queue) ?? ''),
    tenant: field('tenant') ?? '',
    state: field('state') as JobState,
    priority: numberOrNull(field('prio')),
    attempt: Number(field('ats')),
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

/** Where each field is in the answer. */
function placesOf<Name extends string>(names: readonly Name[]): Readonly<Record<Name, number>> {
  return Object.fromEntries(names.map((name, index) => [name, index])) as Record<Name, number>;
}

function reader<Name extends string>(
  places: Readonly<Record<Name, number>>,
  values: readonly Reply[],
): (name: Name) => string | null {
  return (name) => textOf(values[places[name]]);
}
