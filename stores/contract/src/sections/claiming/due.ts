import { expect } from 'vitest';
import {
  HOUR,
  MINUTE,
  SECOND,
  add,
  addOne,
  claim,
  claimAll,
  claimOne,
  idsOf,
  settle,
  times,
} from '../../build.ts';
import type { Section } from '../../harness.ts';
import { expectBetween, read } from '../../observe.ts';

export const due: Section = {
  title: 'due times',
  checks(check) {
    check('a delayed job is not claimed before its time, and then it is', async (world) => {
      const { store } = world;
      const before = await store.now();
      const id = await addOne(store, { due: { afterMs: 10 * MINUTE } });
      const after = await store.now();
      expectBetween((await read(store, id)).runAt, before + 10 * MINUTE, after + 10 * MINUTE);
      expect(await claimAll(store)).toEqual([]);
      await world.advance(5 * MINUTE);
      expect(await claimAll(store)).toEqual([]);
      await world.advance(5 * MINUTE + SECOND);
      expect(idsOf(await claimAll(store))).toEqual([id]);
    });

    check('a date in the future holds as well, one in the past is due at once', async (world) => {
      const { store } = world;
      const now = Math.ceil((await store.now()) / SECOND) * SECOND;
      const [later, past] = await add(
        store,
        { due: { at: now + HOUR }, priority: 100 },
        { due: { at: now - HOUR } },
      );
      expect((await read(store, later ?? '')).runAt).toBe(now + HOUR);
      const first = await claimOne(store);
      expect(first.id).toBe(past);
      await settle(store, first);
      await world.advance(HOUR + SECOND);
      expect(idsOf(await claimAll(store))).toEqual([later]);
    });

    check('jobs that become due join the order of the others', async (world) => {
      const { store } = world;
      const ids = await add(
        store,
        { due: { afterMs: 10 * MINUTE } },
        { priority: 1 },
        { due: { afterMs: 20 * MINUTE }, priority: 2 },
        {},
      );
      await world.advance(30 * MINUTE);
      expect(idsOf(await claimAll(store))).toEqual([2, 1, 0, 3].map((index) => ids[index]));
    });

    check('one that becomes due late passes thousands that were due before it', async (world) => {
      const { store } = world;
      const early = times(2_000, () => ({ priority: 1, due: { afterMs: 10 * MINUTE } }));
      for (let from = 0; from < early.length; from += 500)
        await add(store, ...early.slice(from, from + 500));
      const urgent = await addOne(store, { priority: 9, due: { afterMs: 20 * MINUTE } });
      await world.advance(30 * MINUTE);
      expect((await claimOne(store, { limit: 1 })).id).toBe(urgent);
    });

    check('a claim says when the next one is due, as far as it knows', async ({ store }) => {
      await add(store, { due: { afterMs: HOUR } }, { due: { afterMs: 10 * MINUTE } });
      const { nextDueMs, more } = await claim(store);
      expect(more).toBe(false);
      if (nextDueMs !== null) expectBetween(nextDueMs, 1, 10 * MINUTE);
    });

    check('the clock is the store’s', async (world) => {
      const other = await world.open();
      const before = await world.store.now();
      await world.advance(HOUR);
      for (const store of [world.store, other])
        expectBetween(await store.now(), before + HOUR, before + 2 * HOUR);
    });
  },
};
