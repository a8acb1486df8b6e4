import { readFile, readdir } from 'node:fs/promises';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type TestDatabase, bareDatabase } from '../../../stores/postgres/test/databases.ts';
import { readDatabasePlace } from '../config/place.ts';
import { type MigrateEvent, type MigrateRequest, migrateSchema } from './migrate.ts';
import { SCHEMA_PARTS } from './parts.ts';

let database: TestDatabase;
let client: pg.Client;
const cleanups: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  ({ database, client } = await fresh());
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function fresh(): Promise<{ database: TestDatabase; client: pg.Client }> {
  const made = await bareDatabase();
  const connected = new pg.Client(made.url);
  await connected.connect();
  cleanups.push(
    () => made.drop(),
    () => connected.end(),
  );
  return { database: made, client: connected };
}

async function told(request: MigrateRequest, url = database.url): Promise<MigrateEvent[]> {
  const events = [];
  for await (const event of migrateSchema(readDatabasePlace({ DATABASE_URL: url }), request))
    events.push(event);
  return events;
}

/** Tables, views, functions and sequences, with all that can be seen of them. */
async function shapeOf(of: pg.Client): Promise<unknown> {
  const { rows } = await of.query(`
SELECT 'column' AS what, table_name AS name, column_name || ' ' || data_type || ' ' || is_nullable || ' ' || coalesce(column_default, '') AS how
  FROM information_schema.columns WHERE table_schema = 'millrace'
UNION ALL SELECT 'index', tablename, indexdef FROM pg_indexes WHERE schemaname = 'millrace'
UNION ALL SELECT 'function', proname, pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = to_regnamespace('millrace')
UNION ALL SELECT 'sequence', sequencename, '' FROM pg_sequences WHERE schemaname = 'millrace'
UNION ALL SELECT 'migration', name, compatible_from::text FROM millrace.migrations
ORDER BY 1, 2, 3`);
  return rows;
}

const ALL = ['queue', ...SCHEMA_PARTS.slice(1).map(({ owner }) => owner)];

test('each part is reported with what was done, and the second time there is nothing to do', async () => {
  expect(ALL.length).toBeGreaterThan(3);
  expect(await told({ mode: 'check' })).toEqual(
    ALL.map((part) => ({
      type: 'part',
      part,
      state: 'pending',
      version: null,
      migrations: expect.arrayContaining([expect.stringMatching(/^001-/)]),
    })),
  );
  expect(await shapeOfNothing()).toBe(true);
  const first = await told({ mode: 'apply' });
  expect(first).toMatchObject(ALL.map((part) => ({ part, state: 'applied' })));
  for (const event of first)
    if (event.type === 'part') expect(event.version).toBe(event.migrations.at(-1));
  const again = ALL.map((part) => ({ part, state: 'up to date', migrations: [] }));
  expect(await told({ mode: 'check' })).toMatchObject(again);
  expect(await told({ mode: 'apply' })).toMatchObject(again);
});

async function shapeOfNothing(): Promise<boolean> {
  const { rows } = await client.query<{ none: boolean }>(
    `SELECT to_regnamespace('millrace') IS NULL AS none`,
  );
  return rows[0]?.none === true;
}

test('the printed SQL makes the same schema as the command', async () => {
  const [script] = await told({ mode: 'script' });
  if (script?.type !== 'sql') throw new Error('There is no script.');
  expect(await shapeOfNothing()).toBe(true);
  await client.query(script.sql);
  expect(await told({ mode: 'script' })).toEqual([{ type: 'sql', sql: '' }]);
  const other = await fresh();
  await told({ mode: 'apply' }, other.database.url);
  expect(await shapeOf(client)).toEqual(await shapeOf(other.client));
});

test('one part that is too new stops it before anything is changed', async () => {
  await told({ mode: 'apply' });
  const last = SCHEMA_PARTS.at(-1)?.owner ?? '';
  await client.query(`
    DELETE FROM millrace.migrations WHERE name = '001-queue.sql';
    INSERT INTO millrace.migrations (name, compatible_from) VALUES ('${last}/900-later.sql', 900)`);
  await expect(told({ mode: 'apply' })).rejects.toThrow(`newer Millrace (${last}: 900-later.sql)`);
  const { rows } = await client.query(
    `SELECT FROM millrace.migrations WHERE name = '001-queue.sql'`,
  );
  expect(rows).toEqual([]);
});

test('a database that does not answer, and one that has no roles, are reported', async () => {
  const away = 'postgres://ada:hush-hush@127.0.0.1:1/queue';
  await expect(told({ mode: 'check' }, away)).rejects.toThrow('did not answer');
  const embedded = migrateSchema(readDatabasePlace({ MILLRACE_DATA: '/tmp/nowhere' }), {
    mode: 'grants',
    role: 'app',
  });
  await expect(embedded.next()).rejects.toMatchObject({ code: 'no_roles', exit: 'usage' });
});

test('of an embedded database that is not there, the plan is reported and nothing is made', async () => {
  const nowhere = readDatabasePlace({ MILLRACE_DATA: '/nowhere/at/all' });
  const parts = [];
  for await (const event of migrateSchema(nowhere, { mode: 'check' })) parts.push(event);
  expect(parts).toMatchObject(ALL.map((part) => ({ part, state: 'pending' })));
});

test.each(SCHEMA_PARTS)(
  'a migration of "$owner" after the first says which code goes on with it',
  async ({ folder }) => {
    const names = (await readdir(folder)).filter((name) => name.endsWith('.sql'));
    for (const name of names.filter((each) => Number(each.slice(0, 3)) > 1))
      expect(await readFile(new URL(name, folder), 'utf8'), name).toMatch(
        /^-- compatible from: \d{3}$/m,
      );
  },
);
