import {
  FINISHED_STATES,
  type Job,
  JobFailure,
  type JobKind,
  WEBHOOK_KIND,
  defineJob,
  done,
} from '@millrace/engine';
import { z } from 'zod';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { AddressRefused, type Answer, type Lookup, send } from './send.ts';
import { sign } from './sign.ts';
import { type AllowedHost, checkUrl } from './url.ts';

export interface WebhookParams {
  readonly secret: Buffer | null;
  readonly allow: readonly AllowedHost[];
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  readonly lookup?: Lookup;
  /** Around each call to the outside, for those who measure. */
  readonly measured?: Telemetry['call'];
}

const DAY_MS = 86_400_000;

/** Tells a job's end to the URL that was given with it. A job like any other: it survives and is retried. */
export function webhookKind({
  secret,
  allow,
  now = Date.now,
  lookup,
  measured = (_, run) => run(),
}: WebhookParams): JobKind {
  return defineJob({
    kind: WEBHOOK_KIND,
    input: z.object({
      job: z.string(),
      state: z.enum(FINISHED_STATES),
      url: z.string(),
    }),
    // Eight executions: after 1, 2, 4, … 64 minutes, two hours in all.
    retry: { backoff: 'exponential', retries: 7, base: '1m', max: '4h', jitter: 0.2 },
    timeout: '30s',
    concurrency: 10,
    async run({ id, data, createdAt, correlationId, parents }, context) {
      if (secret === null) {
        throw final(
          'webhooks_off',
          'MILLRACE_WEBHOOK_SECRET is not set. Set it and retry this job.',
        );
      }
      const checked = checkUrl(data.url, allow);
      if (!checked.ok) throw final('webhook_refused', checked.why);
      const job = await context.get(data.job);
      const body = JSON.stringify({
        id: data.job,
        kind: job?.kind ?? Object.keys(parents)[0] ?? null,
        state: data.state,
        // A job that someone has run again since says something else by now.
        ...endOf(job?.state === data.state ? job : null),
        correlationId,
      });
      const seconds = Math.floor(now() / 1_000);
      // The same over all tries, so that receivers can tell a repetition; other databases count from 1 too.
      const messageId = `msg_${id}_${createdAt}`;
      const headers = {
        'webhook-id': messageId,
        'webhook-timestamp': String(seconds),
        'webhook-signature': sign(secret, messageId, seconds, body),
        'x-correlation-id': correlationId,
      };
      const { url, exempt } = checked;
      const delivery = { url, exempt, headers, body, signal: context.signal };
      const answer = await measured(
        { dependency: 'webhook', operation: 'deliver', correlationId },
        () => send(delivery, lookup),
      ).catch((error: unknown) => {
        throw unreachable(url, error);
      });
      judge(url, answer, now());
      return done({ status: answer.status });
    },
  });
}

function endOf(job: Job | null) {
  return {
    result: job?.result == null ? null : (JSON.parse(job.result) as unknown),
    error: job?.error ?? null,
    finishedAt: job?.finishedAt == null ? null : new Date(job.finishedAt).toISOString(),
  };
}

/** The host alone: paths and queries of webhooks often hold a token. */
function unreachable(url: URL, error: unknown): JobFailure {
  if (error instanceof AddressRefused) return final('webhook_refused', error.message);
  const why = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return new JobFailure('webhook_unreachable', `${url.host} could not be reached: ${why}`);
}

function judge(url: URL, { status, retryAfter }: Answer, now: number): void {
  if (status >= 200 && status < 300) return;
  const message = `${url.host} answered ${status}.`;
  if (status >= 400 && status < 500 && status !== 408 && status !== 429) {
    throw final('webhook_rejected', message);
  }
  const after = retryAfterMs(retryAfter, now);
  throw new JobFailure('webhook_failed', message, after === null ? {} : { retryAfterMs: after });
}

/** Seconds or a date. Nobody may put a job off for more than a day, nor have it back at once. */
export function retryAfterMs(header: string | null, now: number): number | null {
  if (header === null) return null;
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - now;
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 1_000), DAY_MS);
}

function final(code: string, message: string): JobFailure {
  return new JobFailure(code, message, { retryable: false });
}
