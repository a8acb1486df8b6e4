import { describe, expect, it } from 'vitest';
import {
  type Handler,
  type WorldOptions,
  createWorld,
  later,
  never,
  withoutHints,
  work,
} from '../../test/world.ts';
import type { PoolConfig } from './pool-config.ts';
import type { ClaimParams } from '../port.ts';

/** The rhythm of a pool: when it claims, and when it waits. */

function world(run: Handler, pool: Partial<PoolConfig> = {}, more: Partial<WorldOptions> = {}) {
  const pools = [{ name: 'all', interval: { active: '5s', idle: '15s' }, ...pool }] as const;
  return createWorld({ kinds: [work(run)], worker: { pools }, ...more });
}

const quick: Handler = async () => {};

describe('waiting', () => {
  it('ends with a hint: nothing waits for the poll', async () => {
    const { worker, enqueue, run, job } = world(quick);
    worker.start();
    await run(1_000);
    const id = await enqueue();
    await run(1);
    expect(await job(id)).toMatchObject({ state: 'SUCCEEDED' });
  });

  it('is the idle interval after nothing, the active one after something', async () => {
    const { worker, enqueue, run, line } = world(quick, {}, { wrap: withoutHints });
    worker.start();
    await run(14_000);
    expect(line.count('claim')).toBe(1);
    await enqueue();
    await run(1_500);
    expect(line.count('claim')).toBe(2);
    await run(4_000);
    expect(line.count('claim')).toBe(2);
    await run(1_000);
    expect(line.count('claim')).toBe(3);
    await run(14_000);
    expect(line.count('claim')).toBe(3);
    await run(1_000);
    expect(line.count('claim')).toBe(4);
  });

  it('ends when the next job becomes due', async () => {
    const { worker, enqueue, run, job, line } = world(quick);
    const id = await enqueue({ delay: '3s' });
    worker.start();
    await run(2_999);
    expect(await job(id)).toMatchObject({ state: 'QUEUED' });
    expect(line.count('claim')).toBe(1);
    await run(10);
    expect(await job(id)).toMatchObject({ state: 'SUCCEEDED' });
  });

  it('is not cut short by other pools’ kinds', async () => {
    const kinds = [work(quick), work(quick, { kind: 'other' })];
    const { worker, enqueue, run, line } = createWorld({
      kinds,
      worker: {
        pools: [
          { name: 'a', kinds: ['work'] },
          { name: 'b', kinds: ['other'] },
        ],
      },
    });
    worker.start();
    await run(100);
    line.calls.length = 0;
    await enqueue({ kind: 'other' });
    await run(100);
    expect(
      line.calls
        .filter(({ verb }) => verb === 'claim')
        .map(({ params }) => (params as ClaimParams).wants),
    ).toEqual([[{ kind: 'other', limit: 20 }]]);
  });

  it('never turns into a race when a store promises what it cannot give', async () => {
    const { worker, run, line } = world(
      quick,
      {},
      {
        wrap: (store) => ({
          ...store,
          claim: async (params) => ({ ...(await store.claim(params)), more: true, nextDueMs: 0 }),
        }),
      },
    );
    worker.start();
    await run(1_000);
    expect(line.count('claim')).toBeLessThanOrEqual(201);
  });

  it('nor when its intervals leave no time', async () => {
    const { worker, run, line } = world(quick, { interval: { active: 0, idle: 0 } });
    worker.start();
    await run(1_000);
    expect(line.count('claim')).toBeLessThanOrEqual(201);
  });

  it('many hints of one turn are one claim', async () => {
    const { worker, enqueue, run, line } = world(quick);
    worker.start();
    await run(1_000);
    const before = line.count('claim');
    for (let n = 0; n < 10; n++) void enqueue();
    await run(1);
    expect(line.count('claim') - before).toBeLessThanOrEqual(2);
  });
});

describe('a backlog', () => {
  it('is claimed batch after batch without waiting', async () => {
    const { worker, enqueue, run, queue, time, of } = world(
      quick,
      { batch: 10, concurrency: 10 },
      { wrap: withoutHints },
    );
    for (let n = 0; n < 95; n++) await enqueue();
    worker.start();
    await run(100);
    expect(await queue.counts()).toEqual([
      { kind: 'work', tenant: '', state: 'SUCCEEDED', count: 95, scheduled: 0 },
    ]);
    expect(time.now()).toBe(100);
    expect(
      of('pool.polled')
        .map(({ claimed }) => claimed)
        .filter((claimed) => claimed === 10),
    ).toHaveLength(9);
  });

  it('is never claimed beyond the slots that can start it', async () => {
    const { worker, enqueue, run, queue, line } = world(never, { batch: 20, concurrency: 8 });
    for (let n = 0; n < 20; n++) await enqueue();
    worker.start();
    await run(60_000);
    expect(worker.status().inFlight).toBe(8);
    expect(await queue.counts()).toContainEqual({
      kind: 'work',
      tenant: '',
      state: 'QUEUED',
      count: 12,
      scheduled: 0,
    });
    expect(line.count('claim')).toBe(1);
  });

  it('a slow job does not hold the others of its batch back', async () => {
    const slow = later();
    const { worker, enqueue, run, queue } = world(
      ({ data }) => (data === 'slow' ? slow.promise : Promise.resolve()),
      { batch: 3, concurrency: 3 },
    );
    await enqueue({ data: 'slow' });
    for (let n = 0; n < 20; n++) await enqueue();
    worker.start();
    await run(100);
    expect(await queue.counts()).toEqual([
      { kind: 'work', tenant: '', state: 'PROCESSING', count: 1, scheduled: 0 },
      { kind: 'work', tenant: '', state: 'SUCCEEDED', count: 20, scheduled: 0 },
    ]);
    slow.resolve();
    await run(1);
  });

  it('comes in the order of priority, then age', async () => {
    const seen: unknown[] = [];
    const { worker, enqueue, run } = world(async ({ data }) => void seen.push(data), {
      batch: 1,
      concurrency: 1,
    });
    await enqueue({ data: 'none' });
    await enqueue({ data: 'low', priority: -5 });
    await enqueue({ data: 'high', priority: 5 });
    await enqueue({ data: 'high, younger', priority: 5 });
    worker.start();
    await run(100);
    expect(seen).toEqual(['high', 'high, younger', 'low', 'none']);
  });
});

