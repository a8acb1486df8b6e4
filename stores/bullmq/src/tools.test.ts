import { newJob, only, times } from '@millrace/store-contract';
import { Queue, QueueEvents } from 'bullmq';
import { describe, expect, onTestFinished, test } from 'vitest';
import { redisForTests } from '../test/redis.ts';
import { FAILED, claimAll, settle, start, succeeded } from '../test/work.ts';
import type { BullStoreOptions } from './index.ts';

/** What apps and tools of BullMQ do past us, and what becomes of it: nothing is lost, run by mistake or left half done. */

const openStore = redisForTests();

async function world(options: Partial<BullStoreOptions> = {}) {
  const opened = await openStore(options);
  const queueFor = (name: string): Queue => {
    const queue = new Queue(name, {
      connection: { url: opened.url },
      prefix: `{${opened.prefix}}`,
      skipMetasUpdate: true,
    });
    onTestFinished(() => queue.close());
    return queue;
  };
  return { ...opened, queueFor };
}

type Opened = Awaited<ReturnType<typeof world>>;

async function pruneAll({ store }: Opened): Promise<void> {
  const otherwise = { SUCCEEDED: 0, FAILED: 0, CANCELED: 0 };
  for (let more = true, steps = 0; more && steps < 50; steps += 1)
    more = (await store.upkeep?.prune({ keep: {}, otherwise }))?.more ?? false;
}

const key = { value: 'K', windowMs: 3_600_000 };

describe('a job that succeeded and that a tool has run again', () => {
  test('keeps its key meanwhile, and starts over', async () => {
    const { store, queueFor } = await world();
    const job = await start(store, { key });
    await settle(store, job, succeeded('"first"'));
    await queueFor('work').retryJobs({ state: 'completed' });
    const batch = times(3, (index) => newJob(index === 1 ? { key } : {}));
    const made = await store.enqueue({ jobs: batch });
    expect(made.map(({ created }) => created)).toEqual([true, false, true]);
    expect(made[1]?.id).toBe(job.id);
    const claimed = await claimAll(store);
    expect(claimed.map(({ id }) => id)).toContain(job.id);
    expect(claimed).toHaveLength(3);
    expect(await store.get({ id: job.id })).toMatchObject({ state: 'PROCESSING', result: null });
    expect(only(await store.counts())).toMatchObject({ state: 'PROCESSING', count: 3 });
  });

  test('is not pruned while it waits', async () => {
    const opened = await world();
    const job = await start(opened.store);
    await settle(opened.store, job);
    await (await opened.queueFor('work').getJob(job.id))?.retry('completed');
    await opened.advance(1_000);
    await pruneAll(opened);
    expect(only(await claimAll(opened.store))).toMatchObject({ id: job.id });
  });
});

describe('a cancelled job is not run, though a tool had put it among the waiting', () => {
  const ways: Record<string, (queue: Queue, id: string) => Promise<unknown>> = {
    'promoted it': (queue) => queue.promoteJobs({}),
    'promoted it alone': async (queue, id) => (await queue.getJob(id))?.promote(),
  };
  for (const [name, way] of Object.entries(ways))
    test(name, async () => {
      const { store, queueFor } = await world();
      const [made] = await store.enqueue({ jobs: [newJob({ due: { afterMs: 600_000 } })] });
      const id = made?.id ?? '';
      await way(queueFor('work'), id);
      expect(await store.cancel({ select: { ids: [id] } })).toMatchObject({ canceled: [id] });
      expect(await claimAll(store)).toEqual([]);
      expect(only(await store.counts())).toMatchObject({ state: 'CANCELED', scheduled: 0 });
    });

  test('gave it no priority', async () => {
    const { store, queueFor } = await world();
    const [made] = await store.enqueue({ jobs: [newJob()] });
    const id = made?.id ?? '';
    await (await queueFor('work').getJob(id))?.changePriority({ priority: 0 });
    await store.cancel({ select: { ids: [id] } });
    expect(await claimAll(store)).toEqual([]);
  });

  test('retried it, before; after it, the job starts over', async () => {
    const { store, queueFor } = await world();
    const queue = queueFor('work');
    const job = await start(store);
    await settle(store, job, FAILED);
    await queue.retryJobs({ state: 'failed' });
    await store.cancel({ select: { ids: [job.id] } });
    expect(await claimAll(store)).toEqual([]);
    await queue.retryJobs({ state: 'failed' });
    expect(only(await claimAll(store))).toMatchObject({ id: job.id, attempt: 1 });
  });
});

