import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestDatabase, openTestDatabase } from '../test/stores.ts';
import type { PostgresStore } from './index.ts';
import type { NewBulk } from './service.ts';

let home: TestDatabase;
let store: PostgresStore;
beforeAll(async () => {
  home = await openTestDatabase('postgres');
  store = await home.open();
});
afterAll(async () => {
  await store.close();
  await home.drop();
});

async function newBulk(changes: Partial<NewBulk> = {}): Promise<NewBulk> {
  return {
    at: await store.now(),
    tenant: 'acme',
    submitter: 'ada',
    tenants: ['acme'],
    owner: null,
    asked: '{"action": "cancel"}',
    frozen: '{"count": 2}',
    ids: ['pg-1', 'pg-2'],
    ...changes,
  };
}

test('an action is kept as it was frozen, and its first job counts', async () => {
  const { bulk } = store;
  const given = await newBulk();
  const added = await bulk.add(given);
  expect(added).toMatchObject({ ...given, job: null, undoneBy: null, result: null });
  expect(await bulk.get({ id: added.id })).toEqual(added);
  expect(await bulk.start({ id: added.id, job: 'pg-7' })).toMatchObject({ job: 'pg-7' });
  expect(await bulk.start({ id: added.id, job: 'pg-8' })).toMatchObject({ job: 'pg-7' });
  expect(await bulk.undo({ id: added.id, job: 'pg-9' })).toMatchObject({ undoneBy: 'pg-9' });
  await bulk.tell({ id: added.id, result: '{"changed": 2}' });
  expect(await bulk.get({ id: added.id })).toMatchObject({ result: '{"changed": 2}' });
  const whole = await bulk.add(await newBulk({ tenants: null, ids: null, submitter: null }));
  expect(whole).toMatchObject({ tenants: null, ids: null, submitter: null });
  for (const id of ['bulk-999', 'bulk-0', 'nonsense', "bulk-1'"])
    expect(await bulk.get({ id }), id).toBeNull();
});

test('a list is of those who may see all that it is about', async () => {
  const { bulk } = store;
  await bulk.add(await newBulk({ tenant: 'a', tenants: ['a', 'b'], submitter: 'eve' }));
  await bulk.add(await newBulk({ tenant: 'a', tenants: ['a'], submitter: 'eve' }));
  await bulk.add(await newBulk({ tenant: 'a', tenants: null, submitter: 'bob' }));
  const page = async (tenants: string[] | null, submitter: string | null = null) =>
    (await bulk.list({ limit: 2, tenants, submitter })).bulk.map((each) => each.tenants);
  expect(await page(['a'])).toEqual([['a']]);
  expect(await page(['a', 'b', 'c'])).toEqual([['a'], ['a', 'b']]);
  expect(await page(['b'])).toEqual([]);
  expect(await page(null)).toEqual([null, ['a']]);
  expect(await page(null, 'bob')).toEqual([null]);
  const first = await bulk.list({ limit: 1, tenants: ['a', 'b'], submitter: null });
  const cursor = first.next ?? '';
  expect(await bulk.list({ limit: 1, cursor, tenants: ['a', 'b'], submitter: null })).toMatchObject(
    {
      bulk: [{ tenants: ['a', 'b'] }],
      next: null,
    },
  );
});

test('what was changed is noted once, and forgotten with the action after a week', async () => {
  const { bulk, database } = store;
  const { id } = await bulk.add(await newBulk());
  const changes = [
    { id: 'pg-3', before: null },
    { id: 'pg-1', before: 5 },
    { id: 'pg-2', before: -9 },
  ];
  await bulk.change({ id, changes });
  await bulk.change({ id, changes: [{ id: 'pg-1', before: 77 }] });
  await bulk.forget({ id, jobs: ['pg-2'] });
  expect(await bulk.changes({ id, after: '', limit: 9 })).toEqual([
    { id: 'pg-1', before: 5 },
    { id: 'pg-3', before: null },
  ]);
  expect(await bulk.changes({ id, after: 'pg-1', limit: 1 })).toEqual([
    { id: 'pg-3', before: null },
  ]);
  await database.query(
    { name: '', text: `UPDATE millrace.bulk SET at = at - interval '8 days'` },
    [],
  );
  expect(await bulk.get({ id })).toBeNull();
  await bulk.add(await newBulk());
  const left = await database.query({ name: '', text: 'SELECT FROM millrace.bulk_change' }, []);
  expect(left).toEqual([]);
});
