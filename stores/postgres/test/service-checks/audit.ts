import {
  TEXTS,
  expectBetween,
  expectRefused,
  only,
  times,
  together,
  value,
} from '@millrace/store-contract';
import { expect } from 'vitest';
import type { AuditEntry, AuditParams, AuditRecord } from '../../src/service.ts';
import type { PostgresStore } from '../../src/store.ts';
import { type ServiceHarness, describeService } from './harness.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

// $1 how many
const MANY = {
  name: '',
  text: `
INSERT INTO millrace.audit (at, actor, action, correlation_id)
SELECT millrace.clock(), 'ann', 'cancelJob', 'correlation-1' FROM generate_series(1, $1::int)`,
};

function entry(changes: Partial<AuditEntry> = {}): AuditEntry {
  return {
    actor: 'ann',
    subject: 'subject-of-ann',
    tenants: null,
    action: 'cancelJob',
    target: 'pg-7',
    filter: null,
    correlationId: 'correlation-1',
    ...changes,
  };
}

/** The ids of the entries, in the order given. */
async function write(store: PostgresStore, ...entries: Partial<AuditEntry>[]): Promise<string[]> {
  const ids = [];
  for (const each of entries) ids.push(await store.audit.begin({ entry: entry(each) }));
  return ids;
}

async function log(
  store: PostgresStore,
  filter: AuditParams['filter'] = {},
): Promise<AuditRecord[]> {
  return (await store.audit.list({ filter, limit: 500 })).entries;
}

function idsOf(records: readonly AuditRecord[]): string[] {
  return records.map(({ id }) => id);
}

