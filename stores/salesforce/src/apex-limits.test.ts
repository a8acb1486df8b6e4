import { StoreTimedOut, StoreUnavailable } from '@millrace/engine';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FAILED, claim, claimParams, made, running, settle, waiting } from '../test/documents.ts';
import { shown } from '../test/inside.ts';
import { AT_ONCE, type World, startOrg } from '../test/org.ts';
import type { SalesforceStore } from './index.ts';

describe('what Apex runs into', () => {
  let world: World;
  let store: SalesforceStore;

  beforeEach(async () => {
    world = await startOrg();
    store = world.open({}, AT_ONCE);
    await store.level();
  });
  afterEach(() => world.close());

  it('a query that takes too long: the claim says so, and does not look idle', async () => {
    await waiting(world.org);
    world.org.faults.add({ kind: 'query-timeout', path: 'v1/claim$', times: 1 });
    await expect(store.claim(claimParams())).rejects.toThrow(/QUERY_TIMEOUT/);
    await expect(claim(store)).resolves.toHaveLength(1);
  });

  it('a governor limit: nothing was done, and a smaller call is worth a try', async () => {
    const { id, job } = await running(world, store);
    world.org.faults.add({ kind: 'apex-error', path: 'v1/complete$', times: 1 });
    const settling = settle(store, job, FAILED);
    await expect(settling).rejects.toThrow(StoreTimedOut);
    expect(shown(world.org, id)).toMatchObject({ Status: 'PROCESSING' });
    expect(await settle(store, job, FAILED)).toBe('settled');
  });

  it('a gateway that answers after the commit: the record is asked, and nothing is uploaded twice', async () => {
    const { id, job } = await running(world, store);
    world.org.faults.add({ kind: 'gateway-after', path: 'graph$', times: 1 });
    expect(await settle(store, job)).toBe('settled');
    expect(shown(world.org, id)).toMatchObject({ Status: 'SUCCEEDED' });
    expect(world.org.org.files()).toHaveLength(1);
  });

  it('a gateway that answers instead of it: it is asked for again', async () => {
    const { job } = await running(world, store);
    world.org.faults.add({ kind: 'gateway', path: 'graph$', times: 1 });
    await expect(settle(store, job)).rejects.toThrow(StoreUnavailable);
    expect(await settle(store, job)).toBe('settled');
  });

  it.each([200, 302, 400, 403, 404, 407, 408, 420])(
    'a page with %i, of a gateway or proxy: no document of the call fails',
    async (status) => {
      for (let n = 0; n < 3; n += 1) await waiting(world.org);
      const jobs = await claim(store);
      world.org.faults.add({ kind: 'gateway', status, path: 'graph$', times: 1 });
      const settlements = jobs.map((job) => ({ job, outcome: made(), children: [] }));
      await expect(store.settle({ settlements })).rejects.toThrow(StoreUnavailable);
      expect(await store.settle({ settlements })).toEqual(['settled', 'settled', 'settled']);
    },
  );
});
