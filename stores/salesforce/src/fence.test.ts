import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  FAILED,
  LEASE_MS,
  LEVELS,
  account,
  byHand,
  claim,
  docx,
  made,
  only,
  pdf,
  running,
  settle,
  waiting,
} from '../test/documents.ts';
import { SUCCEEDED, files, shown, strayFiles } from '../test/inside.ts';
import { AT_ONCE, type World, startOrg } from '../test/org.ts';
import { later, until } from '../test/wait.ts';
import type { SalesforceStore } from './index.ts';

describe.each(LEVELS)('two that have, or had, one record, with $level', ({ apex }) => {
  let world: World;
  let store: SalesforceStore;
  let other: SalesforceStore;

  beforeEach(async () => {
    world = await startOrg({ apex });
    store = world.open({}, AT_ONCE);
    other = world.open({}, AT_ONCE);
    await Promise.all([store.level(), other.level()]);
  });
  afterEach(() => world.close());

  async function takenOver() {
    const { id, job } = await running(world, store);
    await store.renew({ leases: [job], leaseMs: LEASE_MS });
    await world.advance(LEASE_MS + 2_000);
    const again = only(await claim(other, { worker: 'worker-2', alone: true }));
    expect(again.attempt).toBe(2);
    return { id, job, again };
  }

  it('a zombie that settles after the take-over leaves no file, and changes nothing', async () => {
    const parent = await account(world.org);
    const { id, job, again } = await takenOver();
    const before = world.org.org.record(id);
    expect(await settle(store, job, made([parent], [pdf(), docx()]))).toBe('stale');
    expect(world.org.org.record(id)).toEqual(before);
    expect(files(world.org)).toEqual([]);

    expect(await settle(other, again, made([parent]))).toBe('settled');
    expect(shown(world.org, id)).toEqual({ Status: 'SUCCEEDED', Attempts: 1 });
    expect(files(world.org)).toEqual([{ name: 'invoice.pdf', parents: [parent] }]);
    expect(strayFiles(world.org)).toEqual([]);
  });

  it('a zombie that comes when all is over finds it so', async () => {
    const { id, job, again } = await takenOver();
    expect(await settle(other, again)).toBe('settled');
    expect(await settle(store, job)).toBe('stale');
    expect(await settle(store, job, FAILED)).toBe('stale');
    expect(await store.renew({ leases: [job], leaseMs: LEASE_MS })).toEqual(['stale']);
    expect(shown(world.org, id)).toEqual({ Status: 'SUCCEEDED', Attempts: 1 });
    expect(files(world.org)).toHaveLength(1);
    expect(strayFiles(world.org)).toEqual([]);
  });

  it('one lease that is settled twice at the same moment makes one file', async () => {
    const { id, job } = await running(world, store);
    const answers = await Promise.all([settle(store, job), settle(other, job)]);
    expect(answers.toSorted()).toEqual(['already', 'settled']);
    expect(shown(world.org, id)).toEqual(SUCCEEDED);
    expect(files(world.org)).toHaveLength(1);
    expect(strayFiles(world.org)).toEqual([]);
  });

  it('the same, when the second writes while the first has not committed', async () => {
    const { id, job } = await running(world, store);
    const hold = world.org.faults.add({ kind: 'hold', path: 'graph$', times: 1 });
    const first = settle(store, job);
    await until(() => world.org.faults.list().some(({ struck }) => struck === 1));
    const second = settle(other, job);
    await until(() => world.org.org.waiting === 1);
    world.org.faults.remove(hold.id);
    expect(await Promise.all([first, second])).toEqual(['settled', 'already']);
    expect(shown(world.org, id)).toEqual(SUCCEEDED);
    expect(files(world.org)).toHaveLength(1);
    expect(strayFiles(world.org)).toEqual([]);
  });

  it('a record that two claim at the same moment is given to one', async () => {
    const id = await waiting(world.org);
    const path = apex ? 'v1/claim$' : 'graph$';
    const hold = world.org.faults.add({ kind: 'hold', path, times: 1 });
    const first = claim(store, { worker: 'worker-1' });
    await until(() => world.org.faults.list().some(({ struck }) => struck === 1));
    const second = claim(other, { worker: 'worker-2' });
    await until(() => world.org.org.waiting === 1);
    world.org.faults.remove(hold.id);
    const job = only(await first);
    expect(await second).toEqual([]);
    expect(await settle(store, job)).toBe('settled');
    expect(shown(world.org, id)).toEqual(SUCCEEDED);
  });

  it('a worker that is slow to write, while someone puts the record back and another takes it', async () => {
    const gate = later();
    const reached = later();
    const connection = world.connect();
    const slow = world.open({
      salesforce: {
        ...connection,
        async graphs(...args) {
          reached.resolve();
          await gate.promise;
          return connection.graphs(...args);
        },
      },
    });
    const { id, job } = await running(world, store);
    const settling = settle(slow, job);
    await reached.promise;
    await byHand(world, id, { Status__c: 'QUEUED' });
    const again = only(await claim(other, { worker: 'worker-2' }));
    gate.resolve();
    expect(await settling).toBe('stale');
    expect(files(world.org)).toEqual([]);
    expect(await settle(other, again)).toBe('settled');
    expect(shown(world.org, id)).toEqual(SUCCEEDED);
    expect(strayFiles(world.org)).toEqual([]);
  });

  it('a renewal that comes while the outcome is being committed leaves no lock on what is over', async () => {
    const { id, job } = await running(world, store);
    const hold = world.org.faults.add({ kind: 'hold', path: 'graph$', times: 1 });
    const settling = settle(store, job);
    await until(() => world.org.faults.list().some(({ struck }) => struck === 1));
    const renewing = store.renew({ leases: [job], leaseMs: LEASE_MS });
    await until(() => world.org.org.waiting === 1);
    world.org.faults.remove(hold.id);
    expect(await settling).toBe('settled');
    expect(await renewing).toEqual(['stale']);
    expect(shown(world.org, id)).toEqual(SUCCEEDED);
  });

  it('a settling that is being committed while its lease is taken over: one of them happens', async () => {
    const { id, job } = await running(world, store);
    const hold = world.org.faults.add({ kind: 'hold', path: 'graph$', times: 1 });
    const settling = settle(store, job);
    await until(() => world.org.faults.list().some(({ struck }) => struck === 1));
    await world.advance(LEASE_MS + 2_000);
    const claiming = claim(other, { worker: 'worker-2' });
    await until(() => world.org.org.waiting === 1);
    world.org.faults.remove(hold.id);
    expect(await settling).toBe('settled');
    expect(await claiming).toEqual([]);
    expect(shown(world.org, id)).toEqual(SUCCEEDED);
    expect(files(world.org)).toHaveLength(1);
    expect(strayFiles(world.org)).toEqual([]);
  });
});
