import { describe, expect, it } from 'vitest';
import {
  type Handler,
  START,
  createWorld,
  later,
  never,
  withoutHints,
  work,
} from '../../test/world.ts';

/** What holds a pool back: slots of a kind, quotas of a tenant, a least priority, windows. */

/** Jobs that the test ends one by one, oldest first. */
function turnstile() {
  const inside: (() => void)[] = [];
  const run: Handler = () => {
    const end = later();
    inside.push(end.resolve);
    return end.promise;
  };
  return { run, inside, next: () => inside.shift()?.() };
}

describe('a pool that claims by the handful', () => {
  it('waits until so many slots are free, and then fills them', async () => {
    const { run: handler, inside, next } = turnstile();
    const { worker, enqueue, run } = createWorld({
      kinds: [work(handler)],
      worker: { pools: [{ name: 'all', concurrency: 6, batch: 3, least: 3 }] },
    });
    for (let n = 0; n < 20; n++) await enqueue();
    worker.start();
    await run(100);
    expect(inside).toHaveLength(6);
    for (const left of [5, 4, 6]) {
      next();
      await run(1);
      expect(inside).toHaveLength(left);
    }
  });

  it.each([0, 4, 1.5])('is refused when it could never claim: %s', (least) => {
    const pools = [{ name: 'all', concurrency: 6, batch: 3, least }];
    expect(() => createWorld({ kinds: [work(never)], worker: { pools } })).toThrow(/never claim/);
  });
});

describe('a kind with a limit', () => {
  it('is never exceeded, while others have the rest of the pool', async () => {
    const kinds = [work(never, { kind: 'capped', concurrency: 2 }), work(never, { kind: 'free' })];
    const { worker, enqueue, run, store } = createWorld({
      kinds,
      worker: { pools: [{ name: 'all', concurrency: 6 }] },
    });
    for (let n = 0; n < 10; n++) await enqueue({ kind: 'capped', priority: 5 });
    for (let n = 0; n < 10; n++) await enqueue({ kind: 'free' });
    worker.start();
    await run(60_000);
    expect(await store.counts()).toEqual(
      expect.arrayContaining([
        { kind: 'capped', tenant: '', state: 'PROCESSING', count: 2, scheduled: 0 },
        { kind: 'free', tenant: '', state: 'PROCESSING', count: 4, scheduled: 0 },
      ]),
    );
  });

  it('gets its next job as soon as a slot is free, though the pool waits for its interval', async () => {
    const { run: handler, inside, next } = turnstile();
    const kinds = [
      work(handler, { kind: 'capped', concurrency: 2 }),
      work(never, { kind: 'other' }),
    ];
    const { worker, enqueue, run } = createWorld({
      kinds,
      wrap: withoutHints,
      worker: { pools: [{ name: 'all', interval: { active: '1h', idle: '1h' } }] },
    });
    for (let n = 0; n < 5; n++) await enqueue({ kind: 'capped' });
    worker.start();
    await run(100);
    expect(inside).toHaveLength(2);
    for (const left of [2, 2, 2, 1, 0]) {
      next();
      await run(1);
      expect(inside).toHaveLength(left);
    }
  });

  it('wakes nobody once its backlog is gone', async () => {
    const { run: handler, next } = turnstile();
    const { worker, enqueue, run, line } = createWorld({
      kinds: [work(handler, { concurrency: 2 })],
      wrap: withoutHints,
    });
    for (let n = 0; n < 2; n++) await enqueue();
    worker.start();
    await run(100);
    for (let n = 0; n < 2; n++) next();
    await run(100);
    await enqueue();
    await run(15_000);
    const before = line.count('claim');
    next();
    await run(1_000);
    expect(line.count('claim')).toBe(before);
  });
});

