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
