import type { Config } from '../config/config.ts';
import { Refusal } from '../http/refusal.ts';
import { checkUrl } from './url.ts';

/** Checks the webhook at the request, rather than when the job has ended and nobody looks. */
export function requireWebhook(url: string, { secret, allow }: Config['webhook']): void {
  if (secret === null)
    throw new Refusal(
      'webhooks_off',
      'Webhooks need a signing key. Set MILLRACE_WEBHOOK_SECRET, or leave the webhook out.',
    );
  const checked = checkUrl(url, allow);
  if (!checked.ok) throw new Refusal('invalid_webhook', checked.why);
}
