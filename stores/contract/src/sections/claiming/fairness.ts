import type { ClaimedJob } from '@millrace/engine';
import { expect } from 'vitest';
import { add, claim, claimAll, idsOf, settleAll, start, times, together } from '../../build.ts';
import type { Section } from '../../harness.ts';

export const fairness: Section = {
  title: 'fairness between tenants',
  needs: ['tenants'],
  checks(check) {
    check('a long queue does not fill a claim while another tenant waits', async ({ store }) => {
      await add(store, ...times(100, () => ({ tenant: 'big', priority: 100 })));
      await add(store, ...times(5, () => ({ tenant: 'small' })));
      expect(tally(await claimAll(store, { limit: 10 }))).toEqual({ big: 5, small: 5 });
    });

    check('three tenants share, and the whole keeps to its limit', async ({ store }) => {
      for (const tenant of ['a', 'b', 'c']) await add(store, ...times(20, () => ({ tenant })));
      const shares = tally(await claimAll(store, { limit: 10 }));
      expect(Object.values(shares).reduce((sum, share) => sum + share, 0)).toBe(10);
      for (const tenant of ['a', 'b', 'c']) {
        expect(shares[tenant], tenant).toBeGreaterThanOrEqual(2);
        expect(shares[tenant], tenant).toBeLessThanOrEqual(4);
      }
    });

    check('priority orders the work of one tenant', async ({ store }) => {
      const big = await add(
        store,
        ...times(20, (index) => ({ tenant: 'big', priority: 100 + index })),
      );
      const small = await add(
        store,
        ...times(20, (index) => ({ tenant: 'small', priority: index })),
      );
      const jobs = await claimAll(store, { limit: 6 });
      const expected = [big.slice(-3).toReversed(), small.slice(-3).toReversed()].flat();
      expect(idsOf(jobs), 'highest first, also in the answer').toEqual(expected);
    });

    check('what a claim leaves for fairness comes with the next ones', async ({ store }) => {
      await add(store, ...times(30, () => ({ tenant: 'big' })), { tenant: 'small' });
      const claimed: ClaimedJob[] = [];
      for (let claims = 0; claims < 30; claims += 1) {
        const { jobs, more } = await claim(store, { limit: 10 });
        claimed.push(...jobs);
        expect(jobs.length > 0 || !more, 'with more, something came').toBe(true);
        if (!more) break;
      }
      expect(tally(claimed)).toEqual({ big: 30, small: 1 });
    });

    check('a tenant’s limit counts what runs, in all processes', async (world) => {
      const { store } = world;
      const other = await world.open();
      await start(store, { kind: 'other', tenant: 'a' });
      await add(store, ...times(5, () => ({ tenant: 'a' })), ...times(5, () => ({ tenant: 'b' })));
      const wants = [{ kind: 'work', limit: 100, tenantLimit: 2 }];
      const first = await claimAll(store, { wants });
      expect(tally(first), 'other kinds do not count').toEqual({ a: 2, b: 2 });
      expect(await claimAll(other, { wants })).toEqual([]);
      await settleAll(
        store,
        first.filter(({ tenant }) => tenant === 'a'),
      );
      expect(tally(await claimAll(other, { wants }))).toEqual({ a: 2 });
    });

    check('a tenant’s limit holds when several claim at once', async (world) => {
      const handles = await world.several(4);
      await add(world.store, ...times(40, () => ({ tenant: 'a' })));
      const wants = [{ kind: 'work', limit: 100, tenantLimit: 3 }];
      const claimed = await together(handles, (store) => claimAll(store, { wants }));
      expect(claimed.flat().length).toBeLessThanOrEqual(3);
      const rest = await claimAll(world.store, { wants });
      expect([...claimed.flat(), ...rest]).toHaveLength(3);
    });

    check('a tenant at its limit does not hold the others back', async ({ store }) => {
      const wants = [{ kind: 'work', limit: 100, tenantLimit: 2 }];
      await add(store, ...times(20, () => ({ tenant: 'a', priority: 9 })));
      expect(await claimAll(store, { wants })).toHaveLength(2);
      await add(store, ...times(4, () => ({ tenant: 'b' })));
      expect(tally(await claimAll(store, { wants, limit: 4 }))).toEqual({ b: 2 });
    });
  },
};

function tally(jobs: readonly ClaimedJob[]): Record<string, number> {
  const shares: Record<string, number> = {};
  for (const { tenant } of jobs) shares[tenant] = (shares[tenant] ?? 0) + 1;
  return shares;
}
