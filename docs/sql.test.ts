import { openPostgresStore } from '@millrace/store-postgres';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestDatabase, bareDatabase } from '../stores/postgres/test/databases.ts';
import { blocksOf } from './test/markdown.ts';
import { textOf } from './test/tree.ts';

/** SQL on the pages runs, as the role that they speak of. */

const sqlOf = (page: string): string[] =>
  blocksOf(textOf(page)).flatMap(({ language, text }) => (language === 'sql' ? text : []));

let database: TestDatabase;
let owner: pg.Client;
let role: string;
beforeAll(async () => {
  database = await bareDatabase();
  await (await openPostgresStore({ url: database.url })).close();
  owner = new pg.Client(database.url);
  await owner.connect();
  role = `app_${new URL(database.url).pathname.slice(1)}`;
  await owner.query(`CREATE ROLE ${role} LOGIN`);
});
afterAll(async () => {
  await owner.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  await owner.end();
  await database.drop();
});

test('configuration.md: the rights are enough to work, and none to change the schema', async () => {
  const [grants = '', principal = ''] = sqlOf('docs/configuration.md');
  await owner.query(grants.replaceAll(/\bapp\b/g, role));
  const url = Object.assign(new URL(database.url), { username: role }).href;
  const store = await openPostgresStore({ url, migrate: false });
  await store.database.query({ name: '', text: 'SELECT count(*) FROM millrace.jobs' }, []);
  await expect(store.database.script('DROP TABLE millrace.jobs')).rejects.toThrow();
  await store.close();
  // Of Azure alone: its name, and what it is given.
  await owner.query(
    `CREATE FUNCTION pgaadauth_create_principal(text, boolean, boolean) RETURNS text LANGUAGE sql AS 'SELECT $1'`,
  );
  const { rows } = await owner.query<Record<string, string>>(principal);
  expect(rows.map((row) => Object.values(row))).toEqual([['IDENTITY']]);
});

test('runbook.md: what the sessions of reports wait for', async () => {
  for (const text of sqlOf('docs/operations/runbook.md'))
    expect((await owner.query(text)).fields.map(({ name }) => name)).toContain('wait_event');
});
