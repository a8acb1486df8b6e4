import { RETRY, StoreUnavailable, defineJob, done } from '@millrace/engine';
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Break } from './breaks.ts';
import { createTestQueue } from './test-queue.ts';

/** What handlers did to the world outside, which no store can take back. */
let paid: { id: string; attempt: number; epoch: number }[];
let counted: number[];
beforeEach(() => {
  paid = [];
  counted = [];
});

const charge = defineJob({
  kind: 'charge',
  input: z.object({}),
  retry: RETRY.never,
  async run({ id, attempt }, { lease }) {
    paid.push({ id, attempt, epoch: lease.epoch });
    return done(paid.length);
  },
});

const count = defineJob({
  kind: 'count',
  input: z.object({ to: z.number() }),
  async *run({ data, cursor }) {
    for (let n = Number(cursor ?? 0) + 1; n <= data.to; n += 1) {
      counted.push(n);
      yield { cursor: n };
    }
    return done('counted');
  },
});

async function broken(order: Break) {
  const queue = createTestQueue({ jobs: [charge, count] });
  await queue.enqueue(charge, {});
  queue.break(order);
  const runs = await queue.drain();
  return { queue, runs, outcomes: runs.map(({ outcome }) => outcome) };
}

describe('the store', () => {
  it.each<Break>([
    { store: 'away', calls: 3 },
    { store: 'away', calls: 3, on: 'settle' },
    { store: 'away', for: '30s' },
    { store: 'silent', calls: 1, on: 'claim' },
    { store: 'silent', calls: 2, on: 'settle' },
  ])('%o: is asked again, and the handler runs once', async (order) => {
    const { outcomes, queue } = await broken(order);
    expect(outcomes).toEqual(['succeeded']);
    expect(paid).toHaveLength(1);
    expect(queue.now().getTime()).toBeGreaterThan(Date.UTC(2026, 0, 1) + 1_000);
  });

  it('away for longer than a lease: the job comes to its end all the same', async () => {
    const queue = createTestQueue({ jobs: [charge] });
    await queue.enqueue(charge, {});
    queue.on('job.started', () => {
      if (paid.length === 0) queue.break({ store: 'away', for: '10m' });
    });
    await queue.drain();
    expect(queue.jobs()).toMatchObject([{ state: 'SUCCEEDED' }]);
    expect(queue.now().getTime()).toBeGreaterThanOrEqual(Date.UTC(2026, 0, 1, 0, 10));
  });

  it('away: the app that enqueues hears of it', async () => {
    const queue = createTestQueue({ jobs: [charge] });
    queue.break({ store: 'away', calls: 1, on: 'enqueue' });
    await expect(queue.enqueue(charge, {})).rejects.toThrow(StoreUnavailable);
    await queue.enqueue(charge, {});
    expect(queue.jobs()).toHaveLength(1);
  });

  it('silent: the app cannot know, and a key makes it safe to ask again', async () => {
    const queue = createTestQueue({ jobs: [charge] });
    queue.break({ store: 'silent', calls: 1, on: 'enqueue' });
    await expect(queue.enqueue(charge, {}, { key: 'order-1' })).rejects.toThrow(StoreUnavailable);
    expect(await queue.enqueue(charge, {}, { key: 'order-1' })).toMatchObject({ created: false });
    expect(queue.jobs()).toHaveLength(1);
  });

  it('a handler that asks the store gets its answer late', async () => {
    const asks = defineJob({
      kind: 'asks',
      input: z.object({}),
      async run({ id }, { get }) {
        const error = await get(id).catch((thrown: unknown) => thrown);
        return done(error instanceof StoreUnavailable);
      },
    });
    const queue = createTestQueue({ jobs: [asks] });
    await queue.enqueue(asks, {});
    queue.break({ store: 'silent', calls: 1, on: 'get' });
    expect(await queue.drain()).toMatchObject([{ result: true }]);
  });
});