export function describeAudit(name: string, start: () => Promise<ServiceHarness>): void {
  describeService(`audit log: ${name}`, start, (check) => {
    check('keeps who it was, and whose things they were about', async ({ store }) => {
      const [id = ''] = await write(store, { subject: 's-1', tenants: ['a'] });
      await store.audit.end({ id, end: { outcome: 'done', count: 1, tenants: ['b', 'c'] } });
      const noted = entry({ action: 'downloadFile', tenants: ['a'] });
      await store.audit.note({ entry: noted, outcome: 'done' });
      await write(store, { action: 'stopWorker', subject: null, tenants: null });
      const found = async (tenants: string[]) =>
        (await log(store, { tenants })).map(({ action }) => action);
      expect(await log(store, {})).toMatchObject([
        { action: 'stopWorker', subject: null, tenants: null, outcome: 'started' },
        { action: 'downloadFile', tenants: ['a'], outcome: 'done', count: null },
        { subject: 's-1', tenants: ['b', 'c'], outcome: 'done', count: 1 },
      ]);
      expect(await found(['a'])).toEqual(['downloadFile']);
      expect(await found(['c', 'd'])).toEqual(['cancelJob']);
      expect(await found(['a', 'b'])).toEqual(['downloadFile', 'cancelJob']);
      expect(await found([])).toEqual([]);
    });

    check('tells what is about all tenants from what is about nobody', async ({ store }) => {
      await write(store, { action: 'pauseKind', tenants: 'all' }, { action: 'none' });
      const [id = ''] = await write(store, { action: 'cancelJobs' });
      await store.audit.end({ id, end: { outcome: 'done', count: 1, tenants: 'all' } });
      // A tenant may be called as it likes.
      await write(store, { action: 'star', tenants: ['*'] }, { action: 'only', tenants: [''] });
      const narrowed = entry({ action: 'narrowed', tenants: 'all' });
      const begun = await store.audit.begin({ entry: narrowed });
      await store.audit.end({ id: begun, end: { outcome: 'done', count: 1, tenants: ['a'] } });
      const told = async (filter: AuditParams['filter']) =>
        (await log(store, filter)).map(({ action, tenants }) => [action, tenants]);
      const ofAll = [
        ['cancelJobs', 'all'],
        ['pauseKind', 'all'],
      ];
      expect(await told({ tenants: ['b'] })).toEqual(ofAll);
      expect(await told({ tenants: ['a'] })).toEqual([['narrowed', ['a']], ...ofAll]);
      expect(await told({ tenants: ['*'] })).toEqual([['star', ['*']], ...ofAll]);
      expect(await told({ tenants: [''], actor: 'ann' })).toEqual([['only', ['']], ...ofAll]);
      expect(await told({ action: 'none' })).toEqual([['none', null]]);
    });

    check('an action is there before it is done, and for every handle', async (world) => {
      const { store } = world;
      const other = await world.open();
      const before = await store.now();
      const id = await store.audit.begin({
        entry: entry({ target: null, filter: '{"kind":"report","state":"FAILED"}' }),
      });
      const after = await store.now();
      const record = only(await log(other));
      expect({ ...record, at: 0, filter: value(record.filter) }).toEqual({
        ...entry({ target: null }),
        id,
        at: 0,
        filter: { kind: 'report', state: 'FAILED' },
        outcome: 'started',
        count: null,
      });
      expectBetween(record.at, before, after);
    });

    check('its end is kept with it, and changes nothing else', async (world) => {
      const { store } = world;
      const [done, refused, left] = await write(store, {}, { actor: 'bob' }, { target: null });
      const before = await log(store);
      await world.advance(MINUTE);
      await store.audit.end({ id: done ?? '', end: { outcome: 'done', count: 12 } });
      await store.audit.end({ id: refused ?? '', end: { outcome: 'refused', count: null } });
      const ends = {
        [done ?? '']: { outcome: 'done', count: 12 },
        [refused ?? '']: { outcome: 'refused', count: null },
        [left ?? '']: { outcome: 'started', count: null },
      };
      expect(await log(store)).toEqual(before.map((record) => ({ ...record, ...ends[record.id] })));
    });

    check('what has ended stays as it ended', async (world) => {
      const { store } = world;
      const handles = await world.several(4);
      const [id = ''] = await write(store, {});
      await store.audit.end({ id, end: { outcome: 'refused', count: null } });
      await store.audit.end({ id, end: { outcome: 'done', count: 3 } });
      expect(await log(store)).toMatchObject([{ outcome: 'refused', count: null }]);

      const [raced = ''] = await write(store, { target: 'raced' });
      await together(handles, (handle, index) =>
        handle.audit.end({ id: raced, end: { outcome: 'done', count: index } }),
      );
      const first = only(await log(store, { target: 'raced' }));
      await together(handles, (handle, index) =>
        handle.audit.end({ id: raced, end: { outcome: 'done', count: index } }),
      );
      expect(await log(store, { target: 'raced' })).toEqual([first]);
    });

    check('an end without a beginning changes nothing', async ({ store }) => {
      const [id = ''] = await write(store, {});
      const before = await log(store);
      for (const each of ['', 'nonsense', '0', `0${id}`, `${id} `, `-${id}`, '999999999']) {
        await store.audit.end({ id: each, end: { outcome: 'done', count: 1 } });
      }
      await store.audit.end({
        id: '99999999999999999999999999',
        end: { outcome: 'done', count: 1 },
      });
      expect(await log(store)).toEqual(before);
    });

    check('the log begins with the newest; pages follow each other, and end', async ({ store }) => {
      const ids = await write(store, ...times(7, () => ({})));
      const newest = ids.toReversed();
      expect(new Set(ids).size).toBe(7);
      expect(idsOf(await log(store))).toEqual(newest);
      expect((await store.audit.list({ filter: {}, limit: 7 })).next, 'nothing after').toBeNull();

      const first = await store.audit.list({ filter: {}, limit: 3 });
      await write(store, {}, {});
      const second = await store.audit.list({ filter: {}, limit: 3, cursor: first.next ?? '' });
      await write(store, {});
      const third = await store.audit.list({ filter: {}, limit: 3, cursor: second.next ?? '' });
      expect([first, second, third].map(({ entries }) => idsOf(entries))).toEqual([
        newest.slice(0, 3),
        newest.slice(3, 6),
        newest.slice(6),
      ]);
      expect(third.next).toBeNull();
      expect(await store.audit.list({ filter: { actor: 'nobody' }, limit: 3 })).toEqual({
        entries: [],
        next: null,
      });
    });

    check('a filtered log has pages too, by whatever it is filtered', async ({ store }) => {
      const rare = { actor: 'eve', action: 'pauseKind', target: 'report' };
      const ids = await write(store, ...times(20, (index) => (index % 2 ? rare : {})));
      const wanted = ids.filter((_, index) => index % 2 === 1).toReversed();
      const filters: AuditParams['filter'][] = [
        { actor: rare.actor },
        { action: rare.action },
        { target: rare.target },
        { actor: rare.actor, target: rare.target },
        { ...rare, after: 0 },
      ];
      for (const filter of filters) {
        const first = await store.audit.list({ filter, limit: 6 });
        const cursor = first.next ?? '';
        const second = await store.audit.list({ filter, limit: 6, cursor });
        expect(idsOf([...first.entries, ...second.entries])).toEqual(wanted);
        expect(second.next).toBeNull();
      }
    });

    check('a cursor that is none is refused', async ({ store }) => {
      await write(store, {});
      for (const cursor of ['', 'nonsense', '0', '-1', '💥', "1'--"]) {
        await expectRefused(store.audit.list({ filter: {}, limit: 1, cursor }), 'invalid_cursor');
      }
    });

    check('every part of a filter counts, alone and together', async (world) => {
      const { store } = world;
      const [first, second] = await write(store, {}, { actor: 'bob', target: null });
      await world.advance(HOUR);
      const [third] = await write(store, { actor: 'bob', action: 'pauseKind', target: 'report' });
      await world.advance(HOUR);
      const [fourth] = await write(store, { action: 'pauseKind' });
      const at = (await log(store)).find(({ id }) => id === third)?.at ?? 0;
      const found = async (filter: AuditParams['filter']): Promise<string[]> =>
        idsOf(await log(store, filter));
      expect(await found({ actor: 'ann' })).toEqual([fourth, first]);
      expect(await found({ actor: 'an' })).toEqual([]);
      expect(await found({ actor: 'ANN' })).toEqual([]);
      expect(await found({ action: 'pauseKind' })).toEqual([fourth, third]);
      expect(await found({ target: 'pg-7' })).toEqual([fourth, first]);
      expect(await found({ target: 'pg-7', exceptActions: ['pauseKind'] })).toEqual([first]);
      expect(await found({ exceptActions: [] })).toEqual([fourth, third, second, first]);
      expect(await found({ target: '' })).toEqual([]);
      expect(await found({ after: at })).toEqual([fourth, third]);
      expect(await found({ after: at + 1 })).toEqual([fourth]);
      expect(await found({ before: at })).toEqual([second, first]);
      expect(await found({ before: at + 1 })).toEqual([third, second, first]);
      expect(await found({ after: at, before: at + 1 })).toEqual([third]);
      expect(await found({ actor: 'bob', before: at })).toEqual([second]);
      expect(await found({ actor: 'bob', action: 'pauseKind' })).toEqual([third]);
      expect(await found({ actor: 'ann', target: 'report' })).toEqual([]);
      expect(await found({ actor: 'bob', target: 'report', after: at + 1 })).toEqual([]);
    });

    check('an entry is found by the very millisecond that it shows', async ({ store }) => {
      await write(store, ...times(20, () => ({})));
      for (const { id, at } of await log(store))
        expect(idsOf(await log(store, { after: at, before: at + 1 }))).toContain(id);
    });

    check('many who act at once are all there', async (world) => {
      const handles = await world.several(4);
      const ids = await together(
        times(100, (index) => index),
        (index) => {
          const store = handles[index % handles.length] ?? world.store;
          return store.audit.begin({ entry: entry({ target: `job-${index}` }) });
        },
      );
      const records = await log(world.store);
      expect(idsOf(records).toSorted()).toEqual(ids.toSorted());
      expect(new Set(records.map(({ target }) => target)).size).toBe(100);
    });

    check('what is older than it is kept is forgotten, whoever asks', async (world) => {
      const { store } = world;
      const [done = ''] = await write(store, {}, { actor: 'bob' });
      await store.audit.end({ id: done, end: { outcome: 'done', count: 1 } });
      await world.advance(HOUR);
      const younger = await write(store, { target: 'later' });
      expect(await store.audit.prune({ keepMs: 2 * HOUR })).toEqual({ count: 0, more: false });
      const handles = await world.several(3);
      const pruned = await together(handles, (handle) => handle.audit.prune({ keepMs: HOUR / 2 }));
      expect(pruned.reduce((sum, { count }) => sum + count, 0)).toBe(2);
      expect(pruned.some(({ more }) => more)).toBe(false);
      expect(idsOf(await log(store))).toEqual(younger);
      expect(await log(store, { actor: 'bob' })).toEqual([]);
    });

    check('so many at a time, until no more is left', async (world) => {
      const { store } = world;
      await store.database.query(MANY, [2_001]);
      await world.advance(HOUR);
      const asked = { keepMs: MINUTE };
      expect(await store.audit.prune(asked)).toEqual({ count: 2_000, more: true });
      expect(await store.audit.prune(asked)).toEqual({ count: 1, more: false });
      expect(await log(store)).toEqual([]);
    });

    check('text comes back as it was', async ({ store }) => {
      for (const each of TEXTS) {
        const said = {
          actor: each,
          subject: each,
          action: each,
          target: each,
          correlationId: each,
        };
        await write(store, { ...said, filter: JSON.stringify({ [each]: each }) });
        const record = only(await log(store, { actor: each, action: each, target: each }));
        expect(record).toMatchObject(said);
        expect(value(record.filter)).toEqual({ [each]: each });
      }
    });
  });
}
