import type { Job, Store } from '@millrace/engine';
import { expect } from 'vitest';
import {
  HOUR,
  MINUTE,
  OUTCOMES,
  add,
  addOne,
  claimAll,
  claimOne,
  keepFor,
  loseForGood,
  childOn,
  settle,
  settlement,
  start,
  sweep,
  times,
  together,
} from '../../build.ts';
import type { Section } from '../../harness.ts';
import { countsByState, listAll } from '../../observe.ts';

export const counts: Section = {
  title: 'counts',
  checks(check) {
    check(
      'are by kind, tenant and state, without empty ones',
      async ({ store }) => {
        expect(await store.counts()).toEqual([]);
        await add(store, {}, {}, { tenant: 'acme' }, { kind: 'other' });
        await settle(store, await claimOne(store, { wants: [{ kind: 'other', limit: 1 }] }));
        const rows = (await store.counts()).map(
          ({ kind, tenant, state, count }) => `${kind}/${tenant}/${state}: ${count}`,
        );
        expect(rows.toSorted()).toEqual([
          'other//SUCCEEDED: 1',
          'work//QUEUED: 2',
          'work/acme/QUEUED: 1',
        ]);
      },
      ['tenants'],
    );

    check('are right after each move of a worker', async ({ store }) => {
      await add(store, {}, { due: { afterMs: HOUR } });
      expect(await countsByState(store)).toEqual({ QUEUED: 2 });
      for (const outcome of [OUTCOMES.retry, OUTCOMES.defer, OUTCOMES.handBack]) {
        const job = await claimOne(store);
        expect(await countsByState(store)).toEqual({ QUEUED: 1, PROCESSING: 1 });
        await settle(store, job, outcome);
        expect(await countsByState(store), outcome.move).toEqual({ QUEUED: 2 });
      }
      const job = await claimOne(store);
      await settle(store, job, OUTCOMES.succeed, childOn(store));
      const QUEUED = 1 + childOn(store).length;
      expect(await countsByState(store)).toEqual({ QUEUED, SUCCEEDED: 1 });
      await settle(store, job);
      expect(await countsByState(store), 'already').toEqual({ QUEUED, SUCCEEDED: 1 });
      await settle(store, await start(store), OUTCOMES.fail);
      await settle(store, await start(store), OUTCOMES.cancel);
      expect(await countsByState(store)).toEqual({
        QUEUED,
        SUCCEEDED: 1,
        FAILED: 1,
        CANCELED: 1,
      });
    });

    check('say how many of those that wait are not due yet', async (world) => {
      const { store } = world;
      const later = { due: { afterMs: HOUR } };
      await add(store, {}, later, later, { kind: 'other', ...later }, { kind: 'third' });
      await claimAll(store, { wants: [{ kind: 'third', limit: 1 }] });
      expect(await scheduledOf(store)).toEqual({
        'work QUEUED': [3, 2],
        'other QUEUED': [1, 1],
        'third PROCESSING': [1, 0],
      });
      const job = await claimOne(store);
      await settle(store, job, { ...OUTCOMES.retry, delayMs: HOUR });
      expect(await scheduledOf(store)).toMatchObject({ 'work QUEUED': [3, 3] });
      await world.advance(HOUR + MINUTE);
      await claimAll(store, { limit: 1 });
      expect(await scheduledOf(store)).toMatchObject({ 'work QUEUED': [2, 0] });
    });

    check('are right after each move by hand', async (world) => {
      const { store } = world;
      const id = await addOne(store);
      await store.cancel({ select: { ids: [id] } });
      expect(await countsByState(store)).toEqual({ CANCELED: 1 });
      await store.retry({ select: { ids: [id] } });
      expect(await countsByState(store)).toEqual({ QUEUED: 1 });
      const job = await claimOne(store);
      await store.cancel({ select: { ids: [id] } });
      expect(await countsByState(store), 'asked').toEqual({ PROCESSING: 1 });
      await settle(store, job, OUTCOMES.fail);
      await store.cancel({ select: { ids: [id] } });
      expect(await countsByState(store)).toEqual({ CANCELED: 1 });
      if (store.upkeep === undefined) return;
      await world.advance(HOUR);
      await sweep(store, { work: keepFor(MINUTE) });
      expect(await store.counts()).toEqual([]);
    });

    check('are right after a take-over', async (world) => {
      const { store } = world;
      await start(store, { kind: 'again' });
      const asked = await start(store, { kind: 'asked' });
      await store.cancel({ select: { ids: [asked.id] } });
      await loseForGood(world, store, { kind: 'lost' });
      expect(await countsByState(store)).toEqual({ QUEUED: 1, FAILED: 1, CANCELED: 1 });
    });

    check('are those of the list after many moves at once', async (world) => {
      const handles = await world.several(4);
      const outcomes = Object.values(OUTCOMES);
      await together(handles, async (store, index) => {
        await add(store, ...times(30, (n) => ({ tenant: `tenant-${(index + n) % 3}` })));
        for (let round = 0; round < 3; round += 1) {
          const jobs = await claimAll(store, { limit: 10 });
          const outcome = outcomes[(index + round) % outcomes.length];
          const settlements = jobs.map((job) => settlement(job, outcome));
          // Another handle may have asked one of them to stop.
          for (const answer of await store.settle({ settlements }))
            expect(['settled', 'canceled']).toContain(answer);
        }
        await store.cancel({ select: { filter: { tenant: `tenant-${index}` }, limit: 5 } });
      });
      expect(await counted(world.store)).toEqual(tallied(await listAll(world.store)));
    });
  },
};

async function counted(store: Store): Promise<Record<string, number>> {
  const rows = await store.counts();
  return Object.fromEntries(
    rows.map(({ kind, tenant, state, count }) => [`${kind}/${tenant}/${state}`, count]),
  );
}

/** By kind and state: how many there are, and how many of them are not due yet. */
async function scheduledOf(store: Store): Promise<Record<string, [number, number]>> {
  const rows = await store.counts();
  return Object.fromEntries(
    rows.map(({ kind, state, count, scheduled }) => [`${kind} ${state}`, [count, scheduled]]),
  );
}

function tallied(jobs: readonly Job[]): Record<string, number> {
  const tally: Record<string, number> = {};
  for (const { kind, tenant, state } of jobs) {
    const key = `${kind}/${tenant}/${state}`;
    tally[key] = (tally[key] ?? 0) + 1;
  }
  return tally;
}
