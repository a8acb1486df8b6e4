import type { Filter } from '@millrace/engine';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestDatabases, testDatabases } from '../test/databases.ts';
import { type Recorded, rowsRead, recordStatements } from '../test/plans.ts';
import { openPg } from './pg.ts';
import { PLANNING } from './planning.ts';
import { type PostgresStore, createStore } from './store.ts';

/** What is read often, or of a table that only grows, reads the rows that it answers with and no others. */

const SIZE = 20_000;

let databases: TestDatabases;
let admin: pg.Client;
let store: PostgresStore;
let recorded: Recorded;

beforeAll(async () => {
  databases = await testDatabases();
  const { url } = await databases.create();
  admin = new pg.Client(url);
  await admin.connect();
  await admin.query(PLANNING);
  recorded = recordStatements(openPg({ url, poolSize: 2, answerWithinMs: 30_000 }));
  store = await createStore({ database: recorded.database, name: 'pg', dependants: () => [] });
  // Eve acted once, long ago; everyone else is one of ten. Every job is of the history.
  await admin.query(`
    INSERT INTO millrace.audit (at, actor, action, target, correlation_id)
    SELECT now(), CASE n WHEN 7 THEN 'eve' ELSE 'user ' || n % 10 END, 'retryJob',
           CASE n WHEN 7 THEN 'pg-7' WHEN 9 THEN NULL ELSE 'kind ' || n % 10 END, 'c'
      FROM generate_series(1, ${SIZE}) AS n;
    INSERT INTO millrace.jobs (kind, tenant, state, max_attempts, created_at, run_at, finished_at)
    SELECT 'work', '', 'SUCCEEDED', 3, now(), now(), now() FROM generate_series(1, ${SIZE});
    ANALYZE`);
});

afterAll(async () => {
  await store.close();
  await admin.end();
  await databases.remove();
});

describe('the audit log', () => {
  it.each([
    ['of nobody in particular', {}, 50],
    ['of someone busy', { actor: 'user 3' }, 50],
    ['of someone who did one thing', { actor: 'eve' }, 1],
    ['of someone unknown', { actor: 'mallory' }, 0],
    ['of a busy kind', { target: 'kind 3' }, 50],
    ['of one job', { target: 'pg-7' }, 1],
    ['of one job and who did it', { actor: 'eve', target: 'pg-7' }, 1],
  ])('%s', async (_, filter, count) => {
    for (const cursor of [{}, { cursor: `${SIZE - 500}` }]) {
      const { entries } = await store.audit.list({ filter, limit: 50, ...cursor });
      expect(entries).toHaveLength(count);
      // One more than the page tells whether there is a next one.
      expect(await rowsRead(admin, recorded.last(), 'audit')).toBeLessThanOrEqual(count + 1);
    }
  });
});

