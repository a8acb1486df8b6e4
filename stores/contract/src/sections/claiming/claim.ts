import type { ClaimedJob } from '@millrace/engine';
import { expect } from 'vitest';
import {
  HOUR,
  LEASE_MS,
  OUTCOMES,
  TRACE,
  add,
  addOne,
  claim as claimFrom,
  claimAll,
  claimOne,
  idsOf,
  settle,
  times,
  together,
  wants,
} from '../../build.ts';
import type { Section } from '../../harness.ts';
import { expectBetween, read, value } from '../../observe.ts';

export const claim: Section = {
  title: 'claim',
  checks(check) {
    check('gives a worker what it needs, and the job is PROCESSING', async ({ store }) => {
      const id = await addOne(store, {
        payload: '{"a":1}',
        tenant: 'acme',
        priority: 3,
        correlationId: 'correlation-1',
        submitter: 'ann',
        subject: 'person-9',
        webhook: 'https://example.com/done',
        parents: { left: 'other-1' },
        traceparent: TRACE,
      });
      const before = await store.now();
      const claimed = await claimFrom(store, {
        worker: 'worker-7',
        claim: Number.MAX_SAFE_INTEGER,
      });
      const after = await store.now();
      expectBetween(claimed.now, before, after);
      expect(claimed).toMatchObject({ lost: [], takenOver: 0, suspects: false });

      const [job] = claimed.jobs;
      const stored = await read(store, id);
      expect(value(job?.payload ?? null)).toEqual({ a: 1 });
      expect(job).toMatchObject({
        id,
        claim: Number.MAX_SAFE_INTEGER,
        kind: 'work',
        tenant: store.keeps.tenants ? 'acme' : '',
        attempt: 1,
        maxAttempts: 3,
        priority: 3,
        createdAt: stored.createdAt,
        cursor: null,
        correlationId: 'correlation-1',
        submitter: 'ann',
        subject: 'person-9',
        webhook: store.followers ? 'https://example.com/done' : null,
        parents: store.followers ? { left: 'other-1' } : null,
        suspect: false,
        traceparent: TRACE,
      });
      expect(job?.epoch).toBeGreaterThan(0);
      expect(stored).toMatchObject({ state: 'PROCESSING', attempt: 1, worker: 'worker-7' });
      expectBetween(stored.startedAt, before, after);
      expectBetween(stored.leaseUntil, before + LEASE_MS, after + LEASE_MS);
    });

    check('by many at once gives every job to exactly one', async (world) => {
      const handles = await world.several(4);
      const ids = await add(world.store, ...times(400, () => ({})));
      const claimed: ClaimedJob[] = [];
      await together(handles, async (store, index) => {
        // Bounded, so that a store that always sees more fails here rather than hangs.
        for (let claims = 0; claims < 400; claims += 1) {
          const { jobs, more } = await claimFrom(store, { worker: `worker-${index}`, limit: 7 });
          claimed.push(...jobs);
          if (jobs.length === 0 && !more) return;
        }
      });
      expect(idsOf(claimed).toSorted()).toEqual(ids.toSorted());
      expect(claimed.every(({ attempt }) => attempt === 1)).toBe(true);
    });

    check('by many at once for one job gives it to one', async (world) => {
      const handles = await world.several(4);
      for (let round = 0; round < 10; round += 1) {
        const id = await addOne(world.store);
        const given = await together(handles, (store) => claimAll(store));
        expect(idsOf(given.flat()), `round ${round}`).toEqual([id]);
      }
    });

    check('goes by priority, high first and none last, then by age', async ({ store }) => {
      const priorities = [null, 5, -3, 10, null, 5, 0];
      const ids = await add(store, ...priorities.map((priority) => ({ priority })));
      const expected = [3, 1, 5, 6, 2, 0, 4].map((index) => ids[index]);
      const first = await claimAll(store, { limit: 4 });
      const rest = await claimAll(store, { limit: 4 });
      expect(idsOf([...first, ...rest])).toEqual(expected);
    });

    check('goes by age in one priority, one claim after the other', async ({ store }) => {
      const ids = [];
      for (let index = 0; index < 12; index += 1) ids.push(await addOne(store));
      const claimed = [];
      for (let index = 0; index < 12; index += 1) {
        claimed.push((await claimOne(store, { limit: 1 })).id);
      }
      expect(claimed).toEqual(ids);
    });

    check('takes only the kinds that are wanted', async ({ store }) => {
      const [, wanted] = await add(store, { kind: 'other' }, { kind: 'work' }, { kind: 'third' });
      expect(idsOf(await claimAll(store))).toEqual([wanted]);
      expect(await claimAll(store, { wants: [] })).toEqual([]);
      expect(await claimAll(store, { wants: wants('other', 'third') })).toHaveLength(2);
    });

    check('keeps to the limit of each kind and to that of the whole', async ({ store }) => {
      await add(store, ...times(10, () => ({ kind: 'a' })), ...times(10, () => ({ kind: 'b' })));
      const capped = await claimAll(store, {
        wants: [
          { kind: 'a', limit: 2 },
          { kind: 'b', limit: 100 },
        ],
        limit: 8,
      });
      const ofA = capped.filter(({ kind }) => kind === 'a');
      expect(ofA).toHaveLength(2);
      expect(capped.length).toBeLessThanOrEqual(8);
      const whole = await claimAll(store, { wants: wants('a', 'b'), limit: 3 });
      expect(whole).toHaveLength(3);
    });

    check('of a kind without slots leaves the others alone', async ({ store }) => {
      await add(store, ...times(5, () => ({ kind: 'full', priority: 100 })));
      const [id] = await add(store, { kind: 'free' });
      const claimed = await claimAll(store, {
        wants: [
          { kind: 'full', limit: 0 },
          { kind: 'free', limit: 5 },
        ],
        limit: 1,
      });
      expect(idsOf(claimed)).toEqual([id]);
    });

    check('with a minimum leaves lower priorities and those without one', async ({ store }) => {
      const ids = await add(store, { priority: 4 }, { priority: 5 }, { priority: 9 }, {});
      expect(idsOf(await claimAll(store, { minPriority: 5 }))).toEqual([ids[2], ids[1]]);
      expect(await claimAll(store, { minPriority: 5 })).toEqual([]);
      expect(idsOf(await claimAll(store))).toEqual([ids[0], ids[3]]);
    });

    check('says whether there is more', async ({ store }) => {
      expect(await claimFrom(store)).toMatchObject({ jobs: [], more: false });
      await add(store, ...times(3, () => ({})), { kind: 'other' });
      expect(await claimFrom(store, { limit: 2 })).toMatchObject({ more: true });
      // Full: the store need not look further.
      expect(await claimFrom(store, { limit: 1 })).toMatchObject({ more: true });
      await addOne(store);
      expect(await claimFrom(store, { limit: 2 })).toMatchObject({ more: false });
    });

    check('gives each lease of a job a higher epoch', async (world) => {
      const other = await world.open();
      const [a] = await add(world.store, {});
      let highest = 0;
      for (const store of [world.store, other, world.store, other]) {
        const job = await claimOne(store);
        expect(job.id).toBe(a);
        expect(job.epoch).toBeGreaterThan(highest);
        highest = job.epoch;
        await settle(store, job, { move: 'handBack' });
      }
    });

    check('… also where the clock is set back', async (world) => {
      await add(world.store, {});
      const first = await claimOne(world.store);
      await settle(world.store, first, { move: 'handBack' });
      await world.advance(HOUR);
      const second = await claimOne(world.store);
      await world.advance(-HOUR / 2);
      await settle(world.store, second, { move: 'handBack' });
      const third = await claimOne(await world.open());
      expect(second.epoch).toBeGreaterThan(first.epoch);
      expect(third.epoch).toBeGreaterThan(second.epoch);
    });

    check('never gives a job that has ended', async ({ store }) => {
      const ids = await add(store, ...times(4, () => ({})));
      for (const outcome of [OUTCOMES.succeed, OUTCOMES.fail, OUTCOMES.cancel]) {
        await settle(store, await claimOne(store, { limit: 1 }), outcome);
      }
      expect(idsOf(await claimAll(store))).toEqual(ids.slice(3));
      expect(await claimAll(store)).toEqual([]);
    });
  },
};
