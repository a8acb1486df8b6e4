import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  FAILED,
  LEASE_MS,
  LEVELS,
  account,
  byHand,
  claim,
  deleteByHand,
  made,
  only,
  running,
  settle,
} from '../test/documents.ts';
import { SUCCEEDED, files, shown, strayFiles } from '../test/inside.ts';
import { AT_ONCE, type World, startOrg } from '../test/org.ts';
import type { SalesforceStore } from './index.ts';

describe.each(LEVELS)('a record that someone edits while it runs, with $level', ({ apex }) => {
  let world: World;
  let store: SalesforceStore;

  beforeEach(async () => {
    world = await startOrg({ apex });
    store = world.open({}, AT_ONCE);
  });
  afterEach(() => world.close());

  it('to QUEUED: its worker is too late, and the next one makes it', async () => {
    const { id, job } = await running(world, store);
    await byHand(world, id, { Status__c: 'QUEUED' });
    expect(await store.renew({ leases: [job], leaseMs: LEASE_MS })).toEqual(['stale']);
    expect(await settle(store, job)).toBe('stale');
    expect(files(world.org)).toEqual([]);

    const again = only(await claim(store));
    expect(again.epoch).toBeGreaterThan(job.epoch);
    expect(await settle(store, job)).toBe('stale');
    expect(await settle(store, again)).toBe('settled');
    expect(await settle(store, job)).toBe('stale');
    expect(shown(world.org, id)).toEqual(SUCCEEDED);
    expect(files(world.org)).toHaveLength(1);
    expect(strayFiles(world.org)).toEqual([]);
  });

  it.each(['CANCELED', 'SUCCEEDED', 'FAILED'])('to %s: it stays so, without a file', async (to) => {
    const { id, job } = await running(world, store);
    await byHand(world, id, { Status__c: to });
    expect(await store.renew({ leases: [job], leaseMs: LEASE_MS })).toEqual(['stale']);
    expect(await settle(store, job)).toBe('stale');
    expect(await settle(store, job, FAILED)).toBe('stale');
    await world.advance(LEASE_MS + 2_000);
    expect(await claim(store)).toEqual([]);
    expect(shown(world.org, id)).toMatchObject({ Status: to });
    expect(shown(world.org, id)).not.toHaveProperty('ErrorCode');
    expect(files(world.org)).toEqual([]);
  });

  it('to CANCELED and back: the first worker is still too late', async () => {
    const { id, job } = await running(world, store);
    await byHand(world, id, { Status__c: 'CANCELED' });
    await byHand(world, id, { Status__c: 'QUEUED' });
    const again = only(await claim(store));
    expect(await settle(store, job)).toBe('stale');
    expect(await settle(store, again)).toBe('settled');
    expect(shown(world.org, id)).toEqual(SUCCEEDED);
    expect(files(world.org)).toHaveLength(1);
    expect(strayFiles(world.org)).toEqual([]);
  });

  it('with a request to stop: done work stays done, and a put-back ends it', async () => {
    const first = await running(world, store);
    await byHand(world, first.id, { CancelRequested__c: true });
    expect(await store.renew({ leases: [first.job], leaseMs: LEASE_MS })).toEqual(['cancel']);
    expect(await settle(store, first.job)).toBe('settled');
    expect(shown(world.org, first.id)).toEqual(SUCCEEDED);

    const second = await running(world, store);
    await byHand(world, second.id, { CancelRequested__c: true });
    expect(await settle(store, second.job, { move: 'handBack' })).toBe('canceled');
    expect(shown(world.org, second.id)).toEqual({ Status: 'CANCELED', Attempts: 0 });
    expect(files(world.org)).toHaveLength(1);
  });

  it('who deletes it: nothing is left of its files', async () => {
    const parent = await account(world.org);
    const { id, job } = await running(world, store);
    const neighbour = await running(world, store);
    await deleteByHand(world, id);
    expect(await store.renew({ leases: [job], leaseMs: LEASE_MS })).toEqual(['stale']);
    const settlements = [job, neighbour.job].map((each) => ({
      job: each,
      outcome: made([parent]),
      children: [],
    }));
    expect(await store.settle({ settlements })).toEqual(['stale', 'settled']);
    expect(shown(world.org, id)).toEqual({ deleted: true });
    expect(shown(world.org, neighbour.id)).toEqual(SUCCEEDED);
    expect(files(world.org)).toHaveLength(1);
    expect(strayFiles(world.org)).toEqual([]);
  });

  it('its priority or its parents: that is nobody else’s business', async () => {
    const { id, job } = await running(world, store);
    await byHand(world, id, { Priority__c: 7, Account__c: await account(world.org) });
    expect(await settle(store, job)).toBe('settled');
    expect(shown(world.org, id)).toEqual(SUCCEEDED);
  });
});
