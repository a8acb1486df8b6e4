import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestDatabase, type TestDatabases, testDatabases } from '../test/databases.ts';
import { type PostgresStore, openPostgresStore } from './index.ts';
import { migrate, planMigrations, scriptOf } from './migrate.ts';
import { QUEUE, SchemaRefused, readMigrations } from './migrations.ts';
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
const cleanups: (() => Promise<unknown>)[] = [];

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
  for (const cleanup of cleanups.splice(0)) await cleanup();
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

  function refusal(): Promise<unknown> {
    const replica = openPg({ url: database.url, poolSize: 2, answerWithinMs: 30_000 });
    cleanups.push(() => replica.close());
    return migrate(replica).catch((error: unknown) => error);
  }

  // A table that is asked for by DDL lets nobody past, for as long as whoever has it keeps it.
  it('is left as it is while somebody holds a table of it, who is named', async () => {
    await setUpFirstRelease();
    await client.query(`SET application_name = 'pg_dump'; BEGIN; TABLE millrace.jobs`);
    expect(await refusal()).toMatchObject({
      code: 'schema_locked',
      message: expect.stringMatching(/program "pg_dump", idle in transaction, since \d/),
    });
    await client.query('ROLLBACK');
    expect(await applied()).toEqual([FIRST]);
    expect(await refusal()).toEqual(ALL.slice(1));
  });

  it('is left as it is where somebody has changed it by hand, and the migration is named', async () => {
    await setUpFirstRelease();
    await client.query('CREATE TABLE millrace.saved (n int)');
    expect(await refusal()).toMatchObject({
      code: 'migration_failed',
      message: expect.stringContaining('011-saved.sql failed (relation "saved" already exists)'),
    });
    expect(await applied()).toEqual([FIRST]);
  });
});

it('an empty database gets everything, and a second start has nothing to do', async () => {
  await open();
  expect(await applied()).toEqual(ALL);
  const again = openPg({ url: database.url, poolSize: 1, answerWithinMs: 30_000 });
  expect(await migrate(again)).toEqual([]);
  await again.close();
});

describe('a database of a newer release', () => {
  const own = Number(ALL.at(-1)?.slice(0, 3));
  const three = (number: number): string => String(number).padStart(3, '0');

  /** Set up by a release that has our files, and these. */
  async function setUpBy(files: Record<string, string>): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), 'millrace-next-'));
    cleanups.push(() => rm(folder, { recursive: true }));
    await cp(new URL('../migrations/', import.meta.url), folder, { recursive: true });
    for (const [name, sql] of Object.entries(files)) await writeFile(join(folder, name), sql);
    const next = openPg({ url: database.url, poolSize: 1, answerWithinMs: 30_000 });
    cleanups.push(() => next.close());
    await migrate(next, { owner: '', folder: pathToFileURL(`${folder}/`) });
  }

  it('is worked on, where its migrations say that this one may', async () => {
    await setUpBy({
      [`${three(own + 1)}-more.sql`]: `-- More of a job.\n-- compatible from: ${three(own)}\n
        ALTER TABLE millrace.jobs ADD COLUMN more text;
        ALTER TABLE millrace.lease ADD COLUMN more boolean NOT NULL DEFAULT false;`,
      [`${three(own + 2)}-others.sql`]: `-- compatible from: ${three(own - 1)}\nCREATE TABLE millrace.others (n int);`,
    });
    const store = await open();
    const job = { kind: 'work', payload: '{}', maxAttempts: 1, tenant: '', priority: null };
    await store.enqueue({ jobs: [job, job] });
    const { jobs } = await claim(store, 'work');
    const outcome = { move: 'succeed', result: '1', purgePayload: false, effects: [] } as const;
    expect(
      await store.settle({
        settlements: jobs.map((each) => ({ job: each, outcome, children: [] })),
      }),
    ).toEqual(['settled', 'settled']);
    const { parts } = await planMigrations(store.database, [QUEUE]);
    expect(parts).toMatchObject([
      {
        pending: [],
        version: `${three(own + 2)}-others.sql`,
        newer: [`${three(own + 1)}-more.sql`, `${three(own + 2)}-others.sql`],
      },
    ]);
  });

  it.each([
    ['says nothing of it', ''],
    ['is for newer code', `-- compatible from: ${three(own + 1)}\n`],
  ])('is left alone, where one of them %s', async (_, header) => {
    await setUpBy({
      [`${three(own + 1)}-break.sql`]: `${header}ALTER TABLE millrace.jobs RENAME COLUMN key TO name;`,
      [`${three(own + 2)}-more.sql`]: `-- compatible from: ${three(own)}\nCREATE TABLE millrace.others (n int);`,
    });
    const opening = open();
    await expect(opening).rejects.toBeInstanceOf(SchemaRefused);
    await expect(opening).rejects.toThrow(
      `set up by a newer Millrace (queue: ${three(own + 1)}-break.sql), with which this one cannot work: it knows its migrations up to ${three(own)}.`,
    );
  });

  it('is left alone, where the release that set it up kept no word of it', async () => {
    await open();
    await client.query(`INSERT INTO millrace.migrations (name) VALUES ('999-later.sql')`);
    await expect(open()).rejects.toThrow('set up by a newer Millrace (queue: 999-later.sql)');
  });
});

describe('a start that may not change the schema', () => {
  const openFixed = async (): Promise<PostgresStore> => {
    const store = await openPostgresStore({ url: database.url, migrate: false });
    stores.push(store);
    return store;
  };

  it('is refused on one that is older than it needs, and changes nothing', async () => {
    await expect(openFixed()).rejects.toThrow(
      `The schema millrace is older than this version needs: it lacks ${ALL.join(', ')}, and MIGRATE is off. Run "millrace migrate"`,
    );
    const { rows } = await client.query(`SELECT to_regnamespace('millrace') AS schema`);
    expect(rows).toEqual([{ schema: null }]);
    await setUpFirstRelease();
    await expect(openFixed()).rejects.toThrow(`it lacks ${ALL.slice(1).join(', ')}, and`);
    expect(await applied()).toEqual([FIRST]);
  });

  it('works on one that is as new', async () => {
    await open();
    const store = await openFixed();
    expect(await store.enqueue({ jobs: [] })).toEqual([]);
    // A workload with tables of its own asks for them in the same way.
    const folder = await mkdtemp(join(tmpdir(), 'millrace-migrations-'));
    cleanups.push(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, '001-first.sql'), 'CREATE TABLE millrace.mine (n integer);');
    const mine = { owner: 'mine', folder: pathToFileURL(`${folder}/`) };
    await expect(migrate(store.database, mine)).rejects.toThrow('it lacks mine/001-first.sql');
  });
});

it('a program that was bundled without the SQL files is told why', async () => {
  const folder = pathToFileURL(join(tmpdir(), 'millrace-no-such-folder/'));
  await expect(readMigrations({ owner: '', folder })).rejects.toThrow('Was the program bundled?');
});

it('the script of a plan does what the plan would', async () => {
  await setUpFirstRelease();
  const by = openPg({ url: database.url, poolSize: 1, answerWithinMs: 30_000 });
  cleanups.push(() => by.close());
  const plan = await planMigrations(by, [QUEUE]);
  expect(plan.parts.flatMap(({ pending }) => pending.map(({ file }) => file))).toEqual(
    ALL.slice(1),
  );
  await client.query(scriptOf(plan));
  expect(await applied()).toEqual(ALL);
  const left = await planMigrations(by, [QUEUE]);
  expect(left.base).toEqual([]);
  expect(scriptOf(left)).toBe('');
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
