import { type EventMap, type EventName, createEvents } from '@millrace/engine';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { start } from '../../../test/telemetry.ts';
import type { Telemetry } from '../types.ts';

const job = { id: 'mem-1', kind: 'hello', tenant: 'acme', attempt: 1, correlationId: 'c' };
const error = { code: 'timeout', message: 'It took too long.', retryable: true };
const events = createEvents();
let telemetry: Telemetry;

beforeEach(async () => {
  telemetry = await start();
  telemetry.watch(events);
  telemetry.observe({
    store: { counts: () => Promise.resolve([]) },
    worker: null,
    registry: { all: () => [{ kind: 'hello' }] as never },
  });
});
afterEach(() => telemetry.stop());

async function told<Name extends EventName>(name: Name, event: EventMap[Name]): Promise<string> {
  events.emit(name, event);
  return await telemetry.scrape();
}

const timed = { ...job, durationMs: 12 };

test.each([
  ['job.succeeded', timed, 'succeeded'],
  ['job.failed', { ...timed, error, stack: null }, 'failed'],
  ['job.retrying', { ...timed, error, stack: null, delayMs: 5 }, 'retrying'],
  ['job.deferred', { ...timed, delayMs: 5 }, 'deferred'],
  ['job.canceled', timed, 'canceled'],
  ['job.handedBack', timed, 'handed_back'],
] as const)('%s is an execution that took its time', async (name, event, outcome) => {
  const text = await told(name, event as never);
  expect(text).toContain(`job_duration_seconds_sum{kind="hello",outcome="${outcome}"} 0.012\n`);
});

test('a retry has its attempt and its reason', async () => {
  const text = await told('job.retrying', {
    ...timed,
    attempt: 12,
    error,
    stack: null,
    delayMs: 5,
  });
  expect(text).toContain('retries_total{kind="hello",attempt="10+",reason="timeout"} 1\n');
  expect(text).not.toContain('job_failures_total{');
});

test('a failure has its reason, and so has a lost worker', async () => {
  await told('job.failed', { ...timed, error, stack: null });
  const text = await told('job.lost', { ...job });
  expect(text).toContain('job_failures_total{kind="hello",reason="timeout"} 1\n');
  expect(text).toContain('job_failures_total{kind="hello",reason="worker_lost"} 1\n');
});

test('only jobs that were made are enqueued', async () => {
  await told('job.enqueued', { ...job, created: true });
  const text = await told('job.enqueued', { ...job, created: false });
  expect(text).toContain('jobs_enqueued_total{kind="hello"} 1\n');
});

test('leases and batches', async () => {
  await told('lease.fenced', { id: 'mem-1', kind: 'hello', correlationId: 'c', write: 'settle' });
  await told('lease.takenOver', { count: 3, jobs: [], workers: [], from: [] });
  const text = await told('settle.flushed', { size: 17 });
  expect(text).toContain('fenced_writes_total{write="settle"} 1\n');
  expect(text).toContain('lease_takeovers_total 3\n');
  expect(text).toContain('settle_batch_size_sum 17\n');
});

test('events that nobody needs are not asked for', () => {
  expect(events.wants('job.succeeded')).toBe(true);
  expect(events.wants('job.started')).toBe(false);
  expect(events.wants('pool.polled')).toBe(false);
});

test('after the end, nothing is counted any more', async () => {
  await telemetry.stop();
  expect(events.wants('job.succeeded')).toBe(false);
});
