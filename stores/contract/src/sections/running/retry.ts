import { expect } from 'vitest';
import {
  LEASE_MS,
  OUTCOMES,
  add,
  addOne,
  checkpoint,
  claimAll,
  claimOne,
  idsOf,
  settle,
  settleAll,
  start,
  times,
  together,
} from '../../build.ts';
import type { Section } from '../../harness.ts';
import { countsByState, expectBetween, listAll, read, value } from '../../observe.ts';

export const retry: Section = {
  title: 'retry by hand',
  checks(check) {
    check('a failed or canceled job starts over', async ({ store }) => {
      const failed = await start(store, { payload: '{"a":1}', maxAttempts: 1 });
      await settle(store, failed, OUTCOMES.fail);
      const running = await start(store);
      await store.cancel({ select: { ids: [running.id] } });
      await settle(store, running, OUTCOMES.cancel);

      const ids = [failed.id, running.id];
      const before = await store.now();
      const answer = await store.retry({ select: { ids } });
      expect(answer.retried).toBe(2);
      expect(answer.ids.toSorted()).toEqual(ids.toSorted());
      for (const id of ids) {
        const job = await read(store, id);
        expect(job).toMatchObject({
          state: 'QUEUED',
          attempt: 0,
          error: null,
          cancelRequested: false,
          finishedAt: null,
          leaseUntil: null,
        });
        expectBetween(job.runAt, before, await store.now());
      }
      const again = await claimAll(store);
      expect(idsOf(again)).toEqual(ids);
      expect(again.every(({ attempt }) => attempt === 1)).toBe(true);
      expect(value(again[0]?.payload ?? null)).toEqual({ a: 1 });
      expect(await store.renew({ leases: again, leaseMs: LEASE_MS })).toEqual([
        'renewed',
        'renewed',
      ]);
    });

    check('the lease from before stays fenced', async ({ store }) => {
      const first = await start(store);
      await settle(store, first, OUTCOMES.fail);
      await store.retry({ select: { ids: [first.id] } });
      const second = await claimOne(store);
      expect(await settle(store, first)).not.toBe('settled');
      expect(await store.renew({ leases: [first], leaseMs: LEASE_MS })).toEqual(['stale']);
      expect(await settle(store, second)).toBe('settled');
      expect(await settle(store, first)).toBe('stale');
    });

    check('a job that waits, runs, succeeded or is not there is left alone', async ({ store }) => {
      const done = await start(store);
      await settle(store, done);
      const running = await start(store);
      const waiting = await addOne(store);
      const before = await listAll(store);
      const strange = ['elsewhere-1', 'nonsense', '', `${store.name}-999999`];
      const ids = [done.id, running.id, waiting, ...strange];
      expect(await store.retry({ select: { ids } })).toEqual({ retried: 0, ids: [] });
      expect(await listAll(store)).toEqual(before);
    });

    check('by filter, as many as the limit says, until none is left', async ({ store }) => {
      await add(store, ...times(5, () => ({})), ...times(2, () => ({ kind: 'other' })));
      await settleAll(store, await claimAll(store), OUTCOMES.fail);
      const others = await claimAll(store, { wants: [{ kind: 'other', limit: 9 }] });
      const error = { code: 'broken', message: 'It broke.', retryable: false };
      await settleAll(store, others, { ...OUTCOMES.fail, error });
      const select = { filter: { errorCode: 'upload_failed' }, limit: 3 };
      const first = await store.retry({ select });
      expect([first.retried, first.ids.length]).toEqual([3, 3]);
      expect((await store.retry({ select })).retried).toBe(2);
      expect((await store.retry({ select })).retried).toBe(0);
      expect(await countsByState(store)).toEqual({ QUEUED: 5, FAILED: 2 });
    });

    check('by several at once happens once', async (world) => {
      const handles = await world.several(4);
      await add(world.store, ...times(20, () => ({})));
      const jobs = await claimAll(world.store);
      await settleAll(world.store, jobs, OUTCOMES.fail);
      const select = { ids: idsOf(jobs) };
      const answers = await together(handles, (store) => store.retry({ select }));
      expect(answers.reduce((sum, { retried }) => sum + retried, 0)).toBe(20);
      expect(await claimAll(world.store)).toHaveLength(20);
      expect(await claimAll(world.store)).toEqual([]);
    });

    check(
      'keeps cursor and progress',
      async ({ store }) => {
        const job = await start(store);
        await checkpoint(store, job, { cursor: '7', progress: { done: 7 } });
        await settle(store, job, OUTCOMES.fail);
        await store.retry({ select: { ids: [job.id] } });
        expect(await read(store, job.id)).toMatchObject({ cursor: '7', progress: { done: 7 } });
        expect((await claimOne(store)).cursor).toBe('7');
      },
      ['chunks'],
    );
  },
};
