import type { ClaimedJob } from '@millrace/engine';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  FAILED,
  LEASE_MS,
  LEVELS,
  claim,
  claimParams,
  only,
  recordOf,
  settle,
  waiting,
} from '../test/documents.ts';
import { DOCUMENT, SUCCEEDED, shown } from '../test/inside.ts';
import { AT_ONCE, type World, startOrg } from '../test/org.ts';
import type { SalesforceStore } from './index.ts';

describe.each(LEVELS)('when a worker is lost, with $level', ({ apex }) => {
  let world: World;
  let store: SalesforceStore;

  beforeEach(async () => {
    world = await startOrg({ apex });
    store = world.open({}, AT_ONCE);
    await store.level();
  });
  afterEach(() => world.close());

  const pass = () => world.advance(LEASE_MS + 2_000);

  function begin(...jobs: ClaimedJob[]) {
    return store.renew({ leases: jobs, leaseMs: LEASE_MS });
  }

  async function alone(): Promise<ClaimedJob> {
    return only(await claim(store, { alone: true }));
  }

  it('a job that was begun keeps its attempt, one that was not gets it back', async () => {
    const [first, second] = [await waiting(world.org), await waiting(world.org)];
    const [begun, waited] = await claim(store);
    if (begun === undefined || waited === undefined) throw new Error('two were claimed');
    await begin(begun);
    await pass();
    const taken = await store.claim(claimParams());
    expect(taken).toMatchObject({ jobs: [], takenOver: 2, lost: [], suspects: true });
    expect(shown(world.org, first)).toEqual({ Status: 'QUEUED', Attempts: 1, Suspect: true });
    expect(shown(world.org, second)).toEqual({ Status: 'QUEUED', Attempts: 0, Suspect: true });
    expect(await store.inspect({ id: begun.id })).toMatchObject({ suspect: true });
  });

  it('suspects are given one by one, and only to who asks for one alone', async () => {
    for (let n = 0; n < 3; n += 1) await waiting(world.org);
    await begin(...(await claim(store)));
    await pass();
    const healthy = await waiting(world.org);
    const others = await store.claim(claimParams());
    expect(others.jobs.map(({ id }) => recordOf(id))).toEqual([healthy]);
    expect(others).toMatchObject({ takenOver: 3, suspects: true, jobs: [{ suspect: false }] });

    const params = claimParams({ alone: true });
    const one = await store.claim(params);
    expect(one).toMatchObject({ suspects: true, jobs: [{ suspect: true, attempt: 2 }] });
    expect(one.jobs).toHaveLength(1);
    // A lost answer gives the same one, with the claim it came from.
    const again = await store.claim({ ...params, replay: true });
    expect(again.jobs).toEqual(one.jobs);
    expect(again.jobs).toMatchObject([{ claim: params.claim }]);
    await alone();
    expect(await store.claim(claimParams({ alone: true }))).toMatchObject({ suspects: false });
  });

  it('a job that takes every worker with it ends FAILED, and none that stood beside it', async () => {
    const poison = await waiting(world.org, { MaxAttempts__c: 2, Priority__c: 9 });
    const neighbours = [
      await waiting(world.org, { MaxAttempts__c: 1 }),
      await waiting(world.org, { MaxAttempts__c: 1 }),
    ];
    await begin(...(await claim(store)));
    await pass();
    await store.claim(claimParams());

    const first = await alone();
    expect(recordOf(first.id)).toBe(poison);
    await begin(first);
    await pass();
    const taken = await store.claim(claimParams());
    expect(taken.lost).toMatchObject([{ id: first.id, attempt: 2 }]);
    expect(shown(world.org, poison)).toEqual({
      Status: 'FAILED',
      Attempts: 2,
      ErrorCode: 'worker_lost',
    });
    for (const _ of neighbours) {
      const job = await alone();
      expect(job).toMatchObject({ attempt: 1, maxAttempts: 1 });
      expect(await settle(store, job)).toBe('settled');
    }
    for (const id of neighbours) expect(shown(world.org, id)).toEqual(SUCCEEDED);
  });

  it('a suspect that is lost again before it began loses nothing', async () => {
    const id = await waiting(world.org, { MaxAttempts__c: 1 });
    await begin(...(await claim(store)));
    for (let n = 0; n < 3; n += 1) {
      await pass();
      expect((await store.claim(claimParams())).lost).toEqual([]);
      await alone();
    }
    await pass();
    await store.claim(claimParams());
    expect(shown(world.org, id)).toEqual({ Status: 'QUEUED', Attempts: 0, Suspect: true });
  });

  it('a worker that lives clears a suspect, unless it hands it back', async () => {
    const id = await waiting(world.org);
    await claim(store);
    await pass();
    await store.claim(claimParams());

    expect(await settle(store, await alone(), { move: 'handBack' })).toBe('settled');
    expect(shown(world.org, id)).toEqual({ Status: 'QUEUED', Attempts: 0, Suspect: true });
    const defer = { move: 'defer', payload: null, delayMs: 0 } as const;
    expect(await settle(store, await alone(), defer)).toBe('settled');
    expect(shown(world.org, id)).toEqual({ Status: 'QUEUED', Attempts: 0 });
    expect(only(await claim(store))).toMatchObject({ suspect: false });
  });

  it('one that was asked to stop ends there, and a retry by hand starts without suspicion', async () => {
    const id = await waiting(world.org);
    const job = only(await claim(store));
    await store.cancel({ select: { ids: [job.id] } });
    await pass();
    expect(await store.claim(claimParams())).toMatchObject({ takenOver: 1, suspects: false });
    expect(shown(world.org, id)).toMatchObject({ Status: 'CANCELED' });
    await store.retry({ select: { ids: [job.id] } });
    const again = only(await claim(store));
    expect(again.suspect).toBe(false);
    expect(await settle(store, again, FAILED)).toBe('settled');
  });

  it('a suspect that is cancelled while it waits, and tried again, is none any more', async () => {
    await waiting(world.org);
    const job = only(await claim(store));
    await pass();
    await store.claim(claimParams());
    expect((await store.cancel({ select: { ids: [job.id] } })).canceled).toEqual([job.id]);
    await store.retry({ select: { ids: [job.id] } });
    expect(only(await claim(store)).suspect).toBe(false);
  });

  it('a record that Apex leased to a call of its own counts as begun', async () => {
    const id = await world.org.org.insert(DOCUMENT, {
      Status__c: 'PROCESSING',
      RequestJSON__c: '{}',
      Attempts__c: 0,
      Epoch__c: 1,
      LeaseToken__c: 'a-token-of-apex',
      LockedUntil__c: new Date(world.org.now() + 60_000).toISOString(),
    });
    await pass();
    await store.claim(claimParams());
    expect(shown(world.org, id)).toEqual({ Status: 'QUEUED', Attempts: 1, Suspect: true });
    expect((await alone()).attempt).toBe(2);
  });

  it('what was to go back and was asked to stop is said to be cancelled', async () => {
    await waiting(world.org);
    const job = only(await claim(store));
    await store.cancel({ select: { ids: [job.id] } });
    const error = { code: 'timeout', message: 'Too slow.', retryable: true };
    const outcome = { move: 'retry', error, stack: null, delayMs: 0 } as const;
    expect(await settle(store, job, outcome)).toBe('canceled');
    expect(await settle(store, job, outcome)).toBe('already');
  });
});
