import { EVERYTHING, type Scope } from '@millrace/workload-kit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  DATABASES,
  type TestDatabase,
  openTestDatabase,
} from '../../../../stores/postgres/test/stores.ts';
import { createFakeCloud } from '../../test/cloud.ts';
import { type World, openWorld } from '../../test/world.ts';
import { createMids } from '../mids.ts';
import { queriesWithin } from '../within.ts';

const SQL = 'SELECT SubscriberKey FROM _Open';
const ORDER = ['QUEUED', 'PROCESSING', 'SUCCEEDED'];
const OF_ACME: Scope = { tenants: ['acme'], tenant: 'acme', owner: null };

describe.each(DATABASES)('runs of people on %s', (which) => {
  let database: TestDatabase;
  let world: World;
  beforeAll(async () => {
    database = await openTestDatabase(which);
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    world = await openWorld(database);
  });
  afterEach(() => world.close());

  const as = (scope: Scope) => queriesWithin(world.queries, scope);

  test('are seen within the scope alone, and answered as if they were not there', async () => {
    const acme = as(OF_ACME);
    const own = await acme.runs.submit({ sqlText: SQL, submitter: 'ada' });
    const main = await as(EVERYTHING).runs.submit({ sqlText: SQL, submitter: 'root' });
    expect([own.mid, main.mid]).toEqual(['100002', '100001']);
    const ada = as({ ...OF_ACME, owner: 'ada' });
    const bob = as({ ...OF_ACME, owner: 'bob' });
    expect(await ada.runs.get(own.id)).toMatchObject({ id: own.id });
    for (const scope of [bob, as({ ...OF_ACME, tenants: ['other'], tenant: 'other' })]) {
      await expect(scope.runs.get(own.id)).rejects.toMatchObject({ code: 'run_not_found' });
      await expect(scope.runs.cancel(own.id)).rejects.toMatchObject({ code: 'run_not_found' });
      const watching = scope.runs.watch(own.id, new AbortController().signal);
      await expect(watching.next()).rejects.toMatchObject({ code: 'run_not_found' });
      expect((await scope.runs.list({})).items).toEqual([]);
    }
    await expect(acme.runs.get(main.id)).rejects.toMatchObject({ code: 'run_not_found' });
    expect((await bob.runs.list({ submitter: 'ada' })).items).toEqual([]);
    expect((await acme.runs.list({})).items.map(({ id }) => id)).toEqual([own.id]);
    expect(await ada.runs.cancel(own.id)).toMatchObject({ state: 'CANCELED' });
  });

  test('say the enterprise that they are in, and keep to the people it is for', async () => {
    await world.close();
    const mids = [
      { tenant: 'acme', mid: '100001', eid: '520000001', users: ['hank'] },
      { tenant: 'acme', mid: '100002', eid: '510000001' },
    ];
    world = await openWorld(database, {
      account: { mids, open: (onCall) => createFakeCloud(Date.now, onCall, (effect) => effect()) },
    });
    const acme = as(OF_ACME);
    const mine = await acme.runs.submit({ sqlText: SQL, submitter: 'ada' });
    expect(mine).toMatchObject({ mid: '100002', eid: '510000001' });
    const theirs = acme.runs.submit({ sqlText: SQL, submitter: 'ada', mid: '100001' });
    await expect(theirs).rejects.toMatchObject({ code: 'mid_not_allowed' });
    const hank = as({ ...OF_ACME, owner: 'hank' });
    expect(await hank.runs.submit({ sqlText: SQL, submitter: 'hank' })).toMatchObject({
      mid: '100001',
      eid: '520000001',
    });
    expect(hank.mids()).toEqual(['100001', '100002']);
    expect(as({ ...OF_ACME, owner: 'ada' }).mids()).toEqual(['100002']);
  });

  test('name a business unit of their tenant and no other', async () => {
    const acme = as(OF_ACME);
    const asked = (mid: string) => acme.runs.submit({ sqlText: SQL, submitter: 'ada', mid });
    await expect(asked('100001')).rejects.toMatchObject({ code: 'mid_not_allowed' });
    expect(await asked('100002')).toMatchObject({ mid: '100002' });
    const nobody = as({ tenants: ['x'], tenant: 'x', owner: null });
    await expect(nobody.runs.submit({ sqlText: SQL, submitter: 'eve' })).rejects.toMatchObject({
      code: 'mid_not_allowed',
    });
    expect(() => acme.businessUnit('100001')).toThrow('not a business unit');
  });

  test('of tenants read nothing of the business unit above theirs, unless that is set', async () => {
    const sqlText = 'SELECT a FROM Ent.Customers';
    const asked = () => as(OF_ACME).runs.submit({ sqlText, submitter: 'ada' });
    await expect(asked()).rejects.toMatchObject({
      code: 'invalid_sql',
      message: expect.stringContaining('Line 1, column 15: Ent. reads a table') as string,
    });
    const mids = [{ tenant: 'acme', mid: '100002' }];
    expect(createMids(mids, true).enterpriseTables).toBe(true);
    expect(createMids([{ tenant: '', mid: '100002' }]).enterpriseTables).toBe(true);
  });

  test('have as many rows as there are, where they were counted too early', async () => {
    const acme = as(OF_ACME);
    const { id } = await acme.runs.submit({ sqlText: SQL, submitter: 'ada' });
    await world.finish();
    const run = await acme.runs.get(id);
    world.cloud.behaviour = { ...world.cloud.behaviour, rows: 7 };
    await acme.rowsetOf(run).rows(run.targetDeName ?? '', { pageSize: 1 });
    expect(await acme.runs.get(id)).toMatchObject({ state: 'SUCCEEDED', rowCount: 7 });
    world.cloud.behaviour = { ...world.cloud.behaviour, rows: 2 };
    await acme.rowsetOf(run).rows(run.targetDeName ?? '', { pageSize: 1 });
    expect(await acme.runs.get(id)).toMatchObject({ rowCount: 7 });
  });

  test('are refused with SQL that cannot run, with the place', async () => {
    const before = world.jobs.length;
    await expect(
      as(EVERYTHING).runs.submit({ sqlText: 'DELETE FROM Customers', submitter: 'ada' }),
    ).rejects.toMatchObject({ code: 'invalid_sql', message: expect.stringMatching(/^Line 1/) });
    expect(world.jobs).toHaveLength(before);
    expect((await as(EVERYTHING).runs.list({})).items).toEqual([]);
  });

  test('are listed by page and by what is asked for', async () => {
    const { runs } = as(EVERYTHING);
    const ids: string[] = [];
    for (const submitter of ['a', 'b', 'a', 'b', 'a'])
      ids.push((await runs.submit({ sqlText: SQL, submitter, snippetName: `of ${submitter}` })).id);
    await runs.cancel(ids[4] ?? '');
    const first = await runs.list({ limit: 2 });
    expect(first.items.map(({ id }) => id)).toEqual([ids[4], ids[3]]);
    const second = await runs.list({ limit: 2, cursor: first.next ?? '' });
    expect(second.items.map(({ id }) => id)).toEqual([ids[2], ids[1]]);
    const found = async (filter: Parameters<typeof runs.list>[0]) =>
      (await runs.list(filter)).items.map(({ id }) => id);
    expect(await found({ submitter: 'b' })).toEqual([ids[3], ids[1]]);
    expect(await found({ state: 'CANCELED' })).toEqual([ids[4]]);
    expect(await found({ snippet: 'of a', state: 'QUEUED' })).toEqual([ids[2], ids[0]]);
    expect(await found({ mid: '100002' })).toEqual([]);
    const inAMinute = new Date(world.now() + 60_000).toISOString();
    expect(await found({ createdAfter: inAMinute })).toEqual([]);
    expect(await found({ createdBefore: inAMinute })).toHaveLength(5);
    const [newest] = (await runs.list({ limit: 1 })).items;
    expect(await found({ q: newest?.id ?? '' })).toEqual([newest?.id]);
    expect(await found({ q: (newest?.sqlText ?? '').toLowerCase() })).toContain(newest?.id);
    expect(await found({ q: 'nothing of the kind' })).toEqual([]);
    await expect(runs.list({ cursor: 'x' })).rejects.toMatchObject({ code: 'invalid_cursor' });
  });

  test('are watched from what they are to their end', async () => {
    const { runs } = as(EVERYTHING);
    const { id } = await runs.submit({ sqlText: SQL, submitter: 'ada' });
    const states: string[] = [];
    let going: Promise<void> | null = null;
    for await (const run of runs.watch(id, new AbortController().signal)) {
      states.push(run.state);
      going ??= world.finish();
    }
    await going;
    expect(states[0]).toBe('QUEUED');
    expect(states.at(-1)).toBe('SUCCEEDED');
    expect(states).toEqual(states.toSorted((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b)));
    const gone = new AbortController();
    gone.abort();
    expect(await runs.watch(id, gone.signal).next()).toMatchObject({ done: true });
  });

  test('that could not be enqueued are not there', async () => {
    const [job] = [new Error('no store')];
    const broken = await openWorld(database, {
      queue: {
        enqueueAll: () => Promise.reject(job),
        list: async () => ({ jobs: [], next: null }),
      },
    });
    const { runs } = queriesWithin(broken.queries, EVERYTHING);
    await expect(runs.submit({ sqlText: SQL, submitter: 'ada' })).rejects.toThrow('no store');
    expect((await runs.list({})).items).toEqual([]);
    await broken.close();
  });

  test('need an account: without one, history can be read and nothing is started', async () => {
    const bare = await openWorld(database, { account: null });
    const { runs } = queriesWithin(bare.queries, EVERYTHING);
    await expect(runs.submit({ sqlText: SQL, submitter: 'ada' })).rejects.toMatchObject({
      code: 'marketing_cloud_not_configured',
    });
    expect((await runs.list({})).items).toEqual([]);
    expect(() => bare.queries.workshop()).toThrow('no Marketing Cloud account');
    await bare.close();
  });
});
