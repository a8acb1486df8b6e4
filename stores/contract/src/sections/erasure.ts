import type { Dependants, FinishedJob, Job, NewJob, Store } from '@millrace/engine';
import { expect } from 'vitest';
import {
  HOUR,
  LEASE_MS,
  OUTCOMES,
  addOne,
  checkpoint,
  claimAll,
  claimOne,
  keptBy,
  newJob,
  only,
  settle,
  start,
  succeeded,
  times,
  together,
  wants,
} from '../build.ts';
import type { Section } from '../harness.ts';
import { listAll, read, value } from '../observe.ts';

const ABOUT = { subject: 'person-9', payload: '{"name":"Ann"}' };
const ERROR = { code: 'upload_failed', message: 'No room for Ann', retryable: false };
const STACK = 'Error: No room for Ann';
const CHILD = newJob({ kind: 'child', payload: '"Ann"' });

/** Nothing of her is left, nor comes again. */
async function expectNothing(store: Store, id: string, when: string): Promise<Job> {
  const job = await read(store, id);
  expect(JSON.stringify(job), when).not.toContain('Ann');
  expect(job, when).toMatchObject({ payload: null, result: null, cursor: null, progress: null });
  return job;
}

export const erasure: Section = {
  title: 'erasure by subject',
  checks(check) {
    check('empties what is known of a subject, and keeps the record', async ({ store }) => {
      const done = await start(store, { ...ABOUT, key: { value: 'Ann', windowMs: HOUR } });
      await settle(store, done, succeeded('{"letter":"Dear Ann"}'));
      const failed = await start(store, ABOUT);
      if (store.chunks !== undefined)
        await checkpoint(store, failed, { cursor: '"Ann"', progress: { done: 1, note: 'Ann' } });
      await settle(store, failed, { ...OUTCOMES.fail, error: ERROR, stack: STACK });
      const other = await start(store, { ...ABOUT, subject: 'person-1' });
      await settle(store, other, succeeded('"Ann"'));

      expect(await store.erase({ subject: 'person-9' })).toBe(2);
      const first = await expectNothing(store, done.id, 'done');
      expect(first).toMatchObject({ state: 'SUCCEEDED', key: null });
      const second = await expectNothing(store, failed.id, 'failed');
      expect(second).toMatchObject({ state: 'FAILED', error: { code: 'upload_failed' } });
      if (store.keeps.executions)
        expect(second.executions).toMatchObject([
          { outcome: 'failed', error: { code: 'upload_failed' }, stack: null },
        ]);
      expect(await read(store, other.id)).toMatchObject({ result: '"Ann"', subject: 'person-1' });
      expect(await store.erase({ subject: 'nobody' })).toBe(0);
    });

    check(
      'forgets whom a job was about',
      async ({ store }) => {
        const ended = await start(store, ABOUT);
        await settle(store, ended);
        const runs = await start(store, ABOUT);
        const waits = await addOne(store, ABOUT);
        const ids = [ended.id, runs.id, waits];
        expect(await store.erase({ subject: 'person-9' })).toBe(3);
        for (const id of ids) expect(await read(store, id), id).toMatchObject({ subject: null });
        for (const each of [...(await listAll(store)), ...(await store.summaries({ ids }))])
          expect(each, each.id).toMatchObject({ subject: null });
        expect(await store.erase({ subject: 'person-9' }), 'those that may still write').toBe(2);
        await settle(store, runs);
        expect(await read(store, runs.id)).toMatchObject({ subject: null });
        await store.cancel({ select: { ids: [waits] } });
        expect(await store.erase({ subject: 'person-9' }), 'and now have ended').toBe(2);
        expect(await store.erase({ subject: 'person-9' })).toBe(0);
      },
      // Elsewhere a job is a record of others, who have the subject in a field of theirs.
      ['amend'],
    );

    check('frees the key of a job that waits, runs or succeeded', async ({ store }) => {
      const keyed = (key: string): NewJob =>
        keptBy(store, newJob({ ...ABOUT, key: { value: key, windowMs: HOUR } }));
      await store.enqueue({ jobs: ['succeeded', 'runs'].map(keyed) });
      const [first] = await claimAll(store);
      if (first !== undefined) await settle(store, first);
      await store.enqueue({ jobs: [keyed('waits')] });
      expect(await store.erase({ subject: 'person-9' })).toBe(3);
      for (const key of ['succeeded', 'runs', 'waits']) {
        expect(await listAll(store, { key }), key).toEqual([]);
        expect(only(await store.enqueue({ jobs: [keyed(key)] })).created, key).toBe(true);
      }
    });

    check('a job that waited is given out without a payload', async ({ store }) => {
      const id = await addOne(store, ABOUT);
      expect(await store.erase({ subject: 'person-9' })).toBe(1);
      const job = await claimOne(store);
      expect(job).toMatchObject({ id, payload: null, subject: 'person-9' });
      expect(await settle(store, job, OUTCOMES.fail)).toBe('settled');
    });

    for (const outcome of [
      succeeded('"Dear Ann"'),
      { ...OUTCOMES.fail, error: ERROR, stack: STACK },
      { ...OUTCOMES.retry, error: ERROR, stack: STACK },
      { ...OUTCOMES.defer, payload: '"Ann"' },
      OUTCOMES.handBack,
    ]) {
      check(`a running one that settles by ${outcome.move} stores nothing`, async ({ store }) => {
        const job = await start(store, ABOUT);
        await store.erase({ subject: 'person-9' });
        const children = store.followers === undefined ? [] : [CHILD];
        expect(await settle(store, job, outcome, children)).toBe('settled');
        await expectNothing(store, job.id, outcome.move);
        expect(await listAll(store, { kind: 'child' }), 'no children').toEqual([]);
        const again = await claimAll(store);
        for (const { payload } of again) expect(payload).toBeNull();
        await store.retry({ select: { ids: [job.id] } });
        await expectNothing(store, job.id, 'retried by hand');
      });
    }

    check(
      'a running one saves no chunk, and is answered as usual',
      async ({ store }) => {
        const job = await start(store, ABOUT);
        await store.erase({ subject: 'person-9' });
        const chunk = { cursor: '"Ann"', progress: { done: 1, note: 'Ann' } };
        const children = store.followers === undefined ? [] : [CHILD];
        expect(await checkpoint(store, job, { ...chunk, children })).toEqual(['renewed']);
        await expectNothing(store, job.id, 'after a chunk');
        expect(await listAll(store, { kind: 'child' }), 'no children').toEqual([]);
        await store.cancel({ select: { ids: [job.id] } });
        expect(await checkpoint(store, job, { ...chunk, step: 2 })).toEqual(['cancel']);
        expect(await store.renew({ leases: [job], leaseMs: LEASE_MS })).toEqual(['cancel']);
      },
      ['chunks'],
    );

    check(
      'a rule sees no payload of it',
      async (world) => {
        const seen: Dependants = (job) =>
          job.kind === 'parent'
            ? [{ child: newJob({ kind: 'seen', payload: JSON.stringify(job) }) }]
            : [];
        const store = await world.open({ dependants: seen });
        const parent = await start(store, { ...ABOUT, kind: 'parent' });
        await store.erase({ subject: 'person-9' });
        await settle(store, parent);
        await addOne(store, { ...ABOUT, kind: 'parent' });
        await store.erase({ subject: 'person-9' });
        await store.cancel({ select: { filter: { kind: 'parent', state: 'QUEUED' }, limit: 9 } });
        const jobs = await claimAll(store, { wants: wants('seen') });
        expect(jobs).toHaveLength(2);
        for (const { payload } of jobs)
          expect(value(payload) as FinishedJob).toMatchObject({
            payload: null,
            subject: 'person-9',
          });
      },
      ['followers'],
    );

    check(
      'children that are made at the same moment are erased, or not made',
      async (world) => {
        const follows: Dependants = ({ kind, payload, subject }) =>
          kind === 'parent' && subject !== null
            ? [{ child: newJob({ ...ABOUT, kind: 'child', payload: payload ?? 'null', subject }) }]
            : [];
        const handles = await world.several(2, { dependants: follows });
        for (let round = 0; round < 20; round += 1) {
          const subject = `person-${round}`;
          const about = { ...ABOUT, subject };
          const parent = await start(world.store, { ...about, kind: 'parent' });
          const children = times(3, () => newJob({ ...about, kind: 'child' }));
          await together(handles, async (store, index) => {
            if (index === 0) await settle(store, parent, succeeded(), children);
            else await store.erase({ subject });
          });
        }
        for (const { id } of await listAll(world.store))
          expect(JSON.stringify(await read(world.store, id)), id).not.toContain('Ann');
      },
      ['followers'],
    );

    check('a later job about the same person is like any other', async ({ store }) => {
      await addOne(store, ABOUT);
      await store.erase({ subject: 'person-9' });
      await settle(store, await claimOne(store), OUTCOMES.fail);
      const job = await start(store, ABOUT);
      expect(value(job.payload)).toEqual({ name: 'Ann' });
      await settle(store, job, succeeded('"Ann"'));
      expect(await read(store, job.id)).toMatchObject({ result: '"Ann"' });
    });
  },
};