describe('outcomes that pile up', () => {
  it('stop the claims, until there is room', async () => {
    const { worker, enqueue, run, line, queue } = world(quick, {
      batch: 1_000,
      concurrency: 20_000,
    });
    for (let n = 0; n < 15_000; n++) await enqueue();
    line.away.add('settle');
    worker.start();
    await run(1_000);
    // And the batch that was ahead of them.
    expect(worker.status().settling).toBe(11_000);
    line.away.delete('settle');
    await run(10_000);
    expect(await queue.counts()).toEqual([
      { kind: 'work', tenant: '', state: 'SUCCEEDED', count: 15_000, scheduled: 0 },
    ]);
  });
});

describe('pause', () => {
  it('lets no claim leave, and what runs go on', async () => {
    const end = later();
    const { worker, enqueue, run, job, line } = world(() => end.promise, { concurrency: 1 });
    worker.start();
    const first = await enqueue();
    const second = await enqueue();
    await run(10);
    expect(worker.pause()).toBe(true);
    const claims = line.count('claim');
    end.resolve();
    await run(60_000);
    expect(await job(first)).toMatchObject({ state: 'SUCCEEDED' });
    expect(await job(second)).toMatchObject({ state: 'QUEUED' });
    expect(line.count('claim')).toBe(claims);
    worker.resume();
    await run(10);
    expect(await job(second)).toMatchObject({ state: 'SUCCEEDED' });
  });

  it('also holds for a pool that has just looked at the time for its windows', async () => {
    const { worker, enqueue, run, line } = world(quick, {
      pauseWindows: [{ cron: '0 3 * * *', lasts: '1h' }],
    });
    worker.start();
    worker.pause();
    await enqueue();
    await run(60_000);
    expect(line.count('claim')).toBe(0);
  });
});

describe('the kinds that no pool names', () => {
  const kinds = ['a', 'b', 'c'].map((kind) => work(quick, { kind }));

  it('share the pool without names, or one that is added', () => {
    const poolsOf = (pools: readonly PoolConfig[]) =>
      createWorld({ kinds, worker: { pools } })
        .worker.status()
        .pools.map((pool) => [pool.name, pool.kinds]);
    expect(poolsOf([])).toEqual([['default', ['a', 'b', 'c']]]);
    expect(poolsOf([{ name: 'x', kinds: ['b'] }])).toEqual([
      ['x', ['b']],
      ['default', ['a', 'c']],
    ]);
    expect(poolsOf([{ name: 'rest' }, { name: 'x', kinds: ['b'] }])).toEqual([
      ['rest', ['a', 'c']],
      ['x', ['b']],
    ]);
    expect(poolsOf([{ name: 'x', kinds: ['a', 'b', 'c'] }])).toEqual([['x', ['a', 'b', 'c']]]);
  });

  it.each<[string, readonly PoolConfig[], string]>([
    [
      'a kind in two',
      [
        { name: 'x', kinds: ['a'] },
        { name: 'y', kinds: ['a'] },
      ],
      'The kind "a" is in two pools.',
    ],
    ['a kind that is not there', [{ name: 'x', kinds: ['z'] }], 'There is no kind "z".'],
    [
      'two names',
      [
        { name: 'x', kinds: ['a'] },
        { name: 'x', kinds: ['b'] },
      ],
      'Two pools are called "x".',
    ],
    [
      'the name of the added one',
      [{ name: 'default', kinds: ['a'] }],
      'Two pools are called "default".',
    ],
    ['two for the rest', [{ name: 'x' }, { name: 'y' }], 'Two pools name no kinds.'],
    ['no slot', [{ name: 'x', concurrency: 0 }], 'The pool "x" needs a whole concurrency'],
    ['no batch', [{ name: 'x', batch: 0.5 }], 'The pool "x" needs a whole concurrency'],
    ['a wrong priority', [{ name: 'x', minPriority: 5_000 }], 'The priority must be'],
    [
      'a window that is none',
      [{ name: 'x', pauseWindows: [{ cron: 'at night', lasts: '1h' }] }],
      '"at night" in time zone "UTC" is not a schedule',
    ],
    [
      'a window without length',
      [{ name: 'x', pauseWindows: [{ cron: '* * * * *', lasts: 0 }] }],
      'A pause window cannot last "0".',
    ],
  ])('pools that are not possible: %s', (_, pools, message) => {
    expect(() => createWorld({ kinds, worker: { pools } })).toThrow(message);
  });
});
