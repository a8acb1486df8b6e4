import { openPostgresStore } from '@millrace/store-postgres';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { type TestDatabases, testDatabases } from '../../stores/postgres/test/databases.ts';
import { until } from './test/factory.ts';
import { type Fleet, createFleet } from './test/fleet.ts';
import { isLong } from '../../scripts/need.mjs';

/** One after the other in the long suite. */
const KILLS = isLong ? 3 : 1;
const JOBS = 100 * (KILLS + 1);

let databases: TestDatabases;
let url: string;
let admin: pg.Client;
let fleet: Fleet;
const cleanups: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  databases = await testDatabases();
});
afterAll(() => databases.remove());

beforeEach(async () => {
  const database = await databases.create();
  url = database.url;
  admin = new pg.Client(url);
  await admin.connect();
  await admin.query(
    'CREATE TABLE executions (job text, kind text, n integer, epoch bigint, worker text)',
  );
  fleet = createFleet();
  cleanups.push(
    () => database.drop(),
    () => admin.end(),
    () => fleet.killAll(),
  );
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function openStore(): Promise<Awaited<ReturnType<typeof openPostgresStore>>> {
  const store = await openPostgresStore({ url });
  cleanups.push(() => store.close());
  return store;
}

const job = (n: number, blockMs = 0) => ({
  kind: 'work',
  payload: JSON.stringify({ n, blockMs }),
  maxAttempts: 21,
  tenant: '',
  priority: null,
});

it(`workers that are killed (${KILLS}) lose no job`, { timeout: 120_000 }, async () => {
  const store = await openStore();
  await store.enqueue({ jobs: Array.from({ length: JOBS }, (_, n) => job(n)) });
  for (let round = 1; round <= KILLS; round++) {
    const victim = await fleet.start(`victim${round}`, url);
    await until(async () => (await store.counts()).some(({ state }) => state === 'PROCESSING'));
    await victim.kill();
  }
  await fleet.start('survivor', url);
  await until(async () => (await store.counts()).every(({ state }) => state === 'SUCCEEDED'));
  expect(await store.counts()).toEqual([
    { kind: 'work', tenant: '', state: 'SUCCEEDED', count: JOBS, scheduled: 0 },
  ]);
  // Each job was settled by its latest execution and by no earlier one.
  const { rows } = await admin.query(`
    SELECT count(*)::int AS settled_by_another FROM millrace.jobs j
     WHERE (j.result->>'epoch')::bigint <> (SELECT max(e.epoch) FROM executions e WHERE e.n = (j.payload->>'n')::int)`);
  expect(rows).toEqual([{ settled_by_another: 0 }]);
});

// It waits until the lease is over.
if (isLong)
  it(
    'a worker that was blocked longer than its lease is refused, and its successor’s outcome stands',
    { timeout: 60_000 },
    async () => {
      const store = await openStore();
      await fleet.start('blocking', url);
      // Ready before it is needed: a process takes longer to start than the other is blocked, on a busy machine.
      const successor = await fleet.start('successor', url);
      successor.freeze();
      const [enqueued] = await store.enqueue({ jobs: [job(1, 5_000)] });
      await until(async () => (await admin.query('SELECT FROM executions')).rowCount === 1);
      successor.thaw();
      const id = enqueued?.id ?? '';
      await until(async () => (await store.get({ id }))?.state === 'SUCCEEDED');
      expect(JSON.parse((await store.get({ id }))?.result ?? '')).toMatchObject({
        by: 'successor',
      });
      // When it wakes up it either sees by its own clock that its lease is over, or its write is refused.
      await until(() => Promise.resolve(fleet.messages().some(({ fenced }) => fenced === id)));
      expect(JSON.parse((await store.get({ id }))?.result ?? '')).toMatchObject({
        by: 'successor',
      });
      expect(await store.counts()).toEqual([
        { kind: 'work', tenant: '', state: 'SUCCEEDED', count: 1, scheduled: 0 },
      ]);
    },
  );
