import { EXECUTIONS_KEPT, type Execution } from '@millrace/engine';
import { expect } from 'vitest';
import {
  ERROR,
  OUTCOMES,
  PAST_LEASE_MS,
  STACK,
  begin,
  checkpoint,
  claim,
  claimAlone,
  claimOne,
  loseForGood,
  only,
  settle,
  start,
} from '../../build.ts';
import type { Section, World } from '../../harness.ts';
import { expectBetween, read } from '../../observe.ts';

async function kept({ store }: World, id: string): Promise<readonly Execution[]> {
  return (await read(store, id)).executions;
}

async function outcomesOf(world: World, id: string): Promise<string[]> {
  return (await kept(world, id)).map(({ attempt, outcome }) => `${attempt} ${outcome}`);
}

export const executions: Section = {
  title: 'the executions of a job',
  needs: ['executions'],
  checks(check) {
    check('one that failed is kept, with worker, times, error and stack', async (world) => {
      const { store } = world;
      const before = await store.now();
      const job = await start(store, {}, { worker: 'worker-7' });
      const begun = await store.now();
      await settle(store, job, OUTCOMES.fail);
      const execution = only(await kept(world, job.id));
      expect(execution).toMatchObject({
        attempt: 1,
        worker: 'worker-7',
        outcome: 'failed',
        error: ERROR,
        stack: STACK,
      });
      expectBetween(execution.startedAt, before, begun);
      expectBetween(execution.endedAt, begun, await store.now());
    });

    check(
      'one that did not end well is kept with its epoch and with what it has logged',
      async (world) => {
        const { store } = world;
        const log = [
          { at: 1_700_000_000_000, level: 'info', message: 'Grüße “7” 💥' },
          { at: 1_700_000_000_001, level: 'error', message: 'x'.repeat(500) },
        ] as const;
        const job = await start(store);
        await settle(store, job, { ...OUTCOMES.retry, log, delayMs: 0 });
        const again = await claimOne(store);
        await settle(store, again, OUTCOMES.fail);
        expect(await kept(world, job.id)).toMatchObject([
          { epoch: job.epoch, log, outcome: 'retried' },
          { epoch: again.epoch, log: null, outcome: 'failed' },
        ]);
        const canceled = await start(store, { subject: 'ada' });
        await settle(store, canceled, { move: 'cancel', log });
        expect(await kept(world, canceled.id)).toMatchObject([{ log, outcome: 'canceled' }]);
        await store.erase({ subject: 'ada' });
        expect(await kept(world, canceled.id)).toMatchObject([{ log: null, outcome: 'canceled' }]);
      },
      ['logs'],
    );

    check(
      'a success is kept with its log, where it comes with one',
      async (world) => {
        const { store } = world;
        const log = [
          {
            at: 1_700_000_000_000,
            level: 'info',
            message: 'rows took 1.2 s',
            step: { name: 'rows', ms: 1_200 },
          },
        ] as const;
        const quiet = await start(store);
        const job = await start(store, { subject: 'ada' }, { worker: 'worker-2' });
        await settle(store, quiet);
        await settle(store, job, { ...OUTCOMES.succeed, log });
        expect(await kept(world, quiet.id)).toEqual([]);
        expect(await kept(world, job.id)).toMatchObject([
          {
            attempt: 1,
            worker: 'worker-2',
            epoch: job.epoch,
            log,
            outcome: 'succeeded',
            error: null,
          },
        ]);
        await store.erase({ subject: 'ada' });
        expect(await kept(world, job.id)).toMatchObject([{ log: null }]);
      },
      ['logs'],
    );

    check('a job that goes well at once keeps none, nor one that waits', async (world) => {
      const { store } = world;
      const job = await start(store);
      for (const outcome of [OUTCOMES.defer, OUTCOMES.handBack])
        await settle(store, outcome === OUTCOMES.defer ? job : await claimOne(store), outcome);
      expect(await kept(world, job.id)).toEqual([]);
      await settle(store, await claimOne(store));
      expect(await kept(world, job.id)).toEqual([]);
    });

    check('a success is kept after others', async (world) => {
      const { store } = world;
      const job = await start(store);
      await settle(store, job, OUTCOMES.retry);
      await settle(store, await claimOne(store), OUTCOMES.defer);
      await settle(store, await claimOne(store, { worker: 'worker-2' }));
      expect(await outcomesOf(world, job.id)).toEqual(['1 retried', '2 succeeded']);
      expect((await kept(world, job.id)).at(-1)).toMatchObject({
        worker: 'worker-2',
        error: null,
        stack: null,
      });
    });

    check('one that was cancelled while it ran is kept', async (world) => {
      const { store } = world;
      for (const outcome of [OUTCOMES.cancel, OUTCOMES.retry, OUTCOMES.defer, OUTCOMES.handBack]) {
        const job = await start(store, { kind: outcome.move });
        await store.cancel({ select: { ids: [job.id] } });
        await settle(store, job, outcome);
        expect(await outcomesOf(world, job.id), outcome.move).toEqual(['1 canceled']);
      }
      const waiting = await start(store);
      await settle(store, waiting, OUTCOMES.handBack);
      await store.cancel({ select: { ids: [waiting.id] } });
      expect(await kept(world, waiting.id), 'it did not run').toEqual([]);
    });

    check('one whose worker was lost is kept', async (world) => {
      const { store } = world;
      const { lease } = await loseForGood(world, store);
      const [first, last] = await kept(world, lease.id);
      expect(first).toMatchObject({ attempt: 1, worker: 'worker-1', outcome: 'lost' });
      expect(last).toMatchObject({
        attempt: 1,
        worker: 'worker-2',
        outcome: 'lost',
        error: { code: 'worker_lost' },
        stack: null,
      });
      const { error } = await read(store, lease.id);
      expect(last?.error).toEqual(error);
    });

    check(
      'has the attempt that its handler saw, wherever its cursor is',
      async (world) => {
        const { store } = world;
        const first = await start(store, { maxAttempts: 5 });
        await settle(store, first, OUTCOMES.retry);
        const second = await claimOne(store);
        await checkpoint(store, second, { cursor: '1' });
        await settle(store, second, OUTCOMES.retry);
        expect(await outcomesOf(world, first.id)).toEqual(['1 retried', '2 retried']);
        const third = await claimOne(store);
        expect(third.attempt).toBe(2);
        await checkpoint(store, third, { cursor: '2' });
        await world.advance(PAST_LEASE_MS);
        await claim(store);
        expect((await outcomesOf(world, first.id)).at(-1)).toBe('2 lost');
      },
      ['chunks'],
    );

    check('the last twenty are kept', async (world) => {
      const { store } = world;
      let job = await start(store, { maxAttempts: 100 });
      for (let round = 1; round <= 23; round += 1) {
        await settle(store, job, OUTCOMES.retry);
        job = await claimOne(store);
      }
      await settle(store, job);
      const attempts = (await kept(world, job.id)).map(({ attempt }) => attempt);
      expect(attempts).toHaveLength(EXECUTIONS_KEPT);
      expect([attempts[0], attempts.at(-1)]).toEqual([5, 24]);
    });

    check('a job retried by hand keeps them', async (world) => {
      const { store } = world;
      const job = await start(store);
      await settle(store, job, OUTCOMES.fail);
      await store.retry({ select: { ids: [job.id] } });
      expect(await outcomesOf(world, job.id)).toEqual(['1 failed']);
      await settle(store, await claimOne(store), OUTCOMES.fail);
      expect(await outcomesOf(world, job.id)).toEqual(['1 failed', '1 failed']);
    });

    check('a settlement that is repeated or stale leaves none', async (world) => {
      const { store } = world;
      const job = await start(store);
      await begin(store, job);
      await world.advance(PAST_LEASE_MS);
      const heir = await claimAlone(store);
      await settle(store, job, OUTCOMES.fail);
      for (let times = 0; times < 2; times += 1) await settle(store, heir, OUTCOMES.fail);
      expect(await outcomesOf(world, job.id)).toEqual(['1 lost', '2 failed']);
    });

    check('are not in lists', async ({ store }) => {
      await settle(store, await start(store), OUTCOMES.fail);
      const { jobs } = await store.list({ filter: {}, limit: 1 });
      expect(Object.keys(only(jobs))).not.toContain('executions');
    });
  },
};