test('a job that a tool has promoted is not counted as scheduled when it has run', async () => {
  const { store, queueFor } = await world();
  const due = { afterMs: 600_000 };
  const [first] = await store.enqueue({ jobs: times(2, () => newJob({ due })) });
  await (await queueFor('work').getJob(first?.id ?? ''))?.promote();
  await settle(store, only(await claimAll(store)));
  const waiting = (await store.counts()).find(({ state }) => state === 'QUEUED');
  expect(waiting).toMatchObject({ count: 1, scheduled: 1 });
});

test('the last priority of BullMQ is run, last but for suspects', async () => {
  const { store, queueFor, advance } = await world();
  const suspect = await start(store);
  await advance(61_000);
  await claimAll(store, 'none');
  await queueFor('work').add('any', { name: 'last' }, { priority: 2_097_151 });
  expect(only(await claimAll(store)).payload).toBe('{"name":"last"}');
  const alone = only(await claimAll(store, 'work', { alone: true }));
  expect(alone).toMatchObject({ id: suspect.id });
});

test('what is deduplicated can be added again when the job has ended, or is removed', async () => {
  const { store, queueFor } = await world();
  const queue = queueFor('work');
  const add = async (ttl?: number) =>
    (await queue.add('any', {}, { deduplication: { id: 'D', ...(ttl !== undefined && { ttl }) } }))
      .id;
  const first = await add();
  expect(await add()).toBe(first);
  await settle(store, only(await claimAll(store)));
  const second = await add(600_000);
  expect(second).not.toBe(first);
  const job = only(await claimAll(store));
  await settle(store, job);
  expect(await add(600_000), 'one with a time of its own runs out by itself').toBe(second);
  await store.amend?.remove({ id: job.id });
  expect(await add()).not.toBe(second);
});

describe('a job that a tool has removed', () => {
  const named = { correlationId: 'C', subject: 'ada', tenant: 'T', key };
  async function removed() {
    const opened = await world();
    const job = await start(opened.store, named);
    const error = { code: 'broken', message: 'Ada is unknown.', retryable: false };
    await settle(opened.store, job, { move: 'fail', error, stack: 'at Ada' });
    await opened.queueFor('work').remove(job.id);
    return opened;
  }
  async function left({ admin, prefix }: Opened): Promise<string> {
    const names = ['keys', 'names'].map((name) => `{${prefix}}.${name}`);
    const hashes = await Promise.all(names.map((name) => admin.hgetall(name)));
    const keys = await admin.keys(`{${prefix}}.*`);
    const events = await admin.xrange(`{${prefix}}:work:events`, '-', '+');
    const all = await admin.zrange(`{${prefix}}.all`, 0, -1);
    const indexes = keys.filter((name) => /subject|correlation|executions|state/.test(name));
    return JSON.stringify([
      hashes,
      indexes,
      all,
      events.filter((event) => /Ada/.test(String(event))),
    ]);
  }
  const NOTHING = JSON.stringify([[{}, {}], [], [], []]);

  test('is erased with all that names it', async () => {
    const opened = await removed();
    expect(await left(opened)).not.toBe(NOTHING);
    expect(await opened.store.erase({ subject: 'ada' })).toBe(1);
    expect(await left(opened)).toBe(NOTHING);
  });

  test('is swept out of indexes and counts', async () => {
    const opened = await removed();
    await opened.store.enqueue({ jobs: [newJob({ kind: 'other', due: { afterMs: 600_000 } })] });
    await opened.queueFor('other').obliterate({ force: true });
    await opened.advance(1_000);
    await pruneAll(opened);
    expect(await opened.store.counts()).toEqual([]);
    const events = `{${opened.prefix}}:work:events`;
    await opened.admin.del(events);
    expect(await left(opened)).toBe(NOTHING);
  });
});

