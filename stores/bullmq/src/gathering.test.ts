import { newJob, only, times } from '@millrace/store-contract';
import { Queue } from 'bullmq';
import { expect, onTestFinished, test } from 'vitest';
import { redisForTests } from '../test/redis.ts';
import { claimAll, settle, start, succeeded } from '../test/work.ts';

/** Writes that the jobs of a script share: none is forgotten, and the order is that of single writes. */

const openStore = redisForTests();

async function world() {
  const opened = await openStore();
  const queue = new Queue('work', {
    connection: { url: opened.url },
    prefix: `{${opened.prefix}}`,
    skipMetasUpdate: true,
  });
  onTestFinished(() => queue.close());
  return { ...opened, queue };
}

const RETRIED = {
  move: 'retry',
  delayMs: 0,
  error: { code: 'busy', message: 'Busy.', retryable: true },
  stack: null,
} as const;

test('the list of running jobs keeps its order, whichever end', async () => {
  const { store, admin, prefix } = await world();
  await store.enqueue({ jobs: times(40, () => newJob()) });
  const claimed = await claimAll(store);
  let running = claimed;
  const end = async (indexes: readonly number[]) => {
    const ended = new Set(indexes.map((index) => running[index]));
    const settlements = running
      .filter((job) => ended.has(job))
      .map((job) => ({ job, outcome: succeeded(), children: [] }));
    const answers = await store.settle({ settlements });
    expect(answers).toEqual(indexes.map(() => 'settled'));
    running = running.filter((job) => !ended.has(job));
    const active = await admin.lrange(`{${prefix}}:work:active`, 0, -1);
    expect(active.toReversed()).toEqual(running.map(({ id }) => id));
  };
  await end([0, 1, 2, 3]); // the oldest
  await end([1, 3, 4, 6]); // among the oldest
  await end([28, 29, 30, 31]); // the newest, far from the end of the list
  await end([0, 1, 2, 27]);
  await end([5]);
  await end(times(23, (index) => index));
});

test('a running job cannot be removed by a tool, also when its lease is over; one that ended can', async () => {
  const { store, queue, admin, prefix, advance } = await world();
  const locks = () => admin.keys(`{${prefix}}:work:*:lock`);
  const job = await start(store);
  await advance(61_000);
  expect(await queue.remove(job.id)).toBe(0);
  const [heir] = await claimAll(store, 'work', { alone: true });
  expect(await locks()).toEqual([`{${prefix}}:work:${job.id}:lock`]);
  await admin.del(`{${prefix}}:work:${heir?.id}`);
  await advance(61_000);
  await claimAll(store);
  expect(await locks(), 'of a job that is gone').toEqual([]);
  const ended = await start(store);
  await settle(store, ended);
  expect(await locks()).toEqual([]);
  expect(await queue.remove(ended.id)).toBe(1);
});

test('the last settlement is known again, also when the next lease was lost', async () => {
  const { store, advance } = await world();
  const first = await start(store);
  expect(await settle(store, first, RETRIED)).toBe('settled');
  const second = only(await claimAll(store));
  await advance(61_000);
  await claimAll(store);
  expect(await settle(store, first, RETRIED)).toBe('already');
  expect(await settle(store, second)).toBe('stale');
  const third = only(await claimAll(store, 'work', { alone: true }));
  expect(third.epoch).toBeGreaterThan(second.epoch);
  expect(await settle(store, first, RETRIED)).toBe('already');
  expect(await settle(store, third)).toBe('settled');
  expect(await settle(store, third)).toBe('already');
  expect(await settle(store, first, RETRIED)).toBe('stale');
});

test('the same settlement twice in one call settles once', async () => {
  const { store } = await world();
  const job = await start(store);
  const settlement = { job, outcome: succeeded(), children: [newJob({ kind: 'child' })] };
  const answers = await store.settle({ settlements: [settlement, settlement] });
  expect(answers).toEqual(['settled', 'already']);
  expect(await claimAll(store, 'child')).toHaveLength(1);
});

test('of children with one key, made by several parents in one call, there is one', async () => {
  const { store } = await world();
  await store.enqueue({ jobs: times(3, () => newJob()) });
  const parents = await claimAll(store);
  const key = { value: 'poll-17', windowMs: 60_000 };
  const children = [newJob({ kind: 'child', key }), newJob({ kind: 'child', key })];
  await store.settle({
    settlements: parents.map((job) => ({ job, outcome: succeeded(), children })),
  });
  expect(await claimAll(store, 'child')).toHaveLength(1);
});

test('a parent of thousands makes them all', async () => {
  const { store } = await world();
  const job = await start(store);
  const children = times(4_500, () => newJob({ kind: 'child' }));
  expect(await settle(store, job, succeeded(), children)).toBe('settled');
  const counts = await store.counts();
  expect(counts.find(({ kind }) => kind === 'child')).toMatchObject({ count: 4_500 });
  expect((await store.list({ filter: { kind: 'child' }, limit: 9_000 })).jobs).toHaveLength(4_500);
});

test('about 10,000 events are kept', async () => {
  const { store, admin, prefix } = await world();
  await store.enqueue({ jobs: times(6_000, () => newJob()) });
  const length = await admin.xlen(`{${prefix}}:work:events`);
  expect(length).toBeGreaterThanOrEqual(10_000);
  expect(length).toBeLessThan(10_500);
});
