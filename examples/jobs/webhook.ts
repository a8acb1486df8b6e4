import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { defineJob, done } from '@millrace/engine';
import { z } from 'zod';

/**
 * Another system gets a message when a job has ended, well or not. Whoever enqueues a job may name the address (`--webhook URL`, or
 * `webhook` in the request); here a job names it for its child. The message is a job of its own, written together with the end
 * of the one it is about, so it is neither forgotten nor sent for something that did not happen; it is tried for two hours.
 *
 * It needs MILLRACE_WEBHOOK_SECRET, and for an address in your own network MILLRACE_WEBHOOK_ALLOW.
 */
export const ship = defineJob({
  kind: 'ship',
  input: z.object({ order: z.number().int(), tell: z.url() }),
  public: true,
  async run({ data: { order, tell } }, { enqueue }) {
    enqueue({ kind: 'print-label', data: { order }, webhook: tell });
    return done();
  },
});

export const printLabel = defineJob({
  kind: 'print-label',
  input: z.object({ order: z.number().int() }),
  run: async ({ data }) => done({ label: `PARCEL-${data.order}` }),
});

/** For the system that gets the message: whether the message is from us, and from now. `body` is the text as it arrived. */
export function isGenuine(headers: IncomingHttpHeaders, body: string, secret: string): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const at = Number(headers['webhook-timestamp']);
  const signed = `${String(headers['webhook-id'])}.${at}.${body}`;
  const expected = Buffer.from(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
  const given = Buffer.from(String(headers['webhook-signature']));
  const isFresh = Math.abs(Date.now() / 1_000 - at) < 300;
  return isFresh && given.length === expected.length && timingSafeEqual(given, expected);
}
