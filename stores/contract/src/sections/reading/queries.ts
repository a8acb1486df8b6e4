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
      expect(await found({ key: 'k' })).toEqual([keyed]);
      expect(await found({ correlationId: 'c1' })).toEqual([old]);
      expect(await found({ errorCode: ERROR.code })).toEqual([failed.id]);
      expect(await found({ errorCode: 'other' })).toEqual([]);
      expect(await found({ createdBefore: middle })).toEqual([old]);
      expect(await found({ createdAfter: middle })).toEqual([keyed, failed.id]);
      expect(await found({ createdAfter: middle, kind: 'b' })).toEqual([keyed]);
    });

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
