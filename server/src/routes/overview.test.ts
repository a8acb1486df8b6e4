import { WINDOWS } from '@millrace/api';
import { defineJob, done } from '@millrace/engine';
import type { Failure } from '@millrace/store-postgres';
import { createVirtualTime } from '@millrace/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { createMemoryFigures } from '../../test/figures.ts';
import { type HarnessOptions, createHarness } from '../../test/harness.ts';
import { NOTHING } from '../figures/flow.ts';
import { createSharedCache } from '../figures/shared-cache.ts';

const hello = defineJob({
  kind: 'hello',
  input: z.unknown(),
  public: true,
  quota: { queued: 5 },
  run: async () => done(null),
});

function start(options: HarnessOptions = {}) {
  const harness = createHarness({ kinds: [hello], ...options });
  onTestFinished(() => harness.close());
  return harness;
}

test('what waits is counted by why, and the parts add up', async () => {
  const time = createVirtualTime();
  const { client, store } = start({
    clock: time.process(),
    figures: createMemoryFigures({
      subqueues: () => [
        { kind: 'hello', tenant: '', retrying: 1, oldestDueAt: Date.now() - 61_000 },
        { kind: 'other', tenant: '', retrying: 0, oldestDueAt: 0 },
      ],
    }),
  });
  for (const delay of [0, 0, '1h', '2h'] as const)
    await client.enqueue({ body: { kind: 'hello', delay } });
  const { waiting } = await client.overview();
  expect(waiting).toEqual({
    total: 4,
    due: 2,
    retrying: 1,
    scheduled: 1,
    held: 0,
    oldestDueSeconds: expect.any(Number),
  });
  await store.control.pause({ kind: 'hello', by: 'ruth' });
  await store.control.pause({ kind: 'other', by: 'ruth' });
  expect((await client.overview()).waiting).toEqual(waiting);
  // All who ask within a second are told the same.
  await time.run(time.now() + 1_000);
  const { waiting: held, attention } = await client.overview();
  expect(held).toMatchObject({ total: 4, due: 0, held: 2, oldestDueSeconds: null });
  expect(attention).toMatchObject([
    { id: 'paused:hello', action: 'resume_kind', count: 2 },
    { id: 'paused:other', action: 'resume_kind', count: 0 },
  ]);
});

test('flow, figures and series of a window come from what was kept', async () => {
  const none = Array.from({ length: 24 }, () => 0);
  const { client } = start({
    figures: createMemoryFigures({
      sum: async ({ from, to, bucketMs, kinds }) =>
        to < Date.now() - 3_600_000
          ? []
          : [
              {
                bucket: Math.floor((to - from) / bucketMs) - 1,
                enqueued: [0, 30, 0, 0, 0, 0],
                succeeded: 97,
                failed: 3,
                canceled: 0,
                retried: 11,
                // Documents take sixteen times as long.
                ran: none.with(kinds === undefined ? 8 : 12, 97),
                waited: none.with(0, 5),
              },
            ],
      samples: async () => [{ bucket: 0, waiting: 9, oldestDueSeconds: 44, oldestAt: Date.now() }],
    }),
  });
  for (const window of WINDOWS) {
    const { series, figures, flow, from, at } = await client.overview({ query: { window } });
    expect(series.length).toBeLessThanOrEqual(60);
    expect(series[0]).toMatchObject({ at: from, waiting: 9, oldestDueSeconds: 44, p50Ms: null });
    expect(series.at(-1)).toMatchObject({ enqueued: 30, succeeded: 97, failed: 3, retried: 11 });
    expect(figures).toMatchObject({
      successRate: 0.97,
      retryRate: 11 / 111,
      peakOldestDueSeconds: 44,
    });
    expect(figures.p50Ms).toBeGreaterThan(512);
    expect(figures.p95Ms).toBeLessThanOrEqual(1_024);
    expect(figures.documentP95Ms).toBeCloseTo((figures.p95Ms ?? 0) * 16, -2);
    expect(series.at(-1)?.documentP95Ms).toBe(figures.documentP95Ms);
    const minutes = (Date.parse(at) - Date.parse(from)) / 60_000;
    expect(flow.outcomes.succeeded).toBeCloseTo(97 / minutes, 1);
    expect(flow.sources.find(({ source }) => source === 'api')?.perMinute).toBeCloseTo(
      30 / minutes,
      1,
    );
  }
});

