import { StoreStopped, defineJob, done } from '@millrace/engine';
import { createMemoryStore } from '@millrace/store-memory';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { report } from '../../test/live.ts';
import { asMain } from '../../test/service.ts';
import { type Harness, type HarnessOptions, createHarness, refusal } from '../../test/harness.ts';
import { broken, endless, hello, internal } from '../../test/kinds.ts';
import { storeCheck } from '../health.ts';

let harness: Harness;
function start(options: HarnessOptions = {}): Harness {
  harness = createHarness({ kinds: [hello, broken, internal, endless], ...options });
  return harness;
}
afterEach(() => harness.close());

describe('kinds and schedules', () => {
  test('tell what they take and what happens when they fail', async () => {
    const dated = defineJob({
      kind: 'dated',
      input: z.object({ at: z.date() }),
      run: async () => done(),
    });
    const { client } = start({ kinds: [hello, dated] });
    const { kinds } = await client.listKinds();
    expect(kinds.map(({ name }) => name)).toEqual([
      'dated',
      'hello',
      'millrace.bulk',
      'millrace.webhook',
    ]);
    expect(kinds[1]).toMatchObject({
      public: true,
      policy: '3 retries, after 1 min, 5 min and 15 min',
      concurrency: null,
      input: { type: 'object', required: ['name'] },
      paused: null,
    });
    expect(kinds[0]?.input).toBeNull();
  });

  test('are paused for all replicas and resumed', async () => {
    const { client } = start();
    const params = { kind: 'hello' };
    expect(await client.pauseKind({ params })).toEqual({ kind: 'hello', paused: true });
    await refusal(client.pauseKind({ params }), 'conflict');
    const { kinds } = await client.listKinds({ query: { paused: 'true' } });
    expect(kinds).toMatchObject([
      { name: 'hello', paused: { since: expect.stringMatching(/Z$/) } },
    ]);
    const { id } = await client.enqueue({ body: { kind: 'hello', data: { name: 'A' } } });
    expect(await client.explainJob({ params: { id } })).toMatchObject({ reason: 'kind_paused' });
    expect(await client.resumeKind({ params })).toEqual({ kind: 'hello', paused: false });
    await refusal(client.resumeKind({ params }), 'conflict');
    await refusal(client.pauseKind({ params: { kind: 'nope' } }), 'unknown_kind');
  });

  test('schedules are run now, paused and resumed', async () => {
    const nightly = {
      name: 'nightly',
      cron: '0 2 * * *',
      job: { kind: 'hello', data: { name: 'A' } },
    };
    const { client, store } = start({ schedules: [nightly] });
    const params = { name: 'nightly' };
    const record = { name: 'nightly', cron: '0 2 * * *', timeZone: 'UTC', kind: 'hello' };
    await store.schedules.sync({ schedules: [record] });
    const { id } = await client.runSchedule({ params });
    expect(await client.getJob({ params: { id } })).toMatchObject({
      kind: 'hello',
      schedule: 'nightly',
      submitter: 'development',
      data: { name: 'A' },
    });
    expect(await refusal(client.runSchedule({ params }), 'conflict')).toContain(id);
    expect(await client.pauseSchedule({ params })).toEqual({ name: 'nightly', paused: true });
    await refusal(client.pauseSchedule({ params }), 'conflict');
    const { schedules } = await client.listSchedules();
    expect(schedules).toMatchObject([{ lastJob: id, paused: { by: 'development' } }]);
    expect(await client.resumeSchedule({ params })).toEqual({ name: 'nightly', paused: false });
    await refusal(client.resumeSchedule({ params }), 'conflict');
    const meant = await refusal(
      client.runSchedule({ params: { name: 'nigthly' } }),
      'schedule_not_found',
    );
    expect(meant).toContain('Did you mean "nightly"?');
  });

  test('schedules have their next tick', async () => {
    const { client, worker, store } = start({
      schedules: [
        {
          name: 'nightly',
          cron: '0 2 * * *',
          timeZone: 'Europe/Berlin',
          job: { kind: 'hello', data: { name: 'A' } },
        },
      ],
    });
    worker.start();
    await expect.poll(() => store.schedules.all()).toHaveLength(1);
    const [schedule] = (await client.listSchedules()).schedules;
    expect(schedule).toMatchObject({
      name: 'nightly',
      kind: 'hello',
      timeZone: 'Europe/Berlin',
      lastJob: null,
    });
    expect(new Date(schedule?.nextTick ?? '').getUTCHours()).toBeOneOf([0, 1]);
  });

  test('a schedule has the time of its last job, and none before there is one', async () => {
    const nightly = {
      name: 'nightly',
      cron: '0 2 * * *',
      job: { kind: 'hello', data: { name: 'A' } },
    };
    const { client, store } = start({ schedules: [nightly] });
    const record = { name: 'nightly', cron: '0 2 * * *', timeZone: 'UTC', kind: 'hello' };
    await store.schedules.sync({ schedules: [record] });
    const only = async () => (await client.listSchedules()).schedules[0];
    expect(await only()).toMatchObject({ declared: true, lastJob: null, lastJobAt: null });
    const { id } = await client.runSchedule({ params: { name: 'nightly' } });
    const { createdAt } = await client.getJob({ params: { id } });
    expect(await only()).toMatchObject({ lastJob: id, lastJobAt: createdAt });
  });

  test('a schedule that no file declares is marked, has no next tick and cannot be paused', async () => {
    const { client, store } = start();
    const record = { name: 'nightly', cron: '0 2 * * *', timeZone: 'UTC', kind: 'hello' };
    await store.schedules.sync({ schedules: [record] });
    const { schedules } = await client.listSchedules();
    expect(schedules).toMatchObject([{ name: 'nightly', declared: false, nextTick: null }]);
    const said = await refusal(
      client.pauseSchedule({ params: { name: 'nightly' } }),
      'schedule_not_found',
    );
    expect(said).toContain('declares the schedule "nightly" any more');
    expect(said).toContain('"millrace schedules delete nightly" removes it');
  });

  test('a schedule is deleted once no file declares it, and not before', async () => {
    const declared = {
      name: 'nightly',
      cron: '0 2 * * *',
      job: { kind: 'hello', data: { name: 'A' } },
    };
    const { client, store } = start({ schedules: [declared] });
    const record = { name: 'nightly', cron: '0 2 * * *', timeZone: 'UTC', kind: 'hello' };
    await store.schedules.sync({ schedules: [record, { ...record, name: 'old' }] });
    const why = await refusal(client.deleteSchedule({ params: { name: 'nightly' } }), 'conflict');
    expect(why).toContain('declares the schedule "nightly"');
    const params = { name: 'old' };
    expect(await client.deleteSchedule({ params })).toEqual({ name: 'old', deleted: true });
    const { schedules } = await client.listSchedules();
    expect(schedules.map(({ name }) => name)).toEqual(['nightly']);
    await refusal(client.deleteSchedule({ params }), 'schedule_not_found');
  });
});

