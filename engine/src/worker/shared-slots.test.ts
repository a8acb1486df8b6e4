import { createVirtualTime } from '@millrace/testkit';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Handler, createWorld, later, never, work } from '../../test/world.ts';
import { type Seat, type SharedSlots, createSharedSlots } from './shared-slots.ts';

describe('places that pools share', () => {
  let time: ReturnType<typeof createVirtualTime>;
  let slots: SharedSlots;
  let called: string[];
  beforeEach(() => {
    time = createVirtualTime();
    const clock = time.process({ offset: 0, rate: 1 });
    slots = createSharedSlots({ kinds: ['pdf'], limit: 3, clock });
    called = [];
  });
  const join = (name: string): Seat => slots.join(() => called.push(name));

  it('are kept while a claim is under way, and are free again as far as it got nothing', () => {
    const [a, b] = [join('a'), join('b')];
    expect([a.reserve(8, 1), b.reserve(8, 1)]).toEqual([3, 0]);
    a.claimed(1);
    expect(called).toEqual(['b']);
    expect(b.reserve(8, 1)).toBe(2);
  });

  it('go to whoever waits longest, also if that needs several', () => {
    const [a, b] = [join('a'), join('b')];
    a.reserve(3, 1);
    a.claimed(3);
    expect(b.reserve(3, 2)).toBe(0);
    a.give();
    expect([a.reserve(8, 1), called]).toEqual([0, []]);
    a.give();
    expect(called).toEqual(['b']);
    expect([a.reserve(8, 1), b.reserve(3, 2), a.reserve(8, 1)]).toEqual([0, 2, 0]);
  });

  it('call a pool that got all it might ask for, and might have more', () => {
    const [a, b] = [join('a'), join('b')];
    b.take();
    a.reserve(8, 1);
    a.claimed(2);
    b.give();
    expect(called).toEqual(['a']);
  });

  it('wait for nobody who does not ask: its pool is held', async () => {
    const [a, b] = [join('a'), join('b')];
    a.reserve(3, 1);
    a.claimed(3);
    expect([b.reserve(1, 1), a.reserve(1, 1)]).toEqual([0, 0]);
    a.give();
    expect([called, a.reserve(1, 1)]).toEqual([['b'], 0]);
    await time.run(5_000);
    expect([called, a.reserve(1, 1)]).toEqual([['b', 'a'], 1]);
  });

  it('are not kept for long where a store does not answer', async () => {
    const [a, b] = [join('a'), join('b')];
    expect([a.reserve(8, 1), b.reserve(8, 1)]).toEqual([3, 0]);
    await time.run(5_000);
    expect([called, b.reserve(8, 1)]).toEqual([['b'], 3]);
    a.claimed(1);
    b.claimed(3);
    b.give();
    expect(join('c').reserve(1, 1)).toBe(0);
  });

  it('are those of others when a pool stops', () => {
    const [a, b, c] = [join('a'), join('b'), join('c')];
    a.reserve(3, 1);
    a.claimed(3);
    b.reserve(1, 1);
    c.reserve(1, 1);
    b.leave();
    a.give();
    expect([called, c.reserve(1, 1)]).toEqual([['c'], 1]);
  });
});

describe('pools with places that they share', () => {
  it('run no more together than there are, and none is left out', async () => {
    const order: string[] = [];
    const ends: (() => void)[] = [];
    const run: Handler = ({ kind }) => {
      order.push(kind);
      const end = later();
      ends.push(end.resolve);
      return end.promise;
    };
    const world = createWorld({
      kinds: [work(run, { kind: 'local' }), work(run, { kind: 'org' }), work(never)],
      shared: { kinds: ['local', 'org'], limit: 3 },
      worker: {
        pools: [{ name: 'org', kinds: ['org'], concurrency: 3, least: 2 }, { name: 'default' }],
      },
    });
    for (let n = 0; n < 12; n++) {
      await world.enqueue({ kind: 'local' });
      await world.enqueue({ kind: 'org' });
      await world.enqueue();
    }
    world.worker.start();
    await world.run(100);
    expect(ends).toHaveLength(3);
    expect(world.worker.status().inFlight).toBe(15);
    for (let n = 0; n < 21; n++) {
      ends.shift()?.();
      await world.run(100);
      expect(ends.length).toBeLessThanOrEqual(3);
    }
    expect(order).toHaveLength(24);
    expect(new Set(order.slice(0, 8))).toEqual(new Set(['local', 'org']));
  });
});
