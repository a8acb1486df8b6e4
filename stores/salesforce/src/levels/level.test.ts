import { afterEach, describe, expect, it } from 'vitest';
import {
  FAILED,
  LEASE_MS,
  LEVELS,
  claim,
  made,
  recordOf,
  running,
  settle,
  waiting,
} from '../../test/documents.ts';
import { SUCCEEDED, files, shown, strayFiles } from '../../test/inside.ts';
import { AT_ONCE, type World, startOrg } from '../../test/org.ts';
import type { SalesforceStore } from '../index.ts';

describe.each(LEVELS)(
  'an org whose Apex changes under a replica, at first with $level',
  ({ apex }) => {
    let world: World;
    afterEach(() => world.close());

    async function started(): Promise<SalesforceStore> {
      world = await startOrg({ apex });
      const store = world.open({}, AT_ONCE);
      expect(await store.level()).toBe(apex ? 'apex' : 'objects');
      return store;
    }

    it('it claims on', async () => {
      const store = await started();
      const id = await waiting(world.org);
      await world.deploy(!apex);
      expect((await claim(store)).map((job) => recordOf(job.id))).toEqual([id]);
      expect(await store.level()).toBe(apex ? 'objects' : 'apex');
    });

    it('what it had is renewed and settled once, with its file', async () => {
      const store = await started();
      const { id, job } = await running(world, store);
      await world.deploy(!apex);
      expect(await store.renew({ leases: [job], leaseMs: LEASE_MS })).toEqual(['renewed']);
      expect(await settle(store, job, made())).toBe('settled');
      expect(shown(world.org, id)).toEqual(SUCCEEDED);
      expect(files(world.org)).toHaveLength(1);
      expect(strayFiles(world.org)).toEqual([]);
    });

    it('an outcome without files, a cancellation and another try', async () => {
      const store = await started();
      const { id, job } = await running(world, store);
      await world.deploy(!apex);
      expect(await settle(store, job, FAILED)).toBe('settled');
      await world.deploy(apex);
      expect(await store.retry({ select: { ids: [job.id] } })).toMatchObject({ retried: 1 });
      await world.deploy(!apex);
      expect((await store.cancel({ select: { ids: [job.id] } })).canceled).toEqual([job.id]);
      expect(shown(world.org, id)).toMatchObject({ Status: 'CANCELED' });
    });
  },
);
