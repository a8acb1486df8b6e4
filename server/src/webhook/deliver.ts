import { JobFailure } from '@millrace/engine';
import type { Deliver } from '@millrace/workload-kit';
import type { Telemetry } from '../telemetry/types.ts';
import { AddressRefused, type Answer, type Lookup, send } from './send.ts';
import { sign } from './sign.ts';
import { type AllowedHost, checkUrl } from './url.ts';

export interface DeliverParams {
  readonly secret: Buffer | null;
  readonly allow: readonly AllowedHost[];
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  readonly lookup?: Lookup;
  /** Around each call to the outside, for those who measure. */
  readonly measured?: Telemetry['call'];
}

const DAY_MS = 86_400_000;

/** Signed, to public addresses only. Whatever goes wrong is a failure of the job that delivers, with a code of its own. */
export function createDeliver({
  secret,
  allow,
  now = Date.now,
  lookup,
  measured = (_, run) => run(),
}: DeliverParams): Deliver {
  return async ({ url: given, id, body: what, correlationId, bearer, signal }) => {
    if (secret === null) {
      throw final('webhooks_off', 'MILLRACE_WEBHOOK_SECRET is not set. Set it and retry this job.');
    }
    const checked = checkUrl(given, allow);
    if (!checked.ok) throw final('webhook_refused', checked.why);
    const body = JSON.stringify(what);
    const seconds = Math.floor(now() / 1_000);
    const headers = {
      'webhook-id': id,
      'webhook-timestamp': String(seconds),
      'webhook-signature': sign(secret, id, seconds, body),
      'x-correlation-id': correlationId,
      ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
    };
    const { url, exempt } = checked;
    const delivery = { url, exempt, headers, body, signal };
    const answer = await measured(
      { dependency: 'webhook', operation: 'deliver', correlationId },
      () => send(delivery, lookup),
    ).catch((error: unknown) => {
      throw unreachable(url, error);
    });
    judge(url, answer, now());
    return { status: answer.status };
  };
}

/** The host alone: paths and queries of webhooks often hold a token. */
function unreachable(url: URL, error: unknown): JobFailure {
  if (error instanceof AddressRefused) return final('webhook_refused', error.message);
  const why = error instanceof Error ? error.message : String(error);
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
