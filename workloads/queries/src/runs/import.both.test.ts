import { ImportRefused, type Imported } from '@millrace/workload-kit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  DATABASES,
  type TestDatabase,
  openTestDatabase,
} from '../../../../stores/postgres/test/stores.ts';
import { type World, openWorld } from '../../test/world.ts';
import type { QueriesConfig } from '../settings.ts';
import { snippetImport } from '../snippets/import.ts';
import { runImport } from './import.ts';
import type { QueryRunRecord } from './query-run.ts';

const SQL = 'SELECT SubscriberKey FROM _Open';
const MIDS = [{ tenant: '', mid: '100001' }];
const CONFIG = {
  accounts: [{ authUrl: '', clientId: '', clientSecret: '', mids: MIDS }],
  keepRunsMs: 30 * 86_400_000,
} as unknown as QueriesConfig;

describe.each(DATABASES)('runs of another system on %s', (which) => {
  let database: TestDatabase;
  let world: World;
  let close: () => Promise<void>;
  let add: (line: object) => ReturnType<typeof runImport.add>;
  let addSnippet: (line: object) => ReturnType<typeof runImport.add>;
  beforeAll(async () => {
    database = await openTestDatabase(which);
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    world = await openWorld(database);
    const store = await database.open();
    close = () => store.close();
    add = (line) => runImport.add(store.database, line, CONFIG);
    addSnippet = (line) => snippetImport.add(store.database, line, CONFIG);
  });
  afterEach(async () => {
    await close();
    await world.close();
  });

  const agoS = (seconds: number) => new Date(world.now() - seconds * 1_000).toISOString();
  const line = (more: object = {}) => ({
    id: 'a1b2',
    user: 'ada',
    mid: '100001',
    sql: SQL,
    status: 'running',
    createdAt: agoS(15),
    ...more,
  });
  async function get(imported: Imported): Promise<QueryRunRecord> {
    const run = await world.queries.runs.find('as' in imported ? imported.as : '');
    if (run === null) throw new Error('gone');
    return run;
  }
  /** As the other system has begun it. */
  async function begun() {
    const unit = world.cloud.businessUnit('100001');
    const target = { name: 'QPP_1', customerKey: 'QPP_1' };
    await unit.createDataExtension({ ...target, fields: [] });
    const { objectId } = await unit.createQuery({ ...target, sql: SQL, target });
    const { taskId } = await unit.startQuery(objectId);
    return {
      taskId,
      queryDefinitionId: objectId,
      queryCustomerKey: 'QPP_1',
      targetDeName: 'QPP_1',
    };
  }

  test.each(['queryDefinitionId', 'queryCustomerKey'] as const)(
    'one that runs is followed by its task, without %s too, and not begun again',
    async (unknown) => {
      const known = { ...(await begun()), [unknown]: null };
      const added = await add(line({ ...known, pollStartedAt: agoS(10) }));
      expect(added).toEqual({ outcome: 'added', as: 'run-1' });
      expect(await world.queries.reconcile.runOnce()).toMatchObject({ restored: 1 });
      await world.finish();
      expect(await get(added)).toMatchObject({
        state: 'SUCCEEDED',
        rowCount: 5,
        correlationId: 'a1b2',
      });
      expect(world.cloud.starts).toEqual(['QPP_1']);
      // As for a run of ours: the query goes with its end, the rows after a day.
      expect([[...world.cloud.queries], [...world.cloud.targets.keys()]]).toEqual([[], ['QPP_1']]);
      expect(await add(line(known))).toEqual({ outcome: 'there', as: 'run-1' });
      expect(world.jobs).toHaveLength(1);
      // People know the old id.
      const { items } = await world.queries.runs.list({ q: 'A1B2' });
      expect(items.map(({ id }) => id)).toEqual(['run-1']);
    },
  );

  test('its time counts from its beginning, also where it was another system’s', async () => {
    world.cloud.behaviour = { ...world.cloud.behaviour, runMs: 3_600_000 };
    const added = await add(line({ ...(await begun()), pollStartedAt: agoS(28 * 60) }));
    await world.queries.reconcile.runOnce();
    const from = world.now();
    await world.finish();
    expect(await get(added)).toMatchObject({ state: 'FAILED', error: { code: 'query_timeout' } });
    expect(world.now() - from).toBeLessThan(2 * 60_000);
  });

  test('one that waits is begun', async () => {
    const added = await add(line({ status: 'queued' }));
    expect(await world.queries.reconcile.runOnce()).toMatchObject({ restored: 1 });
    await world.finish();
    const run = await get(added);
    expect(run).toMatchObject({ state: 'SUCCEEDED', rowCount: 5 });
    expect(world.cloud.starts).toEqual([run.queryCustomerKey]);
  });

  test('one that is over is history, whose things in Marketing Cloud nobody touches', async () => {
    const over = { status: 'failed', completedAt: agoS(60), error: 'No such column.' };
    const added = await add(line({ ...(await begun()), ...over }));
    world.cloud.calls.length = 0;
    await world.pass(10 * 60_000);
    await world.queries.reconcile.runOnce();
    await world.queries.sweep.runOnce();
    expect(await get(added)).toMatchObject({
      state: 'FAILED',
      error: { code: 'query_failed', message: 'No such column.' },
    });
    expect(world.cloud.calls).toEqual([]);
    const old = { status: 'ready', completedAt: agoS(31 * 86_400) };
    expect(await add(line({ id: 'old', ...old }))).toEqual({ outcome: 'expired' });
  });

  test('what nobody could follow is refused', async () => {
    await expect(add(line({ status: 'queued', mid: '7' }))).rejects.toThrow(ImportRefused);
    await expect(add(line({ taskId: 't' }))).rejects.toThrow(/targetDeName[^]*queryCustomerKey/);
    await expect(add(line({ status: 'ready' }))).rejects.toThrow(/completedAt/);
    await expect(add(line({ createdAt: '2026-01-31 09:30' }))).rejects.toThrow(/offset/);
  });

  test('a snippet is added once, and what was saved here since then stays', async () => {
    const opens = { name: 'opens', user: 'ada', sql: 'SELECT 1 AS One', shared: true };
    expect(await addSnippet(opens)).toEqual({ outcome: 'added', as: 'opens' });
    expect(await addSnippet({ ...opens, sql: 'SELECT 2 AS Two' })).toMatchObject({
      outcome: 'there',
    });
    const mine = await world.queries.snippets.get('opens', { tenantId: '', userId: 'bob' });
    expect(mine.sqlText).toBe('SELECT 1 AS One');
    await expect(addSnippet({ ...opens, user: 'bob' })).rejects.toThrow('another name');
  });
});
