import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TestDatabase, type TestDatabases, testDatabases } from '../test/databases.ts';
import type { Statement } from './database.ts';
import { openPg } from './pg.ts';
import { createStore } from './store.ts';

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

it('a connection has planned what every job needs before it is used', async () => {
  const pg = openPg({ url: database.url, poolSize: 1, answerWithinMs: 30_000 });
  const store = await createStore({ database: pg, name: 'pg', dependants: () => [] });
  pg.setPrepared(true);
  await store.now();
  const planned: Statement = {
    name: '',
    text: `SELECT name FROM pg_prepared_statements WHERE generic_plans > 0 ORDER BY name`,
  };
  const names = (await pg.query<{ name: string }>(planned, [])).map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining([
      'millrace_claim_one_subqueue',
      'millrace_enqueue',
      'millrace_succeed_own',
    ]),
  );
  // And nothing came of it.
  expect(await store.counts()).toEqual([]);
  await store.close();
});
