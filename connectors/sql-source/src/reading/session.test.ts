import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestPostgres, openTestPostgres, reading, refused } from '../../test/sources.ts';
import { excessRights, openPostgresSource } from '../index.ts';
import { createSession, type Line } from './session.ts';
import { beginReading } from './reading.ts';

let opened: TestPostgres;
beforeAll(async () => {
  opened = await openTestPostgres();
});
afterAll(() => opened.drop());

async function openLine(): Promise<Line> {
  const client = new pg.Client(opened.url);
  await client.connect();
  const close = (): Promise<void> => client.end();
  return { client, cancel: () => Promise.resolve(), close, cut: close };
}

test('ends when something has ended its transaction, whatever that was', async () => {
  const line = await openLine();
  const session = createSession(line, { answerWithinMs: 5_000 });
  await session.ask(() => line.client.query('BEGIN READ ONLY'));
  const thrown = await refused(session.ask(() => line.client.query('COMMIT')));
  expect(thrown.message).toContain('ended its transaction');
  expect(await refused(session.ask(() => line.client.query('SELECT 1')))).toBe(thrown);
  await session.end();
});

test('a setting that the server does not know is left out', async () => {
  const begun = await beginReading(await openLine(), {
    statementTimeoutMs: 5_000,
    allowed: new Set(),
    trees: new Map(),
    extras: ['SET LOCAL no_such_setting_at_all = 1', "SET LOCAL work_mem = '5MB'"],
  });
  expect(
    await begun.rows(
      `SELECT current_setting('work_mem'), current_setting('transaction_read_only')`,
    ),
  ).toEqual([['5MB', 'on']]);
  await begun.end();
});

describe('rights that a role should not have', () => {
  const rightsOf = async (user: string): Promise<readonly string[]> => {
    const url = new URL(opened.url);
    url.username = user;
    const source = openPostgresSource({ connection: { connectionString: url.href } });
    const rights = await reading(source, excessRights);
    await source.close();
    return rights;
  };

  test('are named', async () => {
    const name = `reader_${opened.url.split('_').at(-1)}`;
    await opened.script(
      `CREATE TABLE hours (id int); CREATE ROLE ${name} LOGIN; GRANT SELECT ON hours TO ${name}`,
    );
    try {
      expect(await rightsOf('postgres')).toEqual([expect.stringContaining('is a superuser')]);
      expect(await rightsOf(name)).toEqual([]);
      await opened.script(
        `GRANT INSERT ON hours TO ${name}; GRANT pg_write_server_files TO ${name}`,
      );
      expect((await rightsOf(name)).join()).toMatch(
        /write files of the server.*may write 1 tables, among them public\.hours/,
      );
      await opened.script('CREATE EXTENSION dblink');
      expect((await rightsOf(name)).join()).toMatch(
        /may call dblink, dblink_connect, dblink_exec, dblink_open, dblink_send_query, which reach beyond/,
      );
    } finally {
      await opened.script(`DROP OWNED BY ${name}; DROP ROLE ${name}`);
    }
  });
});
