import type { ControlPart, Store } from '@millrace/engine';
import { expect } from 'vitest';
import {
  HOUR,
  MINUTE,
  PAST_LEASE_MS,
  add,
  addOne,
  claim,
  claimAll,
  claimAlone,
  idsOf,
  partOf,
  settle,
  start,
  wants,
} from '../build.ts';
import type { Section } from '../harness.ts';
import { everything, expectBetween, stateOf, value } from '../observe.ts';

function controlOf(store: Store): ControlPart {
  return partOf(store, 'control');
}

export const control: Section = {
  title: 'pause, resume and workers',
  needs: ['control'],
  checks(check) {
    check('a paused kind is not claimed, the others are', async (world) => {
      const { store } = world;
      const other = await world.open();
      const [held, free] = await add(store, { kind: 'held', priority: 9 }, { kind: 'free' });
      expect(await controlOf(store).pause({ kind: 'held', by: 'ann' })).toBe(true);
      const claimed = await claim(other, { wants: wants('held', 'free') });
      expect(idsOf(claimed.jobs)).toEqual([free]);
      expect(claimed.more, 'what is paused is no more to come').toBe(false);
      expect(await controlOf(other).resume({ kind: 'held' })).toBe(true);
      expect(idsOf(await claimAll(store, { wants: wants('held', 'free') }))).toEqual([held]);
    });

    check('pausing twice and resuming twice say so', async ({ store }) => {
      const before = await store.now();
      expect(await controlOf(store).pause({ kind: 'work', by: 'ann' })).toBe(true);
      const after = await store.now();
      expect(await controlOf(store).pause({ kind: 'work', by: 'bob' })).toBe(false);
      await controlOf(store).pause({ kind: 'other', by: null });
      const paused = await controlOf(store).paused();
      expect(paused.map(({ kind, by }) => `${kind}: ${by}`).toSorted()).toEqual([
        'other: null',
        'work: ann',
      ]);
      expectBetween(paused.find(({ kind }) => kind === 'work')?.since ?? null, before, after);
      expect(await controlOf(store).resume({ kind: 'work' })).toBe(true);
      expect(await controlOf(store).resume({ kind: 'work' })).toBe(false);
      expect(await controlOf(store).paused()).toMatchObject([{ kind: 'other' }]);
    });

    check('what runs goes on while its kind is paused, and is taken over', async (world) => {
      const { store } = world;
      const running = await start(store);
      const lost = await start(store);
      await controlOf(store).pause({ kind: 'work', by: null });
      expect(await settle(store, running)).toBe('settled');
      await world.advance(PAST_LEASE_MS);
      expect(await claim(store)).toMatchObject({ jobs: [], takenOver: 1 });
      expect(await stateOf(store, lost.id)).toBe('QUEUED');
      await controlOf(store).resume({ kind: 'work' });
      expect((await claimAlone(store)).id).toBe(lost.id);
    });

    check('a paused kind still takes new jobs', async ({ store }) => {
      await controlOf(store).pause({ kind: 'work', by: null });
      const id = await addOne(store);
      expect(await claimAll(store)).toEqual([]);
      await controlOf(store).resume({ kind: 'work' });
      expect(idsOf(await claimAll(store))).toEqual([id]);
    });

    check('workers that reported are known, and when', async (world) => {
      const { store } = world;
      const other = await world.open();
      const report = { worker: 'w1', kinds: ['a', 'b'], stats: '{"processed":1}' };
      await controlOf(store).reportWorker(report);
      await controlOf(other).reportWorker({ ...report, worker: 'w2', kinds: [] });
      await world.advance(4 * MINUTE);
      const before = await store.now();
      await controlOf(store).reportWorker({ ...report, stats: '{"processed":2}' });
      const both = await controlOf(other).workers();
      expect(both.map(({ worker }) => worker).toSorted()).toEqual(['w1', 'w2']);
      const first = both.find(({ worker }) => worker === 'w1');
      expect(first?.kinds).toEqual(['a', 'b']);
      expect(value(first?.stats ?? null)).toEqual({ processed: 2 });
      expectBetween(first?.seenAt ?? null, before, await store.now());
    });

    check(
      'what each worker runs is what it holds a lease for, whatever it reported',
      async (world) => {
        const { store } = world;
        const report = { kinds: ['work'], stats: '{"inFlight":7}' };
        for (const worker of ['w1', 'w2', 'w3'])
          await controlOf(store).reportWorker({ ...report, worker });
        const running = async () =>
          Object.fromEntries(
            (await controlOf(store).workers()).map((each) => [each.worker, each.running]),
          );
        expect(await running()).toEqual({ w1: {}, w2: {}, w3: {} });
        await add(store, {}, {}, {}, { kind: 'other' });
        const [first] = await claimAll(store, { worker: 'w1', limit: 2 });
        await claimAll(store, { worker: 'w2', wants: wants('work', 'other') });
        expect(await running()).toEqual({ w1: { work: 2 }, w2: { work: 1, other: 1 }, w3: {} });
        if (first === undefined) throw new Error('nothing was claimed');
        await settle(store, first);
        expect(await running()).toMatchObject({ w1: { work: 1 } });
      },
    );

    check('a pause says why', async ({ store }) => {
      const { pause, paused } = controlOf(store);
      await pause({ kind: 'work', by: 'ann', reason: 'The warehouse reloads.' });
      await pause({ kind: 'other', by: 'ann' });
      const reasons = (await paused()).map(({ kind, reason }) => `${kind}: ${reason}`);
      expect(reasons.toSorted()).toEqual(['other: null', 'work: The warehouse reloads.']);
    });

    check(
      'what workers are to do is known to all, with who asked for it and why',
      async (world) => {
        const { store } = world;
        const { steer, steered } = controlOf(await world.open());
        expect(await steered()).toEqual([]);
        const before = await store.now();
        const asked = { worker: 'w1', by: 'ann', reason: 'Its disk is full.' };
        expect(await steer({ ...asked, to: 'paused' })).toBe(true);
        expect(await steer({ worker: 'w1', to: 'paused', by: 'bob' })).toBe(false);
        const [only, ...others] = await controlOf(store).steered();
        expect([only, others]).toMatchObject([{ ...asked, to: 'paused' }, []]);
        expectBetween(only?.since ?? null, before, await store.now());
        expect(await steer({ worker: 'w1', to: 'drained', by: 'bob' })).toBe(true);
        expect(await steer({ worker: 'w0', to: 'paused', by: null })).toBe(true);
        expect(await steered()).toMatchObject([
          { worker: 'w0', to: 'paused', by: null, reason: null },
          { worker: 'w1', to: 'drained', by: 'bob', reason: null },
        ]);
        expect(await steer({ worker: 'w1', to: 'running', by: 'ann' })).toBe(true);
        expect(await steer({ worker: 'w1', to: 'running', by: 'ann' })).toBe(false);
        expect(await steered()).toMatchObject([{ worker: 'w0' }]);
      },
    );

    check(
      'silent workers are forgotten after an hour, with what they were to do',
      async (world) => {
        const { store } = world;
        const names = async () =>
          (await controlOf(store).workers()).map(({ worker }) => worker).toSorted();
        const report = (worker: string) =>
          controlOf(store).reportWorker({ worker, kinds: ['work'], stats: '{}' });
        for (const worker of ['gone', 'lives']) await report(worker);
        await controlOf(store).steer({ worker: 'gone', to: 'drained', by: null });
        await world.advance(50 * MINUTE);
        await report('lives');
        expect(await names()).toEqual(['gone', 'lives']);
        await world.advance(20 * MINUTE);
        await report('lives');
        expect(await names()).toEqual(['lives']);
        expect(await controlOf(store).steered()).toEqual([]);
        await world.advance(2 * HOUR);
        expect(await names()).toEqual([]);
      },
    );

    check(
      'housekeeping changes nothing that anyone sees',
      async ({ store }) => {
        await add(store, {}, { due: { afterMs: HOUR } });
        await claimAll(store);
        const before = await everything(store);
        await partOf(store, 'upkeep').maintain();
        expect(await everything(store)).toEqual(before);
      },
      ['upkeep'],
    );
  },
};
