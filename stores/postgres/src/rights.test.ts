import { newJob } from '@millrace/store-contract';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestDatabase, type TestDatabases, testDatabases } from '../test/databases.ts';
import { type PostgresStore, openPostgresStore } from './index.ts';
import { openPg } from './pg.ts';
import { grantsTo } from './rights.ts';

/** Roles that may do less than an owner: what they lack is said, and what is said is enough. */

let databases: TestDatabases;
let database: TestDatabase;
let owner: pg.Client;
let role: string;
const cleanups: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  databases = await testDatabases();
});
afterAll(() => databases.remove());
beforeEach(async () => {
  database = await databases.createBare();
  role = `role_${new URL(database.url).pathname.slice(1)}`;
  owner = new pg.Client(database.url);
  await owner.connect();
  await owner.query(`CREATE ROLE ${role} LOGIN`);
  cleanups.push(async () => {
    await owner.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
    await owner.end();
    await database.drop();
  });
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function openAs(
  username: string,
  options: { migrate?: boolean } = {},
): Promise<PostgresStore> {
  const url = Object.assign(new URL(database.url), username === '' ? {} : { username }).href;
  const store = await openPostgresStore({ url, ...options });
  cleanups.push(() => store.close());
  return store;
}

async function refusalOf(opening: Promise<unknown>): Promise<string> {
  return opening.then(
    () => 'it was opened',
    (error: unknown) => (error instanceof Error ? error.message : ''),
  );
}

async function work(store: PostgresStore): Promise<void> {
  const [made] = await store.enqueue({ jobs: [newJob({ key: { value: 'k', windowMs: 1_000 } })] });
  const wants = [{ kind: 'work', limit: 1 }];
  const claim = { worker: 'w', claim: 1, wants, limit: 1, leaseMs: 60_000 };
  const { jobs } = await store.claim(claim);
  const error = { code: 'x', message: 'No.', retryable: false };
  const outcome = { move: 'fail', error, stack: null } as const;
  await store.settle({ settlements: jobs.map((job) => ({ job, outcome, children: [] })) });
  await store.retry({ select: { ids: [made?.id ?? ''] } });
  await store.cancel({ select: { ids: [made?.id ?? ''] } });
  await store.control.reportWorker({ worker: 'w', kinds: [], stats: '{}' });
  await store.upkeep.maintain();
  const keep = { SUCCEEDED: 0, FAILED: 0, CANCELED: 0 };
  await store.upkeep.prune({ keep: {}, otherwise: keep });
}

describe('a role', () => {
  it('that may not make the schema is told which right it lacks', async () => {
    const said = await refusalOf(openAs(role));
    expect(said).toContain(
      `The role ${role} may not set up the schema millrace (permission denied`,
    );
    const [grant = ''] = /GRANT CREATE [^;]+;/.exec(said) ?? [];
    await owner.query(grant);
    await work(await openAs(role));
  });

  it('for which somebody made the schema sets up the rest', async () => {
    await owner.query(`CREATE SCHEMA millrace AUTHORIZATION ${role}`);
    await work(await openAs(role));
  });

  it('that only works in it needs the rights that are printed, and no others', async () => {
    await openAs('');
    const said = await refusalOf(openAs(role));
    expect(said).toContain(
      `The role ${role} lacks a right on the schema millrace (permission denied`,
    );
    expect(said).toContain(`run "millrace migrate" as its owner ${owner.user}`);
    await owner.query(said.slice(said.indexOf('GRANT USAGE')));
    await work(await openAs(role));
  });

  it('with the grants that are printed works in it, in tables of later versions too, and changes nothing about it', async () => {
    await openAs('');
    const asOwner = openPg({ url: database.url, poolSize: 1, answerWithinMs: 30_000 });
    cleanups.push(() => asOwner.close());
    await owner.query((await grantsTo(asOwner, role)).join('\n'));
    await owner.query('CREATE TABLE millrace.later (n int GENERATED ALWAYS AS IDENTITY)');
    const store = await openAs(role, { migrate: false });
    await work(store);
    await store.database.script('INSERT INTO millrace.later DEFAULT VALUES');
    for (const ddl of [
      'CREATE TABLE millrace.more (n int)',
      'ALTER TABLE millrace.jobs ADD COLUMN more int',
      'DROP TABLE millrace.jobs',
      'TRUNCATE millrace.jobs',
    ])
      expect(await refusalOf(store.database.script(ddl)), ddl).toMatch(
        /permission denied|must be owner/,
      );
  });

  it('whose name has to be quoted is quoted', async () => {
    const asOwner = openPg({ url: database.url, poolSize: 1, answerWithinMs: 30_000 });
    cleanups.push(() => asOwner.close());
    const grants = await grantsTo(asOwner, 'App"; DROP TABLE x; --');
    for (const grant of grants) expect(grant).toMatch(/ TO "App""; DROP TABLE x; --";$/);
  });
});