describe('jobs of a tenant', () => {
  // Ten thousand tenants of two jobs each, all older than what one busy tenant has: a walk down the history is a long one.
  beforeAll(async () => {
    await admin.query(`
      INSERT INTO millrace.jobs (kind, tenant, submitter, state, max_attempts, created_at, run_at, finished_at)
      SELECT 'work', 't' || n % 10000, 'user ' || n % 10000, CASE WHEN n < 10000 THEN 'FAILED' ELSE 'SUCCEEDED' END, 3, now(), now(), now()
        FROM generate_series(1, 20000) AS n;
      INSERT INTO millrace.jobs (kind, tenant, submitter, state, max_attempts, created_at, run_at, finished_at)
      SELECT 'work', 'busy', 'bee', CASE n % 100 WHEN 0 THEN 'FAILED' ELSE 'SUCCEEDED' END, 3, now(), now(), now()
        FROM generate_series(1, ${SIZE}) AS n;
      INSERT INTO millrace.dead (seq, kind, state) SELECT seq, kind, state FROM millrace.jobs WHERE state = 'FAILED';
      INSERT INTO millrace.counts (kind, tenant, state, n)
      SELECT kind, tenant, state, count(*) FROM millrace.jobs GROUP BY kind, tenant, state;
      ANALYZE`);
  });

  it.each<[string, Filter, number]>([
    ['who does little', { tenants: ['t7'] }, 2],
    ['who does little, of a state', { tenants: ['t7'], state: 'FAILED' }, 1],
    ['who is not there', { tenants: ['t10001'] }, 0],
    ['who is busy', { tenants: ['busy'] }, 50],
    ['by a filter', { tenant: 't7' }, 2],
    ['several', { tenants: ['t7', 't8', 'busy'] }, 50],
    ['several who do little', { tenants: ['t7', 't8', 't9'] }, 6],
    ['a submitter', { submitter: 'user 7' }, 2],
    ['a submitter within a tenant', { submitter: 'bee', tenants: ['busy'] }, 50],
    ['a submitter of elsewhere', { submitter: 'nobody', tenants: ['busy'] }, 0],
  ])('%s', async (_, filter, count) => {
    const ways = filter.tenants?.length ?? 1;
    for (const cursor of [{}, { cursor: '39990' }]) {
      const { jobs } = await store.list({ filter, limit: 50, ...cursor });
      if (cursor.cursor === undefined) expect(jobs).toHaveLength(count);
      // A page of each tenant at the most, and one more that tells whether there is a next.
      expect(await rowsRead(admin, recorded.last(), 'jobs')).toBeLessThanOrEqual(ways * 51 + 2);
    }
  });

  it('of a state that the tenant seldom has, along the shorter of both ways', async () => {
    const filter = { tenants: ['busy'], state: 'FAILED' as const };
    expect((await store.list({ filter, limit: 50 })).jobs).toHaveLength(50);
    // Of 20,000 jobs of the tenant 200 have failed, and of all jobs 10,199: the newest failures are the tenant's.
    expect(await rowsRead(admin, recorded.last(), 'jobs')).toBeLessThanOrEqual(51);
  });
});

describe('a list by phase, text, schedule or time', () => {
  // Long ago: all that the history has; now: what waits, some of it to be tried again, and what a schedule made.
  beforeAll(async () => {
    await admin.query(`
      UPDATE millrace.jobs SET created_at = now() - interval '30 days';
      INSERT INTO millrace.jobs (kind, tenant, state, max_attempts, attempt, created_at, run_at, error)
      SELECT 'wait', '', 'QUEUED', 3, (n % 100 = 0)::int, now(), now() + interval '1 day',
             CASE n % 100 WHEN 0 THEN '{"code":"x","message":"y","retryable":true}'::jsonb END
        FROM generate_series(1, 5000) AS n;
      INSERT INTO millrace.scheduled (run_at, seq, kind, tenant, rank, attempt)
      SELECT run_at, seq, kind, tenant, 32767, attempt FROM millrace.jobs WHERE kind = 'wait';
      INSERT INTO millrace.jobs (kind, tenant, state, max_attempts, created_at, run_at, schedule, correlation_id)
      SELECT 'night', '', 'SUCCEEDED', 3, now(), now(), 'nightly', 'c-' || n FROM generate_series(1, 3) AS n;
      INSERT INTO millrace.counts (kind, tenant, state, n) VALUES ('wait', '', 'OPEN', 5000), ('wait', '', 'SCHEDULED', 5000),
        ('night', '', 'SUCCEEDED', 3);
      ANALYZE`);
  });

  const DAY = 24 * 3_600_000;
  it.each<[string, Filter, number, number]>([
    ['an id', { search: 'pg-7' }, 1, 1],
    ['a correlation id', { search: 'c-2' }, 1, 1],
    ['a submitter', { search: 'user 7' }, 2, 2],
    ['a text that nothing has', { search: 'nothing' }, 0, 0],
    ['what waits to be tried again', { phases: ['retrying'] }, 50, 51],
    ['what has failed or is tried again', { phases: ['failed', 'retrying'] }, 50, 102],
    ['what waits for its moment', { phases: ['scheduled'] }, 50, 60],
    ['what is due', { phases: ['due'] }, 0, 0],
    ['what runs', { phases: ['running'] }, 0, 0],
    ['what a schedule made', { schedule: 'nightly' }, 3, 3],
    ['what a schedule made and failed', { schedule: 'nightly', state: 'FAILED' }, 0, 3],
    ['before a time', { createdBefore: Date.now() - 20 * DAY }, 50, 90],
    ['after a time, of which there is nothing', { createdAfter: Date.now() + DAY }, 0, 40],
  ])('%s', async (_, filter, count, most) => {
    const before = recorded.count();
    const { jobs } = await store.list({ filter, limit: 50 });
    expect(jobs).toHaveLength(count);
    let read = 0;
    for (const asked of recorded.since(before)) read += await rowsRead(admin, asked, 'jobs');
    expect(read).toBeLessThanOrEqual(most);
  });
});

