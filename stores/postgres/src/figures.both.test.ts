import type { NewJob } from '@millrace/engine';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DATABASES, type TestDatabase, openTestDatabase } from '../test/stores.ts';
import { BUCKETS, LEVEL, type Rollup, SOURCES, type Tally } from './figures.ts';
import type { PostgresStore } from './index.ts';

const NOW = Date.parse('2026-03-10T12:34:00Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

function job(kind: string, more: Partial<NewJob> = {}): NewJob {
  return { kind, payload: '{}', maxAttempts: 3, tenant: '', priority: null, ...more };
}

function list(length: number, at: Readonly<Record<number, number>>): number[] {
  return Array.from({ length }, (_, index) => at[index] ?? 0);
}

function rollup(minute: number, more: Partial<Rollup> = {}): Rollup {
  return {
    level: LEVEL.all,
    tenant: '',
    kind: '',
    minute,
    enqueued: list(SOURCES.length, {}),
    succeeded: 0,
    failed: 0,
    canceled: 0,
    retried: 0,
    ran: list(BUCKETS, {}),
    waited: list(BUCKETS, {}),
    ...more,
  };
}

describe.each(DATABASES)('on %s', (which) => {
  let database: TestDatabase;
  let store: PostgresStore;

  beforeAll(async () => {
    database = await openTestDatabase(which);
  }, 60_000);
  afterAll(() => database.drop());
  beforeEach(async () => {
    await database.reset();
    store = await database.open();
    await setClock(NOW);
  }, 60_000);
  afterEach(() => store.close());

  const setClock = (ms: number) =>
    database.script(
      `CREATE OR REPLACE FUNCTION millrace.clock() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE AS 'SELECT to_timestamp(${ms / 1_000})'`,
    );
  const keep = (replica: string, version: number, rollups: readonly Rollup[]) =>
    store.figures.keep({ replica, version, rollups });
  const sum = (more: Partial<Parameters<PostgresStore['figures']['sum']>[0]> = {}) =>
    store.figures.sum({
      from: NOW - 10 * MINUTE,
      to: NOW + MINUTE,
      bucketMs: MINUTE,
      tenants: 'all',
      ...more,
    });

  describe('rollups', () => {
    test('a row that comes twice counts once, and a late one sets nothing back', async () => {
      await keep('a', 1, [rollup(NOW, { succeeded: 3 })]);
      await keep('a', 1, [rollup(NOW, { succeeded: 3 })]);
      await keep('a', 2, [rollup(NOW, { succeeded: 5, enqueued: list(6, { 1: 7 }) })]);
      await keep('a', 1, [rollup(NOW, { succeeded: 3 })]);
      expect(await sum()).toMatchObject([
        { bucket: 10, succeeded: 5, enqueued: [0, 7, 0, 0, 0, 0] },
      ]);
    });

    test('replicas and minutes are added up by bucket, histograms element by element', async () => {
      const ran = list(BUCKETS, { 0: 1, 23: 2 });
      await keep('a', 1, [rollup(NOW - MINUTE, { failed: 1, ran }), rollup(NOW, { failed: 2 })]);
      await keep('b', 1, [rollup(NOW, { retried: 4, ran, waited: list(BUCKETS, { 5: 9 }) })]);
      const [all] = await sum({ bucketMs: HOUR, from: NOW - 30 * MINUTE });
      expect(all).toMatchObject({
        bucket: 0,
        failed: 3,
        retried: 4,
        ran: list(BUCKETS, { 0: 2, 23: 4 }),
        waited: list(BUCKETS, { 5: 9 }),
      });
    });

    test('each level answers for itself: all, a kind, tenants', async () => {
      const of = (level: Rollup['level'], tenant: string, kind: string, succeeded: number) =>
        rollup(NOW, { level, tenant, kind, succeeded });
      await keep('a', 1, [
        of(LEVEL.all, '', '', 9),
        of(LEVEL.kind, '', 'x', 6),
        of(LEVEL.kind, '', 'y', 3),
        of(LEVEL.subqueue, 'acme', 'x', 4),
        of(LEVEL.subqueue, '', 'x', 2),
        of(LEVEL.subqueue, 'acme', 'y', 3),
      ]);
      const succeeded = async (asked: Parameters<typeof sum>[0]) =>
        (await sum(asked)).map((each) => each.succeeded);
      expect(await succeeded({})).toEqual([9]);
      expect(await succeeded({ kinds: ['x'] })).toEqual([6]);
      expect(await succeeded({ kinds: ['x', 'y', 'z'] })).toEqual([9]);
      expect(await succeeded({ kinds: [] })).toEqual([]);
      expect(await succeeded({ tenants: ['acme'] })).toEqual([7]);
      expect(await succeeded({ tenants: [''] })).toEqual([2]);
      expect(await succeeded({ tenants: ['acme', ''], kinds: ['x'] })).toEqual([6]);
      expect(await succeeded({ tenants: ['globex'] })).toEqual([]);
      expect(await succeeded({ tenants: [] })).toEqual([]);
    });

    test('more rows than one statement takes', async () => {
      const rows = Array.from({ length: 2_500 }, (_, index) =>
        rollup(NOW, { level: LEVEL.subqueue, tenant: `t${index}`, kind: 'x', succeeded: 1 }),
      );
      await keep('a', 1, rows);
      const tenants = rows.map(({ tenant }) => tenant);
      expect(await sum({ tenants })).toMatchObject([{ succeeded: 2_500 }]);
    });

    test('after two days the minutes of all replicas are one hour, after eight they are gone', async () => {
      const old = NOW - 3 * DAY;
      const hour = Math.floor(old / HOUR) * HOUR;
      const ran = list(BUCKETS, { 3: 1 });
      await keep('a', 1, [
        rollup(hour, { succeeded: 1, ran }),
        rollup(hour + MINUTE, { succeeded: 2, ran, enqueued: list(6, { 5: 1 }) }),
        rollup(hour + HOUR, { succeeded: 100 }),
        rollup(NOW, { succeeded: 50 }),
      ]);
      await keep('b', 1, [rollup(hour, { succeeded: 4 })]);
      const before = await sum({ from: hour, to: NOW + MINUTE, bucketMs: HOUR });
      let steps = 0;
      while ((await store.figures.tidy()).more) steps += 1;
      expect(steps).toBe(2);
      expect(await sum({ from: hour, to: NOW + MINUTE, bucketMs: HOUR })).toEqual(before);
      expect(await sum({ from: hour, to: hour + 2 * HOUR, bucketMs: MINUTE })).toMatchObject([
        { bucket: 0, succeeded: 7, ran: list(BUCKETS, { 3: 2 }), enqueued: [0, 0, 0, 0, 0, 1] },
        { bucket: 60, succeeded: 100 },
      ]);
      // What comes late for an hour that is merged already is added to it.
      await keep('c', 1, [rollup(hour, { succeeded: 1, ran })]);
      await store.figures.tidy();
      const [merged] = await sum({ from: hour, to: hour + HOUR, bucketMs: HOUR });
      expect(merged).toMatchObject({ succeeded: 8, ran: list(BUCKETS, { 3: 3 }) });
      await setClock(NOW + 6 * DAY);
      while ((await store.figures.tidy()).more);
      expect(await sum({ from: hour, to: NOW + MINUTE, bucketMs: DAY * 9 })).toMatchObject([
        { succeeded: 50 },
      ]);
    });
  });

  test('samples: the first of a minute stays, tenants are added up, the most of a bucket is given', async () => {
    const sample = (tenant: string | null, waiting: number, oldestDueSeconds: number | null) => ({
      tenant,
      waiting,
      due: waiting,
      running: 0,
      oldestDueSeconds,
    });
    const { figures } = store;
    expect(await figures.wantsSample({ minute: NOW })).toBe(true);
    await figures.sample({
      minute: NOW,
      samples: [sample(null, 7, 9.5), sample('acme', 4, null), sample('globex', 3, 9.5)],
    });
    expect(await figures.wantsSample({ minute: NOW })).toBe(false);
    await figures.sample({ minute: NOW, samples: [sample(null, 1, 1)] });
    await figures.sample({ minute: NOW - MINUTE, samples: [sample(null, 2, 30)] });
    const read = (tenants: readonly string[] | 'all') =>
      figures.samples({ from: NOW - HOUR, to: NOW + HOUR, bucketMs: 2 * HOUR, tenants });
    expect(await read('all')).toEqual([
      { bucket: 0, waiting: 7, oldestDueSeconds: 30, oldestAt: NOW - MINUTE },
    ]);
    expect(await read(['acme', 'globex'])).toEqual([
      { bucket: 0, waiting: 7, oldestDueSeconds: 9.5, oldestAt: NOW },
    ]);
    expect(await read(['acme'])).toEqual([
      { bucket: 0, waiting: 4, oldestDueSeconds: null, oldestAt: null },
    ]);
    await setClock(NOW + 9 * DAY);
    await figures.tidy();
    expect(await read('all')).toEqual([]);
  });

  const claimOf = (kind: string, limit = 10) =>
    store.claim({
      worker: 'w',
      claim: 1 + Math.floor(Math.random() * 1e9),
      wants: [{ kind, limit }],
      limit,
      leaseMs: 60_000,
    });
  const fail = async (kind: string, message: string, move: 'fail' | 'retry') => {
    const { jobs } = await claimOf(kind);
    const error = { code: 'broken', message, retryable: true };
    await store.settle({
      settlements: jobs.map((each) => ({
        job: each,
        children: [],
        outcome:
          move === 'fail'
            ? { move, error, stack: null }
            : { move, error, stack: null, delayMs: HOUR },
      })),
    });
    return jobs.map(({ id }) => id);
  };

  test('what waits: how many retry and how long the oldest has been due, by kind and tenant', async () => {
    await store.enqueue({
      jobs: [job('a'), job('a', { tenant: 'acme' }), job('later', { due: { afterMs: DAY } })],
    });
    await setClock(NOW + 5_000);
    await store.enqueue({ jobs: [job('a', { priority: 5 }), job('b'), job('a')] });
    await fail('b', 'No.', 'retry');
    const subqueues = await store.figures.waiting();
    expect(subqueues.toSorted((x, y) => (x.kind + x.tenant < y.kind + y.tenant ? -1 : 1))).toEqual([
      { kind: 'a', tenant: '', retrying: 0, oldestDueAt: NOW },
      { kind: 'a', tenant: 'acme', retrying: 0, oldestDueAt: NOW },
      { kind: 'b', tenant: '', retrying: 1, oldestDueAt: null },
    ]);
    // One that nobody has moved to the others yet is due all the same.
    await setClock(NOW + 2 * DAY);
    expect(await store.figures.waiting()).toContainEqual({
      kind: 'later',
      tenant: '',
      retrying: 0,
      oldestDueAt: NOW + DAY,
    });
  });

  test('failures: those that have ended and those that wait for a retry, of one kind, tenant or submitter', async () => {
    await store.enqueue({
      jobs: [job('a', { submitter: 'ada' }), job('a', { tenant: 'acme', submitter: 'bob' })],
    });
    const failed = await fail('a', 'The disk is full.', 'fail');
    await store.enqueue({ jobs: [job('b', { tenant: 'acme' })] });
    await fail('b', 'Busy.', 'retry');
    const ask = (
      of: 'failed' | 'retrying',
      filter: Parameters<PostgresStore['figures']['failures']>[0]['filter'] = {},
      limit = 10,
    ) => store.figures.failures({ of, filter, limit });
    const all = await ask('failed');
    expect(all.map(({ id }) => id)).toEqual(failed.toReversed());
    expect(all[0]).toMatchObject({
      kind: 'a',
      code: 'broken',
      message: 'The disk is full.',
      retryable: true,
      at: NOW,
    });
    expect(await ask('failed', {}, 1)).toHaveLength(1);
    expect(await ask('failed', { tenants: ['acme'] })).toHaveLength(1);
    expect(await ask('failed', { submitter: 'ada' })).toHaveLength(1);
    expect(await ask('failed', { kind: 'b' })).toEqual([]);
    expect(await ask('retrying')).toMatchObject([{ kind: 'b', message: 'Busy.', at: NOW }]);
    expect(await ask('retrying', { tenants: [''] })).toEqual([]);
    expect(await ask('retrying', { kind: 'a' })).toEqual([]);
    expect(await ask('retrying', { submitter: 'ada' })).toEqual([]);
  });

  test('the tally hears what is made and ended here, however it came about', async () => {
    await store.close();
    store = await database.open((parent) =>
      parent.kind === 'parent' ? [{ child: job('child', { parents: { parent: parent.id } }) }] : [],
    );
    const heard: string[] = [];
    const tally: Tally = {
      made: (jobs) => heard.push(...jobs.map(({ kind }) => `made ${kind}`)),
      ended: (jobs) => heard.push(...jobs.map(({ kind, state }) => `${state} ${kind}`)),
    };
    store.figures.listen(tally);
    const key = { value: 'k', windowMs: 0 };
    await store.enqueue({ jobs: [job('parent', { key })] });
    await store.enqueue({ jobs: [job('parent', { key })] });
    const { jobs } = await claimOf('parent');
    await store.settle({
      settlements: jobs.map((each) => ({
        job: each,
        children: [job('by itself')],
        outcome: { move: 'succeed', result: 'null', purgePayload: false, effects: [] },
      })),
    });
    await store.cancel({ select: { filter: { kind: 'child' }, limit: 10 } });
    expect(heard).toEqual(['made parent', 'made by itself', 'made child', 'CANCELED child']);
  });

  test('a claim tells since when a job could have run', async () => {
    await store.enqueue({ jobs: [job('a'), job('a', { due: { afterMs: HOUR } })] });
    const [now] = (await claimOf('a')).jobs;
    expect(now).toMatchObject({ createdAt: NOW, dueAt: NOW });
    await setClock(NOW + 2 * HOUR);
    const { jobs } = await claimOf('a');
    expect(jobs.map(({ dueAt }) => dueAt)).toContain(NOW + HOUR);
  });
});
