import type { JobId } from '@millrace/engine';
import { expect } from 'vitest';
import {
  HOUR,
  LEASE_MS,
  OUTCOMES,
  PAST_LEASE_MS,
  add,
  addOne,
  childOn,
  claim,
  claimAll,
  idsOf,
  settle,
  start,
  succeeded,
  times,
} from '../../build.ts';
import type { Section } from '../../harness.ts';
import { expectBetween, listAll, read, stateOf, statesOf } from '../../observe.ts';

const byIds = (...ids: JobId[]) => ({ select: { ids } });

export const cancel: Section = {
  title: 'cancel',
  checks(check) {
    check('a queued job ends at once, due or not', async (world) => {
      const { store } = world;
      const ids = await add(store, {}, { due: { afterMs: HOUR } });
      const before = await store.now();
      const answer = await store.cancel(byIds(...ids));
      expect(answer.canceled.toSorted()).toEqual(ids.toSorted());
      expect(answer.requested).toEqual([]);
      expect(await statesOf(store, ids)).toEqual(['CANCELED', 'CANCELED']);
      const { finishedAt } = await read(store, ids[0] ?? '');
      expectBetween(finishedAt, before, await store.now());
      await world.advance(2 * HOUR);
      expect(await claimAll(store)).toEqual([]);
    });

    check('a running job is asked to stop, and its worker hears of it', async (world) => {
      const { store } = world;
      const other = await world.open();
      const job = await start(store);
      expect(await other.cancel(byIds(job.id))).toEqual({ canceled: [], requested: [job.id] });
      expect(await read(store, job.id)).toMatchObject({
        state: 'PROCESSING',
        cancelRequested: true,
      });
      const before = await store.now();
      expect(await store.renew({ leases: [job], leaseMs: LEASE_MS })).toEqual(['cancel']);
      const { leaseUntil } = await read(store, job.id);
      expectBetween(leaseUntil, before + LEASE_MS, (await store.now()) + LEASE_MS);
      expect(await settle(store, job, OUTCOMES.cancel)).toBe('settled');
      expect(await stateOf(store, job.id)).toBe('CANCELED');
    });

    check('done work stays done', async ({ store }) => {
      const a = await start(store, { kind: 'a' });
      const b = await start(store, { kind: 'b' });
      await store.cancel(byIds(a.id, b.id));
      expect(await settle(store, a, succeeded('"done"'), childOn(store))).toBe('settled');
      expect(await settle(store, b, OUTCOMES.fail, childOn(store))).toBe('settled');
      const made = await listAll(store, { kind: 'child' });
      expect(made, 'with its children').toHaveLength(2 * childOn(store).length);
      expect(await read(store, a.id)).toMatchObject({ state: 'SUCCEEDED', result: '"done"' });
      expect(await stateOf(store, b.id)).toBe('FAILED');
    });

    for (const outcome of [OUTCOMES.retry, OUTCOMES.defer, OUTCOMES.handBack]) {
      check(`a job asked to stop does not go back by ${outcome.move}`, async ({ store }) => {
        const job = await start(store);
        await store.cancel(byIds(job.id));
        expect(await settle(store, job, outcome, childOn(store))).toBe('canceled');
        const ended = await read(store, job.id);
        expect(ended.state).toBe('CANCELED');
        expect(ended.finishedAt).not.toBeNull();
        expect(await listAll(store, { kind: 'child' }), 'no children').toEqual([]);
        expect(await settle(store, job, outcome, childOn(store))).toBe('already');
        expect(await claimAll(store)).toEqual([]);
      });
    }

    check('a job asked to stop whose worker went away ends CANCELED', async (world) => {
      const { store } = world;
      const first = await start(store, { kind: 'a' });
      const last = await start(store, { kind: 'b', maxAttempts: 1 });
      await store.cancel(byIds(first.id, last.id));
      await world.advance(PAST_LEASE_MS);
      expect(await claim(store)).toMatchObject({ jobs: [], lost: [] });
      expect(await statesOf(store, [first.id, last.id])).toEqual(['CANCELED', 'CANCELED']);
    });

    check('a failed job is given up', async ({ store }) => {
      const job = await start(store);
      await settle(store, job, OUTCOMES.fail);
      expect(await store.cancel(byIds(job.id))).toEqual({ canceled: [job.id], requested: [] });
      expect(await stateOf(store, job.id)).toBe('CANCELED');
    });

    check('what has ended otherwise, or is not there, is left alone', async ({ store }) => {
      const done = await start(store);
      await settle(store, done);
      const gone = await addOne(store);
      await store.cancel(byIds(gone));
      const before = await listAll(store);
      const strange = ['elsewhere-1', 'nonsense', '', `${store.name}-999999`, `${store.name}-x`];
      expect(await store.cancel(byIds(done.id, gone, ...strange))).toEqual({
        canceled: [],
        requested: [],
      });
      expect(await listAll(store)).toEqual(before);
    });

    check('by filter, as many as the limit says, until none is left', async ({ store }) => {
      await add(store, ...times(4, () => ({ correlationId: 'acme' })), { correlationId: 'other' });
      await claimAll(store, { wants: [{ kind: 'work', limit: 1 }], limit: 1 });
      await settle(store, await start(store, { kind: 'done', correlationId: 'acme' }));
      const select = { filter: { correlationId: 'acme' }, limit: 2 };
      const rounds = [];
      for (let round = 0; round < 3; round += 1) rounds.push(await store.cancel({ select }));
      expect(rounds.map(({ canceled, requested }) => canceled.length + requested.length)).toEqual([
        2, 2, 0,
      ]);
      expect(await listAll(store, { state: 'QUEUED' })).toMatchObject([{ correlationId: 'other' }]);
      expect(await listAll(store, { state: 'SUCCEEDED' })).toHaveLength(1);
      const states = await listAll(store, { kind: 'work', correlationId: 'acme' });
      const running = states.filter(({ state }) => state === 'PROCESSING');
      expect(running.every(({ cancelRequested }) => cancelRequested)).toBe(true);
    });

    check('by filter keeps to every part of it', async ({ store }) => {
      const [, wanted] = await add(
        store,
        { kind: 'a', correlationId: 'x' },
        { kind: 'a', correlationId: 'y' },
        { kind: 'b', correlationId: 'y' },
      );
      const filter = { kind: 'a', correlationId: 'y', state: 'QUEUED' } as const;
      expect(await store.cancel({ select: { filter, limit: 10 } })).toEqual({
        canceled: [wanted],
        requested: [],
      });
    });

    check('and claim at the same moment: a job is either stopped or asked to', async (world) => {
      const { store } = world;
      const other = await world.open();
      const ids = await add(store, ...times(60, () => ({})));
      const [claimed, canceled, more] = await Promise.all([
        claimAll(store, { limit: 20 }),
        other.cancel(byIds(...ids)),
        claimAll(store, { limit: 20 }),
      ]);
      const running = idsOf([...claimed, ...more]);
      expect([...canceled.canceled, ...canceled.requested].toSorted()).toEqual(ids.toSorted());
      expect(canceled.requested.toSorted()).toEqual(running.toSorted());
      expect(await claimAll(store)).toEqual([]);
    });
  },
};
