import { expect } from 'vitest';
import {
  HOUR,
  OUTCOMES,
  add,
  addOne,
  claimAll,
  claimOne,
  idsOf,
  partOf,
  settle,
  start,
  times,
  together,
} from '../build.ts';
import type { Section } from '../harness.ts';
import { countsByState, read, statesOf } from '../observe.ts';

export const rearrange: Section = {
  title: 'the order of what waits',
  needs: ['rearrange'],
  checks(check) {
    check('is that of the new priorities', async ({ store }) => {
      const { prioritize } = partOf(store, 'rearrange');
      const ids = await add(store, {}, { priority: 5 }, { priority: 5 }, { priority: 9 });
      const [none = '', low = '', alsoLow = '', high = ''] = ids;
      expect(await prioritize({ ids: [none, alsoLow, none], priority: 7 })).toEqual([
        { id: none, before: null },
        { id: alsoLow, before: 5 },
      ]);
      expect(await prioritize({ ids: [high], priority: null })).toEqual([{ id: high, before: 9 }]);
      expect(await prioritize({ ids: [low], priority: 5 }), 'it has it already').toEqual([]);
      expect((await read(store, none)).priority).toBe(7);
      expect(idsOf(await claimAll(store))).toEqual([none, alsoLow, low, high]);
      expect(await countsByState(store)).toEqual({ PROCESSING: 4 });
    });

    check('also of what waits for its moment, or to run alone', async (world) => {
      const { store } = world;
      const { prioritize } = partOf(store, 'rearrange');
      const [first = '', second = ''] = await add(
        store,
        { due: { afterMs: HOUR } },
        { due: { afterMs: HOUR } },
      );
      expect(await prioritize({ ids: [second], priority: 3 })).toHaveLength(1);
      await world.advance(2 * HOUR);
      expect(idsOf(await claimAll(store))).toEqual([second, first]);
    });

    check('is not changed for what runs, has ended or is not there', async ({ store }) => {
      const { prioritize } = partOf(store, 'rearrange');
      const job = await start(store);
      const ids = [job.id, 'nonsense', `${store.name}-999999`];
      expect(await prioritize({ ids, priority: 3 })).toEqual([]);
      await settle(store, job, { ...OUTCOMES.retry, delayMs: 0 });
      expect(await prioritize({ ids, priority: 3 })).toEqual([{ id: job.id, before: null }]);
      await settle(store, await claimOne(store), OUTCOMES.fail);
      expect(await prioritize({ ids, priority: 4 })).toEqual([]);
      expect(await read(store, job.id)).toMatchObject({ state: 'FAILED', priority: 3 });
      await store.retry({ select: { ids: [job.id] } });
      expect((await claimOne(store)).priority).toBe(3);
    });

    check('changes while others claim: nothing is lost, nothing runs twice', async (world) => {
      const handles = await world.several(4);
      const ids = await add(world.store, ...times(80, () => ({})));
      const claimed = await together(handles, async (store, index) => {
        if (index % 2 === 0) {
          for (let priority = 0; priority < 4; priority += 1)
            await partOf(store, 'rearrange').prioritize({ ids, priority });
          return [];
        }
        return idsOf(await claimAll(store, { limit: 10 }));
      });
      const rest = idsOf(await claimAll(world.store, { limit: 100 }));
      expect([...claimed.flat(), ...rest].toSorted()).toEqual(ids.toSorted());
    });

    check('a cancel that is taken back: jobs wait as they did', async (world) => {
      const { store } = world;
      const { restore } = partOf(store, 'rearrange');
      const [now = '', later = ''] = await add(
        store,
        { priority: 2 },
        { due: { afterMs: HOUR }, key: { value: 'k', windowMs: HOUR } },
      );
      const { runAt } = await read(store, later);
      await store.cancel({ select: { ids: [now, later] } });
      expect(await restore({ ids: [now, later, 'nonsense'] })).toEqual([now, later]);
      expect(await restore({ ids: [now, later] })).toEqual([]);
      expect(await read(store, later)).toMatchObject({ state: 'QUEUED', runAt, key: 'k' });
      const [count] = await store.counts();
      expect(count).toMatchObject({ state: 'QUEUED', count: 2, scheduled: 1 });
      expect(idsOf(await claimAll(store))).toEqual([now]);
      await world.advance(2 * HOUR);
      expect(idsOf(await claimAll(store))).toEqual([later]);
    });

    check('of what ran, with an attempt at the least; of what has failed, not', async (world) => {
      const { store } = world;
      const { restore } = partOf(store, 'rearrange');
      const ran = await start(store, { maxAttempts: 1 });
      await store.cancel({ select: { ids: [ran.id] } });
      await settle(store, ran, { move: 'cancel' });
      const failed = await start(store);
      await settle(store, failed, OUTCOMES.fail);
      const succeeded = await start(store);
      await settle(store, succeeded);
      const waiting = await addOne(store, { kind: 'other' });
      const ids = [ran.id, failed.id, succeeded.id, waiting];
      expect(await restore({ ids })).toEqual([ran.id]);
      expect(await statesOf(store, ids)).toEqual(['QUEUED', 'FAILED', 'SUCCEEDED', 'QUEUED']);
      expect(await claimOne(store)).toMatchObject({ id: ran.id, attempt: 1 });
    });
  },
};