test('a window is compared with the same time a week ago, else with the one before it', async () => {
  const HOUR = 3_600_000;
  const asked: { from: number; to: number }[] = [];
  const counted = (ago: number, perMinute: number) =>
    createMemoryFigures({
      async sum({ from, to }) {
        asked.push({ from, to });
        const about = Date.now() - ago;
        if (from > about || to < about) return [];
        return [{ bucket: 0, ...NOTHING, succeeded: perMinute * ((to - from) / 60_000) }];
      },
    });
  const before = async (ago: number, window: (typeof WINDOWS)[number]) => {
    const { client } = start({ figures: counted(ago, 5) });
    const { figures } = await client.overview({ query: { window } });
    return [figures.perMinuteBefore, figures.beforeIs];
  };
  expect(await before(7 * 24 * HOUR, '15m')).toEqual([5, 'week_ago']);
  // Minutes of a week ago are merged: whole hours are asked for.
  const old = asked.filter(({ to }) => to < Date.now() - 24 * HOUR);
  expect(old.flatMap(({ from, to }) => [from % HOUR, to % HOUR])).toEqual([0, 0]);
  expect(await before(20 * 60_000, '15m')).toEqual([5, 'window_before']);
  expect(await before(7 * 24 * HOUR, '7d')).toEqual([null, null]);
  expect(await before(40 * 24 * HOUR, '24h')).toEqual([null, null]);
});

test('nothing that ran is no rate', async () => {
  const { client } = start();
  const { figures } = await client.overview();
  expect(figures).toMatchObject({ perMinute: 0, successRate: null, retryRate: null, p50Ms: null });
});

test('history is in at most 120 buckets, whatever is asked for', async () => {
  const { client } = start();
  for (const query of [{}, { from: '2020-01-01T00:00:00Z' }, { kind: 'hello', tenant: 'acme' }]) {
    const { buckets } = await client.history({ query });
    expect(buckets.length).toBeGreaterThan(0);
    expect(buckets.length).toBeLessThanOrEqual(120);
  }
});

test('error groups, as far as failures are known', async () => {
  const failure: Failure = {
    id: 'mem-1',
    kind: 'hello',
    code: 'timeout',
    message: 'It took 7 s.',
    retryable: true,
    at: Date.now(),
  };
  const { client } = start({
    figures: createMemoryFigures({ failures: (of) => (of === 'failed' ? [failure] : []) }),
  });
  expect(await client.errorGroups()).toMatchObject({
    groups: [{ code: 'timeout', helps: 'retry', isNew: true, sample: ['mem-1'] }],
    looked: { failed: 1, retrying: 0 },
    truncated: false,
  });
  const { attention } = await client.overview();
  expect(attention).toMatchObject([{ title: '1 job of hello failed: timeout' }]);
});

test('tenants come in pages, with the quotas of what they have', async () => {
  const { client, store } = start();
  const make = (tenant: string) =>
    store.enqueue({
      jobs: [{ kind: 'hello', payload: '{}', maxAttempts: 1, tenant, priority: null }],
    });
  for (const tenant of ['globex', 'acme', 'acme']) await make(tenant);
  const first = await client.listTenants({ query: { limit: 1 } });
  expect(first.tenants).toEqual([
    {
      name: 'acme',
      waiting: 2,
      running: 0,
      failed: 0,
      quotas: [{ kind: 'hello', queued: 5, running: null, waitingNow: 2, runningNow: 0 }],
    },
  ]);
  const rest = await client.listTenants({ query: { cursor: first.next ?? '' } });
  expect(rest).toMatchObject({ tenants: [{ name: 'globex' }], next: null });
});

test('an answer is shared while it is under way and for its time, and one that failed is not kept', async () => {
  const time = createVirtualTime();
  const { answer } = createSharedCache(time.process());
  let asked = 0;
  const ask = (key: string, fails = false) =>
    answer(key, 1_000, async () => {
      asked += 1;
      if (fails) throw new Error('away');
      return asked;
    });
  expect(await Promise.all([ask('a'), ask('a')])).toEqual([1, 1]);
  await time.run(time.now() + 900);
  expect([await ask('a'), await ask('b')]).toEqual([1, 2]);
  await time.run(time.now() + 200);
  // Long in coming: kept for ten times as long.
  const slow = answer('slow', 1_000, async () => time.run(time.now() + 500).then(() => ++asked));
  await slow;
  await time.run(time.now() + 4_900);
  expect(await answer('slow', 1_000, async () => -1)).toBe(await slow);
  await time.run(time.now() + 200);
  expect(await answer('slow', 1_000, async () => -1)).toBe(-1);
  await expect(ask('a', true)).rejects.toThrow('away');
  expect(await ask('a')).toBe(5);
});
