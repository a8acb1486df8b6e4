import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TestDatabase, type TestDatabases, testDatabases } from '../test/databases.ts';
import type { Statement } from './database.ts';
import { openPg } from './pg.ts';

let databases: TestDatabases;
let database: TestDatabase;
beforeAll(async () => {
  databases = await testDatabases();
  database = await databases.create();
});
afterAll(async () => {
  await database.drop();
  await databases.remove();
});

const LOOK: Statement = {
  name: 'look',
  text: `SELECT current_setting('enable_seqscan') AS seqscan, pg_backend_pid() AS connection,
                (SELECT count(*)::int FROM pg_prepared_statements WHERE name = 'look') AS prepared`,
};

const ALIVE: Statement = {
  name: '',
  text: 'SELECT FROM pg_stat_activity WHERE pid = $1::int',
};

it('takes no liberties with a connection before it is known whether a pooler is in between', async () => {
  const pg = openPg({ url: database.url, poolSize: 1, answerWithinMs: 30_000 });
  const [first] = await pg.query(LOOK, []);
  expect(first).toMatchObject({ seqscan: 'on', prepared: 0 });
  pg.setPrepared(true);
  await pg.query(LOOK, []);
  const [own] = await pg.query(LOOK, []);
  expect(own).toEqual({ seqscan: 'off', connection: first?.['connection'], prepared: 1 });
  // Nothing is asked for by name any more, which the next connection behind a pooler would not know.
  pg.setPrepared(false);
  await pg.script('DEALLOCATE look');
  const [pooled] = await pg.query(LOOK, []);
  expect(pooled).toMatchObject({ prepared: 0 });
  await pg.close();
});

it('survives a connection that is cut off in the middle of a transaction', async () => {
  const pg = openPg({ url: database.url, poolSize: 2, answerWithinMs: 30_000 });
  await expect(
    pg.transaction(async (session) => {
      const [row] = await session.query<{ connection: number }>(LOOK, []);
      const connection = row?.connection ?? 0;
      await pg.query({ name: '', text: 'SELECT pg_terminate_backend($1::int)' }, [connection]);
      // Gone, and this side has heard of it while nothing was asked on it.
      while ((await pg.query(ALIVE, [connection])).length > 0);
      await session.query(LOOK, []);
    }),
  ).rejects.toThrow('The database did not answer');
  expect(await pg.query(LOOK, [])).toHaveLength(1);
  await pg.close();
});
