import { openBullStore } from '@millrace/store-bullmq';
import { FlowProducer, Queue, Worker } from 'bullmq';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { later } from '../engine/test/world.ts';
import { need } from '../scripts/need.mjs';
import { startRedis } from '../scripts/services.mjs';
import { type Guide, startGuide, waiting } from './test/moving.ts';

/** Both sides of the guide, and the way from one to the other, on a real Redis and a real Postgres. */

await need('redis programs');

const QUEUE = 'confirm-order';
let redis: Awaited<ReturnType<typeof startRedis>>;
let guide: Guide;
let env: { DATABASE_URL: string; REDIS_URL: string };
let queue: Queue;

beforeAll(async () => {
  guide = await startGuide('docs/from-bullmq.md', ['bullmq', 'ioredis']);
  redis = await startRedis();
  env = { DATABASE_URL: guide.url, REDIS_URL: redis.url };
  queue = new Queue(QUEUE, { connection: { url: redis.url } });
}, 120_000);
afterAll(async () => {
  await queue.close();
  await guide.remove();
  await redis.remove();
});

beforeEach(async () => {
  await queue.obliterate({ force: true });
  await guide.reset();
});

it('the same job runs in both', async () => {
  const said = /^Order 7 is confirmed\.$/m;
  expect(await guide.project.until('before.ts', said, env)).toMatch(said);
  expect(await guide.project.until('after.ts', said, env)).toMatch(said);
});

it('on Redis, what an app adds is taken up', async () => {
  await guide.project.node('stay.ts', { env: { ...env, REDIS_PREFIX: '{guide}' } });
  const store = await openBullStore({ url: redis.url, prefix: 'guide' });
  onTestFinished(() => store.close());
  const wants = [{ kind: QUEUE, limit: 1 }];
  const claim = (number: number) =>
    store.claim({ worker: 'w', claim: number, wants, limit: 1, leaseMs: 60_000 });
  await expect
    .poll(async () => (await claim(Math.floor(Math.random() * 2 ** 50))).jobs, { timeout: 10_000 })
    .toMatchObject([{ kind: QUEUE, payload: '{"order":7}', priority: -5, maxAttempts: 1 }]);
});

it('what waits is moved as it is, and what runs goes on', async () => {
  const [begun, end] = [later(), later()];
  await queue.add('confirm', { order: 1 });
  const worker = new Worker(
    QUEUE,
    async () => {
      begun.resolve();
      await end.promise;
    },
    { connection: { url: redis.url, maxRetriesPerRequest: null } },
  );
  onTestFinished(() => worker.close());
  await begun.promise;
  await queue.add('confirm', { order: 2 }, { jobId: 'two' });
  await queue.add('confirm', { order: 3 }, { jobId: 'three', priority: 5 });
  await queue.add('confirm', { order: 4 }, { jobId: 'four', priority: 2_000_000 });
  await queue.add('confirm', { order: 5 }, { jobId: 'five', delay: 30 * 60_000 });

  expect(await guide.project.node('move.ts', { env })).toBe('4 jobs were moved.\n');

  const completed = new Promise((resolve) => worker.once('completed', resolve));
  end.resolve();
  await completed;
  const counts = await queue.getJobCounts('wait', 'prioritized', 'delayed', 'active', 'completed');
  expect(counts).toEqual({ wait: 0, prioritized: 0, delayed: 0, active: 0, completed: 1 });
  const moved = await waiting(guide.url);
  expect(moved.toSorted((a, b) => a.order - b.order)).toMatchObject([
    { order: 2, priority: 0, dueInMinutes: 0 },
    { order: 3, priority: -5, dueInMinutes: 0 },
    { order: 4, priority: -1_000, dueInMinutes: 0 },
    { order: 5, priority: 0, dueInMinutes: 30 },
  ]);
});

it('a move that died half-way is done once', async () => {
  const six = { jobId: 'six', timestamp: Date.now() };
  await queue.add('confirm', { order: 6 }, six);
  expect(await guide.project.node('move.ts', { env })).toBe('1 jobs were moved.\n');
  await queue.add('confirm', { order: 6 }, six); // as if it had died before the removal
  expect(await guide.project.node('move.ts', { env })).toBe('1 jobs were moved.\n');
  expect(await waiting(guide.url)).toHaveLength(1);
  expect(await queue.getJobCountByTypes('wait', 'delayed')).toBe(0);
  // A producer that was not turned over yet may use the id again: this is another job.
  await queue.add('confirm', { order: 6 }, { ...six, timestamp: six.timestamp + 1 });
  expect(await guide.project.node('move.ts', { env })).toBe('1 jobs were moved.\n');
  expect(await waiting(guide.url)).toHaveLength(2);
  expect(await queue.isPaused()).toBe(false);
});

it('what was put off runs when it was to run; flows and schedulers stay whole', async () => {
  const old = Date.now() - 86_400_000;
  const job = await queue.add('confirm', { order: 8 }, { delay: 90_000_000, timestamp: old });
  await job.changeDelay(30 * 60_000);
  const flows = new FlowProducer({ connection: { url: redis.url } });
  onTestFinished(() => flows.close());
  const of = (order: number) => ({ name: 'confirm', queueName: QUEUE, data: { order } });
  await flows.add({ ...of(9), children: [of(10), { ...of(11), opts: { delay: 60_000 } }] });
  await queue.upsertJobScheduler('daily', { every: 86_400_000 }, { data: { order: 12 } });
  const before = await queue.getJobCounts('wait', 'delayed', 'waiting-children');

  expect(await guide.project.node('move.ts', { env })).toBe(
    '1 jobs were moved.\n3 jobs of flows and schedulers stay.\n',
  );

  expect(await waiting(guide.url)).toMatchObject([{ order: 8, dueInMinutes: 30 }]);
  expect(await queue.getJobCounts('wait', 'delayed', 'waiting-children')).toEqual({
    ...before,
    delayed: (before['delayed'] ?? 0) - 1,
  });
});

it('data that the schema refuses stays', async () => {
  await queue.add('confirm', { order: 'seven' });
  await expect(guide.project.node('move.ts', { env })).rejects.toThrow(/order/);
  expect(await queue.getJobCountByTypes('wait')).toBe(1);
  expect(await waiting(guide.url)).toEqual([]);
});
