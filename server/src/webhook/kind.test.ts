import { createHmac } from 'node:crypto';
import { JobFailure, RETRY, defineJob, done } from '@millrace/engine';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Harness, createHarness } from '../../test/harness.ts';
import { type Receiver, startReceiver } from '../../test/receiver.ts';
import { retryAfterMs } from './deliver.ts';

const KEY = Buffer.from('0123456789abcdef0123456789abcdef');

const works = defineJob({
  kind: 'works',
  input: z.unknown(),
  public: true,
  run: async () => done({ pages: 3 }),
});
const fails = defineJob({
  kind: 'fails',
  input: z.unknown(),
  public: true,
  retry: RETRY.never,
  run: async () => {
    throw new JobFailure('no_paper', 'The printer is empty.');
  },
});

let answers: { status?: number; headers?: Record<string, string> }[];
let receiver: Receiver;
let harness: Harness;
beforeEach(async () => {
  answers = [{}];
  receiver = await startReceiver((count) => answers[Math.min(count, answers.length) - 1] ?? {});
  harness = createHarness({
    kinds: [works, fails],
    webhook: { secret: KEY, allow: [{ host: 'localhost', port: receiver.port }] },
  });
});
afterEach(async () => {
  await harness.close();
  await receiver.close();
});

async function enqueue(
  kind: string,
  webhook = `http://localhost:${receiver.port}/hook`,
): Promise<string> {
  const headers = { 'x-correlation-id': 'order-7' };
  const { id } = await harness.client.enqueue({ body: { kind, webhook } }, { headers });
  return id;
}

/** The delivery of the job, once it has ended or waits for its next try. */
async function delivered(event: 'job.succeeded' | 'job.failed' | 'job.retrying') {
  const { id } = await harness.next(event, ({ kind }) => kind === 'millrace.webhook');
  return harness.client.getJob({ params: { id } });
}

