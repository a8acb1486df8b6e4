import { expect } from 'vitest';
import {
  LEASE_MS,
  MINUTE,
  PAST_LEASE_MS,
  add,
  begin,
  claim,
  claimAll,
  claimAlone,
  idsOf,
  settle,
  start,
  times,
  together,
} from '../../build.ts';
import type { Section } from '../../harness.ts';
import { countsByState, expectBetween, listAll, read, stateOf } from '../../observe.ts';

export const leases: Section = {
  title: 'leases and take-over',
  checks(check) {
    check('a lease keeps the job from others until its end', async (world) => {
      const job = await start(world.store);
      await world.advance(LEASE_MS - 5 * MINUTE);
      const other = await world.open();
      expect(await claim(other)).toMatchObject({ jobs: [], takenOver: 0 });
      expect(await settle(world.store, job)).toBe('settled');
    });

    check('renewing moves the end', async (world) => {
      const { store } = world;
      const job = await start(store);
      for (let round = 0; round < 3; round += 1) {
        await world.advance(LEASE_MS - MINUTE);
        const before = await store.now();
        expect(await store.renew({ leases: [job], leaseMs: LEASE_MS })).toEqual(['renewed']);
        const after = await store.now();
        const { leaseUntil } = await read(store, job.id);
        expectBetween(leaseUntil, before + LEASE_MS, after + LEASE_MS);
        expect(await claimAll(store)).toEqual([]);
      }
    });

    check('an expired lease is taken over by the next claim', async (world) => {
      const { store } = world;
      const lost = await start(store, { maxAttempts: 3 }, { worker: 'worker-1' });
      await begin(store, lost);
      await world.advance(PAST_LEASE_MS);
      const other = await world.open();
      const claimed = await claim(other, { worker: 'worker-2', alone: true });
      expect(claimed).toMatchObject({ takenOver: 1, lost: [] });
      if (claimed.takenFrom !== undefined)
        expect(claimed.takenFrom).toEqual([{ id: lost.id, worker: 'worker-1' }]);
      expect(claimed.jobs).toMatchObject([{ id: lost.id, attempt: 2 }]);
      expect(claimed.jobs[0]?.epoch).toBeGreaterThan(lost.epoch);
      expect(await read(store, lost.id)).toMatchObject({
        state: 'PROCESSING',
        attempt: 2,
        worker: 'worker-2',
      });
    });

    check('a claim takes over jobs of kinds it does not want', async (world) => {
      const { store } = world;
      const lost = await start(store, { kind: 'other' });
      await world.advance(PAST_LEASE_MS);
      expect(await claim(store)).toMatchObject({ jobs: [], takenOver: 1 });
      expect(await read(store, lost.id)).toMatchObject({
        state: 'QUEUED',
        attempt: 0,
        leaseUntil: null,
      });
    });

    check('an expired lease that nobody took over is still its holder’s', async (world) => {
      const { store } = world;
      const settled = await start(store, { kind: 'a' });
      const renewed = await start(store, { kind: 'b' });
      await world.advance(PAST_LEASE_MS);
      expect(await settle(store, settled)).toBe('settled');
      expect(await store.renew({ leases: [renewed], leaseMs: LEASE_MS })).toEqual(['renewed']);
      expect(await claim(store)).toMatchObject({ takenOver: 0 });
      expect(await stateOf(store, settled.id)).toBe('SUCCEEDED');
      expect(await stateOf(store, renewed.id)).toBe('PROCESSING');
    });

    check('only the leases that ended are taken over', async (world) => {
      const { store } = world;
      await add(store, ...times(6, () => ({})));
      const jobs = await claimAll(store);
      await world.advance(LEASE_MS - MINUTE);
      await store.renew({ leases: jobs.slice(0, 2), leaseMs: LEASE_MS });
      await world.advance(2 * MINUTE);
      expect(await claim(store)).toMatchObject({ takenOver: 4, jobs: [] });
      const heirs = [];
      for (let index = 0; index < 4; index += 1) heirs.push(await claimAlone(store));
      expect(idsOf(heirs)).toEqual(idsOf(jobs.slice(2)));
    });

    check('many that take over at once take each job over once', async (world) => {
      const handles = await world.several(4);
      await add(world.store, ...times(50, () => ({ maxAttempts: 5 })));
      const before = await claimAll(world.store);
      await begin(world.store, ...before);
      await world.advance(PAST_LEASE_MS);
      const claimed = await together(handles, (store) => claim(store));
      const left = await claim(world.store);
      const takenOver = [...claimed, left].reduce((sum, each) => sum + each.takenOver, 0);
      expect(takenOver).toBe(50);
      const jobs = await listAll(world.store, { state: 'QUEUED' });
      expect(idsOf(jobs).toSorted()).toEqual(idsOf(before).toSorted());
      expect(jobs.every(({ attempt }) => attempt === 1)).toBe(true);
    });

    check('settling and take-over at the same moment: one of them happens', async (world) => {
      const { store } = world;
      const other = await world.open();
      for (let round = 0; round < 20; round += 1) {
        const job = await start(store);
        await world.advance(PAST_LEASE_MS);
        const [answer, taken] = await Promise.all([
          settle(store, job),
          claimAll(other, { alone: true }),
        ]);
        if (answer === 'settled') expect(taken).toEqual([]);
        else {
          expect(answer).toBe('stale');
          expect(idsOf(taken)).toEqual([job.id]);
          expect(await settle(other, taken[0] ?? job)).toBe('settled');
        }
        expect(await stateOf(store, job.id)).toBe('SUCCEEDED');
      }
      expect(await countsByState(store)).toEqual({ SUCCEEDED: 20 });
    });
  },
};
