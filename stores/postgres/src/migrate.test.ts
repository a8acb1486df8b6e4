import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestDatabase, type TestDatabases, testDatabases } from '../test/databases.ts';
import { type PostgresStore, openPostgresStore } from './index.ts';
import { migrate } from './migrate.ts';
import { openPg } from './pg.ts';

const FIRST = '001-queue.sql';
const ALL = [
  FIRST,
  '002-service.sql',
  '003-leases.sql',
  '004-shared-leases.sql',
  '005-paused-schedules.sql',
  '006-audit-subject.sql',
  '007-tenants.sql',
  '008-names.sql',
  '009-figures.sql',
  '010-acting.sql',
  '011-saved.sql',
];

let databases: TestDatabases;
let database: TestDatabase;
let client: pg.Client;
let stores: PostgresStore[];

beforeAll(async () => {
  databases = await testDatabases();
});
afterAll(() => databases.remove());

beforeEach(async () => {
  database = await databases.createBare();
  client = new pg.Client(database.url);
  await client.connect();
  stores = [];
});
afterEach(async () => {
  await Promise.all(stores.map((store) => store.close()));
  await client.end();
  await database.drop();
});

async function open(): Promise<PostgresStore> {
  const store = await openPostgresStore({ url: database.url });
  stores.push(store);
  return store;
}

/** As the first release left it. */
async function setUpFirstRelease(): Promise<void> {
  await client.query(`
    CREATE SCHEMA millrace;
    CREATE TABLE millrace.migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())`);
  await client.query(await readFile(new URL(`../migrations/${FIRST}`, import.meta.url), 'utf8'));
  await client.query('INSERT INTO millrace.migrations (name) VALUES ($1)', [FIRST]);
}

/** What the first release wrote at enqueue: a job that is due. */
async function addAsFirstRelease(kind: string): Promise<string> {
  const { rows } = await client.query<{ seq: string }>(
    `
WITH record AS (
  INSERT INTO millrace.jobs (kind, tenant, state, max_attempts, created_at, run_at, payload, correlation_id)
  VALUES ($1, 'acme', 'QUEUED', 3, now(), now(), '{"a":1}', 'correlation-1') RETURNING seq, kind, tenant
), due AS (
  INSERT INTO millrace.ready (kind, tenant, rank, seq, attempt) SELECT kind, tenant, 32767, seq, 0 FROM record
), counted AS (
  INSERT INTO millrace.count_delta (kind, tenant, state, n) SELECT kind, tenant, 'OPEN', 1 FROM record
)
SELECT seq FROM record`,
    [kind],
  );
  return `pg-${rows[0]?.seq}`;
}

/** And at a claim, whose lease has ended by now if the worker went away. */
async function leaseAsFirstRelease(id: string, until: string): Promise<number> {
  const { rows } = await client.query<{ epoch: string }>(
    `
WITH gone AS (DELETE FROM millrace.ready WHERE seq = $1 RETURNING *)
INSERT INTO millrace.lease (seq, epoch, until, started_at, kind, tenant, rank, attempt, worker, claim)
SELECT seq, nextval('millrace.epoch'), now() + $2::interval, now(), kind, tenant, rank, attempt + 1, 'w1', 'c1' FROM gone
RETURNING epoch`,
    [id.slice('pg-'.length), until],
  );
  return Number(rows[0]?.epoch);
}

async function applied(): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    'SELECT name FROM millrace.migrations ORDER BY name',
  );
  return rows.map(({ name }) => name);
}

function claim(store: PostgresStore, kind: string, alone = false) {
  return store.claim({
    worker: 'w2',
    claim: 1,
    wants: [{ kind, limit: 10 }],
    limit: 10,
    leaseMs: 60_000,
    alone,
  });
}