describe('a webhook', () => {
  test('tells the end of a job, signed so that the receiver can check it', async () => {
    const id = await enqueue('works');
    const delivery = delivered('job.succeeded');
    harness.worker.start();
    expect(await delivery).toMatchObject({
      state: 'SUCCEEDED',
      result: { status: 200 },
      correlationId: 'order-7',
    });

    const [message] = receiver.received;
    const body = JSON.parse(message?.body ?? '') as object;
    expect(body).toEqual({
      id,
      kind: 'works',
      state: 'SUCCEEDED',
      result: { pages: 3 },
      error: null,
      correlationId: 'order-7',
      finishedAt: expect.stringMatching(/Z$/) as string,
    });
    const headers = message?.headers ?? {};
    const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${message?.body}`;
    expect(headers['webhook-signature']).toBe(
      `v1,${createHmac('sha256', KEY).update(signed).digest('base64')}`,
    );
    expect(Math.abs(Number(headers['webhook-timestamp']) - Date.now() / 1_000)).toBeLessThan(30);
  });

  test('tells a failure, with its error', async () => {
    await enqueue('fails');
    const delivery = delivered('job.succeeded');
    harness.worker.start();
    await delivery;
    expect(JSON.parse(receiver.received[0]?.body ?? '')).toMatchObject({
      state: 'FAILED',
      result: null,
      error: { code: 'no_paper', message: 'The printer is empty.' },
    });
  });

  test('tells a cancel', async () => {
    const id = await enqueue('works');
    await harness.client.cancelJob({ params: { id } });
    const delivery = delivered('job.succeeded');
    harness.worker.start();
    await delivery;
    expect(JSON.parse(receiver.received[0]?.body ?? '')).toMatchObject({ id, state: 'CANCELED' });
  });

  test.each([500, 503, 408, 429, 302])('is tried again after %i', async (status) => {
    answers = [{ status }];
    await enqueue('works');
    const delivery = delivered('job.retrying');
    harness.worker.start();
    const job = await delivery;
    expect(job).toMatchObject({
      state: 'QUEUED',
      attempt: 1,
      maxAttempts: 8,
      error: { code: 'webhook_failed' },
    });
    const waitMs = Date.parse(job.runAt) - Date.now();
    expect(waitMs).toBeGreaterThan(40_000);
    expect(waitMs).toBeLessThan(75_000);
  });

  test.each([400, 401, 404, 410, 422])(
    'ends after %i: the receiver does not want it',
    async (status) => {
      answers = [{ status }];
      await enqueue('works');
      const delivery = delivered('job.failed');
      harness.worker.start();
      expect(await delivery).toMatchObject({
        state: 'FAILED',
        attempt: 1,
        error: { code: 'webhook_rejected', retryable: false },
      });
      expect(receiver.received).toHaveLength(1);
    },
  );

  test('comes back when the receiver said so, with the same id and a new signature', async () => {
    answers = [{ status: 429, headers: { 'retry-after': '1' } }, { status: 200 }];
    await enqueue('works');
    const delivery = delivered('job.succeeded');
    harness.worker.start();
    expect(await delivery).toMatchObject({ state: 'SUCCEEDED', attempt: 2 });
    const [first, second] = receiver.received.map(({ headers }) => headers);
    expect(second?.['webhook-id']).toBe(first?.['webhook-id']);
    expect(second?.['webhook-timestamp']).not.toBe(first?.['webhook-timestamp']);
    expect(second?.['webhook-signature']).not.toBe(first?.['webhook-signature']);
  });

  test('is tried again when nobody listens, and its error holds no token', async () => {
    await receiver.close();
    await enqueue('works', `http://localhost:${receiver.port}/hook?token=hush-hush`);
    const delivery = delivered('job.retrying');
    harness.worker.start();
    const { error } = await delivery;
    expect(error).toMatchObject({ code: 'webhook_unreachable', retryable: true });
    expect(JSON.stringify(error)).not.toContain('hush-hush');
    expect(harness.lines.join('')).not.toContain('hush-hush');
  });

  test.each([
    'http://127.0.0.1/',
    'https://127.0.0.1/',
    'https://u:p@example.com/',
    'http://localhost:1/',
    'ftp://localhost/',
  ])('to %s is refused with the job', async (url) => {
    await expect(enqueue('works', url)).rejects.toMatchObject({
      problem: { code: 'invalid_webhook', status: 400 },
    });
  });

  test('waits for someone who sets the key when it has been taken away', async () => {
    const webhook = { secret: null, allow: [{ host: 'localhost', port: receiver.port }] };
    const config = { webhook: { ...webhook, secret: KEY } };
    const other = createHarness({ kinds: [works], webhook, config });
    const body = { kind: 'works', webhook: `http://localhost:${receiver.port}/` };
    await other.client.enqueue({ body });
    const failed = other.next('job.failed');
    other.worker.start();
    expect((await failed).error).toMatchObject({ code: 'webhooks_off', retryable: false });
    expect(receiver.received).toEqual([]);
    await other.close();
  });

  test('to a name that leads to loopback is given up', async () => {
    const id = await enqueue('works', 'https://localhost/');
    const delivery = delivered('job.failed');
    harness.worker.start();
    expect(await delivery).toMatchObject({ attempt: 1, error: { code: 'webhook_refused' } });
    expect((await harness.client.getJob({ params: { id } })).state).toBe('SUCCEEDED');
  });
});

describe('Retry-After', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  test.each([
    ['5', 5_000],
    [' 7 ', 7_000],
    ['0', 1_000],
    ['99999999999', 86_400_000],
    ['Thu, 01 Jan 2026 00:02:00 GMT', 120_000],
    ['Thu, 01 Jan 2015 00:00:00 GMT', 1_000],
    ['soon', null],
    ['', null],
    [null, null],
  ])('%j is %j ms', (header, ms) => expect(retryAfterMs(header, now)).toBe(ms));
});
