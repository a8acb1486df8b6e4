import { openPostgresStore } from '@millrace/store-postgres';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { type TestDatabases, testDatabases } from '../stores/postgres/test/databases.ts';
import { until } from './test/factory.ts';

let databases: TestDatabases;
let url: string;
let admin: pg.Client;
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
  await admin.query('CREATE TABLE started (n integer, epoch bigint, worker text)');
  cleanups.push(
    () => database.drop(),
    () => admin.end(),
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

async function startProcess(
  id: string,
): Promise<ChildProcess & { messages: { fenced?: string; write?: string }[] }> {
  const child = fork(
    fileURLToPath(new URL('test/worker-process.mjs', import.meta.url)),
    [url, id],
    {
      execArgv: [],
    },
  );
  cleanups.push(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  const messages: { fenced?: string; write?: string }[] = [];
  child.on('message', (message) => messages.push(message as { fenced?: string }));
  await once(child, 'message');
  return Object.assign(child, { messages });
}

it('workers that are killed lose no job', { timeout: 120_000 }, async () => {
  const store = await openStore();
  const JOBS = 400;
  await store.enqueue({ jobs: Array.from({ length: JOBS }, (_, n) => job(n)) });
  let killed = 0;
  for (const round of [1, 2, 3]) {
    const victim = await startProcess(`victim${round}`);
    await until(async () => (await store.counts()).some(({ state }) => state === 'PROCESSING'));
    victim.kill('SIGKILL');
    await once(victim, 'exit');
    killed += 1;
  }
  await startProcess('survivor');
  await until(async () => (await store.counts()).every(({ state }) => state === 'SUCCEEDED'));
  expect(killed).toBe(3);
  expect(await store.counts()).toEqual([
    { kind: 'work', tenant: '', state: 'SUCCEEDED', count: JOBS },
  ]);
  // Each job was settled by its latest execution and by no earlier one.
  const { rows } = await admin.query(`
    SELECT count(*)::int AS settled_by_another FROM millrace.jobs j
     WHERE (j.result->>'epoch')::bigint <> (SELECT max(s.epoch) FROM started s WHERE s.n = (j.payload->>'n')::int)`);
  expect(rows).toEqual([{ settled_by_another: 0 }]);
});

it(
  'a worker that was blocked longer than its lease is refused, and its successor’s outcome stands',
  { timeout: 60_000 },
  async () => {
    const store = await openStore();
    const blocked = await startProcess('blocking');
    const [enqueued] = await store.enqueue({ jobs: [job(1, 4_000)] });
    await until(async () => (await admin.query('SELECT FROM started')).rowCount === 1);
    await startProcess('successor');
    const id = enqueued?.id ?? '';
    await until(async () => (await store.get({ id }))?.state === 'SUCCEEDED');
    expect(JSON.parse((await store.get({ id }))?.result ?? '')).toMatchObject({ by: 'successor' });
    // When it wakes up it either sees by its own clock that its lease is over, or its write is refused.
    await until(() => Promise.resolve(blocked.messages.some(({ fenced }) => fenced === id)));
    expect(JSON.parse((await store.get({ id }))?.result ?? '')).toMatchObject({ by: 'successor' });
    expect(await store.counts()).toEqual([
      { kind: 'work', tenant: '', state: 'SUCCEEDED', count: 1 },
    ]);
  },
);
