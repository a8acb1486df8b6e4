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
