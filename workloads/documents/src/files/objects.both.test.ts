import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { clockAheadBy } from '../../../../stores/postgres/test/databases.ts';
import {
  DATABASES,
  type TestDatabase,
  openTestDatabase,
} from '../../../../stores/postgres/test/stores.ts';
import { type FakeStorage, fakeStorage } from '../../test/storage.ts';
import { look, pdfOf } from '../../test/pdf.ts';
import { type World, bytesOf, openWorld, template } from '../../test/world.ts';
import { storageCheck } from '../health.ts';

const MIB = 1024 * 1024;
const DAY = 86_400_000;

describe.each(DATABASES)('documents in an object storage, on %s', (which) => {
  let database: TestDatabase;
  let storage: FakeStorage;
  let world: World;
  const worlds: World[] = [];
  beforeAll(async () => {
    database = await openTestDatabase(which);
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    await database.reset();
    storage = fakeStorage();
    world = await opened({ storage });
  });
  afterEach(async () => {
    for (const each of worlds.splice(0)) await each.close();
  });

  async function opened(changes: Parameters<typeof openWorld>[1]): Promise<World> {
    const made = await openWorld(database, changes);
    worlds.push(made);
    return made;
  }
  const count = async (table: string): Promise<number> => {
    const text = `SELECT count(*)::int AS n FROM millrace.document_${table}`;
    const [row] = await world.store.database.query<{ n: number }>({ name: '', text }, []);
    return row?.n ?? -1;
  };
  const read = async (id: string, range?: { from: number; to: number }, from = world) =>
    bytesOf((await from.documents.files.read(id, { range })).bytes);

  test('a file is an object, read as a whole and in parts, by every replica', async () => {
    const { files } = world.documents;
    const big = randomBytes(17 * MIB + 5);
    const small = await files.put(Buffer.from('hello'), { name: 'a.txt' });
    const large = await files.put(big, { name: 'b.bin' });
    const empty = await files.put(Buffer.alloc(0), { name: 'c.txt' });
    expect([await count('chunks'), storage.objects.size, storage.uploads.size]).toEqual([0, 3, 0]);
    const other = await opened({ storage });
    expect(String(await read(small.id, undefined, other))).toBe('hello');
    expect((await read(large.id, undefined, other)).equals(big)).toBe(true);
    expect((await read(large.id, { from: 8 * MIB - 1, to: 8 * MIB + 2 })).toString('hex')).toBe(
      big.subarray(8 * MIB - 1, 8 * MIB + 2).toString('hex'),
    );
    expect((await read(empty.id)).length).toBe(0);
    expect(large).toMatchObject({ size: big.length });
  });

  test('what was in the database before is read from there', async () => {
    const before = await opened({});
    const file = await before.documents.files.put(Buffer.from('old'), { name: 'a.txt' });
    expect(String(await read(file.id))).toBe('old');
    const mine = await world.documents.files.put(Buffer.from('new'), { name: 'b.txt' });
    // And the other way round it says what is missing.
    await expect(read(mine.id, undefined, before)).rejects.toMatchObject({
      code: 'file_unavailable',
      message: expect.stringContaining('DOCUMENTS_S3_*'),
    });
  });

  test('documents, the ZIP and the merged PDF of a batch come from there', async () => {
    await world.documents.templates.add({ name: 'letter', bytes: template('Dear {{Name}}') });
    world.office.convert = async () => ({ pdf: await pdfOf('page'), timings: {} }) as never;
    const { documents } = world;
    const request = { templateId: 'letter', outputFileName: 'Letter', data: { Name: 'Ann' } };
    await documents.generate(request);
    const again = await documents.generate(request);
    expect(again.cached).toBe(true);
    expect(look(await again.body.bytes()).pages).toHaveLength(1);
    const batch = await documents.batches.create(
      { templateId: 'letter', outputFileName: '{{Name}}' },
      { rows: [{ Name: 'Bob' }, { Name: 'Cleo' }] },
    );
    world.startWorker();
    await world.ended(batch.jobId ?? '');
    const archive = await documents.archive(batch.id);
    expect((await bytesOf(archive.read())).length).toBe(archive.size);
    const merged = await documents.batches.merged(batch.id);
    expect(look(await bytesOf(merged.read())).pages).toHaveLength(2);
    expect(await count('chunks')).toBe(0);
  });

  test('an object goes with its file, with whom it is about, and with its time', async () => {
    const { files, erase, sweep } = world.documents;
    const removed = await files.put(Buffer.from('1'), { name: 'a.txt' });
    await files.remove(removed.id);
    expect(storage.objects.size).toBe(0);
    await files.put(Buffer.from('2'), { name: 'b.txt', subject: 'ann' });
    expect(await erase('ann')).toMatchObject({ files: 1 });
    expect(storage.objects.size).toBe(0);
    await files.put(Buffer.from('3'), { name: 'c.txt', keepMs: 60_000 });
    await database.script(clockAheadBy(DAY));
    await sweep.runOnce();
    expect([storage.objects.size, await count('objects_gone')]).toEqual([0, 0]);
  });

  test('what the storage did not remove while it was away, the sweep removes later', async () => {
    const { files, sweep } = world.documents;
    const file = await files.put(Buffer.from('1'), { name: 'a.txt' });
    storage.away.add('delete');
    await files.remove(file.id);
    await sweep.runOnce();
    expect([storage.objects.size, await count('objects_gone')]).toEqual([1, 1]);
    storage.away.clear();
    await sweep.runOnce();
    expect([storage.objects.size, await count('objects_gone')]).toEqual([0, 0]);
  });

  test('an upload that breaks leaves nothing, and is a failure that passes', async () => {
    const { files, sweep } = world.documents;
    storage.away.add('uploadPart');
    await expect(files.put(randomBytes(9 * MIB), { name: 'a.bin' })).rejects.toMatchObject({
      code: 'upload_failed',
      retryable: true,
    });
    expect([storage.objects.size, storage.uploads.size]).toEqual([0, 0]);
    storage.away.add('abortUpload');
    await expect(files.put(randomBytes(9 * MIB), { name: 'a.bin' })).rejects.toThrow();
    storage.away.clear();
    expect(storage.uploads.size).toBe(1);
    for (const upload of storage.uploads.values()) upload.startedAt -= 2 * DAY;
    await database.script(clockAheadBy(DAY));
    await sweep.runOnce();
    expect([storage.uploads.size, await count('contents')]).toEqual([0, 0]);
  });

  test('the answer to the end of an upload may be lost', async () => {
    storage.away.add('completeUpload');
    const bytes = randomBytes(9 * MIB);
    const file = await world.documents.files.put(bytes, { name: 'a.bin' });
    expect((await read(file.id)).equals(bytes)).toBe(true);
  });

  test('a storage that is away says so to readers and in /readyz', async () => {
    const file = await world.documents.files.put(Buffer.from('1'), { name: 'a.txt' });
    const lines: unknown[] = [];
    const log = { info() {}, warn: (line: unknown) => void lines.push(line), error() {} };
    const { run } = storageCheck(storage);
    expect(await run(log as never)).toEqual({ status: 'ok' });
    storage.away.add('get').add('check');
    await expect(read(file.id)).rejects.toMatchObject({
      code: 'file_unavailable',
      retryable: true,
    });
    expect(await run(log as never)).toMatchObject({ status: 'degraded' });
    expect(lines).toHaveLength(1);
    storage.away.clear();
    storage.objects.clear();
    await expect(read(file.id)).rejects.toMatchObject({ code: 'file_not_found' });
  });
});