test('a jobId that is the name of a list stops its own queue only, and is reported', async () => {
  const told: string[] = [];
  const { store, queueFor } = await world({ onFault: ({ message }) => told.push(message) });
  await store.enqueue({ jobs: [newJob({ kind: 'good' }), newJob({ kind: 'running' })] });
  const running = only(await claimAll(store, 'running'));
  await queueFor('bad').add('any', {}, { jobId: 'delayed' });
  const { jobs } = await store.claim({
    worker: 'worker-1',
    claim: 1_000_001,
    wants: ['bad', 'good'].map((kind) => ({ kind, limit: 9 })),
    limit: 9,
    leaseMs: 60_000,
  });
  expect(jobs.map(({ kind }) => kind)).toEqual(['good']);
  expect(told.join()).toMatch(/bad:delayed is a hash/);
  const counted = (await store.counts()).map(({ kind }) => kind);
  expect(counted.toSorted()).toEqual(['good', 'running']);
  // Whole or not at all: neither the first of a batch nor the outcome of a parent is written.
  const both = [newJob({ kind: 'good' }), newJob({ kind: 'bad' })];
  await expect(store.enqueue({ jobs: both })).rejects.toThrow(/bad:delayed is a hash/);
  await expect(settle(store, running, succeeded(), both)).rejects.toThrow(/bad:delayed/);
  expect(await store.get({ id: running.id })).toMatchObject({ state: 'PROCESSING' });
  expect(await claimAll(store, 'good')).toEqual([]);
  expect(await settle(store, running)).toBe('settled');
});

test('a result of a megabyte is in the job, and not in the events', async () => {
  const { store, queueFor, admin, prefix, url } = await world();
  const events = new QueueEvents('work', {
    connection: { url },
    prefix: `{${prefix}}`,
  });
  onTestFinished(() => events.close());
  await events.waitUntilReady();
  const queue = queueFor('work');
  const added = await queue.add('any', {});
  const finished = added.waitUntilFinished(events);
  await settle(store, only(await claimAll(store)), succeeded(JSON.stringify('x'.repeat(1e6))));
  expect(await finished).toBeNull();
  expect((await queue.getJob(added.id ?? ''))?.returnvalue).toHaveLength(1e6);
  const bytes = await admin.call('MEMORY', 'USAGE', `{${prefix}}:work:events`, 'SAMPLES', '0');
  expect(Number(bytes)).toBeLessThan(100_000);
});

test('an id is given once, whatever was lost and whatever an app calls its jobs', async () => {
  const { store, queueFor, admin, prefix } = await world();
  const enqueue = async () => only(await store.enqueue({ jobs: [newJob()] })).id;
  const first = await enqueue();
  // As after a fail-over to a replica that had nothing.
  await admin.del(...(await admin.keys(`{${prefix}}*`)));
  const second = await enqueue();
  expect(Number(second.slice(5))).toBeGreaterThan(Number(first.slice(5)));
  // Ahead of the clock, as in a burst: the next numbers are known.
  const ahead = Number(second.slice(5)) + 1e12;
  await admin.set(`{${prefix}}.number`, ahead);
  await queueFor('work').add('any', { name: 'stranger' }, { jobId: `bull-${ahead + 1}` });
  expect(await enqueue()).toBe(`bull-${ahead + 2}`);
  const payloads = (await claimAll(store)).map(({ payload }) => payload);
  expect(payloads).toHaveLength(3);
  expect(payloads).toContain('{"name":"stranger"}');
});
