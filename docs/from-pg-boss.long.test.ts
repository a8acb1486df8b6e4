import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Guide, peer, query, startGuide, waiting } from './test/moving.ts';

/** Both sides of the guide, and the way from one to the other, on one Postgres with pg-boss's own tables. */

interface Boss {
  start(): Promise<unknown>;
  stop(options: { graceful: boolean }): Promise<void>;
  on(event: 'error', listener: (error: Error) => void): void;
  createQueue(name: string, options: object): Promise<void>;
  send(name: string, data: object, options?: object): Promise<string>;
  insert(name: string, jobs: { data: object }[]): Promise<unknown>;
  fetch(name: string, options?: { batchSize: number }): Promise<{ id: string; data: Data }[]>;
  complete(name: string, id: string): Promise<unknown>;
  fail(name: string, id: string): Promise<unknown>;
  flow(jobs: object[]): Promise<Record<string, string>>;
}
type Data = { order: number };

const QUEUE = 'confirm-order';
let guide: Guide;
let boss: Boss;
let env: { DATABASE_URL: string };

beforeAll(async () => {
  guide = await startGuide('docs/from-pg-boss.md', ['pg-boss']);
  env = { DATABASE_URL: guide.url };
  const { PgBoss } = await peer<{ PgBoss: new (url: string) => Boss }>('pg-boss', 'dist/index.js');
  boss = new PgBoss(guide.url);
  boss.on('error', (error) => console.error(error));
  await boss.start();
  await boss.createQueue(QUEUE, { retryLimit: 3, retryDelay: 3_600 });
}, 120_000);
afterAll(async () => {
  await boss.stop({ graceful: false });
  await guide.remove();
});

beforeEach(async () => {
  await query(guide.url, 'DELETE FROM pgboss.job_dependency');
  await query(guide.url, 'DELETE FROM pgboss.job');
  await guide.reset();
});

function left(): Promise<{ state: string; order: number }[]> {
  return query(
    guide.url,
    `SELECT state::text, (data->>'order')::int AS order FROM pgboss.job ORDER BY created_on, id`,
  );
}

it('the same job runs in both', async () => {
  const said = /^Order 7 is confirmed\.$/m;
  expect(await guide.project.until('before.ts', said, env)).toMatch(said);
  expect(await guide.project.until('after.ts', said, env)).toMatch(said);
});

it('both join a transaction, and are gone with it', async () => {
  await guide.project.node('transaction.ts', { env });
  expect([await left(), await waiting(guide.url)]).toEqual([[], []]);
});

it('what waits is moved as it is, and what runs, has ended or is part of a flow stays', async () => {
  const finished = await boss.send(QUEUE, { order: 1 }, { priority: 9 });
  await boss.fetch(QUEUE);
  await boss.complete(QUEUE, finished);
  await boss.send(QUEUE, { order: 2 }, { priority: 9 });
  await boss.fetch(QUEUE); // an old worker has it
  const failed = await boss.send(QUEUE, { order: 3 }, { priority: 9 });
  await boss.fetch(QUEUE);
  await boss.fail(QUEUE, failed); // waits an hour for its retry
  const plain = await boss.send(QUEUE, { order: 4 });
  const urgent = await boss.send(QUEUE, { order: 5 }, { priority: 5_000 });
  const late = await boss.send(QUEUE, { order: 6 }, { startAfter: 1_800, priority: -7 });
  await boss.flow([
    { ref: 'first', name: QUEUE, data: { order: 7 } },
    { ref: 'second', name: QUEUE, data: { order: 8 }, dependsOn: ['first'] },
  ]);

  expect(await guide.project.node('move.ts', { env })).toBe('4 jobs were moved.\n');

  const moved = await waiting(guide.url);
  expect(moved.toSorted((a, b) => a.order - b.order)).toEqual([
    { order: 3, priority: 9, correlationId: `pg-boss/${failed}`, dueInMinutes: 60 },
    { order: 4, priority: 0, correlationId: `pg-boss/${plain}`, dueInMinutes: 0 },
    { order: 5, priority: 1_000, correlationId: `pg-boss/${urgent}`, dueInMinutes: 0 },
    { order: 6, priority: -7, correlationId: `pg-boss/${late}`, dueInMinutes: 30 },
  ]);
  expect((await left()).toSorted((a, b) => a.order - b.order)).toEqual([
    { state: 'completed', order: 1 },
    { state: 'active', order: 2 },
    { state: 'created', order: 7 },
    { state: 'created', order: 8 },
  ]);
  expect(await guide.project.node('move.ts', { env })).toBe('0 jobs were moved.\n');
});

it('while old workers go on, each job is on one side', async () => {
  const orders = Array.from({ length: 1_200 }, (_, order) => order);
  await boss.insert(
    QUEUE,
    orders.map((order) => ({ data: { order } })),
  );
  const taken: number[] = [];
  async function oldWorker(): Promise<void> {
    for (;;) {
      const jobs = await boss.fetch(QUEUE, { batchSize: 1 });
      if (jobs.length === 0) return;
      taken.push(...jobs.map(({ data }) => data.order));
    }
  }
  await Promise.all([
    guide.project.node('move.ts', { env }),
    guide.project.node('move.ts', { env }),
    oldWorker(),
  ]);
  const moved = (await waiting(guide.url)).map(({ order }) => order);
  expect([...taken, ...moved].toSorted((a, b) => a - b)).toEqual(orders);
  expect([taken.length > 0, moved.length > 0], 'both had some').toEqual([true, true]);
});

it('data that the schema refuses moves nothing', async () => {
  await boss.send(QUEUE, { order: 1 });
  await boss.send(QUEUE, { order: 'two' });
  await expect(guide.project.node('move.ts', { env })).rejects.toThrow(
    'The data does not fit the kind "confirm-order": order:',
  );
  expect(await query(guide.url, 'SELECT id FROM pgboss.job')).toHaveLength(2);
  expect(await waiting(guide.url)).toEqual([]);
});
