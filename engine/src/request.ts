import { type Duration, toMs } from './duration.ts';
import { MillraceError } from './errors.ts';
import type { NewJob } from './job.ts';
import { checkText, toJsonText } from './json.ts';
import type { JobKind } from './kind.ts';
import type { Registry } from './registry.ts';

/** What people ask for; `newJob` turns it into what a store keeps, or says what is wrong with it. */
export interface JobRequest {
  readonly kind: string;
  readonly data: unknown;
  readonly tenant?: string;
  /** −1,000 to 1,000, higher first; none comes last. */
  readonly priority?: number;
  /** Not before this moment (a Date or milliseconds since 1970) … */
  readonly runAt?: Date | number;
  /** … or not before so long from now. */
  readonly delay?: Duration;
  /** The same key of the same kind and tenant makes one job, while it lives and `keyWindow` (24 h) after its success. */
  readonly key?: string;
  readonly keyWindow?: Duration;
  readonly correlationId?: string;
  readonly submitter?: string;
  readonly subject?: string;
  /** Told when the job has ended. */
  readonly webhook?: string;
}

const TEN_YEARS_MS = 10 * 365 * 86_400_000;
/** The caller's clock may be so far behind the store's before a date counts as past. */
const PAST_TOLERANCE_MS = 60_000;
const DAY_MS = 86_400_000;

/** `now` is the store's clock; it is asked for only where a date has to be judged. */
export function newJob(registry: Registry, request: JobRequest, now: number | null): NewJob {
  const kind = registry.require(request.kind);
  checkData(kind, request.data);
  const due = dueOf(request, now);
  return {
    kind: kind.kind,
    payload: toJsonText(request.data, 'payload'),
    maxAttempts: kind.maxAttempts,
    tenant: request.tenant === undefined || request.tenant === '' ? '' : checkText(request.tenant, 'tenant', 100),
    priority: priorityOf(request.priority),
    ...(due && { due }),
    ...(request.key !== undefined && {
      key: { value: checkText(request.key, 'key', 255), windowMs: toMs(request.keyWindow ?? DAY_MS) },
    }),
    ...(request.correlationId !== undefined && { correlationId: checkText(request.correlationId, 'correlation id', 200) }),
    ...(request.submitter !== undefined && { submitter: checkText(request.submitter, 'submitter', 200) }),
    ...(request.subject !== undefined && { subject: checkText(request.subject, 'subject', 200) }),
    ...(request.webhook !== undefined && { webhook: checkText(request.webhook, 'webhook', 2_000) }),
  };
}

export function hasDate(request: JobRequest): boolean {
  return request.runAt !== undefined;
}

function checkData(kind: JobKind, data: unknown): void {
  const parsed = kind.input.safeParse(data);
  if (parsed.success) return;
  const issues = parsed.error.issues.slice(0, 5).map((issue) => `${issue.path.join('.') || 'data'}: ${issue.message}`);
  throw new MillraceError('invalid_payload', `The data does not fit the kind "${kind.kind}": ${issues.join('; ')}.`);
}

function dueOf(request: JobRequest, now: number | null): NewJob['due'] {
  if (request.runAt !== undefined && request.delay !== undefined) {
    throw new MillraceError('invalid_run_at', 'Give either runAt or delay, not both.');
  }
  if (request.delay !== undefined) {
    const afterMs = toMs(request.delay);
    if (!(afterMs >= 0 && afterMs <= TEN_YEARS_MS)) {
      throw new MillraceError('invalid_run_at', 'The delay must be between 0 and ten years.');
    }
    return afterMs === 0 ? undefined : { afterMs };
  }
  if (request.runAt === undefined) return undefined;
  const at = Number(request.runAt);
  if (!Number.isFinite(at)) throw new MillraceError('invalid_run_at', 'runAt is not a date.');
  if (now !== null && at < now - PAST_TOLERANCE_MS) {
    throw new MillraceError('invalid_run_at', `runAt lies in the past (${new Date(at).toISOString()}). Leave it out to run at once.`);
  }
  if (now !== null && at > now + TEN_YEARS_MS) {
    throw new MillraceError('invalid_run_at', 'runAt is more than ten years away. Is it in milliseconds?');
  }
  return { at };
}

function priorityOf(priority: number | undefined): number | null {
  if (priority === undefined) return null;
  if (!Number.isInteger(priority) || Math.abs(priority) > 1_000) {
    throw new MillraceError('invalid_priority', `The priority must be a whole number from -1000 to 1000, not ${priority}.`);
  }
  return priority;
}
