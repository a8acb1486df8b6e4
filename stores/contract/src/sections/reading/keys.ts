import type { Enqueued, NewJob, Store } from '@millrace/engine';
import { expect } from 'vitest';
import {
  HOUR,
  MINUTE,
  OUTCOMES,
  claimOne,
  keepFor,
  newJob,
  only,
  pair,
  settle,
  start,
  sweep,
  times,
  together,
} from '../../build.ts';
import type { Section } from '../../harness.ts';
import { countsByState, listAll, read, stateOf } from '../../observe.ts';

function keyed(value: string, changes: Partial<NewJob> = {}, windowMs = HOUR): NewJob {
  return newJob({ key: { value, windowMs }, ...changes });
}

async function addKeyed(store: Store, job: NewJob): Promise<Enqueued> {
  return only(await store.enqueue({ jobs: [job] }));
}

export const keys: Section = {
  title: 'idempotency keys',
  checks(check) {
    check('50 at once with one key make one job', async (world) => {
      const handles = await world.several(5);
      const requests = times(50, (index) => handles[index % handles.length] ?? world.store);
      const answers = await together(requests, (store) => addKeyed(store, keyed('same')));
      expect(answers.filter(({ created }) => created)).toHaveLength(1);
      expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
      expect(await countsByState(world.store)).toEqual({ QUEUED: 1 });
    });

    check('20 at once, when an old job has to give the key up, make one', async (world) => {
      const handles = await world.several(4);
      for (const outcome of [OUTCOMES.fail, OUTCOMES.succeed]) {
        const old = await start(world.store, keyed(outcome.move));
        await settle(world.store, old, outcome);
        await world.advance(HOUR + 1);
        const requests = times(20, (index) => handles[index % handles.length] ?? world.store);
        const answers = await together(requests, (store) => addKeyed(store, keyed(outcome.move)));
        expect(answers.filter(({ created }) => created)).toHaveLength(1);
        const ids = new Set(answers.map(({ id }) => id));
        expect(ids.size).toBe(1);
        expect(ids.has(old.id)).toBe(false);
        await settle(world.store, await claimOne(world.store));
      }
    });

    check(
      'batches with the same keys in opposite orders do not block each other',
      async (world) => {
        const handles = await world.several(4);
        const values = times(30, (index) => `key-${index}`);
        const answers = await together(handles, (store, index) => {
          const order = index % 2 === 0 ? values : values.toReversed();
          return store.enqueue({ jobs: order.map((value) => keyed(value)) });
        });
        expect(answers.flat().filter(({ created }) => created)).toHaveLength(30);
        expect(await countsByState(world.store)).toEqual({ QUEUED: 30 });
      },
    );

    check('a live job is returned, whether it waits or runs', async ({ store }) => {
      const { id, created } = await addKeyed(store, keyed('k'));
      expect(created).toBe(true);
      expect((await read(store, id)).key).toBe('k');
      expect(await addKeyed(store, keyed('k'))).toEqual({ id, created: false });
      const job = await claimOne(store);
      expect(await addKeyed(store, keyed('k', {}, 0))).toEqual({ id, created: false });
      await settle(store, job, OUTCOMES.retry);
      expect(await addKeyed(store, keyed('k'))).toEqual({ id, created: false });
      expect(await countsByState(store)).toEqual({ QUEUED: 1 });
    });

    check('one that succeeded is returned within the window, and not after', async (world) => {
      const { store } = world;
      const old = await start(store, keyed('k'));
      await settle(store, old);
      await world.advance(HOUR - 10 * MINUTE);
      expect(await addKeyed(store, keyed('k'))).toEqual({ id: old.id, created: false });
      expect(await stateOf(store, old.id)).toBe('SUCCEEDED');
      await world.advance(10 * MINUTE + 1);
      const made = await addKeyed(store, keyed('k'));
      expect(made.created).toBe(true);
      expect(made.id).not.toBe(old.id);
      expect((await read(store, old.id)).key, 'given up').toBeNull();
      expect((await read(store, made.id)).key).toBe('k');
      expect(await addKeyed(store, keyed('k'))).toEqual({ id: made.id, created: false });
    });

    check('the window is the one of the request', async (world) => {
      const { store } = world;
      const old = await start(store, keyed('k', {}, 0));
      await settle(store, old);
      await world.advance(MINUTE);
      expect(await addKeyed(store, keyed('k', {}, HOUR))).toEqual({ id: old.id, created: false });
      expect((await addKeyed(store, keyed('k', {}, 0))).created, 'no window at all').toBe(true);
    });

    for (const outcome of [OUTCOMES.fail, OUTCOMES.cancel]) {
      check(`after ${outcome.move} the key goes to a new job at once`, async ({ store }) => {
        const old = await start(store, keyed('k'));
        await settle(store, old, outcome);
        const made = await addKeyed(store, keyed('k'));
        expect(made.created).toBe(true);
        expect(await read(store, old.id)).toMatchObject({ key: null });
        expect(await listAll(store, { key: 'k' })).toMatchObject([{ id: made.id }]);
      });
    }

    check(
      'a key belongs to its kind and tenant',
      async ({ store }) => {
        const answers = await store.enqueue({
          jobs: [
            keyed('k'),
            keyed('k', { tenant: 'acme' }),
            keyed('k', { kind: 'other' }),
            keyed('k', { kind: 'other', tenant: 'acme' }),
          ],
        });
        expect(answers.every(({ created }) => created)).toBe(true);
        expect(await addKeyed(store, keyed('k', { tenant: 'acme' }))).toEqual({
          id: answers[1]?.id,
          created: false,
        });
        // Parts that would be the same text when joined carelessly.
        const joined = [keyed('c', { tenant: 'a-b' }), keyed('b-c', { tenant: 'a' })];
        const apart = await store.enqueue({ jobs: joined });
        expect(apart.every(({ created }) => created)).toBe(true);
      },
      ['tenants'],
    );

    check('a key belongs to its kind', async ({ store }) => {
      const [one, other] = await store.enqueue({
        jobs: [keyed('k'), keyed('k', { kind: 'other' })],
      });
      expect([one?.created, other?.created]).toEqual([true, true]);
      expect(one?.id).not.toBe(other?.id);
      expect(await addKeyed(store, keyed('k', { kind: 'other' }))).toEqual({
        id: other?.id,
        created: false,
      });
    });

    check('in one batch the first makes the job, the others return it', async ({ store }) => {
      const answers = await store.enqueue({
        jobs: [
          keyed('a', { payload: '1' }),
          keyed('b'),
          keyed('a', { payload: '2' }),
          newJob(),
          keyed('a', { payload: '3' }),
        ],
      });
      expect(answers.map(({ created }) => created)).toEqual([true, true, false, true, false]);
      const [first, second, third, , fifth] = answers;
      expect([third?.id, fifth?.id]).toEqual([first?.id, first?.id]);
      expect(second?.id).not.toBe(first?.id);
      expect((await read(store, first?.id ?? '')).payload).toBe('1');
      expect(await countsByState(store)).toEqual({ QUEUED: 3 });
    });

    check('jobs without a key are never taken for one another', async ({ store }) => {
      const answers = await store.enqueue({ jobs: [newJob(), newJob(), newJob()] });
      expect(new Set(answers.map(({ id }) => id)).size).toBe(3);
    });

    check(
      'children with one key, made by two parents at once, are one',
      async (world) => {
        const [left, right] = pair(await world.several(2));
        for (let round = 0; round < 10; round += 1) {
          const a = await start(left, { kind: 'a' });
          const b = await start(right, { kind: 'b' });
          const child = [keyed(`child-${round}`, { kind: 'child' })];
          const answers = await Promise.all([
            settle(left, a, OUTCOMES.succeed, child),
            settle(right, b, OUTCOMES.succeed, child),
          ]);
          expect(answers).toEqual(['settled', 'settled']);
          expect(await listAll(world.store, { key: `child-${round}` })).toHaveLength(1);
        }
      },
      ['followers'],
    );

    check('a retried job keeps its key, unless another has it', async ({ store }) => {
      const kept = await start(store, keyed('kept'));
      await settle(store, kept, OUTCOMES.fail);
      await store.retry({ select: { ids: [kept.id] } });
      expect(await addKeyed(store, keyed('kept'))).toEqual({ id: kept.id, created: false });

      const lost = await start(store, keyed('lost', { kind: 'other' }));
      await settle(store, lost, OUTCOMES.fail);
      const heir = await addKeyed(store, keyed('lost', { kind: 'other' }));
      expect(await store.retry({ select: { ids: [lost.id] } })).toMatchObject({ retried: 1 });
      expect(await read(store, lost.id)).toMatchObject({ state: 'QUEUED', key: null });
      expect(await addKeyed(store, keyed('lost', { kind: 'other' }))).toEqual({
        id: heir.id,
        created: false,
      });
    });

    check(
      'a job that succeeded is kept as long as its key’s window lasts',
      async (world) => {
        const { store } = world;
        const keep = { work: keepFor(MINUTE) };
        const old = await start(store, keyed('k', {}, 9 * HOUR));
        await settle(store, old);
        await world.advance(8 * HOUR);
        expect(await sweep(store, keep), 'in the window').toBe(0);
        expect(await addKeyed(store, keyed('k', {}, 9 * HOUR))).toEqual({
          id: old.id,
          created: false,
        });
        await world.advance(HOUR + MINUTE);
        expect(await sweep(store, keep), 'after it').toBe(1);
        expect((await addKeyed(store, keyed('k', {}, 99 * HOUR))).created, 'free').toBe(true);
      },
      ['upkeep'],
    );

    check(
      'a key in its window keeps no job that failed, was canceled or gave the key up',
      async (world) => {
        const { store } = world;
        for (const outcome of [OUTCOMES.fail, OUTCOMES.cancel, OUTCOMES.succeed])
          await settle(store, await start(store, keyed(outcome.move, {}, 9 * HOUR)), outcome);
        await world.advance(HOUR);
        const { created } = await addKeyed(store, keyed('succeed', {}, MINUTE));
        expect(created, 'by its own window').toBe(true);
        expect(await sweep(store, { work: keepFor(MINUTE) })).toBe(3);
      },
      ['upkeep'],
    );

    check('retried by hand and asked for at the same moment: one has the key', async (world) => {
      const { store } = world;
      const [one, other] = pair(await world.several(2));
      for (let round = 0; round < 20; round += 1) {
        const job = keyed(`round-${round}`, { kind: `kind-${round}` });
        const failed = await start(store, job);
        await settle(store, failed, OUTCOMES.fail);
        const [{ retried }, { id, created }] = await Promise.all([
          one.retry({ select: { ids: [failed.id] } }),
          addKeyed(other, job),
        ]);
        expect(retried).toBe(1);
        expect(created, 'the other one’s, or the key has gone to a new job').toBe(id !== failed.id);
        const holders = await listAll(store, { key: `round-${round}` });
        expect(holders.map((holder) => holder.id)).toEqual([id]);
        expect(await addKeyed(store, job)).toEqual({ id, created: false });
      }
    });
  },
};
