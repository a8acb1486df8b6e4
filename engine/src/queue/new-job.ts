import type { ZodError, ZodType } from 'zod';
import { WEBHOOK_KIND } from '../kinds/dependencies.ts';
import { type Duration, TEN_YEARS_MS, toMs } from '../time/duration.ts';
import { MillraceError } from '../errors.ts';
import type { NewJob } from '../job.ts';
import { type JsonText, changesInJson, checkText, toJsonText } from '../values/json.ts';
import { type JobRequest, checkPriority } from '../request.ts';
import type { JobKind } from '../kinds/kind.ts';
import type { Registry } from '../kinds/registry.ts';

/** The caller's clock may be so far behind the store's before a date counts as past. */
const PAST_TOLERANCE_MS = 60_000;
const DAY_MS = 86_400_000;

/**
 * Keys that begin so are the process's own. Without them, whoever guesses the key of a job that the process is about to
 * make could take it first, and that job would never be made.
 */
export const INTERNAL_KEYS = 'millrace:';

/** `now` is the store's clock; it is asked for only where a date has to be judged. */
export function newJob(
  registry: Registry,
  request: JobRequest,
  now: number | null,
  { fromOutside = false }: { readonly fromOutside?: boolean } = {},
): NewJob {
  const kind = registry.require(request.kind);
  const payload = payloadOf(kind, fromOutside ? kind.publicInput : kind.input, request.data);
  if (fromOutside && request.key?.startsWith(INTERNAL_KEYS) === true)
    throw new MillraceError(
      'invalid_key',
      `Keys that begin with "${INTERNAL_KEYS}" are the service's own. Let yours begin otherwise.`,
    );
  const due = dueOf(request, now);
  return {
    kind: kind.kind,
    payload,
    maxAttempts: kind.maxAttempts,
    tenant:
      request.tenant === undefined || request.tenant === ''
        ? ''
        : checkText(request.tenant, 'tenant', 100),
    priority: request.priority === undefined ? null : checkPriority(request.priority),
    ...(due && { due }),
    ...(request.key !== undefined && { key: keyOf(request.key, request.keyWindow ?? DAY_MS) }),
    ...(request.correlationId !== undefined && {
      correlationId: checkText(request.correlationId, 'correlation id', 200),
    }),
    ...(request.submitter !== undefined && {
      submitter: checkText(request.submitter, 'submitter', 200),
    }),
    ...(request.subject !== undefined && { subject: checkText(request.subject, 'subject', 200) }),
    ...(request.webhook !== undefined && { webhook: webhookOf(registry, request.webhook) }),
    ...(request.traceparent !== undefined && {
      traceparent: checkText(request.traceparent, 'trace context', 100),
    }),
  };
}

export function hasDate(request: JobRequest): boolean {
  return request.runAt !== undefined;
}

function payloadOf({ kind, seal }: JobKind, input: ZodType, data: unknown): JsonText {
  const given = input.safeParse(data);
  if (!given.success) throw new MillraceError('invalid_payload', misfit(kind, given.error));
  const payload = toJsonText(data, 'payload');
  // `z.date()` takes a date here and refuses the text that a worker reads: each job would be enqueued, and fail.
  const kept = changesInJson(data) ? input.safeParse(JSON.parse(payload)) : given;
  if (kept.success) return seal === undefined ? payload : toJsonText(seal(data), 'payload');
  throw new MillraceError(
    'invalid_payload',
    `${misfit(kind, kept.error)} It did before it was made JSON, which is what jobs are kept as: take a date with z.coerce.date(), or as a text.`,
  );
}

/** One sentence that says what is wrong with the data. */
export function misfit(kind: string, { issues }: ZodError): string {
  const first = issues
    .slice(0, 5)
    .map(({ path, message }) => `${path.join('.') || 'data'}: ${message}`);
  return `The data does not fit the kind "${kind}": ${first.join('; ')}.`;
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
  const at = new Date(request.runAt).getTime();
  if (Number.isNaN(at)) throw new MillraceError('invalid_run_at', 'runAt is not a date.');
  if (now !== null && at < now - PAST_TOLERANCE_MS) {
    throw new MillraceError(
      'invalid_run_at',
      `runAt lies in the past (${new Date(at).toISOString()}). Leave it out to run at once.`,
    );
  }
  if (now !== null && at > now + TEN_YEARS_MS) {
    throw new MillraceError(
      'invalid_run_at',
      'runAt is more than ten years away. Is it in milliseconds?',
    );
  }
  return { at };
}

function keyOf(key: string, window: Duration): NonNullable<NewJob['key']> {
  const windowMs = toMs(window);
  if (!(windowMs >= 0 && windowMs <= TEN_YEARS_MS)) {
    throw new MillraceError('invalid_key', 'The keyWindow must be between 0 and ten years.');
  }
  return { value: checkText(key, 'key', 255), windowMs };
}

/** When the job ends, a webhook job follows it: without its kind the message would never be sent. */
function webhookOf(registry: Registry, webhook: string): string {
  registry.require(WEBHOOK_KIND);
  return checkText(webhook, 'webhook', 2_000);
}
