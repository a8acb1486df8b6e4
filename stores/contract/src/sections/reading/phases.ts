import { type Filter, PHASES, type Phase } from '@millrace/engine';
import { expect } from 'vitest';
import { HOUR, OUTCOMES, add, addOne, claimOne, idsOf, settle, start, times } from '../../build.ts';
import type { Section, World } from '../../harness.ts';
import { listAll } from '../../observe.ts';

/** A job in each phase, all of the kind `work`. */
async function everyPhase({ store }: World): Promise<Record<Phase, string>> {
  const failed = await start(store);
  await settle(store, failed, OUTCOMES.fail);
  const succeeded = await start(store);
  await settle(store, succeeded);
  const retrying = await start(store);
  await settle(store, retrying, { ...OUTCOMES.retry, delayMs: HOUR });
  const running = await start(store, {}, { worker: 'worker-7' });
  const canceled = await addOne(store);
  await store.cancel({ select: { ids: [canceled] } });
  const scheduled = await addOne(store, { due: { afterMs: HOUR } });
  const due = await addOne(store);
  return {
    due,
    scheduled,
    retrying: retrying.id,
    running: running.id,
    succeeded: succeeded.id,
    failed: failed.id,
    canceled,
  };
}

async function found({ store }: World, filter: Filter): Promise<string[]> {
  return idsOf(await listAll(store, filter)).toSorted();
}

