import { EVERYTHING, type Scope } from '@millrace/workload-kit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  DATABASES,
  type TestDatabase,
  openTestDatabase,
} from '../../../../stores/postgres/test/stores.ts';
import { type World, openWorld } from '../../test/world.ts';
import { queriesWithin } from '../within.ts';

/** Whoever lost the answer to POST /runs asks again with the same key, and runs nothing twice. */

const SQL = 'SELECT SubscriberKey FROM _Open';
const OF_ACME: Scope = { tenants: ['acme'], tenant: 'acme', owner: null };
const DAY_MS = 86_400_000;

describe.each(DATABASES)('a key of runs on %s', (which) => {
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

  const submit = async (changes: object = {}, scope = EVERYTHING): Promise<string> => {
    const run = { sqlText: SQL, submitter: 'ada', key: 'opens', ...changes };
    return (await queriesWithin(world.queries, scope).runs.submit(run)).id;
  };

  test('makes one run, however often and at the same time it is asked for', async () => {
    const ids = await Promise.all(Array.from({ length: 8 }, () => submit()));
    expect(new Set(ids).size).toBe(1);
    await world.finish();
    expect(await submit()).toBe(ids[0]);
    await world.finish();
    expect(world.cloud.starts).toHaveLength(1);
    expect((await world.queries.runs.list({})).items).toHaveLength(1);
  });

  test('is of its user and tenant alone', async () => {
    const ids = [await submit(), await submit({ submitter: 'bob' }), await submit({}, OF_ACME)];
    expect(new Set(ids).size).toBe(3);
    expect(new Set([await submit({ key: undefined }), await submit({ key: undefined })]).size).toBe(
      2,
    );
  });

  test('is kept for its window after a run that went well, a day unless it is said', async () => {
    const first = await submit();
    await world.finish();
    await world.pass(DAY_MS - 60_000);
    expect(await submit()).toBe(first);
    expect(await submit({ keyWindow: '48h' })).toBe(first);
    await world.pass(120_000);
    expect(await submit({ keyWindow: '48h' })).toBe(first);
    const second = await submit();
    expect(second).not.toBe(first);
    await world.finish();
    expect(await submit({ keyWindow: 0 })).not.toBe(second);
  });

  test('is given up by a run that was canceled, that failed, or that was erased', async () => {
    const canceled = await submit();
    await world.queries.runs.cancel(canceled);
    const failed = await submit();
    expect(failed).not.toBe(canceled);
    world.mids.shift();
    await world.finish();
    expect(await world.queries.runs.get(failed)).toMatchObject({ state: 'FAILED' });
    world.mids.unshift({ tenant: '', mid: '100001' });
    const next = await submit();
    expect(next).not.toBe(failed);
    await world.queries.erase('ada');
    expect(await submit()).not.toBe(next);
  });

  test('of a window that cannot be is refused, and so is SQL that cannot run', async () => {
    for (const keyWindow of [-1, 1e18])
      await expect(submit({ keyWindow })).rejects.toMatchObject({ code: 'invalid_key' });
    await submit();
    await expect(submit({ sqlText: 'DROP TABLE x' })).rejects.toMatchObject({
      code: 'invalid_sql',
    });
  });
});
