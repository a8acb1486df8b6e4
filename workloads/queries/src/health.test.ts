import type { CallReport } from '@millrace/marketing-cloud';
import { expect, test } from 'vitest';
import { createCloudHealth } from './health.ts';

const call = (status: number | null): CallReport => ({
  mid: '100001',
  operation: 'rest:isrunning',
  status,
  errorCode: null,
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
