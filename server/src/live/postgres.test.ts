import { type Hint, type Store, createWorker, createRegistry } from '@millrace/engine';
import { systemClock } from '@millrace/engine/system';
import { openPostgresStore } from '@millrace/store-postgres';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type TestDatabases, testDatabases } from '../../../stores/postgres/test/databases.ts';
import {
  KINDS,
  type Reader,
  type Replica,
  connect,
  isJob,
  isLive,
  jobEvents,
  startReplica,
} from '../../test/live.ts';

/** Two processes on one Postgres, on the real clock: every wait is for an event. */
let databases: TestDatabases;
beforeAll(async () => {
  databases = await testDatabases();
});
afterAll(() => databases.remove());

let database: Awaited<ReturnType<TestDatabases['create']>>;
let [one, two]: Replica[] = [];
beforeEach(async () => {
  database = await databases.create();
  one = await start('r1');
  two = await start('r2');
});
afterEach(async () => {
  await Promise.all([one?.close(), two?.close()]);
  await database.drop();
});

async function start(name: string): Promise<Replica> {
  const store = await openPostgresStore({ url: database.url, poolSize: 4 });
  return startReplica({ store, announcements: store.announcements, name });
}

function both(): [Replica, Replica] {
  if (one === undefined || two === undefined) throw new Error('not started');
  return [one, two];
}

async function reading(replica: Replica): Promise<Reader> {
  const reader = await connect(replica.url, { topics: 'job' });
  await reader.until(isLive);
  return reader;
}

test('what either does is reported by both, in the same order', async () => {
  const [a, b] = both();
  const [readerA, readerB] = [await reading(a), await reading(b)];
  const ids: string[] = [];
  for (let round = 0; round < 5; round += 1) {
    ids.push(...(await Promise.all([a.enqueue(), b.enqueue(), a.enqueue(), b.enqueue()])));
  }
  for (const id of ids) await Promise.all([readerA.until(isJob(id)), readerB.until(isJob(id))]);
  const told = jobEvents(readerA.events);
  expect(told).toHaveLength(20);
  expect(jobEvents(readerB.events)).toEqual(told);
});

/** The last that was told of each job. */
function lastEvents(reader: Reader): Map<string, string> {
  return new Map(
    reader.events.flatMap((event) =>
      event.type === 'job' ? [[event.job.id, event.job.state]] : [],
    ),
  );
}

test('readers who come and go while jobs run know in the end what the store knows', async () => {
  const [a, b] = both();
  const workers = [a, b].map(({ store, events }, index) =>
    createWorker({
      config: { id: `w${index}`, shutdownGrace: '5s' },
      store,
      registry: createRegistry(KINDS),
      clock: systemClock,
      random: Math.random,
      events,
    }),
  );
  for (const worker of workers) worker.start();
  const steady = await reading(a);
  let comer = await reading(b);
  const known = new Map<string, string>();
  for (let round = 0; round < 20; round += 1) {
    const enqueued = await (round % 2 === 0 ? a : b).queue.enqueueAll(
      Array.from({ length: 10 }, () => ({ kind: 'work', data: null })),
    );
    await comer.until(isJob(enqueued[0]?.id ?? ''));
    // From process to process, with whatever it has heard so far.
    comer.close();
    for (const [id, state] of lastEvents(comer)) known.set(id, state);
    comer = await reading(round % 2 === 0 ? a : b);
    // What ended while nobody read is in the list.
    const { jobs } = await a.store.list({ filter: {}, limit: 200 });
    for (const { id, state } of jobs) known.set(id, state);
  }
  const ids = Array.from({ length: 200 }, (_, index) => `pg-${index + 1}`);
  for (const id of ids) await steady.until(isJob(id, 'SUCCEEDED'));
  const ended = (): boolean => {
    for (const [id, state] of lastEvents(comer)) known.set(id, state);
    return ids.every((id) => known.get(id) === 'SUCCEEDED');
  };
  await comer.until(ended);
  await Promise.all(workers.map((worker) => worker.stop()));
  expect(steady.events.filter(({ type }) => type === 'more')).toEqual([]);
});

function heard(store: Store, fits: (hint: Hint) => boolean): Promise<void> {
  return new Promise((resolve) => {
    const stop = store.watch((hint) => {
      if (!fits(hint)) return;
      stop();
      resolve();
    });
  });
}

test('a line that is cut makes its readers look again, and comes back', async () => {
  const [a, b] = both();
  const id = await a.enqueue();
  const [reader, watcher] = [await reading(a), await connect(a.url, { id })];
  await watcher.until(isLive);
  const isBack = heard(a.store, ({ type }) => type === 'control');
  const admin = new pg.Client(database.url);
  await admin.connect();
  await admin.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND query LIKE 'LISTEN%' AND pid <> pg_backend_pid()`,
  );
  await admin.end();
  const job = await b.start();
  await b.settle(job);
  await isBack;
  await reader.until(({ type }) => type === 'more');
  await watcher.until(isJob(id, 'SUCCEEDED'));
  const next = await b.enqueue();
  await reader.until(isJob(next));
});
