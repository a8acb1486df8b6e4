import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestDatabase, type TestDatabases, testDatabases } from '../test/databases.ts';
import type { Database } from './database.ts';
import { type PostgresStore, openPostgresStore } from './index.ts';
import { migrate, planMigrations, scriptOf } from './migrate.ts';
import { type Migrations, QUEUE, SchemaRefused, readMigrations } from './migrations.ts';
import { openPg } from './pg.ts';

const OURS = ['001-queue.sql'];
/** Made up: what a release after ours brings. */
const LATER = ['002-more.sql', '003-others.sql'];
const MORE = 'ALTER TABLE millrace.jobs ADD COLUMN more text;';
const OTHERS = 'CREATE TABLE millrace.others (n int);';

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

/** Our files and these, in a folder of their own. */
async function releaseWith(files: Record<string, string>): Promise<Migrations> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-release-'));
  cleanups.push(() => rm(folder, { recursive: true }));
  await cp(QUEUE.folder, folder, { recursive: true });
  for (const [name, sql] of Object.entries(files)) await writeFile(join(folder, name), sql);
  return { owner: '', folder: pathToFileURL(`${folder}/`) };
}

const nextRelease = () => releaseWith({ '002-more.sql': MORE, '003-others.sql': OTHERS });

function replica(poolSize = 1): Database {
  const opened = openPg({ url: database.url, poolSize, answerWithinMs: 30_000 });
  cleanups.push(() => opened.close());
  return opened;
}

async function applied(): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    'SELECT name FROM millrace.migrations ORDER BY name',
  );
  return rows.map(({ name }) => name);
}

const JOB = { kind: 'work', payload: '{}', maxAttempts: 1, tenant: '', priority: null };

function claim(store: PostgresStore, kind: string) {
  return store.claim({
    worker: 'w2',
    claim: 1,
    wants: [{ kind, limit: 10 }],
    limit: 10,
    leaseMs: 60_000,
  });
}

describe('a database of the release before', () => {
  it('is brought up to date once by replicas that start together, and keeps its jobs', async () => {
    const store = await open();
    const [enqueued] = await store.enqueue({ jobs: [JOB] });
    const next = await nextRelease();
    const done = await Promise.all([1, 2, 3, 4].map(() => migrate(replica(), next)));
    expect(done.flat()).toEqual(LATER);
    expect((await claim(store, 'work')).jobs).toMatchObject([{ id: enqueued?.id }]);
  });

  async function refusal(): Promise<unknown> {
    return migrate(replica(2), await nextRelease()).catch((error: unknown) => error);
  }

  // A table that is asked for by DDL lets nobody past, for as long as whoever has it keeps it.
  it('is left as it is while somebody holds a table of it, who is named', async () => {
    await open();
    await client.query(`SET application_name = 'pg_dump'; BEGIN; TABLE millrace.jobs`);
    expect(await refusal()).toMatchObject({
      code: 'schema_locked',
      message: expect.stringMatching(/program "pg_dump", idle in transaction, since \d/),
    });
    await client.query('ROLLBACK');
    expect(await applied()).toEqual(OURS);
    expect(await refusal()).toEqual(LATER);
  });

  it('is left as it is where somebody has changed it by hand, and the migration is named', async () => {
    await open();
    await client.query('CREATE TABLE millrace.others (n int)');
    expect(await refusal()).toMatchObject({
      code: 'migration_failed',
      message: expect.stringContaining('003-others.sql failed (relation "others" already exists)'),
    });
    expect(await applied()).toEqual(OURS);
  });
});

it('an empty database gets everything, and a second start has nothing to do', async () => {
  await open();
  expect(await applied()).toEqual(OURS);
  expect(await migrate(replica())).toEqual([]);
});

describe('a database of a newer release', () => {
  async function setUpBy(files: Record<string, string>): Promise<void> {
    await migrate(replica(), await releaseWith(files));
  }

  it('is worked on, where its migrations say that this one may', async () => {
    await setUpBy({
      '002-more.sql': `-- More of a job.\n-- compatible from: 001\n${MORE}
        ALTER TABLE millrace.lease ADD COLUMN more boolean NOT NULL DEFAULT false;`,
      '003-others.sql': `-- compatible from: 000\n${OTHERS}`,
    });
    const store = await open();
    await store.enqueue({ jobs: [JOB, JOB] });
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
        version: '003-others.sql',
        newer: LATER,
      },
    ]);
  });

  it.each([
    ['says nothing of it', ''],
    ['is for newer code', '-- compatible from: 002\n'],
  ])('is left alone, where one of them %s', async (_, header) => {
    await setUpBy({
      '002-break.sql': `${header}ALTER TABLE millrace.jobs RENAME COLUMN key TO name;`,
      '003-others.sql': `-- compatible from: 001\n${OTHERS}`,
    });
    const opening = open();
    await expect(opening).rejects.toBeInstanceOf(SchemaRefused);
    await expect(opening).rejects.toThrow(
      'set up by a newer Millrace (queue: 002-break.sql), with which this one cannot work: it knows its migrations up to 001.',
    );
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
      `The schema millrace is older than this version needs: it lacks ${OURS.join(', ')}, and MIGRATE is off. Run "millrace migrate"`,
    );
    const { rows } = await client.query(`SELECT to_regnamespace('millrace') AS schema`);
    expect(rows).toEqual([{ schema: null }]);
    await open();
    const { database: fixed } = await openFixed();
    const later = migrate(fixed, await nextRelease());
    await expect(later).rejects.toThrow(`it lacks ${LATER.join(', ')}, and`);
    expect(await applied()).toEqual(OURS);
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
  await open();
  const by = replica();
  const next = await nextRelease();
  const plan = await planMigrations(by, [next]);
  expect(plan.parts.flatMap(({ pending }) => pending.map(({ file }) => file))).toEqual(LATER);
  await client.query(scriptOf(plan));
  expect(await applied()).toEqual([...OURS, ...LATER]);
  const left = await planMigrations(by, [next]);
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
  expect(rows.map(({ name }: { name: string }) => name)).toEqual([...OURS, 'mine/001-first.sql']);
  await rm(folder, { recursive: true });
  await expect(
    migrate(store.database, { ...mine, folder: new URL('../test/', import.meta.url) }),
  ).rejects.toThrow('newer Millrace');
});
