import { expect } from 'vitest';
import {
  HOUR,
  LEASE_MS,
  MINUTE,
  OUTCOMES,
  add,
  addOne,
  claimAll,
  keepFor,
  settle,
  settleAll,
  start,
  sweep,
  times,
  together,
} from '../build.ts';
import type { Section } from '../harness.ts';
import { countsByState, listAll, statesOf } from '../observe.ts';

export const retention: Section = {
  title: 'retention',
  needs: ['upkeep'],
  checks(check) {
    check('what ended goes after the time its kind and state are kept', async (world) => {
      const { store } = world;
      const done = await start(store);
      await settle(store, done);
      const failed = await start(store);
      await settle(store, failed, OUTCOMES.fail);
      const other = await start(store, { kind: 'other' });
      await settle(store, other);
      const canceled = await addOne(store, { kind: 'other' });
      await store.cancel({ select: { ids: [canceled] } });
      await world.advance(HOUR);
      const fresh = await start(store);
      await settle(store, fresh);

      expect(await sweep(store, { work: keepFor(2 * HOUR) })).toBe(0);
      const keep = { work: keepFor(30 * MINUTE, { FAILED: 2 * HOUR }) };
      expect(await sweep(store, keep)).toBe(1);
      expect(await sweep(store, keep)).toBe(0);
      expect(await store.get({ id: done.id })).toBeNull();
      expect(await statesOf(store, [failed.id, other.id, canceled, fresh.id])).toEqual([
        'FAILED',
        'SUCCEEDED',
        'CANCELED',
        'SUCCEEDED',
      ]);
      expect(await countsByState(store)).toEqual({ SUCCEEDED: 2, FAILED: 1, CANCELED: 1 });
      const others = { other: keepFor(2 * HOUR, { CANCELED: MINUTE }) };
      expect(await sweep(store, others)).toBe(1);
      expect(await store.get({ id: canceled })).toBeNull();
    });

    check('kinds that are not named have a time as well', async (world) => {
      const { store } = world;
      for (const kind of ['work', 'forgotten', 'constructor']) {
        await settle(store, await start(store, { kind }));
      }
      await world.advance(HOUR);
      expect(await sweep(store, { work: keepFor(2 * HOUR) }, keepFor(30 * MINUTE))).toBe(2);
      expect(await listAll(store)).toMatchObject([{ kind: 'work' }]);
    });

    check('what has not ended stays, however old', async (world) => {
      const { store } = world;
      const waiting = await addOne(store, { kind: 'waiting' });
      const later = await addOne(store, { due: { afterMs: 1_000 * HOUR } });
      const running = await start(store, { kind: 'running' });
      const again = await start(store, { kind: 'again' });
      await settle(store, again, OUTCOMES.fail);
      await store.retry({ select: { ids: [again.id] } });
      await world.advance(500 * HOUR);
      expect(await sweep(store, {}, keepFor(MINUTE))).toBe(0);
      const ids = [waiting, later, running.id, again.id];
      expect(await statesOf(store, ids)).toEqual(['QUEUED', 'QUEUED', 'PROCESSING', 'QUEUED']);
    });

    check('a sweep takes all, old and new in any order', async (world) => {
      const { store } = world;
      await add(store, ...times(40, () => ({ maxAttempts: 9 })));
      const jobs = await claimAll(store);
      await settleAll(
        store,
        jobs.filter((_, index) => index % 2 === 0),
      );
      await world.advance(LEASE_MS - MINUTE);
      await settleAll(
        store,
        jobs.filter((_, index) => index % 2 === 1),
      );
      expect(await sweep(store, { work: keepFor(MINUTE) })).toBe(20);
      await world.advance(HOUR);
      expect(await sweep(store, { work: keepFor(MINUTE) })).toBe(20);
      expect(await listAll(store)).toEqual([]);
      expect(await store.counts()).toEqual([]);
    });

    check('several that sweep at once count each job once', async (world) => {
      const handles = await world.several(4);
      await add(world.store, ...times(40, () => ({})));
      await settleAll(world.store, await claimAll(world.store));
      await world.advance(HOUR);
      const removed = await together(handles, (store) => sweep(store, { work: keepFor(MINUTE) }));
      expect(removed.reduce((sum, count) => sum + count, 0)).toBe(40);
      expect(await world.store.counts()).toEqual([]);
    });

    check('a pruned job is gone for its last worker too', async (world) => {
      const { store } = world;
      const job = await start(store);
      await settle(store, job, OUTCOMES.fail);
      await world.advance(HOUR);
      expect(await sweep(store, { work: keepFor(MINUTE) })).toBe(1);
      expect(await settle(store, job)).toBe('stale');
      expect(await store.renew({ leases: [job], leaseMs: LEASE_MS })).toEqual(['stale']);
      expect(await store.retry({ select: { ids: [job.id] } })).toMatchObject({ retried: 0 });
      expect(await listAll(store)).toEqual([]);
    });
  },
};
