import type { CallReport } from '@millrace/marketing-cloud';
import { expect, test } from 'vitest';
import { createCloudHealth } from './health.ts';

const call = (
  status: number | null,
  errorCode: string | null = null,
  mid = '100001',
): CallReport => ({
  mid,
  operation: 'rest:isrunning',
  status,
  errorCode,
  durationMs: 1,
  retried: 0,
  requests: 1,
  correlationId: 'c',
});

test('Marketing Cloud is degraded after three calls without an answer, until it answers', async () => {
  const { onCall, check } = createCloudHealth();
  const log = { info() {}, warn() {}, error() {} };
  const status = async () => (await check.run(log)).status;
  expect(await status()).toBe('ok');
  for (const each of [500, null]) onCall(call(each));
  expect(await status()).toBe('ok');
  onCall(call(429));
  expect(await status()).toBe('degraded');
  // A refusal is an answer.
  onCall(call(404));
  expect(await status()).toBe('ok');
});

test('the first refusal of the credentials is reported, until a token of that business unit works', async () => {
  const { onCall, check } = createCloudHealth();
  const log = { info() {}, warn() {}, error() {} };
  onCall(call(null, 'invalid_client'));
  expect(await check.run(log)).toEqual({
    status: 'degraded',
    detail:
      'Marketing Cloud refuses a token for 100001: check MCE_CLIENT_ID, MCE_CLIENT_SECRET and MCE_MIDS.',
  });
  onCall(call(200, null, '100002'));
  expect(await check.run(log)).toMatchObject({ status: 'degraded' });
  onCall(call(200));
  expect(await check.run(log)).toEqual({ status: 'ok' });
});
