import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestDatabase, openTestDatabase } from '../test/stores.ts';
import type { PostgresStore } from './index.ts';
import { MOST_SAVED } from './operations/saved.ts';

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

const ada = { owner: 'ada', tenant: 'acme', what: 'views' };
const namesOf = async (whose: typeof ada): Promise<string[]> =>
  (await store.saved.list(whose)).map(({ name }) => name);

test('what is saved is of one person, one tenant and one sort; the same name takes its place', async () => {
  const { saved } = store;
  const value = '{"phase":"failed","odd":"\\u0000 “ÿ"}';
  expect(await saved.put({ ...ada, name: 'b', value })).toMatchObject({
    created: true,
    saved: { name: 'b', value },
  });
  expect(await saved.put({ ...ada, name: 'b', value: '{}' })).toMatchObject({ created: false });
  await saved.put({ ...ada, name: 'a', value: '{}' });
  for (const other of [{ owner: 'bob' }, { tenant: 'globex' }, { what: 'batches' }]) {
    expect(await namesOf({ ...ada, ...other })).toEqual([]);
    expect(await saved.remove({ ...ada, ...other, name: 'a' })).toBe(false);
    await saved.put({ ...ada, ...other, name: 'c', value: '{}' });
  }
  expect(await saved.list(ada)).toMatchObject([{ name: 'a' }, { name: 'b', value: '{}' }]);
  expect(await saved.remove({ ...ada, name: 'a' })).toBe(true);
  expect(await namesOf(ada)).toEqual(['b']);
});

test('nobody saves more than anybody reads; what is there can still be changed', async () => {
  const whose = { owner: 'eve', tenant: '', what: 'views' };
  for (let n = 0; n < MOST_SAVED; n += 1)
    expect(await store.saved.put({ ...whose, name: `${n}`, value: '{}' })).not.toBeNull();
  expect(await store.saved.put({ ...whose, name: 'more', value: '{}' })).toBeNull();
  expect(await store.saved.put({ ...whose, name: '7', value: '[]' })).toMatchObject({
    created: false,
  });
  expect(await namesOf(whose)).toHaveLength(MOST_SAVED);
});

test('who is erased has nothing left here, and is named nowhere', async () => {
  const { saved } = store;
  const whose = { owner: 'carol', tenant: 'acme', what: 'views' };
  await saved.put({ ...whose, name: 'mine', value: '{}' });
  await saved.put({ ...ada, name: 'of Carol Jones', value: '{}' });
  await saved.put({ ...ada, name: 'by key', value: '{"key":"CAROL-7"}' });
  expect(await saved.erase({ subject: 'carol' })).toBe(3);
  expect(await namesOf(whose)).toEqual([]);
  expect(await namesOf(ada)).toEqual(['b']);
  expect(await saved.erase({ subject: 'b' })).toBe(0);
});
