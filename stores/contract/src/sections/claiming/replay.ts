import { expect } from 'vitest';
import {
  PAST_LEASE_MS,
  TRACE,
  add,
  addOne,
  claimAll,
  claimAlone,
  claimParams,
  idsOf,
  settleAll,
  times,
} from '../../build.ts';
import type { Section } from '../../harness.ts';
import { stateOf } from '../../observe.ts';

export const replay: Section = {
  title: 'a claim whose answer was lost',
  checks(check) {
    check('is answered again with the same leases and nothing new', async (world) => {
      const { store } = world;
      const other = await world.open();
      await add(store, ...times(6, (index) => ({ priority: index, traceparent: TRACE })));
      const params = claimParams({ limit: 3 });
      const first = await store.claim(params);
      await claimAll(other, { limit: 1 });

      const again = await other.claim({ ...params, replay: true });
      expect(again.jobs).toEqual(first.jobs);
      expect(again.jobs.map(({ traceparent }) => traceparent)).toEqual([TRACE, TRACE, TRACE]);
      expect(again).toMatchObject({ lost: [], takenOver: 0, more: true });
      expect(await claimAll(store), 'the replay claimed none of these').toHaveLength(2);
    });

    check('returns only what is still held', async (world) => {
      const { store } = world;
      await add(store, {}, {}, {});
      const params = claimParams();
      const { jobs } = await store.claim(params);
      await settleAll(store, jobs.slice(0, 1));
      const rest = await store.claim({ ...params, replay: true });
      expect(rest.jobs).toEqual(jobs.slice(1));

      await world.advance(PAST_LEASE_MS);
      expect((await store.claim({ ...params, replay: true })).jobs).toEqual([]);
      for (let index = 0; index < 2; index += 1) await claimAlone(store);
      expect((await store.claim({ ...params, replay: true })).jobs, 'another’s now').toEqual([]);
    });

    check('is another worker’s claim, even with the same number', async ({ store }) => {
      await addOne(store);
      const params = claimParams();
      await store.claim(params);
      const answer = await store.claim({ ...params, worker: 'another', replay: true });
      expect(answer.jobs).toEqual([]);
    });

    check('that never arrived claims nothing, and says to try again', async ({ store }) => {
      const id = await addOne(store);
      const answer = await store.claim(claimParams({ replay: true }));
      expect(answer).toMatchObject({ jobs: [], lost: [], takenOver: 0, more: true });
      expect(await stateOf(store, id)).toBe('QUEUED');
      expect(idsOf(await claimAll(store))).toEqual([id]);
    });
  },
};