describe('summaries', () => {
  it('read the jobs that they are of', async () => {
    const ids = ['pg-1', 'pg-15000', 'pg-19999', 'pg-99999'];
    expect(await store.summaries({ ids })).toHaveLength(3);
    expect(await rowsRead(admin, recorded.last(), 'jobs')).toBeLessThanOrEqual(ids.length);
  });

  it('of no job do not ask the database', async () => {
    const before = recorded.count();
    expect(await store.summaries({ ids: [] })).toEqual([]);
    expect(await store.summaries({ ids: ['mem-1', 'nonsense'] })).toEqual([]);
    expect(recorded.count()).toBe(before);
  });
});

describe('figures of the whole', () => {
  beforeAll(async () => {
    await admin.query(`
      INSERT INTO millrace.ready SELECT 'work', '', 32767, seq, 0 FROM millrace.jobs WHERE kind = 'work' AND tenant = '';
      INSERT INTO millrace.ready SELECT 'more', 't' || n, 32767, n, 0 FROM generate_series(1, 3) AS n;
      INSERT INTO millrace.scheduled (run_at, seq, kind, tenant, rank, attempt)
      SELECT now() + interval '1 day', seq, 'work', '', 32767, CASE WHEN seq <= 7 THEN 1 ELSE 0 END
        FROM millrace.jobs WHERE seq <= ${SIZE};
      INSERT INTO millrace.rollups
      SELECT 2, 't' || n % 1000, date_trunc('minute', now()) - n / 1000 * interval '1 minute', 'work', 'r', false, 1,
             array_fill(1, ARRAY[6]), 1, 1, 1, 1, array_fill(1, ARRAY[24]), array_fill(1, ARRAY[24])
        FROM generate_series(1, ${SIZE}) AS n;
      ANALYZE`);
  });

  it('how much waits and since when reads a row of each subqueue, and of later jobs those that retry', async () => {
    const subqueues = await store.figures.waiting();
    expect(subqueues.length).toBeLessThanOrEqual(5);
    expect(subqueues.find(({ kind }) => kind === 'work')).toMatchObject({ retrying: 7 });
    expect(await rowsRead(admin, recorded.last(), 'ready')).toBeLessThanOrEqual(6);
    const retrying = subqueues.reduce((sum, subqueue) => sum + subqueue.retrying, 0);
    expect(retrying).toBeLessThan(SIZE / 10);
    expect(await rowsRead(admin, recorded.last(), 'scheduled')).toBeLessThanOrEqual(retrying + 3);
    expect(await rowsRead(admin, recorded.last(), 'jobs')).toBeLessThanOrEqual(5);
  });

  it('what a tenant did in a time reads those minutes of the tenant', async () => {
    const to = Date.now() + 60_000;
    const range = { from: to - 5 * 60_000, to, bucketMs: 60_000 };
    const sums = await store.figures.sum({ ...range, tenants: ['t7'] });
    expect(sums.length).toBeGreaterThan(0);
    expect(await rowsRead(admin, recorded.last(), 'rollups')).toBeLessThanOrEqual(5);
  });

  it('failures of a tenant who does little read their history', async () => {
    const failures = await store.figures.failures({
      of: 'failed',
      filter: { tenants: ['t7'] },
      limit: 20_001,
    });
    expect(failures).toHaveLength(1);
    expect(await rowsRead(admin, recorded.last(), 'jobs')).toBeLessThanOrEqual(2);
  });
});
