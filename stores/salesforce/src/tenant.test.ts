import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LEVELS, claim, only, waiting } from '../test/documents.ts';
import { AT_ONCE, type World, startOrg } from '../test/org.ts';
import type { SalesforceStore } from './index.ts';

describe.each(LEVELS)('an org of a tenant, with $level', ({ apex }) => {
  let world: World;
  let store: SalesforceStore;

  beforeEach(async () => {
    world = await startOrg({ apex });
    store = world.open({ tenant: 'acme' }, AT_ONCE);
  });
  afterEach(() => world.close());

  const job = { kind: 'document', payload: '{}', maxAttempts: 3, priority: null };

  it('its jobs are the tenant’s, however they are looked at', async () => {
    const { id } = only(
      await store.enqueue({ jobs: [{ ...job, tenant: 'acme', submitter: 'ann' }] }),
    );
    expect(await store.get({ id })).toMatchObject({ tenant: 'acme' });
    expect(await store.summaries({ ids: [id] })).toMatchObject([{ tenant: 'acme' }]);
    expect(await store.counts()).toMatchObject([{ tenant: 'acme', count: 1 }]);
    const found = async (filter: Parameters<SalesforceStore['list']>[0]['filter']) =>
      (await store.list({ filter, limit: 9 })).jobs.map(({ tenant }) => tenant);
    expect(await found({ tenants: ['globex', 'acme'] })).toEqual(['acme']);
    expect(await found({ tenant: 'acme', submitter: 'ann' })).toEqual(['acme']);
    expect(await found({ tenants: ['globex'] })).toEqual([]);
    expect(await found({ tenant: '' })).toEqual([]);
    expect(await found({ submitter: 'bob' })).toEqual([]);
    expect(only(await claim(store))).toMatchObject({ id, tenant: 'acme' });
  });

  it('takes no job of another', async () => {
    for (const tenant of ['', 'globex'])
      await expect(store.enqueue({ jobs: [{ ...job, tenant }] })).rejects.toMatchObject({
        code: 'unsupported_by_store',
      });
  });

  it('a record that someone made by hand was submitted by whoever made it', async () => {
    await waiting(world.org);
    const [found] = (await store.list({ filter: {}, limit: 9 })).jobs;
    expect(found?.submitter).toEqual(expect.any(String));
    const filter = { submitter: found?.submitter ?? '' };
    expect((await store.list({ filter, limit: 9 })).jobs).toHaveLength(1);
  });
});
