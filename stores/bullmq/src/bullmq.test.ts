import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { FastifyAdapter } from '@bull-board/fastify';
import {
  type Clock,
  type Hint,
  type NewJob,
  createEvents,
  createRegistry,
  createWorker,
  defineJob,
  done,
} from '@millrace/engine';
import { newJob, only } from '@millrace/store-contract';
import { type JobsOptions, Queue, QueueEvents } from 'bullmq';
import Fastify from 'fastify';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { redisForTests } from '../test/redis.ts';
import { FAILED, claimAll, settle, start, succeeded } from '../test/work.ts';

/** The world around BullMQ, with its own packages: it sees our jobs, and we take up what it adds. */

const openStore = redisForTests();

async function world() {
  const opened = await openStore();
  const options = { connection: { url: opened.url }, prefix: `{${opened.prefix}}` };
  const queueFor = (name: string): Queue => {
    const queue = new Queue(name, options);
    onTestFinished(() => queue.close());
    return queue;
  };
  const eventsFor = async (name: string): Promise<QueueEvents> => {
    const events = new QueueEvents(name, { ...options, lastEventId: '0' });
    onTestFinished(() => events.close());
    await events.waitUntilReady();
    return events;
  };
  return { ...opened, queueFor, eventsFor };
}

const clock: Clock = {
  now: () => performance.now(),
  after(ms, fire) {
    const timer = setTimeout(fire, ms);
    return () => clearTimeout(timer);
  },
};

describe('a job that an app adds with BullMQ', () => {
  test('is taken up and run by a worker', async () => {
    const { store, queueFor } = await world();
    let seen: unknown = null;
    const greet = defineJob({
      kind: 'mail-greet',
      input: z.object({ name: z.string() }),
      async run({ data }) {
        seen = data;
        return done(`Good morning, ${data.name}.`);
      },
    });
    const events = createEvents();
    const finished = new Promise<string>((resolve) => {
      events.on('job.succeeded', ({ id }) => resolve(id));
    });
    const worker = createWorker({
      config: { id: 'worker', pools: [{ name: 'all', interval: { active: 20, idle: 20 } }] },
      store,
      registry: createRegistry([greet]),
      clock,
      random: Math.random,
      events,
    });
    worker.start();
    onTestFinished(() => worker.stop());

    const queue = queueFor('mail-greet');
    const added = await queue.add('any name', { name: 'Ada' });
    const id = await finished;
    expect(seen).toEqual({ name: 'Ada' });
    expect(await store.get({ id })).toMatchObject({
      kind: 'mail-greet',
      state: 'SUCCEEDED',
      result: '"Good morning, Ada."',
    });
    const job = await queue.getJob(added.id ?? '');
    expect(await job?.getState()).toBe('completed');
    expect(job).toMatchObject({ returnvalue: 'Good morning, Ada.', name: 'any name' });
  });

  test('wakes every process up, whichever takes the marker', async () => {
    const { store, open, queueFor } = await world();
    const other = await open();
    const queue = queueFor('mail:greet'.replace(':', '%3A'));
    for (const add of [{}, { priority: 3 }, { delay: 60_000 }]) {
      const heard = [store, other].map(
        (each) =>
          new Promise<Hint>((resolve) => {
            const stop = each.watch((hint) => {
              stop();
              resolve(hint);
            });
          }),
      );
      // They work on the kind from now on: a marker that was set before is found too.
      for (const each of [store, other]) await claimAll(each, 'mail:greet');
      await queue.add('any name', { name: 'Ada' }, add);
      for (const hint of await Promise.all(heard))
        expect(hint).toEqual({ type: 'ready', kinds: ['mail:greet'] });
    }
  });

  test('keeps the order, the attempts and the delay that BullMQ gives it', async () => {
    const { store, queueFor, advance } = await world();
    const queue = queueFor('work');
    const add = async (name: string, options: JobsOptions = {}) =>
      queue.add('any', { name }, options);
    await add('third', { priority: 5, attempts: 4 });
    await add('first');
    await add('fourth', { priority: 900 });
    await add('second', { priority: 1 });
    await add('late', { delay: 600_000 });
    await store.enqueue({
      jobs: [newJob({ payload: '{"name":"ours, none"}' }), urgent('{"name":"ours, urgent"}')],
    });
    const claimed = await claimAll(store);
    const names = claimed.map(({ payload }) => nameIn(payload));
    expect(names).toEqual(['ours, urgent', 'first', 'second', 'third', 'fourth', 'ours, none']);
    expect(claimed.map(({ maxAttempts }) => maxAttempts)).toEqual([3, 1, 1, 4, 1, 3]);
    expect(claimed.map(({ priority }) => priority)).toEqual([9, 0, -1, -5, -900, null]);
    for (const job of claimed) expect(await settle(store, job)).toBe('settled');
    await advance(601_000);
    expect((await claimAll(store)).map(({ payload }) => nameIn(payload))).toEqual(['late']);
    expect(await queue.getJobCounts('completed', 'active')).toEqual({ completed: 6, active: 1 });
  });

  test('has an id of its own in each queue, and may have any', async () => {
    const { store, queueFor } = await world();
    const [left, right] = [queueFor('left'), queueFor('right')];
    await left.add('any', {});
    await right.add('any', {});
    await right.add('any', {}, { jobId: 'poll-17' });
    const claimed = [...(await claimAll(store, 'left')), ...(await claimAll(store, 'right'))];
    expect(new Set(claimed.map(({ id }) => id)).size).toBe(3);
    for (const { id, kind } of claimed)
      expect(await store.get({ id })).toMatchObject({ id, kind, state: 'PROCESSING' });
    expect(await (await right.getJob('poll-17'))?.getState()).toBe('active');
  });

  test('that has a key is found by it, as by jobId', async () => {
    const { store, queueFor } = await world();
    const keyed = (value: string, changes: Partial<NewJob> = {}) =>
      newJob({ kind: 'poll-shell-query', key: { value, windowMs: 0 }, ...changes });
    const [first, again] = await store.enqueue({
      jobs: [keyed('poll-run-1'), keyed('poll-run-1')],
    });
    expect(again).toEqual({ id: first?.id, created: false });
    const queue = queueFor('poll-shell-query');
    expect(await (await queue.getJob('poll-run-1'))?.getState()).toBe('prioritized');
    const [claimed] = await claimAll(store, 'poll-shell-query');
    expect(claimed?.id).toBe(first?.id);
    if (claimed === undefined) throw new Error('nothing was claimed');
    expect(await settle(store, claimed, { move: 'defer', payload: '2', delayMs: 60_000 })).toBe(
      'settled',
    );
    expect(await (await queue.getJob('poll-run-1'))?.getState()).toBe('delayed');
    // Names of BullMQ's own keys, numbers, those of other tenants and of jobs about somebody have other ids.
    await store.enqueue({
      jobs: [
        keyed('waiting-children'),
        keyed('17'),
        keyed('about-7', { subject: 'ada' }),
        keyed('poll-run-1', { tenant: 'acme' }),
      ],
    });
    for (const id of ['waiting-children', '17', 'about-7'])
      expect(await queue.getJob(id), id).toBeUndefined();
    expect((await store.list({ filter: {}, limit: 9 })).jobs).toHaveLength(5);
  });

  test('is counted and listed once it was seen, and can be cancelled', async () => {
    const { store, queueFor } = await world();
    await store.enqueue({ jobs: [newJob()] });
    const added = await queueFor('work').add('any', {});
    expect(await store.counts()).toMatchObject([{ kind: 'work', state: 'QUEUED', count: 2 }]);
    const { jobs } = await store.list({ filter: {}, limit: 9 });
    const [stray = ''] = jobs.map(({ id }) => id);
    expect(await store.cancel({ select: { ids: [stray] } })).toMatchObject({ canceled: [stray] });
    expect(await (await queueFor('work').getJob(added.id ?? ''))?.getState()).toBe('failed');
  });
});