describe('a database of the first release', () => {
  it('goes on with the jobs that are in it', async () => {
    await setUpFirstRelease();
    const waiting = await addAsFirstRelease('waiting');
    const running = await addAsFirstRelease('running');
    const epoch = await leaseAsFirstRelease(running, '1 hour');
    const left = await addAsFirstRelease('left');
    await leaseAsFirstRelease(left, '-1 hour');

    const store = await open();
    expect(await applied()).toEqual(ALL);
    expect(await store.summaries({ ids: [waiting, running, left] })).toHaveLength(3);

    const [job] = (await claim(store, 'waiting')).jobs;
    expect(job).toMatchObject({ id: waiting, payload: '{"a": 1}', traceparent: null });
    if (job === undefined) throw new Error('Nothing was claimed.');
    const done = { move: 'succeed', result: '1', purgePayload: false, effects: [] } as const;
    // The one that runs is a worker's that the first release runs still.
    const settled = await store.settle({
      settlements: [job, { ...job, id: running, epoch, claim: 0 }].map((each) => ({
        job: each,
        outcome: done,
        children: [],
      })),
    });
    expect(settled).toEqual(['settled', 'settled']);
    await claim(store, 'left');
    expect((await claim(store, 'left', true)).jobs).toMatchObject([
      { id: left, attempt: 2, traceparent: null },
    ]);
    expect(await store.counts()).toEqual([
      { kind: 'left', tenant: 'acme', state: 'PROCESSING', count: 1, scheduled: 0 },
      { kind: 'running', tenant: 'acme', state: 'SUCCEEDED', count: 1, scheduled: 0 },
      { kind: 'waiting', tenant: 'acme', state: 'SUCCEEDED', count: 1, scheduled: 0 },
    ]);
  });

  it('takes what is new beside what processes of the first release still add', async () => {
    await setUpFirstRelease();
    const store = await open();
    const old = await addAsFirstRelease('work');
    const job = { kind: 'work', payload: '{}', maxAttempts: 1, tenant: 'acme', priority: null };
    await store.enqueue({ jobs: [{ ...job, traceparent: 'trace' }] });
    expect((await claim(store, 'work')).jobs).toMatchObject([
      { id: old, traceparent: null },
      { traceparent: 'trace' },
    ]);
    // As a release writes that does not know the subject.
    await client.query(
      `INSERT INTO millrace.audit (at, actor, action, correlation_id) VALUES (now(), 'bob', 'pauseKind', 'c')`,
    );
    const who = { actor: 'ann', subject: 's', tenants: ['acme'], correlationId: 'c' };
    const entry = { ...who, action: 'cancelJob', target: old, filter: null };
    const id = await store.audit.begin({ entry });
    expect((await store.audit.list({ filter: {}, limit: 2 })).entries).toMatchObject([
      { id, actor: 'ann', subject: 's', tenants: ['acme'] },
      { actor: 'bob', subject: null, tenants: null },
    ]);
  });

  it('is brought up to date once by replicas that start together', async () => {
    await setUpFirstRelease();
    const replicas = Array.from({ length: 4 }, () =>
      openPg({ url: database.url, poolSize: 1, answerWithinMs: 30_000 }),
    );
    const done = await Promise.all(replicas.map((replica) => migrate(replica)));
    expect(done.flat()).toEqual(ALL.slice(1));
    await Promise.all(replicas.map((replica) => replica.close()));
  });
});

it('an empty database gets everything, and a second start has nothing to do', async () => {
  await open();
  expect(await applied()).toEqual(ALL);
  const again = openPg({ url: database.url, poolSize: 1, answerWithinMs: 30_000 });
  expect(await migrate(again)).toEqual([]);
  await again.close();
});

it('a database of a newer release is left alone', async () => {
  await open();
  await client.query(`INSERT INTO millrace.migrations (name) VALUES ('999-later.sql')`);
  await expect(open()).rejects.toThrow('set up by a newer Millrace (999-later.sql)');
});

it('keeps the files of a workload apart from those of the queue', async () => {
  const store = await openPostgresStore({ url: database.url });
  stores.push(store);
  const folder = await mkdtemp(join(tmpdir(), 'millrace-migrations-'));
  await writeFile(join(folder, '001-first.sql'), 'CREATE TABLE millrace.mine (n integer);');
  const mine = { owner: 'mine', folder: pathToFileURL(`${folder}/`) };
  expect(await migrate(store.database, mine)).toEqual(['001-first.sql']);
  expect(await migrate(store.database, mine)).toEqual([]);
  expect(await migrate(store.database)).toEqual([]);
  const { rows } = await client.query('SELECT name FROM millrace.migrations ORDER BY name');
  expect(rows.map(({ name }: { name: string }) => name)).toEqual([...ALL, 'mine/001-first.sql']);
  await rm(folder, { recursive: true });
  await expect(
    migrate(store.database, { ...mine, folder: new URL('../test/', import.meta.url) }),
  ).rejects.toThrow('newer Millrace');
});
