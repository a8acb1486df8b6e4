import type { Dependants, FinishedJob, Job, Store } from '@millrace/engine';
import { expect } from 'vitest';
import {
  HOUR,
  OUTCOMES,
  PAST_LEASE_MS,
  TRACE,
  addOne,
  claim,
  claimAlone,
  claimOne,
  loseForGood,
  newJob,
  only,
  settle,
  start,
  succeeded,
  wants,
} from '../../build.ts';
import type { Section } from '../../harness.ts';
import { listAll, value } from '../../observe.ts';

/** A child for every end of a parent, which holds what the rule was given. */
const makesFollower: Dependants = (job) =>
  job.kind === 'parent'
    ? [
        {
          child: newJob({
            kind: 'child',
            tenant: job.tenant,
            payload: JSON.stringify(job),
            parents: { parent: job.id },
          }),
        },
      ]
    : [];

async function followersOf(store: Store): Promise<FinishedJob[]> {
  const children = await listAll(store, { kind: 'child' });
  return children.toReversed().map(({ payload }) => value(payload) as FinishedJob);
}

async function childrenOf(store: Store): Promise<Job[]> {
  return listAll(store, { kind: 'child' });
}

export const dependants: Section = {
  title: 'dependants',
  needs: ['followers'],
  checks(check) {
    check('an end makes its child at once, with all about the parent', async (world) => {
      const store = await world.open({ dependants: makesFollower });
      const parent = await start(store, {
        kind: 'parent',
        payload: '{"county":"Kerry"}',
        tenant: 'acme',
        correlationId: 'correlation-1',
        submitter: 'ann',
        subject: 'person-9',
        webhook: 'https://example.com/done',
        parents: { left: 'other-1' },
        traceparent: TRACE,
      });
      await settle(store, parent);
      const child = only(await childrenOf(store));
      expect(child).toMatchObject({
        state: 'QUEUED',
        tenant: 'acme',
        parents: { parent: parent.id },
      });
      const { payload, ...followers } = only(await followersOf(store));
      expect(value(payload)).toEqual({ county: 'Kerry' });
      expect(followers).toEqual({
        id: parent.id,
        kind: 'parent',
        tenant: 'acme',
        result: 'null',
        state: 'SUCCEEDED',
        correlationId: 'correlation-1',
        submitter: 'ann',
        subject: 'person-9',
        webhook: 'https://example.com/done',
        parents: { left: 'other-1' },
        traceparent: TRACE,
      });
      expect(await claimOne(store, { wants: wants('child') })).toMatchObject({ id: child.id });
    });

    check('success, failure and cancel differ, and going back is no end', async (world) => {
      const store = await world.open({ dependants: makesFollower });
      const { succeed, fail, cancel, retry, defer, handBack } = OUTCOMES;
      for (const outcome of [succeed, fail, cancel]) {
        await settle(store, await start(store, { kind: 'parent' }), outcome);
      }
      const states = ['SUCCEEDED', 'FAILED', 'CANCELED'];
      expect((await followersOf(store)).map(({ state }) => state)).toEqual(states);
      await addOne(store, { kind: 'parent' });
      for (const outcome of [retry, defer, handBack]) {
        await settle(store, await claimOne(store, { wants: wants('parent') }), outcome);
      }
      expect(await childrenOf(store), 'no more than before').toHaveLength(3);
    });

    check('the children of a job are found by it, newest first', async ({ store }) => {
      for (const correlationId of ['family', null]) {
        const of = await start(store, correlationId === null ? {} : { correlationId });
        const related = (parent: string) =>
          newJob({
            kind: 'made',
            correlationId: correlationId ?? of.id,
            parents: { work: parent },
          });
        const children = [related(of.id), related('other-1'), related(of.id)];
        await store.settle({ settlements: [{ job: of, outcome: succeeded(), children }] });
        const { followers } = store;
        const found = (await followers?.children({ of, limit: 10 })) ?? [];
        expect(found).toMatchObject(
          [related(of.id), related(of.id)].map(({ parents }) => ({ parents })),
        );
        expect(await followers?.children({ of, limit: 1 })).toEqual(found.slice(0, 1));
      }
    });

    check('several parents in one batch each have their child', async (world) => {
      const store = await world.open({ dependants: makesFollower });
      const jobs = [];
      for (let index = 0; index < 5; index += 1) {
        jobs.push(await start(store, { kind: 'parent', payload: `${index}` }));
      }
      await store.settle({
        settlements: jobs.map((job) => ({ job, outcome: succeeded(), children: [] })),
      });
      const followers = await followersOf(store);
      expect(followers.map(({ id }) => id).toSorted()).toEqual(jobs.map(({ id }) => id).toSorted());
      expect(new Set(followers.map(({ payload }) => payload)).size).toBe(5);
    });

    check('the rule sees the payload, also when it is purged with the end', async (world) => {
      const store = await world.open({ dependants: makesFollower });
      const parent = await start(store, { kind: 'parent', payload: '{"county":"Kerry"}' });
      await settle(store, parent, { ...succeeded(), purgePayload: true });
      expect(value(only(await followersOf(store)).payload)).toEqual({ county: 'Kerry' });
    });

    check('the rule sees the result of a success, and of nothing else', async (world) => {
      const store = await world.open({ dependants: makesFollower });
      const succeed = await start(store, { kind: 'parent' });
      await settle(store, succeed, { ...succeeded(), result: '{"rows":7}' });
      await settle(store, await start(store, { kind: 'parent' }), OUTCOMES.fail);
      const [first, second] = await followersOf(store);
      expect(value(first?.result ?? '')).toEqual({ rows: 7 });
      expect(second).toMatchObject({ state: 'FAILED', result: null });
    });

    check('the rule sees the data that a deferred job put down last', async (world) => {
      const store = await world.open({ dependants: makesFollower });
      const parent = await start(store, { kind: 'parent', payload: '{"poll":1}' });
      await settle(store, parent, OUTCOMES.defer);
      await settle(store, await claimOne(store, { wants: wants('parent') }));
      expect(value(only(await followersOf(store)).payload)).toEqual({ poll: 2 });
    });

    check('a parent canceled while it waits has its child', async (world) => {
      const store = await world.open({ dependants: makesFollower });
      const names = { correlationId: 'correlation-1', submitter: 'ann', traceparent: TRACE };
      const parent = { kind: 'parent', payload: '{"a":1}', due: { afterMs: HOUR } };
      await addOne(store, { ...parent, ...names });
      await store.cancel({ select: { filter: { kind: 'parent' }, limit: 10 } });
      const followers = only(await followersOf(store));
      expect(followers).toMatchObject({ state: 'CANCELED', ...names });
      expect(value(followers.payload)).toEqual({ a: 1 });
    });

    check('a failed parent that is given up does not end twice', async (world) => {
      const store = await world.open({ dependants: makesFollower });
      const parent = await start(store, { kind: 'parent' });
      await settle(store, parent, OUTCOMES.fail);
      await store.cancel({ select: { ids: [parent.id] } });
      expect((await followersOf(store)).map(({ state }) => state)).toEqual(['FAILED']);
    });

    check('a parent whose workers were lost has its child', async (world) => {
      const store = await world.open({ dependants: makesFollower });
      const parent = { kind: 'parent', payload: '{"a":1}', traceparent: TRACE };
      const { answer } = await loseForGood(world, store, parent);
      expect(answer.lost).toHaveLength(1);
      const followers = only(await followersOf(store));
      expect(followers).toMatchObject({ state: 'FAILED', traceparent: TRACE, correlationId: null });
      expect(value(followers.payload)).toEqual({ a: 1 });
    });

    check('a parent asked to stop whose worker went away has its child', async (world) => {
      const store = await world.open({ dependants: makesFollower });
      const parent = await start(store, { kind: 'parent' });
      await store.cancel({ select: { ids: [parent.id] } });
      expect(await followersOf(store), 'it still runs').toEqual([]);
      await world.advance(PAST_LEASE_MS);
      await claim(store);
      expect(only(await followersOf(store)).state).toBe('CANCELED');
    });

    check('a parent that runs again after its end has another child', async (world) => {
      const store = await world.open({ dependants: makesFollower });
      const parent = await start(store, { kind: 'parent' });
      await settle(store, parent, OUTCOMES.fail);
      await store.retry({ select: { ids: [parent.id] } });
      await settle(store, await claimOne(store, { wants: wants('parent') }));
      expect((await followersOf(store)).map(({ state }) => state)).toEqual(['FAILED', 'SUCCEEDED']);
    });

    check('a stale or repeated settlement makes none', async (world) => {
      const store = await world.open({ dependants: makesFollower });
      const zombie = await start(store, { kind: 'parent' });
      await world.advance(PAST_LEASE_MS);
      const heir = await claimAlone(store, { wants: wants('parent') });
      await settle(store, zombie);
      expect(await childrenOf(store)).toEqual([]);
      await settle(store, heir);
      await settle(store, heir);
      expect(await childrenOf(store)).toHaveLength(1);
    });

    check('a child with a key is made once', async (world) => {
      const store = await world.open({
        dependants: ({ kind }) =>
          kind === 'parent'
            ? [{ child: newJob({ kind: 'child', key: { value: 'one', windowMs: HOUR } }) }]
            : [],
      });
      await settle(store, await start(store, { kind: 'parent' }));
      await settle(store, await start(store, { kind: 'parent' }));
      expect(await childrenOf(store)).toHaveLength(1);
    });
  },
};
