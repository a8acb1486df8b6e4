import { type Folder, MarketingCloudError } from '@millrace/marketing-cloud';
import { expect, test } from 'vitest';
import { createCatalog } from './catalog.ts';

const extension = (name: string, customerKey: string, folderId: string | null = null) => ({
  name,
  customerKey,
  objectId: customerKey,
  createdAt: null,
  folderId,
});

function world() {
  const asked: string[] = [];
  const listed = [extension('Customers', 'K1'), extension('run', 'millrace-1a2b3c4d-12')];
  const time = { now: 0 };
  const failing: { error: Error | null } = { error: null };
  const folders: { list: Folder[]; error: Error | null } = { list: [], error: null };
  const catalog = createCatalog({
    now: () => time.now,
    businessUnit: (mid) => ({
      async dataExtensions() {
        asked.push(`${mid} all`);
        if (failing.error !== null) throw failing.error;
        return [...listed];
      },
      async folders() {
        if (folders.error !== null) throw folders.error;
        return folders.list;
      },
      async fields(key) {
        asked.push(`${mid} ${key}`);
        return [{ name: 'Email', type: 'EmailAddress' }];
      },
    }),
  });
  return { asked, listed, time, failing, folders, catalog };
}

test('a list is kept for ten minutes, of each business unit, without what runs have made', async () => {
  const { catalog, asked, time } = world();
  const { dataExtensions } = await catalog.list('1', false);
  expect(dataExtensions.map(({ name }) => name)).toEqual(['Customers']);
  time.now = 599_999;
  expect(await catalog.list('1', false)).toMatchObject({ ageMs: 599_999 });
  await catalog.list('2', false);
  time.now = 600_000;
  await catalog.list('1', false);
  await catalog.list('1', true);
  expect(asked).toEqual(['1 all', '2 all', '1 all', '1 all']);
});

test('data extensions are in their folders, and without them where those may not be read', async () => {
  const { catalog, listed, folders } = world();
  folders.list.push(
    { id: '1', name: 'Data Extensions', parentId: null },
    { id: '2', name: 'Shop', parentId: '1' },
    { id: '3', name: 'Round', parentId: '4' },
    { id: '4', name: 'Round', parentId: '3' },
  );
  listed.push(extension('Deep', 'K2', '2'), extension('Elsewhere', 'K3', '9'));
  const paths = async (refresh: boolean) =>
    (await catalog.list('1', refresh)).dataExtensions.map((each) => each.folders.join('/'));
  expect(await paths(false)).toEqual(['', 'Data Extensions/Shop', '']);
  listed.push(extension('Round', 'K4', '3'));
  expect((await paths(true))[3]).toMatch(/^Round/);
  folders.error = new MarketingCloudError('no', {
    code: 'x',
    kind: 'permission',
    outcome: 'refused',
  });
  expect(await paths(true)).toEqual(['', '', '', '']);
});

test('fields are asked for once, by the names that a query has', async () => {
  const { catalog, asked } = world();
  await catalog.fields('1', 'K1');
  const found = await catalog.fieldsOf('1', ['customers', 'Customers', 'nobodys']);
  expect([...found.keys()]).toEqual(['customers']);
  expect(asked).toEqual(['1 all', '1 K1']);
});

test('a data extension that was made meanwhile is found', async () => {
  const { catalog, listed, time } = world();
  await catalog.list('1', false);
  listed.push(extension('New', 'K2'));
  expect((await catalog.fieldsOf('1', ['new'])).size).toBe(0);
  time.now = 30_000;
  expect((await catalog.fieldsOf('1', ['new'])).size).toBe(1);
});

test('what failed is asked again; without permission types are unknown', async () => {
  const { catalog, failing } = world();
  const facts = { code: 'x', outcome: 'refused' } as const;
  failing.error = new MarketingCloudError('away', { ...facts, kind: 'unavailable' });
  await expect(catalog.fieldsOf('1', ['customers'])).rejects.toBe(failing.error);
  failing.error = new MarketingCloudError('no', { ...facts, kind: 'permission' });
  expect((await catalog.fieldsOf('1', ['customers'])).size).toBe(0);
  await expect(catalog.list('1', false)).rejects.toBe(failing.error);
  failing.error = null;
  expect((await catalog.fieldsOf('1', ['customers'])).size).toBe(1);
});
