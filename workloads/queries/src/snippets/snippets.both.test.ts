import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { migrate } from '@millrace/store-postgres';
import {
  DATABASES,
  type TestDatabase,
  openTestDatabase,
} from '../../../../stores/postgres/test/stores.ts';
import { type Snippets, createSnippets } from './snippets.ts';

const FOLDER = new URL('../../migrations/', import.meta.url);
const ADA = { tenantId: 'acme', userId: 'ada' };
const BOB = { tenantId: 'acme', userId: 'bob' };
const EVE = { tenantId: 'globex', userId: 'eve' };

describe.each(DATABASES)('snippets on %s', (which) => {
  let place: TestDatabase;
  let snippets: Snippets;
  let close: () => Promise<void>;
  beforeAll(async () => {
    place = await openTestDatabase(which);
  });
  afterAll(() => place.drop());
  beforeEach(async () => {
    await place.reset();
    const store = await place.open();
    await migrate(store.database, { owner: 'queries', folder: FOLDER });
    snippets = createSnippets({ database: store.database });
    close = () => store.close();
    return () => close();
  });

  const save = (whose: typeof ADA, name: string, shared = false, sqlText = `${whose.userId}'s`) =>
    snippets.save({ ...whose, name, sqlText, shared });
  const names = async (whose: typeof ADA) => {
    const { items } = await snippets.list({ tenants: [whose.tenantId], userId: whose.userId });
    return items.map(({ name, userId }) => `${name} of ${userId}`);
  };

  test('are their owner’s, unless they are shared in the tenant', async () => {
    await save(ADA, 'mine');
    await save(ADA, 'ours', true);
    await save(BOB, 'mine');
    expect(await names(ADA)).toEqual(['mine of ada', 'ours of ada']);
    expect(await names(BOB)).toEqual(['mine of bob', 'ours of ada']);
    expect(await names(EVE)).toEqual([]);
    expect((await snippets.get('ours', BOB)).sqlText).toBe("ada's");
    expect((await snippets.get('mine', BOB)).sqlText).toBe("bob's");
    await expect(snippets.get('ours', EVE)).rejects.toMatchObject({ code: 'snippet_not_found' });
  });

  test('one of the same name replaces the owner’s; a shared name is taken', async () => {
    expect((await save(ADA, 'opens', true)).created).toBe(true);
    const again = await save(ADA, 'opens', true, 'better');
    expect(again).toMatchObject({ created: false, snippet: { sqlText: 'better' } });
    await expect(save(BOB, 'opens', true)).rejects.toMatchObject({ code: 'snippet_name_taken' });
    expect((await save(BOB, 'opens')).created).toBe(true);
    expect((await snippets.get('opens', BOB)).userId).toBe('bob');
    expect((await save(EVE, 'opens', true)).created).toBe(true);
  });

  test('two who share the same name at the same moment do not both succeed', async () => {
    const both = await Promise.allSettled([save(ADA, 'x', true), save(BOB, 'x', true)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  test('are removed by their owner; a shared one also by who may', async () => {
    await save(ADA, 'ours', true);
    await expect(snippets.remove('ours', { ...BOB, anyShared: false })).rejects.toMatchObject({
      code: 'snippet_not_found',
    });
    await snippets.remove('ours', { ...BOB, anyShared: true });
    await save(ADA, 'mine');
    await expect(snippets.remove('mine', { ...BOB, anyShared: true })).rejects.toMatchObject({
      code: 'snippet_not_found',
    });
    await snippets.remove('mine', { ...ADA, anyShared: false });
    expect(await names(ADA)).toEqual([]);
  });

  test('come page by page', async () => {
    for (const name of ['a', 'b', 'c']) await save(ADA, name);
    const first = await snippets.list({ tenants: 'all', userId: 'ada', limit: 2 });
    const cursor = first.next ?? '';
    const second = await snippets.list({ tenants: 'all', userId: 'ada', limit: 2, cursor });
    expect([first, second].flatMap(({ items }) => items.map(({ name }) => name))).toEqual([
      'a',
      'b',
      'c',
    ]);
    expect(second.next).toBeNull();
    for (const bad of ['x', 'W10', Buffer.from('["a","b\\u0000","c"]').toString('base64url')])
      await expect(
        snippets.list({ tenants: 'all', userId: 'ada', cursor: bad }),
      ).rejects.toMatchObject({ code: 'invalid_cursor' });
  });
});