describe('a quota of running jobs per tenant', () => {
  it('holds over all replicas, and for each tenant alone', async () => {
    const kinds = [work(never, { quota: { running: 2 } })];
    const { worker, join, enqueue, run, store } = createWorld({ kinds });
    for (const tenant of ['a', 'a', 'a', 'a', 'a', 'b', 'b', 'b']) await enqueue({ tenant });
    worker.start();
    join('w2').worker.start();
    await run(60_000);
    expect(await store.counts()).toEqual(
      expect.arrayContaining([
        { kind: 'work', tenant: 'a', state: 'PROCESSING', count: 2, scheduled: 0 },
        { kind: 'work', tenant: 'a', state: 'QUEUED', count: 3, scheduled: 0 },
        { kind: 'work', tenant: 'b', state: 'PROCESSING', count: 2, scheduled: 0 },
        { kind: 'work', tenant: 'b', state: 'QUEUED', count: 1, scheduled: 0 },
      ]),
    );
  });

  it('gives its place on when the end is written, though the pool waits for its interval', async () => {
    const { run: handler, inside, next } = turnstile();
    const { worker, enqueue, run, line } = createWorld({
      kinds: [work(handler, { quota: { running: 1 } })],
      wrap: withoutHints,
      worker: { pools: [{ name: 'all', interval: { active: '1h', idle: '1h' } }] },
    });
    for (let n = 0; n < 3; n++) await enqueue({ tenant: 'a' });
    worker.start();
    await run(100);
    expect(inside).toHaveLength(1);
    // The outcome travels for a while: a claim before it is written finds the tenant at its limit.
    line.away.add('settle');
    next();
    await run(1_000);
    expect(inside).toHaveLength(0);
    line.away.delete('settle');
    await run(1_000);
    expect(inside).toHaveLength(1);
    next();
    await run(1);
    expect(inside).toHaveLength(1);
  });
});

describe('a least priority', () => {
  it('leaves lower ones, and those without, to others', async () => {
    const seen: unknown[] = [];
    const { worker, enqueue, run, job } = createWorld({
      kinds: [work(async ({ data }) => void seen.push(data))],
      worker: { pools: [{ name: 'urgent', minPriority: 5 }] },
    });
    worker.start();
    for (const priority of [4, 5, 6]) await enqueue({ data: priority, priority });
    const none = await enqueue({ data: 'none' });
    await run(60_000);
    expect(new Set(seen)).toEqual(new Set([5, 6]));
    expect(await job(none)).toMatchObject({ state: 'QUEUED' });
  });
});

describe('a pause window', () => {
  /** START is midnight in UTC. */
  const pools = [{ name: 'nightly', pauseWindows: [{ cron: '0 1 * * *', lasts: '30m' }] }] as const;
  const HOUR_MS = 3_600_000;

  it('holds the claims of its pool, by the store’s clock, and says until when', async () => {
    const { worker, enqueue, run, job } = createWorld({
      kinds: [work(async () => {})],
      worker: { pools },
    });
    worker.start();
    await run(HOUR_MS - 1_000);
    expect(worker.status().pools).toMatchObject([{ heldUntil: null }]);
    const before = await enqueue();
    await run(60_000);
    expect(await job(before)).toMatchObject({ state: 'SUCCEEDED' });

    const during = await enqueue();
    await run(20 * 60_000);
    expect(await job(during)).toMatchObject({ state: 'QUEUED' });
    expect(worker.status().pools).toMatchObject([{ heldUntil: START + 1.5 * HOUR_MS }]);
    await run(10 * 60_000);
    expect(await job(during)).toMatchObject({ state: 'SUCCEEDED' });
    expect(worker.status().pools).toMatchObject([{ heldUntil: null }]);
  });

  it('lets what runs go on, and the worker stop', async () => {
    const end = later();
    const { worker, enqueue, run, job } = createWorld({
      kinds: [work(() => end.promise)],
      worker: { pools },
    });
    worker.start();
    const id = await enqueue();
    await run(HOUR_MS + 60_000);
    const stopped = worker.stop();
    end.resolve();
    await run(100);
    await stopped;
    expect(await job(id)).toMatchObject({ state: 'SUCCEEDED' });
  });

  it('cannot be judged while the store is away, which is no reason to die', async () => {
    const { worker, enqueue, run, job, line } = createWorld({
      kinds: [work(async () => {})],
      worker: { pools },
    });
    line.away.add('now').add('claim');
    worker.start();
    const id = await enqueue();
    await run(60_000);
    line.away.clear();
    await run(20_000);
    expect(await job(id)).toMatchObject({ state: 'SUCCEEDED' });
  });
});
