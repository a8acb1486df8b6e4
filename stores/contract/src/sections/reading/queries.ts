import type { Filter } from '@millrace/engine';
import { expect } from 'vitest';
import {
  ERROR,
  HOUR,
  MINUTE,
  OUTCOMES,
  add,
  addOne,
  claimAll,
  claimOne,
  idsOf,
  settle,
  start,
  times,
  wants,
} from '../../build.ts';
import type { Section } from '../../harness.ts';
import { expectBetween, expectRefused, listAll, pagesOf, strangeIds } from '../../observe.ts';

export const queries: Section = {
  title: 'get, list and inspect',
  checks(check) {
    check('an id that is none of the store’s finds nothing', async ({ store }) => {
      const id = await addOne(store);
      for (const each of strangeIds(store, id)) {
        expect(await store.get({ id: each }), each).toBeNull();
        expect(await store.inspect({ id: each }), each).toBeNull();
      }
      expect((await store.get({ id }))?.id).toBe(id);
    });

    check('a list begins with the newest', async ({ store }) => {
      const ids = await add(store, ...times(5, (index) => ({ priority: index % 2 })));
      expect(idsOf(await listAll(store))).toEqual(ids.toReversed());
    });

    check('pages follow each other, and end', async ({ store }) => {
      const ids = await add(store, ...times(7, () => ({})));
      const pages = await pagesOf(store, {}, 3);
      expect(pages.map((page) => page.length)).toEqual([3, 3, 1]);
      expect(idsOf(pages.flat())).toEqual(ids.toReversed());
      expect((await store.list({ filter: {}, limit: 7 })).next, 'nothing after').toBeNull();
      expect(await store.list({ filter: { kind: 'none' }, limit: 7 })).toEqual({
        jobs: [],
        next: null,
      });
    });

    check('pages stay in place while jobs are added and change', async ({ store }) => {
      const ids = await add(store, ...times(9, () => ({})));
      const first = await store.list({ filter: {}, limit: 4 });
      await add(store, ...times(5, () => ({ priority: 9 })));
      await settle(store, await claimOne(store, { limit: 1 }));
      const second = await store.list({ filter: {}, limit: 4, cursor: first.next ?? '' });
      await add(store, ...times(5, () => ({})));
      const third = await store.list({ filter: {}, limit: 4, cursor: second.next ?? '' });
      expect(idsOf([...first.jobs, ...second.jobs, ...third.jobs])).toEqual(ids.toReversed());
      expect(third.next).toBeNull();
    });

    check('a cursor that is none is refused', async ({ store }) => {
      await addOne(store);
      for (const cursor of ['nonsense', '💥', "1'--"]) {
        await expectRefused(store.list({ filter: {}, limit: 1, cursor }), 'invalid_cursor');
      }
    });

    check('every part of a filter counts, alone and together', async (world) => {
      const { store } = world;
      const old = await addOne(store, {
        kind: 'a',
        tenant: 'x',
        correlationId: 'c1',
        due: { afterMs: 9 * HOUR },
      });
      await world.advance(HOUR);
      const middle = await store.now();
      await world.advance(HOUR);
      const failed = await start(store, { kind: 'a', tenant: 'y' });
      await settle(store, failed, OUTCOMES.fail);
      const keyed = await addOne(store, {
        kind: 'b',
        tenant: 'x',
        correlationId: 'c2',
        submitter: 'ann',
        key: { value: 'k', windowMs: 1 },
      });
      const found = async (filter: Parameters<typeof listAll>[1]): Promise<string[]> =>
        idsOf(await listAll(store, filter));
      expect(await found({ state: 'FAILED' })).toEqual([failed.id]);
      expect(await found({ state: 'QUEUED' })).toEqual([keyed, old]);
      expect(await found({ kind: 'a' })).toEqual([failed.id, old]);
      if (store.keeps.tenants) {
        expect(await found({ tenant: 'x' })).toEqual([keyed, old]);
        expect(await found({ tenant: '' })).toEqual([]);
        expect(await found({ createdAfter: middle, kind: 'a', tenant: 'x' })).toEqual([]);
      }
      expect(await found({ submitter: 'ann' })).toEqual([keyed]);
      expect(await found({ submitter: 'ann', kind: 'b', state: 'QUEUED' })).toEqual([keyed]);
      expect(await found({ submitter: 'ann', state: 'FAILED' })).toEqual([]);
      expect(await found({ submitter: 'an' })).toEqual([]);
      expect(await found({ key: 'k' })).toEqual([keyed]);
      expect(await found({ correlationId: 'c1' })).toEqual([old]);
      expect(await found({ errorCode: ERROR.code })).toEqual([failed.id]);
      expect(await found({ errorCode: 'other' })).toEqual([]);
      expect(await found({ createdBefore: middle })).toEqual([old]);
      expect(await found({ createdAfter: middle })).toEqual([keyed, failed.id]);
      expect(await found({ createdAfter: middle, kind: 'b' })).toEqual([keyed]);
    });

    check(
      'of several tenants, in any state: theirs and nobody else’s',
      async ({ store }) => {
        const of = (tenant: string) => ({ tenant, submitter: `who of ${tenant}` });
        const failed = [];
        for (const tenant of ['', 'a', 'b', 'c', 'a']) {
          const job = await start(store, of(tenant));
          await settle(store, job, OUTCOMES.fail);
          failed.push(job.id);
        }
        const ran = [];
        for (const tenant of ['', 'a', 'b', 'c']) ran.push(await start(store, of(tenant)));
        const queued = await add(store, of('c'), of('b'), of('a'), of(''));
        const later = await add(
          store,
          ...['', 'a', 'b', 'c'].map((tenant) => ({ ...of(tenant), due: { afterMs: HOUR } })),
        );
        const found = async (filter: Parameters<typeof listAll>[1]): Promise<string[]> =>
          idsOf(await listAll(store, filter)).toSorted();
        const those = (...ids: (string | undefined)[]) => ids.map(String).toSorted();
        const tenants = ['a', 'b'];
        expect(await found({ tenants, state: 'FAILED' })).toEqual(
          those(failed[1], failed[2], failed[4]),
        );
        expect(await found({ tenants, state: 'PROCESSING' })).toEqual(
          those(ran[1]?.id, ran[2]?.id),
        );
        expect(await found({ tenants, state: 'QUEUED' })).toEqual(
          those(queued[1], queued[2], later[1], later[2]),
        );
        expect(await found({ tenants: ['', 'c'], state: 'QUEUED' })).toEqual(
          those(queued[0], queued[3], later[0], later[3]),
        );
        const all = await found({ tenants });
        expect(all).toHaveLength(9);
        expect(await found({ tenants: ['b', 'a', 'nobody', 'a'] })).toEqual(all);
        expect(await found({ tenants, tenant: 'a' })).toEqual(await found({ tenant: 'a' }));
        expect(await found({ tenants, tenant: 'c' })).toEqual([]);
        expect(await found({ tenants: [] })).toEqual([]);
        expect(await found({ tenants: [], state: 'QUEUED' })).toEqual([]);
        expect(await found({ tenants, submitter: 'who of b' })).toEqual(
          await found({ tenant: 'b' }),
        );
        expect(await found({ tenants, submitter: 'who of c' })).toEqual([]);
        const newest = idsOf(await listAll(store, { tenants: ['a', 'b', 'c', ''] }));
        expect(newest).toEqual(idsOf(await listAll(store, {})));
      },
      ['tenants'],
    );

    check(
      'moves by hand keep to the tenants and to the submitter',
      async ({ store }) => {
        const [a, b, ann] = await add(
          store,
          { tenant: 'a' },
          { tenant: 'b' },
          { tenant: 'a', submitter: 'ann' },
        );
        const cancel = async (filter: Filter) =>
          (await store.cancel({ select: { filter, limit: 9 } })).canceled;
        const retry = async (filter: Filter) =>
          (await store.retry({ select: { filter, limit: 9 } })).ids;
        expect(await cancel({ tenants: [] })).toEqual([]);
        expect(await cancel({ tenants: ['b', 'c'], submitter: 'ann' })).toEqual([]);
        expect(await cancel({ tenants: ['a'], submitter: 'ann' })).toEqual([ann]);
        expect(await cancel({ tenants: ['a', 'c'] })).toEqual([a]);
        expect(await retry({ tenants: ['b'] })).toEqual([]);
        expect(await retry({ submitter: 'ann' })).toEqual([ann]);
        expect(await retry({ tenants: ['a'] })).toEqual([a]);
        expect(await store.get({ id: b ?? '' })).toMatchObject({ state: 'QUEUED' });
      },
      ['tenants'],
    );

    check('a filtered list has pages too', async ({ store }) => {
      const ids = await add(store, ...times(20, (index) => ({ kind: index % 2 ? 'a' : 'b' })));
      const wanted = ids.filter((_, index) => index % 2 === 1).toReversed();
      const first = await store.list({ filter: { kind: 'a' }, limit: 6 });
      const cursor = first.next ?? '';
      const second = await store.list({ filter: { kind: 'a' }, limit: 6, cursor });
      expect(idsOf([...first.jobs, ...second.jobs])).toEqual(wanted);
      expect(second.next).toBeNull();
    });

    check('inspect says what stands before a job', async ({ store }) => {
      await add(store, ...times(3, () => ({ tenant: 'a', priority: 99 })));
      await add(store, { kind: 'other', tenant: 'a', priority: 99 });
      await claimAll(store, { wants: wants('work', 'other') });
      await add(
        store,
        { tenant: 'a', priority: 5 },
        { tenant: 'a', priority: 1 },
        { tenant: 'a' },
        { tenant: 'a', priority: 9, due: { afterMs: HOUR } },
        { tenant: 'b', priority: 9 },
        { kind: 'other', tenant: 'a', priority: 9 },
      );
      const id = await addOne(store, { tenant: 'a', priority: 1 });
      await add(store, { tenant: 'a', priority: 1 }, { tenant: 'a', priority: 3 });
      const before = await store.now();
      const inspection = await store.inspect({ id });
      expect(inspection).toMatchObject({
        job: { id, state: 'QUEUED' },
        kindPaused: false,
        // Without tenants, that of the other one too.
        ahead: store.keeps.tenants ? 3 : 4,
        suspect: false,
        runningOfTenant: 3,
      });
      expectBetween(inspection?.now ?? null, before, await store.now());
      if (store.control === undefined) return;
      await store.control.pause({ kind: 'work', by: null });
      expect(await store.inspect({ id })).toMatchObject({ kindPaused: true });
    });

    check('inspect counts up to 1,000', async ({ store }) => {
      await add(store, ...times(1_005, () => ({})));
      const id = await addOne(store);
      expect(await store.inspect({ id })).toMatchObject({ ahead: 1_000, runningOfTenant: 0 });
    });

    check('inspect shows when a job will be due', async ({ store }) => {
      const id = await addOne(store, { due: { afterMs: 10 * MINUTE } });
      const inspection = await store.inspect({ id });
      expect(inspection?.job.runAt).toBeGreaterThan(inspection?.now ?? Infinity);
    });
  },
};