describe('the worker', () => {
  test('is stopped and started by hand; 409 if there is nothing to change', async () => {
    const { client, worker } = start();
    worker.start();
    expect(await client.stopWorker()).toMatchObject({ isRunning: false });
    await refusal(client.stopWorker(), 'conflict');
    expect(await client.workerStatus()).toMatchObject({ isRunning: false });
    expect(await client.startWorker()).toMatchObject({ isRunning: true });
    await refusal(client.startWorker(), 'conflict');
  });

  test('tells what it has done, and of all replicas', async () => {
    const { client, worker, next, store } = start();
    await store.control.reportWorker({
      worker: 'of-another-version',
      kinds: ['hello'],
      stats: '{"v":2}',
    });
    await client.enqueueBatch({
      body: [
        { kind: 'hello', data: { name: 'A' } },
        { kind: 'broken' },
        { kind: 'hello', data: { name: 'B' }, delay: '1h' },
      ],
    });
    let ended = 0;
    const both = Promise.all([next('job.succeeded'), next('job.failed')]).then(() => (ended += 1));
    worker.start();
    await both;
    await expect.poll(() => store.control.workers()).toHaveLength(2);
    const stats = await client.workerStats({}, { headers: { 'x-correlation-id': 'mine' } });
    expect(stats).toMatchObject({
      hasWorker: true,
      isRunning: true,
      // What is for later is no backlog.
      currentQueueDepth: 0,
      currentScheduled: 1,
      totalProcessed: 2,
      totalSucceeded: 1,
      totalFailed: 1,
      totalRetries: 0,
      uptimeSeconds: 0,
      correlationId: 'mine',
      pools: [{ name: 'default', inFlight: 0 }],
    });
    expect(stats.lastPollTime).toMatch(/Z$/);
    expect(stats.replicas.map(({ id }) => id)).toEqual(['worker-1']);
  });

  test('is silent once it has missed three reports, unless it had stopped', async () => {
    let now = Date.UTC(2026, 0, 31, 9, 30);
    const { client, store } = start({
      store: () => asMain(createMemoryStore({ now: () => now, name: 'mem' })),
    });
    for (const [worker, state] of [
      ['dead', 'running'],
      ['gone', 'stopped'],
      ['held', 'paused'],
    ] as const)
      await report(store, worker, state);
    const states = async () =>
      (await client.workerStats()).replicas.map(({ id, state, seenAt }) => [id, state, seenAt]);
    const before = '2026-01-31T09:30:00.000Z';
    now += 30_000;
    expect(await states()).toEqual([
      ['dead', 'running', before],
      ['gone', 'stopped', before],
      ['held', 'paused', before],
    ]);
    now += 1;
    expect(await states()).toEqual([
      ['dead', 'silent', before],
      ['held', 'silent', before],
    ]);
    now += 3_600_000;
    expect(await states()).toEqual([]);
  });

  test('is missing in a process that only serves the API', async () => {
    const { client } = start({ parts: { worker: null } });
    expect(await client.workerStatus()).toMatchObject({
      hasWorker: false,
      isRunning: false,
      lastPollTime: null,
    });
    const stats = await client.workerStats();
    expect(stats).toMatchObject({ hasWorker: false, totalProcessed: 0, pools: [] });
    // Of the process: "up 0 s" for ever would look like one that starts again and again.
    expect(stats.uptimeSeconds).toBeGreaterThan(0);
    expect(await refusal(client.stopWorker(), 'conflict')).toContain('MILLRACE_ROLE=api');
  });

  test('alone serves only health and itself', async () => {
    const { client } = start({ config: { role: 'worker' } });
    expect(await client.healthz()).toEqual({ status: 'ok' });
    expect(await client.workerStatus()).toMatchObject({ currentQueueDepth: 0 });
    await refusal(client.enqueue({ body: { kind: 'hello' } }), 'not_found');
    await refusal(client.listJobs(), 'not_found');
  });
});

