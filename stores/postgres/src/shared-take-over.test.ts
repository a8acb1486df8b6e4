import { newJob } from '@millrace/store-contract';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { type TestDatabases, testDatabases } from '../test/databases.ts';
import { type PostgresStore, openPostgresStore } from './index.ts';

/** A lost worker's claim may be of any size, and is taken over in parts that the database can do in time. */

const JOBS = 2_500;

let databases: TestDatabases;
let url: string;
let store: PostgresStore;
let other: pg.Client;
const cleanups: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  databases = await testDatabases();
});
afterAll(() => databases.remove());
beforeEach(async () => {
  const database = await databases.create();
  cleanups.push(() => database.drop());
  url = database.url;
  store = await openPostgresStore({ url });
  cleanups.push(() => store.close());
  other = new pg.Client(url);
  await other.connect();
  cleanups.push(() => other.end());
  await store.enqueue({ jobs: Array.from({ length: JOBS }, () => newJob()) });
  expect((await claim(JOBS)).jobs).toHaveLength(JOBS);
  await other.query(`UPDATE millrace.shared_lease SET until = now() - interval '1 second'`);
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

let claims = 0;
function claim(limit: number) {
  const wants = [{ kind: 'work', limit }];
  return store.claim({ worker: 'w', claim: (claims += 1), wants, limit, leaseMs: 60_000 });
}

async function sharedJobs(): Promise<unknown[]> {
  const text = 'SELECT holding, cardinality(seqs) AS named FROM millrace.shared_lease';
  return (await other.query(text)).rows;
}

/** By a client of its own: within a transaction, pg_stat_activity stays as it was first read. */
async function endWaiting(): Promise<void> {
  const looking = new pg.Client(url);
  await looking.connect();
  const text = `
    SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
  while (((await looking.query(text)).rowCount ?? 0) === 0);
  await looking.end();
}

it('a thousand jobs at a time', async () => {
  expect((await claim(1)).takenOver).toBe(1_000);
  expect(await sharedJobs()).toEqual([{ holding: 1_500, named: 1_500 }]);
  expect((await claim(1)).takenOver).toBe(1_000);
  expect((await claim(1)).takenOver).toBe(500);
  expect(await sharedJobs()).toEqual([]);
  expect((await other.query('SELECT DISTINCT seq FROM millrace.suspect')).rowCount).toBe(JOBS);
});

it('half as many after a time-out', async () => {
  // The 900th record is held until the database ends the statement that waits for it, as statement_timeout would.
  await other.query('BEGIN; SELECT FROM millrace.jobs WHERE seq = 900 FOR UPDATE');
  const ended = expect(claim(1)).rejects.toMatchObject({ name: 'StoreTimedOut' });
  await endWaiting();
  await ended;
  expect((await claim(1)).takenOver).toBe(500);
  await other.query('COMMIT');
  expect((await claim(1)).takenOver).toBe(1_000);
  expect((await claim(1)).takenOver).toBe(1_000);
  expect((await other.query('SELECT DISTINCT seq FROM millrace.suspect')).rowCount).toBe(JOBS);
});
