import { StoreUnavailable } from '@millrace/engine';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LEVELS, claim, claimParams, made, running, settle, waiting } from '../test/documents.ts';
import { DOCUMENT, SUCCEEDED, files, shown, strayFiles } from '../test/inside.ts';
import { AT_ONCE, type World, startOrg } from '../test/org.ts';
import type { SalesforceStore } from './index.ts';

const DAILY = 200;
const TOKEN = 'born-with-its-record';

describe.each(LEVELS)('the org’s daily calls, with $level', ({ apex }) => {
  let world: World;
  let store: SalesforceStore;
  let laterMs: number;

  beforeEach(async () => {
    world = await startOrg({ apex, dailyApiRequests: DAILY });
    laterMs = 0;
    const now = (): number => Date.now() + laterMs;
    store = world.open({ now }, { ...AT_ONCE, now });
    await store.level();
  });
  afterEach(() => world.close());

  /** Others use the org too; the next answer to anybody says so. */
  async function useUpTo(calls: number): Promise<void> {
    const others = world.connect();
    while (world.org.calls.used < calls) await others.limits();
    await store.counts();
  }

  /** As Apex makes it for someone who waits. */
  function waitedFor(): Promise<string> {
    return world.org.org.insert(DOCUMENT, {
      Status__c: 'PROCESSING',
      Epoch__c: 1,
      LeaseToken__c: TOKEN,
      LockedUntil__c: new Date(world.org.now() + 600_000),
    });
  }

  async function settleWaitedFor(): Promise<string> {
    const id = await waitedFor();
    const lease = await store.interactive({ recordId: id, token: TOKEN });
    if (lease === null) throw new Error('Nobody waits for it.');
    expect(lease).toMatchObject({ token: TOKEN, attempt: 1 });
    expect(await store.settleInteractive(lease, made())).toBe('settled');
    return id;
  }

  it('below 70 %, claims follow each other as they like', async () => {
    await waiting(world.org);
    await useUpTo(DAILY * 0.6);
    expect((await store.claim(claimParams({ limit: 1 }))).more).toBe(true);
    await waiting(world.org);
    expect(await claim(store)).toHaveLength(1);
  });

  it('from 70 % on, there is a claim a minute', async () => {
    await useUpTo(DAILY * 0.7);
    for (let n = 0; n < 3; n += 1) await waiting(world.org);
    const first = await store.claim(claimParams({ limit: 1 }));
    expect(first.jobs).toHaveLength(1);
    expect(first.more).toBe(false);

    const { total } = world.org.calls;
    laterMs += 59_000;
    expect(await claim(store)).toEqual([]);
    expect(world.org.calls.total).toBe(total);
    laterMs += 2_000;
    expect(await claim(store)).toHaveLength(2);
  });

  it('from 90 % on, there is none; what runs is written, and who waits is served', async () => {
    const { id, job } = await running(world, store);
    await waiting(world.org);
    await useUpTo(DAILY * 0.9);
    expect(await claim(store)).toEqual([]);
    const { total } = world.org.calls;
    for (let n = 0; n < 5; n += 1) expect(await claim(store)).toEqual([]);
    expect(world.org.calls.total).toBe(total);

    expect(await settle(store, job)).toBe('settled');
    expect(shown(world.org, id)).toEqual(SUCCEEDED);
    expect(shown(world.org, await settleWaitedFor())).toEqual(SUCCEEDED);
    expect(files(world.org)).toHaveLength(2);
    expect(strayFiles(world.org)).toEqual([]);
  });

  it('at 90 %, a look every five minutes finds out when it goes on', async () => {
    await waiting(world.org);
    await useUpTo(DAILY * 0.9);
    expect(await claim(store)).toEqual([]);
    const { limits: looks = 0 } = world.org.calls.byResource;
    laterMs += 299_000;
    expect(await claim(store)).toEqual([]);
    expect(world.org.calls.byResource['limits']).toBe(looks);
    laterMs += 2_000;
    expect(await claim(store)).toEqual([]);
    expect(world.org.calls.byResource['limits']).toBe(looks + 1);

    world.org.advance(25 * 3_600_000);
    laterMs += 301_000;
    expect(await claim(store)).toHaveLength(1);
  });

  it('when they are used up: nothing is written twice, and batch work waits a minute', async () => {
    const { id, job } = await running(world, store);
    world.org.faults.add({ kind: 'limit', times: 1 });
    await expect(settle(store, job)).rejects.toThrow(StoreUnavailable);
    expect(shown(world.org, id)).toMatchObject({ Status: 'PROCESSING' });
    expect(files(world.org)).toEqual([]);

    const { requests } = world.org.calls;
    await expect(settle(store, job)).rejects.toThrow(StoreUnavailable);
    await expect(claim(store)).rejects.toThrow(StoreUnavailable);
    expect(world.org.calls.requests).toBe(requests);
    expect(shown(world.org, await settleWaitedFor())).toEqual(SUCCEEDED);

    laterMs += 61_000;
    expect(await settle(store, job)).toBe('settled');
    expect(shown(world.org, id)).toEqual(SUCCEEDED);
    expect(files(world.org)).toHaveLength(2);
    expect(strayFiles(world.org)).toEqual([]);
  });
});
