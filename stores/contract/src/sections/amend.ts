import { expect } from 'vitest';
import {
  MINUTE,
  OUTCOMES,
  add,
  addOne,
  checkpoint,
  claimOne,
  partOf,
  settle,
  start,
  together,
} from '../build.ts';
import type { Section } from '../harness.ts';
import { countsByState, read, value } from '../observe.ts';

export const amend: Section = {
  title: 'a job that has ended',
  needs: ['amend'],
  checks(check) {
    check('is retried with other data, from the beginning', async ({ store }) => {
      const job = await start(store, { payload: '{"a":1}' });
      if (store.chunks !== undefined)
        await checkpoint(store, job, { cursor: '7', progress: { done: 7 } });
      await settle(store, job, OUTCOMES.fail);
      const { retryWith } = partOf(store, 'amend');
      expect(await retryWith({ id: job.id, payload: '{"a":2}' })).toBe(true);
      expect(await read(store, job.id)).toMatchObject({
        state: 'QUEUED',
        attempt: 0,
        error: null,
        cursor: null,
        progress: null,
      });
      const again = await claimOne(store);
      expect([again.id, value(again.payload), again.cursor]).toEqual([job.id, { a: 2 }, null]);
    });

    check('takes no data while it waits, runs, or when it succeeded', async ({ store }) => {
      const { retryWith } = partOf(store, 'amend');
      const waiting = await addOne(store, { payload: '{"a":1}' });
      expect(await retryWith({ id: waiting, payload: '2' })).toBe(false);
      const job = await claimOne(store);
      expect(await retryWith({ id: waiting, payload: '2' })).toBe(false);
      await settle(store, job, OUTCOMES.succeed);
      expect(await retryWith({ id: waiting, payload: '2' })).toBe(false);
      expect(await retryWith({ id: `${store.name}-99999`, payload: '2' })).toBe(false);
      expect(await retryWith({ id: 'nonsense', payload: '2' })).toBe(false);
      expect(value((await read(store, waiting)).payload)).toEqual({ a: 1 });
    });

    check('that was erased takes no data', async ({ store }) => {
      const job = await start(store, { subject: 'ada' });
      await settle(store, job, OUTCOMES.fail);
      await store.erase({ subject: 'ada' });
      expect(await partOf(store, 'amend').retryWith({ id: job.id, payload: '2' })).toBe(false);
      expect(await read(store, job.id)).toMatchObject({ state: 'FAILED', payload: null });
    });

    check('is removed, with its key and its count', async ({ store }) => {
      const key = { value: 'once', windowMs: 60 * MINUTE };
      const [first] = await add(store, { key });
      await settle(store, await claimOne(store), OUTCOMES.succeed);
      const { remove } = partOf(store, 'amend');
      expect(await remove({ id: first ?? '' })).toBe(true);
      expect(await store.get({ id: first ?? '' })).toBeNull();
      expect(await countsByState(store)).toEqual({});
      expect(await remove({ id: first ?? '' })).toBe(false);
      const [second] = await add(store, { key });
      expect(second).not.toBe(first);
    });

    check('is not removed before', async ({ store }) => {
      const { remove } = partOf(store, 'amend');
      const id = await addOne(store);
      expect(await remove({ id })).toBe(false);
      await claimOne(store);
      expect(await remove({ id })).toBe(false);
      expect(await remove({ id: 'nonsense' })).toBe(false);
      expect(await countsByState(store)).toEqual({ PROCESSING: 1 });
    });

    check('is retried or removed by several at once: one of them did it', async (world) => {
      const handles = await world.several(4);
      for (let round = 0; round < 5; round += 1) {
        const { id, ...job } = await start(world.store, { kind: `work-${round}` });
        await settle(world.store, { id, ...job }, OUTCOMES.fail);
        const answers = await together(handles, (store, index) =>
          index % 2 === 0
            ? partOf(store, 'amend').remove({ id })
            : partOf(store, 'amend').retryWith({ id, payload: '2' }),
        );
        expect(answers.filter((done) => done)).toHaveLength(1);
      }
    });
  },
};