function urgent(payload: string) {
  return newJob({ payload, priority: 9 });
}

function nameIn(payload: string | null): string {
  return (JSON.parse(payload ?? '{}') as { name: string }).name;
}

describe('our jobs as BullMQ sees them', () => {
  test('Queue has each in its state, with its data', async () => {
    const { store, queueFor } = await world();
    const queue = queueFor('work');
    const state = async (id: string) => (await queue.getJob(id))?.getState();
    const [later, first] = await store.enqueue({
      jobs: [newJob({ due: { afterMs: 600_000 } }), newJob({ payload: '{"a":1}', priority: 3 })],
    });
    expect(await state(later?.id ?? '')).toBe('delayed');
    expect(await state(first?.id ?? '')).toBe('prioritized');
    const running = only(await claimAll(store));
    expect(await state(running.id)).toBe('active');
    const job = await queue.getJob(running.id);
    expect(job).toMatchObject({ data: { a: 1 }, name: 'work', attemptsStarted: 1 });
    await expect(job?.remove(), 'a running job is locked').rejects.toThrow(/locked/);
    await settle(store, running, succeeded('{"pages":3}'));
    expect(await queue.getJob(running.id)).toMatchObject({ returnvalue: { pages: 3 } });
    const failing = await start(store);
    await settle(store, failing, FAILED);
    expect(await queue.getJob(failing.id)).toMatchObject({
      failedReason: 'It broke.',
      stacktrace: [expect.stringContaining('work.ts:1:1')],
    });
    const canceled = await start(store);
    await settle(store, canceled, { move: 'cancel' });
    const counts = await queue.getJobCounts('completed', 'failed', 'delayed', 'active', 'wait');
    expect(counts).toEqual({ completed: 1, failed: 2, delayed: 1, active: 0, wait: 0 });
  });

  test('a suspect still waits, and a colon in a kind is written otherwise', async () => {
    const { store, queueFor, advance } = await world();
    const job = await start(store, { kind: 'a:b%' });
    await advance(61_000);
    await claimAll(store, 'none');
    expect(await (await queueFor('a%3Ab%25').getJob(job.id))?.getState()).toBe('prioritized');
    expect(only(await claimAll(store, 'a:b%', { alone: true }))).toMatchObject({ kind: 'a:b%' });
  });

  test('a failed job that one of its tools has retried starts over', async () => {
    const { store, queueFor } = await world();
    const job = await start(store);
    await settle(store, job, FAILED);
    await (await queueFor('work').getJob(job.id))?.retry();
    expect(only(await claimAll(store))).toMatchObject({ id: job.id, attempt: 1 });
    expect(await store.counts()).toMatchObject([{ state: 'PROCESSING', count: 1 }]);
  });

  test('a job that one of its tools has removed is passed over', async () => {
    const { store, queueFor } = await world();
    const [gone, kept] = await store.enqueue({ jobs: [newJob(), newJob()] });
    await queueFor('work').remove(gone?.id ?? '');
    expect((await store.list({ filter: {}, limit: 9 })).jobs).toMatchObject([{ id: kept?.id }]);
    expect(await store.get({ id: gone?.id ?? '' })).toBeNull();
    expect(only(await claimAll(store))).toMatchObject({ id: kept?.id });
  });

  test('a queue that BullMQ has paused is left alone', async () => {
    const { store, queueFor } = await world();
    const [made] = await store.enqueue({ jobs: [newJob()] });
    await queueFor('work').pause();
    expect(await claimAll(store)).toEqual([]);
    expect(await store.inspect({ id: made?.id ?? '' })).toMatchObject({ kindPaused: true });
    await queueFor('work').resume();
    expect(await claimAll(store)).toHaveLength(1);
  });

  test('QueueEvents hears of each step', async () => {
    const { store, eventsFor } = await world();
    const heard: string[] = [];
    const events = await eventsFor('work');
    const failed = new Promise<void>((resolve) => {
      events.on('failed', ({ failedReason }) => {
        heard.push(`failed ${failedReason}`);
        resolve();
      });
    });
    events.on('added', ({ name }) => heard.push(`added ${name}`));
    events.on('waiting', () => heard.push('waiting'));
    events.on('active', () => heard.push('active'));
    events.on('delayed', () => heard.push('delayed'));
    events.on('completed', ({ returnvalue }) => heard.push(`completed ${returnvalue}`));
    await settle(store, await start(store), succeeded('"well"'));
    await settle(store, await start(store), { move: 'defer', payload: null, delayMs: 600_000 });
    await settle(store, await start(store), FAILED);
    await failed;
    const begun = ['added work', 'waiting', 'active'];
    expect(heard).toEqual([
      ...begun,
      'completed well',
      ...begun,
      'delayed',
      ...begun,
      'failed It broke.',
    ]);
  });

  test('Bull Board shows every state, and changes nothing', async () => {
    const { store, queueFor } = await world();
    await settle(store, await start(store), succeeded());
    await settle(store, await start(store), FAILED);
    await start(store);
    await store.enqueue({ jobs: [newJob(), newJob({ due: { afterMs: 600_000 } })] });
    const before = await store.list({ filter: {}, limit: 9 });

    const adapter = new FastifyAdapter();
    createBullBoard({
      queues: [new BullMQAdapter(queueFor('work'), { readOnlyMode: true })],
      // Its package has a copy of the types of the other.
      serverAdapter: adapter as unknown as Parameters<typeof createBullBoard>[0]['serverAdapter'],
    });
    const app = Fastify();
    onTestFinished(() => app.close());
    await app.register(adapter.registerPlugin());
    const response = await app.inject('/api/queues?activeQueue=work&status=latest&page=1');
    expect(response.statusCode).toBe(200);
    const board = response.json<{
      queues: { counts: Record<string, number>; readOnlyMode: boolean; jobs: { id: string }[] }[];
    }>();
    const shown = only(board.queues);
    expect(shown).toMatchObject({
      readOnlyMode: true,
      counts: { active: 1, completed: 1, failed: 1, delayed: 1, prioritized: 1 },
    });
    expect(new Set(shown.jobs.map(({ id }) => id))).toEqual(
      new Set(before.jobs.map(({ id }) => id)),
    );
    expect(await store.list({ filter: {}, limit: 9 })).toEqual(before);
  });
});