describe('the worker', () => {
  it('killed when the work is done: it is done twice, under a higher epoch', async () => {
    const { runs, outcomes } = await broken({ worker: 'killed', job: charge });
    expect(outcomes).toEqual(['lost', 'succeeded']);
    expect(runs[1]?.result).toBe(2);
    const [first, second] = paid;
    expect(second?.id).toBe(first?.id);
    expect(second?.epoch).toBeGreaterThan(first?.epoch ?? Infinity);
  });

  it('killed with a chunk: that chunk is done twice, and no other', async () => {
    const queue = createTestQueue({ jobs: [count] });
    await queue.enqueue(count, { to: 4 });
    queue.break({ worker: 'killed', job: count, chunk: 3 });
    const runs = await queue.drain();
    expect(counted).toEqual([1, 2, 3, 3, 4]);
    expect(runs).toMatchObject([
      { outcome: 'lost', chunks: [{ cursor: 1 }, { cursor: 2 }] },
      { outcome: 'succeeded', chunks: [{ cursor: 3 }, { cursor: 4 }], result: 'counted' },
    ]);
  });

  it('frozen when the work is done: someone else does it, and what the first one writes is refused', async () => {
    const { outcomes, queue } = await broken({ worker: 'frozen', job: charge });
    expect(outcomes).toEqual(['fenced', 'succeeded']);
    expect(queue.jobs()).toMatchObject([{ state: 'SUCCEEDED', result: 2, worker: 'worker-2' }]);
  });

  it('frozen with a chunk: the heir goes on from the chunk before, and the first one is stopped', async () => {
    const ended: string[] = [];
    const tidy = defineJob({
      kind: 'tidy',
      input: z.object({}),
      async *run({ cursor }) {
        try {
          for (let n = Number(cursor ?? 0) + 1; n <= 3; n += 1) yield { cursor: n };
        } finally {
          ended.push(`from ${String(cursor)}`);
        }
      },
    });
    const queue = createTestQueue({ jobs: [tidy] });
    await queue.enqueue(tidy, {});
    queue.break({ worker: 'frozen', job: tidy, chunk: 2 });
    const runs = await queue.drain();
    expect(runs).toMatchObject([
      { outcome: 'fenced', chunks: [{ cursor: 1 }] },
      { outcome: 'succeeded', chunks: [{ cursor: 2 }, { cursor: 3 }] },
    ]);
    expect(ended).toEqual(['from 1', 'from null']);
  });

  it('crashes where a fake says so', async () => {
    let calls = 0;
    const send = defineJob({
      kind: 'send',
      input: z.object({}),
      async run(_, __, post: { send(): Promise<void> }) {
        await post.send();
        return done(calls);
      },
    });
    const post = {
      async send() {
        calls += 1;
        if (calls === 1) await queue.crash();
      },
    };
    const queue = createTestQueue({ jobs: [send], services: { send: post } });
    await queue.enqueue(send, {});
    const runs = await queue.drain();
    expect(runs).toMatchObject([{ outcome: 'lost' }, { outcome: 'succeeded', result: 2 }]);
  });

  it('two jobs of a worker that is killed are both done again', async () => {
    const queue = createTestQueue({ jobs: [charge] });
    for (const key of ['a', 'b']) await queue.enqueue(charge, {}, { key });
    queue.break({ worker: 'killed', job: charge });
    await queue.drain();
    expect(paid).toHaveLength(4);
    expect(queue.jobs()).toMatchObject([{ state: 'SUCCEEDED' }, { state: 'SUCCEEDED' }]);
  });
});

describe('orders', () => {
  it.each<[string, object]>([
    ['say what breaks, either { store: … } or { worker: … }.', {}],
    ['a store is "away" or "silent".', { store: 'gone', calls: 1 }],
    ['say how long: either for: "5m", or calls: 3.', { store: 'away' }],
    ['calls is a whole number, from 1.', { store: 'away', calls: 0 }],
    [
      '"complete" is no call of a store. There are enqueue,',
      { store: 'away', calls: 1, on: 'complete' },
    ],
    ['there is no "call" here. There are for, calls, on.', { store: 'away', call: 1 }],
    ['a worker is "killed" or "frozen".', { worker: 'dead', job: charge }],
    ['say during which job: { job: aKind }.', { worker: 'killed' }],
    ['chunk is a whole number, from 1.', { worker: 'killed', job: charge, chunk: 0 }],
  ])('%s', (sentence, order) => {
    const queue = createTestQueue({ jobs: [charge] });
    expect(() => queue.break(order as Break)).toThrow(`queue.break: ${sentence}`);
  });

  it('one for a worker that never came about is a mistake of the test', async () => {
    const queue = createTestQueue({ jobs: [count] });
    await queue.enqueue(count, { to: 2 });
    queue.break({ worker: 'killed', job: count, chunk: 3 });
    await expect(queue.drain()).rejects.toThrow(
      'The worker was to be killed with chunk 3 of a "count", and that never came',
    );
    queue.repair();
    expect(await queue.drain()).toEqual([]);
  });
});
