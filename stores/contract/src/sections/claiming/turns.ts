import type { ClaimedJob, Store } from '@millrace/engine';
import { expect } from 'vitest';
import { add, claim, claimOne, idsOf, times, together, wants } from '../../build.ts';
import type { Section } from '../../harness.ts';

const TENANTS = ['', 'a', 'b', 'c', 'd'];

async function tenantsOf(store: Store, claims: number, kind = 'work'): Promise<string[]> {
  const tenants = [];
  for (let index = 0; index < claims; index += 1)
    tenants.push((await claimOne(store, { limit: 1, wants: wants(kind) })).tenant);
  return tenants;
}

export const turns: Section = {
  title: 'tenants take turns',
  needs: ['tenants'],
  checks(check) {
    check('slot by slot, each has its turn in every round', async ({ store }) => {
      await add(store, ...times(50, () => ({ tenant: 'c', priority: 100 })));
      for (const tenant of TENANTS) await add(store, ...times(6, () => ({ tenant })));
      for (let round = 0; round < 6; round += 1) {
        const served = await tenantsOf(store, TENANTS.length);
        expect(served.toSorted(), `round ${round}`).toEqual(TENANTS);
      }
    });

    check('a tenant that comes later does not wait behind a long queue', async ({ store }) => {
      await add(store, ...times(40, () => ({ tenant: 'big' })));
      await tenantsOf(store, 10);
      await add(store, ...times(3, () => ({ tenant: 'small' })));
      const served = await tenantsOf(store, 6);
      expect(served.filter((tenant) => tenant === 'small')).toHaveLength(3);
    });

    check('pools that claim by turns do not skip each other’s tenants', async ({ store }) => {
      for (const kind of ['left', 'right'])
        for (const tenant of ['a', 'b']) await add(store, ...times(4, () => ({ kind, tenant })));
      const served: Record<string, string[]> = { left: [], right: [] };
      for (let round = 0; round < 4; round += 1)
        for (const kind of ['left', 'right'])
          served[kind]?.push(...(await tenantsOf(store, 1, kind)));
      for (const kind of ['left', 'right'])
        expect(served[kind]?.toSorted(), kind).toEqual(['a', 'a', 'b', 'b']);
    });

    check(
      'of many subqueues several get everything, and nobody goes away too soon',
      async (world) => {
        const handles = await world.several(4);
        for (let round = 0; round < 5; round += 1) {
          const kinds = times(3, (index) => `kind-${round}-${index}`);
          const jobs = kinds.flatMap((kind) =>
            times(40, (index) => ({ kind, tenant: `tenant-${index % 20}` })),
          );
          const ids = await add(world.store, ...jobs);
          const claimed: ClaimedJob[] = [];
          await together(handles, async (store) => {
            // Bounded, so that a store that always sees more fails here rather than hangs.
            for (let claims = 0; claims < 500; claims += 1) {
              const { jobs: given, more } = await claim(store, {
                wants: wants(...kinds),
                limit: 4,
              });
              claimed.push(...given);
              if (given.length === 0 && !more) return;
            }
          });
          expect(idsOf(claimed).toSorted(), `round ${round}`).toEqual(ids.toSorted());
        }
      },
    );
  },
};