export const phases: Section = {
  title: 'a filter by phase, kinds and text',
  checks(check) {
    check('finds each phase, and several together', async (world) => {
      const jobs = await everyPhase(world);
      for (const phase of PHASES)
        expect(await found(world, { phases: [phase] }), phase).toEqual([jobs[phase]]);
      expect(await found(world, { phases: PHASES })).toEqual(Object.values(jobs).toSorted());
      expect(await found(world, { phases: ['failed', 'retrying', 'running'] })).toEqual(
        [jobs.failed, jobs.retrying, jobs.running].toSorted(),
      );
      expect(await found(world, { phases: ['due', 'scheduled', 'retrying'] })).toEqual(
        await found(world, { state: 'QUEUED' }),
      );
      expect(await found(world, { phases: ['failed', 'due'], kind: 'other' })).toEqual([]);
      expect(await found(world, { phases: [] })).toEqual([]);
      // A job that waits to be tried again is due when its time has come.
      await world.advance(2 * HOUR);
      expect(await found(world, { phases: ['scheduled', 'retrying'] })).toEqual([]);
      expect(await found(world, { phases: ['due'] })).toEqual(
        [jobs.due, jobs.scheduled, jobs.retrying].toSorted(),
      );
    });

    check('pages of several phases follow each other, newest first', async (world) => {
      const { store } = world;
      const ids: string[] = [];
      for (const index of times(12, (each) => each)) {
        if (index % 3 === 0) ids.push(await addOne(store, { due: { afterMs: HOUR } }));
        else {
          const job = await start(store);
          await settle(store, job, index % 3 === 1 ? OUTCOMES.fail : undefined);
          ids.push(job.id);
        }
      }
      const filter: Filter = { phases: ['scheduled', 'failed', 'succeeded'] };
      const pages: string[][] = [];
      for (let at: { cursor?: string } = {}; ;) {
        const { jobs, next } = await store.list({ filter, limit: 5, ...at });
        pages.push(idsOf(jobs));
        if (next === null) break;
        at = { cursor: next };
      }
      expect(pages.flat()).toEqual(ids.toReversed());
      expect(pages.map((page) => page.length)).toEqual([5, 5, 2]);
    });

    check('finds several kinds, and what a worker runs', async (world) => {
      const { store } = world;
      const [a = '', b = ''] = await add(store, { kind: 'a' }, { kind: 'b' }, { kind: 'c' });
      expect(await found(world, { kinds: ['a', 'b', 'none'] })).toEqual([a, b].toSorted());
      expect(await found(world, { kinds: ['a', 'b'], state: 'QUEUED' })).toEqual([a, b].toSorted());
      expect(await found(world, { kinds: ['a', 'b'], kind: 'b' })).toEqual([b]);
      expect(await found(world, { kinds: [] })).toEqual([]);
      const runs = await start(store, {}, { worker: 'worker-7' });
      await start(store, {}, { worker: 'worker-8' });
      expect(await found(world, { worker: 'worker-7' })).toEqual([runs.id]);
      expect(await found(world, { worker: 'worker-7', state: 'QUEUED' })).toEqual([]);
      expect(await found(world, { worker: 'nobody' })).toEqual([]);
      await settle(store, runs, OUTCOMES.fail);
      expect(await found(world, { worker: 'worker-7' })).toEqual([]);
    });

    check('finds by id, key, correlation id, submitter, or how the kind begins', async (world) => {
      const { store } = world;
      const [keyed = '', related, submitted, report] = await add(
        store,
        { key: { value: 'find-me', windowMs: HOUR } },
        { correlationId: 'find-me' },
        { submitter: 'find-me' },
        { kind: 'report.monthly' },
      );
      const failed = await start(
        store,
        { kind: 'report.daily' },
        { wants: [{ kind: 'report.daily', limit: 1 }] },
      );
      await settle(store, failed, OUTCOMES.fail);
      expect(await found(world, { search: 'find-me' })).toEqual(
        [keyed, related, submitted].map(String).toSorted(),
      );
      expect(await found(world, { search: keyed })).toEqual([keyed]);
      expect(await found(world, { search: 'report' })).toEqual(
        [String(report), failed.id].toSorted(),
      );
      expect(await found(world, { search: 'report.m' })).toEqual([report]);
      expect(await found(world, { search: 'report', phases: ['failed'] })).toEqual([failed.id]);
      expect(await found(world, { search: 'find-me', phases: ['failed', 'running'] })).toEqual([]);
      expect(await found(world, { search: 'find-me', phases: ['due', 'failed'] })).toHaveLength(3);
      expect(await found(world, { search: 'find-me', submitter: 'somebody' })).toEqual([]);
      // Whether case matters is the store's: an org compares without it.
      for (const nothing of ['ind-me', '%', "'", 'eport', `${keyed}0`])
        expect(await found(world, { search: nothing }), nothing).toEqual([]);
    });

    check(
      'finds what a schedule made',
      async (world) => {
        const { store } = world;
        const ids = await add(
          store,
          { schedule: 'nightly' },
          { schedule: 'hourly' },
          { schedule: 'nightly' },
        );
        expect(await found(world, { schedule: 'nightly' })).toEqual(
          [ids[0], ids[2]].map(String).toSorted(),
        );
        const { id } = await claimOne(store, { limit: 1 });
        expect(await found(world, { schedule: 'nightly', state: 'PROCESSING' })).toEqual([id]);
        expect(await found(world, { schedule: 'none' })).toEqual([]);
      },
      ['schedules'],
    );

    check('moves by hand keep to it', async (world) => {
      const { store } = world;
      const jobs = await everyPhase(world);
      const cancel = async (filter: Filter) =>
        (await store.cancel({ select: { filter, limit: 9 } })).canceled;
      expect(await cancel({ phases: ['succeeded', 'canceled'] })).toEqual([]);
      expect(await cancel({ phases: ['retrying', 'succeeded'] })).toEqual([jobs.retrying]);
      expect(await cancel({ kinds: ['none'] })).toEqual([]);
      const retried = await store.retry({
        select: { filter: { phases: ['failed', 'due'], kinds: ['work'] }, limit: 9 },
      });
      expect(retried.ids).toEqual([jobs.failed]);
    });

    check('moves by hand find by any field that is searched', async (world) => {
      const { store } = world;
      for (const field of [
        { key: { value: 'find-me', windowMs: HOUR } },
        { correlationId: 'find-me' },
        { submitter: 'find-me' },
      ]) {
        const due = await addOne(store, field);
        const later = 'key' in field ? { key: { value: 'other', windowMs: HOUR } } : field;
        const scheduled = await addOne(store, { ...later, due: { afterMs: HOUR } });
        const select = { filter: { search: 'find-me', state: 'QUEUED' as const }, limit: 9 };
        const expected = 'key' in field ? [due] : [due, scheduled];
        expect((await store.cancel({ select })).canceled.toSorted()).toEqual(expected.toSorted());
        expect((await store.cancel({ select })).canceled).toEqual([]);
      }
    });
  },
};