describe('readiness', () => {
  test('is 200 with a store', async () => {
    const { client } = start();
    expect(await client.readyz()).toMatchObject({
      status: 'ready',
      checks: [{ name: 'store', ok: true }],
    });
  });

  test('is 503 without one, and tells strangers nothing about it', async () => {
    const { app, lines } = start({
      store: (store) => ({
        ...store,
        now: () => Promise.reject(new Error('connect ECONNREFUSED 10.1.2.3:5432')),
      }),
    });
    const response = await app.inject('/readyz');
    expect(response.statusCode).toBe(503);
    expect(response.json()).toMatchObject({
      status: 'unavailable',
      checks: [{ name: 'store', ok: false }],
    });
    expect(response.body).not.toContain('10.1.2.3');
    expect(lines.join('')).toContain('10.1.2.3');
  });

  test('is 503 where the store answers and refuses its work, and says why', async () => {
    let refuses: string | null = 'The disk of the database is full.';
    const check = storeCheck(
      { now: () => Promise.resolve(0) },
      { trouble: () => refuses, stopped: () => null },
    );
    const { client, lines } = start({ parts: { checks: [check] } });
    expect(await client.readyz()).toMatchObject({
      status: 'unavailable',
      checks: [
        {
          name: 'store',
          ok: false,
          detail: 'The disk of the database is full. Work goes on by itself once that is fixed.',
        },
      ],
    });
    expect(lines.join('')).toContain('The disk of the database is full.');
    refuses = null;
    expect(await client.readyz()).toMatchObject({ status: 'ready' });
  });

  test('health falls too, and everybody is informed, when nothing but a restart helps', async () => {
    const sentence = 'The embedded database has stopped. Restart this process.';
    const stopped = () => sentence;
    const now = () => Promise.reject(new StoreStopped(sentence));
    const { app, client } = start({
      store: (store) => ({ ...store, list: () => Promise.reject(new StoreStopped(sentence)) }),
      parts: { stopped, checks: [storeCheck({ now }, { trouble: () => null, stopped })] },
    });
    const health = await app.inject('/healthz');
    expect([health.statusCode, health.json()]).toEqual([
      503,
      { status: 'stopped', detail: sentence },
    ]);
    expect(await client.readyz()).toMatchObject({ checks: [{ detail: sentence }] });
    expect(await refusal(client.listJobs(), 'store_unavailable')).toBe(sentence);
  });

  test('is 503 when the store hangs', async () => {
    const { client } = start({
      store: (store) => ({ ...store, now: () => new Promise(() => {}) }),
    });
    expect(await client.readyz()).toMatchObject({ status: 'unavailable' });
  });

  test('falls when the process was asked to stop, while health does not', async () => {
    const { app, client, lines } = start({ parts: { isStopping: () => true } });
    expect((await app.inject('/readyz')).statusCode).toBe(503);
    expect(await client.readyz()).toMatchObject({ status: 'stopping' });
    expect(await client.healthz()).toEqual({ status: 'ok' });
    expect(lines.join('')).toContain('/readyz');
    expect(lines.join('')).not.toMatch(/"level":"(warn|error)"/);
  });
});
