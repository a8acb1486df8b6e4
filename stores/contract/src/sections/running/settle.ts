import { expect } from 'vitest';
import {
  ERROR,
  MINUTE,
  OUTCOMES,
  SECOND,
  add,
  claimAll,
  claimOne,
  idsOf,
  newJob,
  only,
  pair,
  settle as settleOne,
  settlement,
  start,
  succeeded,
} from '../../build.ts';
import type { Section } from '../../harness.ts';
import { expectBetween, listAll, read, stateOf, statesOf, value } from '../../observe.ts';

export const settle: Section = {
  title: 'settle',
  checks(check) {
    check('succeed keeps the result and ends the lease', async ({ store }) => {
      const job = await start(store, { payload: '{"a":1}' });
      const before = await store.now();
      expect(await settleOne(store, job, succeeded('{"pages":3}'))).toBe('settled');
      const after = await store.now();
      const done = await read(store, job.id);
      expect(done).toMatchObject({ state: 'SUCCEEDED', attempt: 1, leaseUntil: null, error: null });
      expect(value(done.result)).toEqual({ pages: 3 });
      expect(value(done.payload)).toEqual({ a: 1 });
      expectBetween(done.finishedAt, before, after);
    });

    check('purgePayload empties the payload on success', async ({ store }) => {
      const job = await start(store, { payload: '{"secret":1}' });
      await settleOne(store, job, { ...succeeded('1'), purgePayload: true });
      expect(await read(store, job.id)).toMatchObject({ payload: null, result: '1' });
    });

    check('fail keeps the error', async ({ store }) => {
      const job = await start(store);
      await settleOne(store, job, OUTCOMES.fail);
      const failed = await read(store, job.id);
      expect(failed).toMatchObject({ state: 'FAILED', attempt: 1, error: ERROR, result: null });
      expect(failed.finishedAt).not.toBeNull();
      expect(await claimAll(store)).toEqual([]);
    });

    check('cancel ends the job', async ({ store }) => {
      const job = await start(store);
      await settleOne(store, job, OUTCOMES.cancel);
      const canceled = await read(store, job.id);
      expect(canceled).toMatchObject({ state: 'CANCELED', leaseUntil: null });
      expect(canceled.finishedAt).not.toBeNull();
    });

    check('retry keeps the attempt and the error, and waits for its time', async (world) => {
      const { store } = world;
      const job = await start(store);
      const before = await store.now();
      await settleOne(store, job, { ...OUTCOMES.retry, delayMs: 10 * MINUTE });
      const waiting = await read(store, job.id);
      expect(waiting).toMatchObject({
        state: 'QUEUED',
        attempt: 1,
        error: ERROR,
        leaseUntil: null,
        finishedAt: null,
      });
      expectBetween(waiting.runAt, before + 10 * MINUTE, (await store.now()) + 10 * MINUTE);
      expect(await claimAll(store)).toEqual([]);
      await world.advance(10 * MINUTE + SECOND);
      expect(await claimOne(store)).toMatchObject({ id: job.id, attempt: 2 });
    });

    check('a success after a retry leaves no error', async ({ store }) => {
      await settleOne(store, await start(store), OUTCOMES.retry);
      const again = await claimOne(store);
      await settleOne(store, again);
      expect(await read(store, again.id)).toMatchObject({ state: 'SUCCEEDED', error: null });
      expect(await listAll(store, { errorCode: ERROR.code })).toEqual([]);
    });

    check('defer gives the attempt back, takes new data and waits', async (world) => {
      const { store } = world;
      const job = await start(store, { payload: '{"poll":1}', maxAttempts: 2 });
      await settleOne(store, job, OUTCOMES.retry);
      const second = await claimOne(store);
      await settleOne(store, second, {
        move: 'defer',
        payload: '{"poll":2}',
        delayMs: 10 * MINUTE,
      });
      const waiting = await read(store, job.id);
      expect(waiting).toMatchObject({ state: 'QUEUED', attempt: 1, error: null, leaseUntil: null });
      expect(value(waiting.payload)).toEqual({ poll: 2 });
      expect(await claimAll(store)).toEqual([]);
      await world.advance(10 * MINUTE + SECOND);
      const third = await claimOne(store);
      expect(third).toMatchObject({ id: job.id, attempt: 2 });
      expect(value(third.payload)).toEqual({ poll: 2 });
    });

    check('defer without data keeps what is there', async ({ store }) => {
      const job = await start(store, { payload: '{"poll":1}' });
      await settleOne(store, job, { move: 'defer', payload: null, delayMs: 0 });
      expect(value((await claimOne(store)).payload)).toEqual({ poll: 1 });
    });

    check('a job may defer itself for ever', async ({ store }) => {
      let job = await start(store, { maxAttempts: 1 });
      for (let poll = 0; poll < 10; poll += 1) {
        expect(job.attempt).toBe(1);
        await settleOne(store, job, { move: 'defer', payload: `{"poll":${poll}}`, delayMs: 0 });
        job = await claimOne(store);
      }
      expect(value(job.payload)).toEqual({ poll: 9 });
    });

    check('hand-back gives the attempt back, and the job is due at once', async (world) => {
      const { store } = world;
      const job = await start(store, { maxAttempts: 1, payload: '{"a":1}' });
      await settleOne(store, job, OUTCOMES.handBack);
      expect(await read(store, job.id)).toMatchObject({
        state: 'QUEUED',
        attempt: 0,
        leaseUntil: null,
      });
      const again = await claimOne(await world.open(), { worker: 'worker-2' });
      expect(again).toMatchObject({ id: job.id, attempt: 1 });
      expect(value(again.payload)).toEqual({ a: 1 });
    });

    check('what goes back keeps its place in the order', async ({ store }) => {
      const ids = await add(store, {}, {}, {});
      const jobs = await claimAll(store);
      for (const job of jobs.toReversed()) await settleOne(store, job, OUTCOMES.handBack);
      expect(idsOf(await claimAll(store))).toEqual(ids);
    });

    check(
      'children are made with every accepted outcome',
      async ({ store }) => {
        for (const outcome of Object.values(OUTCOMES)) {
          const job = await start(store, { kind: outcome.move });
          const kind = `child-of-${outcome.move}`;
          const children = [
            newJob({ kind, payload: '{"n":1}', tenant: 'acme' }),
            newJob({ kind, payload: '{"n":2}', due: { afterMs: MINUTE } }),
          ];
          expect(await settleOne(store, job, outcome, children)).toBe('settled');
          const made = await listAll(store, { kind });
          expect(made.map(({ payload }) => value(payload))).toEqual([{ n: 2 }, { n: 1 }]);
          expect(made.map(({ tenant }) => tenant)).toEqual(['', 'acme']);
        }
      },
      ['followers'],
    );

    check('a batch may hold every outcome, answered in its order', async ({ store }) => {
      const outcomes = Object.values(OUTCOMES);
      await add(store, ...outcomes.map(() => ({})));
      const jobs = await claimAll(store);
      const settlements = jobs.flatMap((job, index) => {
        const outcome = outcomes[index];
        return outcome === undefined ? [] : [settlement(job, outcome)];
      });
      const strange = { ...only(jobs.slice(0, 1)), id: 'nonsense' };
      const answers = await store.settle({ settlements: [settlement(strange), ...settlements] });
      expect(answers).toEqual(['stale', ...outcomes.map(() => 'settled')]);
      expect(await statesOf(store, idsOf(jobs))).toEqual([
        'SUCCEEDED',
        'FAILED',
        'CANCELED',
        'QUEUED',
        'QUEUED',
        'QUEUED',
      ]);
    });

    check('one job’s outcome does not touch its neighbours', async ({ store }) => {
      await add(store, {}, {});
      const [a, b] = pair(await claimAll(store));
      await settleOne(store, a, succeeded('"a"'));
      expect(await stateOf(store, b.id)).toBe('PROCESSING');
      expect(await settleOne(store, b, succeeded('"b"'))).toBe('settled');
      expect((await read(store, a.id)).result).toBe('"a"');
      expect((await read(store, b.id)).result).toBe('"b"');
    });
  },
};
