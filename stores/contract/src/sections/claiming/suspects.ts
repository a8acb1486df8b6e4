import { expect } from 'vitest';
import {
  LEASE_MS,
  OUTCOMES,
  PAST_LEASE_MS,
  add,
  addOne,
  begin,
  checkpoint,
  childOn,
  claim,
  claimAll,
  claimAlone,
  claimOne,
  idsOf,
  loseForGood,
  partOf,
  settle,
  start,
  times,
  together,
  wants,
} from '../../build.ts';
import type { Section, World } from '../../harness.ts';
import { everything, expectBetween, read, stateOf } from '../../observe.ts';

/** Ends the leases of these, and takes them over. */
async function lose({ store, advance }: World): Promise<void> {
  await advance(PAST_LEASE_MS);
  await claim(store, { wants: wants('none') });
}

async function isSuspect({ store }: World, id: string): Promise<boolean | undefined> {
  return (await store.inspect({ id }))?.suspect;
}

export const suspects: Section = {
  title: 'suspects: jobs whose worker was lost',
  checks(check) {
    check('a lease that was never renewed gives its attempt back', async (world) => {
      const { store } = world;
      const job = await start(store, { maxAttempts: 1 });
      for (let round = 0; round < 3; round += 1) {
        await lose(world);
        expect(await read(store, job.id)).toMatchObject({ state: 'QUEUED', attempt: 0 });
        expect(await claimAlone(store)).toMatchObject({ id: job.id, attempt: 1, suspect: true });
      }
    });

    check('a lease that was renewed keeps its attempt', async (world) => {
      const { store } = world;
      const job = await start(store, { maxAttempts: 3 });
      await begin(store, job);
      await lose(world);
      expect(await read(store, job.id)).toMatchObject({ state: 'QUEUED', attempt: 1 });
      expect(await claimAlone(store)).toMatchObject({ id: job.id, attempt: 2, suspect: true });
    });

    check(
      'a checkpoint is a renewal too',
      async (world) => {
        const { store } = world;
        const job = await start(store, { maxAttempts: 3 });
        await checkpoint(store, job, { progress: { done: 1 } });
        await lose(world);
        expect(await read(store, job.id)).toMatchObject({ state: 'QUEUED', attempt: 1 });
      },
      ['chunks'],
    );

    check('one that was not alone has an execution more after its last', async (world) => {
      const { store } = world;
      const first = await start(store, { maxAttempts: 2 });
      await settle(store, first, OUTCOMES.retry);
      const last = await claimOne(store);
      expect(last.attempt).toBe(2);
      await begin(store, last);
      await world.advance(PAST_LEASE_MS);
      expect(await claim(store)).toMatchObject({ jobs: [], lost: [], takenOver: 1 });
      expect(await read(store, first.id)).toMatchObject({ state: 'QUEUED', attempt: 1 });
      expect(await claimAlone(store)).toMatchObject({ id: first.id, attempt: 2 });
    });

    check('one that was alone ends FAILED, worker_lost, after its last', async (world) => {
      const { store } = world;
      const first = await start(store, { maxAttempts: 2, correlationId: 'correlation-1' });
      for (const attempt of [1, 2]) {
        await lose(world);
        const job = await claimAlone(store, { worker: attempt === 1 ? 'first' : 'second' });
        expect(job).toMatchObject({ id: first.id, attempt, suspect: true });
        await begin(store, job);
      }
      await world.advance(PAST_LEASE_MS);
      const before = await store.now();
      const answer = await claim(store, { wants: wants('none') });
      expect(answer).toMatchObject({ jobs: [], takenOver: 1 });
      expect(answer.lost).toEqual([
        { id: first.id, kind: 'work', attempt: 2, correlationId: 'correlation-1' },
      ]);
      const job = await read(store, first.id);
      expect(job).toMatchObject({
        state: 'FAILED',
        attempt: 2,
        leaseUntil: null,
        error: { code: 'worker_lost', retryable: false },
      });
      expect(job.error?.message, 'which worker').toContain('second');
      expect(job.error?.message, 'no more than is known').toMatch(/stopped renewing its lease/);
      expect(job.error?.message, 'during which execution').toMatch(/\b2\b/);
      expectBetween(job.finishedAt, before, await store.now());
      expect(await claim(store, { alone: true })).toMatchObject({
        jobs: [],
        lost: [],
        takenOver: 0,
        suspects: false,
      });
    });

    check('each lost job is reported with what it was asked under, if anything', async (world) => {
      const { store } = world;
      const lost = [];
      for (const asked of [{ correlationId: 'a' }, {}, { correlationId: 'b' }])
        lost.push(...(await loseForGood(world, store, asked)).answer.lost);
      // A store may give one to a job that was asked under none; then the job has it too.
      const own = await read(store, lost[1]?.id ?? '');
      expect(lost.map(({ correlationId }) => correlationId)).toEqual(['a', own.correlationId, 'b']);
    });

    check('a zombie that settles after worker_lost is stale', async (world) => {
      const { store } = world;
      const { lease } = await loseForGood(world, store);
      const before = await everything(store);
      for (const outcome of Object.values(OUTCOMES))
        expect(await settle(store, lease, outcome, childOn(store)), outcome.move).toBe('stale');
      expect(await store.renew({ leases: [lease], leaseMs: LEASE_MS })).toEqual(['stale']);
      expect(await everything(store)).toEqual(before);

      const asked = await start(store, { kind: 'asked' });
      await store.cancel({ select: { ids: [asked.id] } });
      await lose(world);
      expect(await stateOf(store, asked.id)).toBe('CANCELED');
      expect(await settle(store, asked, OUTCOMES.cancel), 'canceled meanwhile').toBe('stale');
    });

    check(
      'a claim gives none of them among others, and says that there are some',
      async (world) => {
        const { store } = world;
        const lost = await start(store, { priority: 9 });
        await lose(world);
        const others = await add(store, {}, {});
        const answer = await claim(store);
        expect(idsOf(answer.jobs)).toEqual(others);
        expect(answer).toMatchObject({ suspects: true, more: false });
        expect(answer.jobs.map(({ suspect }) => suspect)).toEqual([false, false]);
        expect(await isSuspect(world, lost.id)).toBe(true);
        expect(await isSuspect(world, others[0] ?? '')).toBe(false);
      },
    );

    check('a claim alone gives one, and nothing else', async (world) => {
      const { store } = world;
      const ids = await add(store, {}, { priority: 5 }, { priority: 5 }, { priority: -1 });
      await claimAll(store);
      await lose(world);
      await add(store, ...times(5, () => ({ priority: 9 })));
      const order = [];
      for (const left of [true, true, true, false]) {
        const answer = await claim(store, { alone: true });
        expect(answer.suspects, 'whether another waits').toBe(left);
        order.push(...idsOf(answer.jobs));
      }
      expect(order, 'by priority, then by age').toEqual([1, 2, 3, 0].map((index) => ids[index]));
      expect(await claim(store, { alone: true })).toMatchObject({ jobs: [], suspects: false });
      expect(await claimAll(store), 'the others wait as before').toHaveLength(5);
    });

    check(
      'a claim of nothing says whether some wait',
      async (world) => {
        const { store } = world;
        await start(store);
        expect(await claim(store, { limit: 0 })).toMatchObject({ jobs: [], suspects: false });
        await lose(world);
        expect(await claim(store, { limit: 0 })).toMatchObject({ jobs: [], suspects: true });
        await claimAlone(store);
        expect(await claim(store, { limit: 0 })).toMatchObject({ jobs: [], suspects: false });
      },
      ['chunks'],
    );

    check('by many at once, alone, gives each to one', async (world) => {
      const handles = await world.several(4);
      await add(world.store, ...times(8, () => ({})));
      const ids = idsOf(await claimAll(world.store));
      await lose(world);
      const given: string[] = [];
      for (let round = 0; round < 20 && given.length < ids.length; round += 1) {
        const answers = await together(handles, (store) => claimAll(store, { alone: true }));
        given.push(...idsOf(answers.flat()));
      }
      expect(given.toSorted()).toEqual(ids.toSorted());
    });

    check('wants and priorities hold for them too', async (world) => {
      const { store } = world;
      const lost = await start(store, { priority: 3 });
      await lose(world);
      for (const change of [
        { wants: wants('other') },
        { wants: [] },
        { wants: [{ kind: 'work', limit: 0 }] },
        { minPriority: 4 },
      ]) {
        const answer = await claim(store, { alone: true, ...change });
        expect(answer, JSON.stringify(change)).toMatchObject({ jobs: [], suspects: false });
      }
      expect((await claimAlone(store, { minPriority: 3 })).id).toBe(lost.id);
    });

    check(
      'pauses hold for them too',
      async (world) => {
        const { store } = world;
        const lost = await start(store);
        await lose(world);
        await partOf(store, 'control').pause({ kind: 'work', by: null });
        expect(await claim(store, { alone: true })).toMatchObject({ jobs: [], suspects: false });
        await partOf(store, 'control').resume({ kind: 'work' });
        expect((await claimAlone(store)).id).toBe(lost.id);
      },
      ['control'],
    );

    check(
      'a tenant’s limit holds for them too',
      async (world) => {
        const { store } = world;
        const limited = [{ kind: 'work', limit: 100, tenantLimit: 1 }];
        const lost = await start(store, { tenant: 'a' });
        await lose(world);
        const running = await start(store, { tenant: 'a' });
        expect(await claimAll(store, { alone: true, wants: limited })).toEqual([]);
        await settle(store, running);
        expect((await claimAlone(store, { wants: limited })).id).toBe(lost.id);
      },
      ['tenants'],
    );

    for (const outcome of [OUTCOMES.retry, OUTCOMES.defer]) {
      check(`${outcome.move} by a worker that lives clears it`, async (world) => {
        const { store } = world;
        const lost = await start(store);
        await lose(world);
        await settle(store, await claimAlone(store), outcome);
        expect(await isSuspect(world, lost.id)).toBe(false);
        expect(await claimAll(store, { alone: true })).toEqual([]);
        expect(await claimOne(store)).toMatchObject({ id: lost.id, suspect: false });
      });
    }

    check('a hand-back clears nothing', async (world) => {
      const { store } = world;
      const lost = await start(store);
      await lose(world);
      await settle(store, await claimAlone(store), OUTCOMES.handBack);
      expect(await isSuspect(world, lost.id)).toBe(true);
      expect(await claimAll(store)).toEqual([]);
      expect(await claimAlone(store)).toMatchObject({ id: lost.id, attempt: 1, suspect: true });
    });

    check(
      'a cursor that moves on clears it, the same one and progress do not',
      async (world) => {
        const { store } = world;
        const first = await start(store, { maxAttempts: 1 });
        await checkpoint(store, first, { cursor: '1' });
        await lose(world);
        const lost = await claimAlone(store);
        await checkpoint(store, lost, { step: 1, cursor: '1' });
        await checkpoint(store, lost, { step: 2, progress: { done: 1 } });
        expect(await isSuspect(world, lost.id)).toBe(true);
        await checkpoint(store, lost, { step: 3, cursor: '2' });
        expect(await isSuspect(world, lost.id)).toBe(false);
        // No longer a suspect, so it does not end with this worker either.
        await world.advance(PAST_LEASE_MS);
        expect((await claim(store)).lost).toEqual([]);
        expect(await claimAlone(store)).toMatchObject({ id: lost.id, attempt: 1, suspect: true });
      },
      ['chunks'],
    );

    check('retried by hand it is none', async (world) => {
      const { store } = world;
      const { lease } = await loseForGood(world, store);
      const waiting = await start(store, { kind: 'waiting' });
      await lose(world);
      await store.cancel({ select: { ids: [waiting.id] } });
      await store.retry({ select: { ids: [lease.id, waiting.id] } });
      const jobs = await claimAll(store, { wants: wants('work', 'waiting') });
      expect(idsOf(jobs)).toEqual([lease.id, waiting.id]);
      expect(jobs.map(({ suspect }) => suspect)).toEqual([false, false]);
      expect(jobs.map(({ attempt }) => attempt)).toEqual([1, 1]);
    });

    check('one that waits can be canceled like any other', async (world) => {
      const { store } = world;
      const lost = await start(store);
      await lose(world);
      expect((await store.cancel({ select: { ids: [lost.id] } })).canceled).toEqual([lost.id]);
      expect(await claim(store, { alone: true })).toMatchObject({ jobs: [], suspects: false });
    });

    check('a claim alone whose answer was lost is answered again', async (world) => {
      const { store } = world;
      await addOne(store);
      await claimOne(store);
      await lose(world);
      const params = { alone: true, claim: 4_711, worker: 'worker-2' };
      const { jobs } = await claim(store, params);
      expect(jobs).toMatchObject([{ suspect: true }]);
      expect((await claim(store, { ...params, replay: true })).jobs).toEqual(jobs);
    });
  },
};
