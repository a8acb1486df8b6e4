import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Azurite, openAzurite } from '../../../../connectors/object-storage/test/azurite.ts';
import { type TestDatabase, openTestDatabase } from '../../../../stores/postgres/test/stores.ts';
import { bytesOf, openWorld } from '../../test/world.ts';

/** On Microsoft's emulator of Azure Blob Storage, which checks signatures, sums and block lists. */

let azurite: Azurite;
let database: TestDatabase;
beforeAll(async () => {
  azurite = await openAzurite();
  database = await openTestDatabase('postgres');
}, 120_000);
afterAll(async () => {
  await azurite.close();
  await database.drop();
});

test('files of documents are blobs: whole, in parts, and gone', async () => {
  const storage = azurite.open();
  const world = await openWorld(database, { storage });
  try {
    const { files } = world.documents;
    const big = randomBytes(17 * 1024 * 1024);
    const { id } = await files.put(big, { name: 'big.bin' });
    const small = await files.put(Buffer.from('hello'), { name: 'small.txt' });
    expect((await bytesOf((await files.read(id)).bytes)).equals(big)).toBe(true);
    const part = await files.read(small.id, { range: { from: 1, to: 3 } });
    expect(String(await bytesOf(part.bytes))).toBe('el');
    const blobs = async () => {
      const found: string[] = [];
      for await (const page of storage.list('documents/'))
        found.push(...page.map(({ key }) => key));
      return found.length;
    };
    expect(await blobs()).toBe(2);
    await files.remove(id);
    await files.remove(small.id);
    expect(await blobs()).toBe(0);
    await world.documents.sweep.runOnce();
  } finally {
    await world.close();
  }
});
