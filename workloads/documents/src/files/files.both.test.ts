import { StoreUnavailable } from '@millrace/engine';
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { clockAheadBy } from '../../../../stores/postgres/test/databases.ts';
import {
  DATABASES,
  type TestDatabase,
  openTestDatabase,
} from '../../../../stores/postgres/test/stores.ts';
import { type World, bytesOf, openWorld, template } from '../../test/world.ts';
import { CHUNK_BYTES } from './contents.ts';
import { createFiles } from './files.ts';

const DAY = 86_400_000;

describe.each(DATABASES)('files on %s', (which) => {
  let database: TestDatabase;
  let world: World;
  beforeAll(async () => {
    database = await openTestDatabase(which);
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    await database.reset();
    world = await openWorld(database);
  });
  afterEach(() => world.close());

  const rowsOf = async (table: string): Promise<number> => {
    const text = `SELECT count(*)::int AS n FROM millrace.document_${table}`;
    const [row] = await world.store.database.query<{ n: number }>({ name: '', text }, []);
    return row?.n ?? -1;
  };
  const read = async (id: string, range?: { from: number; to: number }): Promise<Buffer> =>
    bytesOf((await world.documents.files.read(id, { range })).bytes);

  test('a stream is kept in chunks and read in parts', async () => {
    const { files } = world.documents;
    const big = Buffer.alloc(2 * CHUNK_BYTES + 17, 'abcdefghij');
    async function* stream() {
      for (let at = 0; at < big.length; at += 700_001) yield big.subarray(at, at + 700_001);
      yield Buffer.alloc(0);
    }
    const file = await files.put(stream(), { name: 'big.csv', submitter: 'ann' });
    expect(file).toMatchObject({
      name: 'big.csv',
      mediaType: 'text/csv',
      size: big.length,
      sha256: createHash('sha256').update(big).digest('hex'),
      submitter: 'ann',
    });
    expect(await rowsOf('chunks')).toBe(3);
    const [content] = await world.store.database.query<{ crc32: number }>(
      { name: '', text: 'SELECT crc32 FROM millrace.document_contents' },
      [],
    );
    expect(content?.crc32).toBe(crc32(big));
    expect((await read(file.id)).equals(big)).toBe(true);
    for (const [from, to] of [
      [0, 1],
      [CHUNK_BYTES - 1, CHUNK_BYTES + 1],
      [5, 2 * CHUNK_BYTES + 3],
      [big.length - 1, big.length],
      [7, 7],
      [CHUNK_BYTES, 2 * CHUNK_BYTES],
    ] as const)
      expect((await read(file.id, { from, to })).equals(big.subarray(from, to))).toBe(true);
    for (const range of [
      { from: 0, to: big.length + 1 },
      { from: -1, to: 2 },
      { from: 3, to: 2 },
      { from: 0.5, to: 2 },
    ])
      await expect(read(file.id, range)).rejects.toMatchObject({ code: 'invalid_range' });
  });

  test('bytes of any size come back as they were', async () => {
    const { files } = world.documents;
    for (const size of [0, 1, CHUNK_BYTES, CHUNK_BYTES + 1]) {
      const bytes = Buffer.alloc(size, '\u0000\u00ff\n');
      const { id } = await files.put(bytes, { name: 'x.pdf' });
      expect((await read(id)).equals(bytes)).toBe(true);
    }
  });

  test('a stream that is too long, or breaks off, leaves no file; the sweep removes its bytes', async () => {
    const { files, sweep } = world.documents;
    async function* endless() {
      for (;;) yield Buffer.alloc(CHUNK_BYTES);
    }
    await expect(
      files.put(endless(), { name: 'x', maxBytes: 3 * CHUNK_BYTES }),
    ).rejects.toMatchObject({ code: 'file_too_large' });
    async function* broken() {
      yield Buffer.alloc(CHUNK_BYTES);
      throw new Error('The line went down.');
    }
    await expect(files.put(broken(), { name: 'x' })).rejects.toThrow('The line went down.');
    expect((await files.list()).items).toEqual([]);
    expect(await sweep.runOnce()).toMatchObject({ contents: 0 }); // they might be under way
    await database.script(clockAheadBy(2 * 3_600_000));
    expect(await sweep.runOnce()).toMatchObject({ contents: 2 });
    expect(await rowsOf('chunks')).toBe(0);
  });

  test('lists newest first, page by page, by what it belongs to', async () => {
    const { files } = world.documents;
    for (let n = 1; n <= 5; n++)
      await files.put(Buffer.from([n]), {
        name: `${n}.pdf`,
        templateId: n % 2 ? 'tpl-1' : 'tpl-2',
        batchId: n > 3 ? 'batch-1' : undefined,
        correlationId: `c${n}`,
      });
    await files.put(Buffer.from([9]), { name: 'theirs.pdf', tenant: 'acme' });
    const names = async (params: Parameters<typeof files.list>[0]) =>
      (await files.list(params)).items.map(({ name }) => name);
    expect(await names({})).toEqual(['5.pdf', '4.pdf', '3.pdf', '2.pdf', '1.pdf']);
    const first = await files.list({ limit: 2 });
    await files.put(Buffer.from([6]), { name: '6.pdf' }); // does not shift the next page
    const second = await files.list({ limit: 2, cursor: first.next ?? '' });
    expect(second.items.map(({ name }) => name)).toEqual(['3.pdf', '2.pdf']);
    expect(await files.list({ limit: 2, cursor: second.next ?? '' })).toMatchObject({
      items: [{ name: '1.pdf' }],
      next: null,
    });
    expect(await names({ templateId: 'tpl-2' })).toEqual(['4.pdf', '2.pdf']);
    expect(await names({ batchId: 'batch-1' })).toEqual(['5.pdf', '4.pdf']);
    expect(await names({ batchId: 'nonsense' })).toEqual([]);
    expect(await names({ correlationId: 'c3' })).toEqual(['3.pdf']);
    expect(await names({ tenants: ['acme'] })).toEqual(['theirs.pdf']);
    await expect(files.list({ cursor: 'x' })).rejects.toMatchObject({ code: 'invalid_cursor' });
  });

  test('an expired file is gone at once, and its bytes with the sweep', async () => {
    const { files, sweep } = world.documents;
    const short = await files.put(Buffer.from('a'), { name: 'a.pdf', keepMs: 1_000 });
    const long = await files.put(Buffer.from('b'), { name: 'b.pdf' });
    expect(long.expiresAt - long.createdAt).toBe(7 * DAY);
    await database.script(clockAheadBy(1_500));
    await expect(files.get(short.id)).rejects.toMatchObject({ code: 'file_not_found' });
    await expect(files.read(short.id)).rejects.toMatchObject({ code: 'file_not_found' });
    expect((await files.list()).items.map(({ id }) => id)).toEqual([long.id]);
    expect(await sweep.runOnce()).toMatchObject({ files: 1, contents: 1, more: false });
    expect(await rowsOf('contents')).toBe(1);
    expect((await read(long.id)).toString()).toBe('b');
    expect(await sweep.runOnce()).toMatchObject({ files: 0, contents: 0 });
  });

  test('bytes live as long as a file or the cache needs them', async () => {
    const { documents } = world;
    await documents.templates.add({ name: 'letter', bytes: template('Dear {{Name}}') });
    const envelope = { templateId: 'letter', outputFileName: 'x', data: { Name: 'Ann' } };
    const first = await documents.generate(envelope);
    const second = await documents.generate(envelope);
    expect(await rowsOf('contents')).toBe(1);
    await documents.files.remove(first.output.id);
    expect(await rowsOf('contents')).toBe(1);
    await database.script(clockAheadBy(2 * DAY));
    expect(await documents.sweep.runOnce()).toMatchObject({ files: 0, outputs: 1, contents: 0 });
    expect((await read(second.output.id)).toString()).toBe('%PDF Dear Ann');
    await database.script(clockAheadBy(8 * DAY));
    expect(await documents.sweep.runOnce()).toMatchObject({ files: 1, outputs: 0, contents: 1 });
    expect(await rowsOf('chunks')).toBe(0);
  });

  test('what is removed does not come back from the cache', async () => {
    const { documents, office } = world;
    await documents.templates.add({ name: 'letter', bytes: template('Dear {{Name}}') });
    const envelope = { templateId: 'letter', outputFileName: 'x', data: { Name: 'Ann' } };
    const { output } = await documents.generate(envelope);
    await documents.files.remove(output.id);
    expect(await rowsOf('contents')).toBe(0);
    expect(await rowsOf('outputs')).toBe(0);
    expect((await documents.generate(envelope)).cached).toBe(false);
    expect(office.calls).toHaveLength(2);
    for (const id of [output.id, 'file-999', 'nonsense'])
      await expect(documents.files.remove(id)).rejects.toMatchObject({ code: 'file_not_found' });
  });

  test('another tenant can neither read nor remove it', async () => {
    const { files } = world.documents;
    const { id } = await files.put(Buffer.from('a'), { name: 'a.pdf', tenant: 'acme' });
    await expect(files.read(id)).rejects.toMatchObject({ code: 'file_not_found' });
    await expect(files.remove(id)).rejects.toMatchObject({ code: 'file_not_found' });
    expect((await files.get(id, 'acme')).size).toBe(1);
  });

  test('names lose what a file system would trip over', async () => {
    const { name } = await world.documents.files.put(Buffer.from('a'), {
      name: '../../etc/pa\u0000ss\u202Ewd.pdf',
    });
    expect(name).toBe('passwd.pdf');
  });

  test('a database that is away is a failed upload, worth another try', async () => {
    const away = { query: () => Promise.reject(new StoreUnavailable('Away.')) };
    const files = createFiles({ database: away as never });
    await expect(files.put(Buffer.from('a'), { name: 'x' })).rejects.toMatchObject({
      code: 'upload_failed',
      retryable: true,
    });
  });
});
