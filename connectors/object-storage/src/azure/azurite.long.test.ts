import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorOf as thrownBy } from '../../../test/scripted.ts';
import { type Azurite, openAzurite } from '../../test/azurite.ts';
import type { ObjectStorageError } from '../index.ts';

const errorOf = (promise: Promise<unknown>): Promise<ObjectStorageError> =>
  thrownBy<ObjectStorageError>(promise);

let server: Azurite;
beforeAll(async () => {
  server = await openAzurite();
}, 120_000);
afterAll(() => server.close());

const bytes = (size: number, value: number): Buffer => Buffer.alloc(size, value);

async function all<T>(pages: AsyncIterable<readonly T[]>): Promise<T[]> {
  const found: T[] = [];
  for await (const page of pages) found.push(...page);
  return found;
}

async function whole(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe('a blob', () => {
  test('is put, found, read as a whole and in ranges, listed and deleted', async () => {
    const storage = server.open();
    const { etag } = await storage.put('a/pg-1.2', [Buffer.from('hello '), Buffer.from('world')]);
    expect(await storage.head('a/pg-1.2')).toMatchObject({ size: 11, etag });
    const got = await storage.get('a/pg-1.2');
    expect([got.size, got.etag, String(await whole(got.body))]).toEqual([11, etag, 'hello world']);
    const part = await storage.get('a/pg-1.2', { range: { from: 4, to: 8 }, etag });
    expect([part.size, String(await whole(part.body))]).toEqual([4, 'o wo']);
    expect(await all(storage.list('a/'))).toMatchObject([{ key: 'a/pg-1.2', size: 11, etag }]);
    expect(await all(storage.list('b/'))).toEqual([]);
    await storage.delete('a/pg-1.2');
    await storage.delete('a/pg-1.2');
    expect(await storage.head('a/pg-1.2')).toBeNull();
    await storage.check();
  });

  test.each(['a b+c', 'é/ü/文字', 'x&y=<z>"', 'q?uery#hash%20'])('may be named %s', async (key) => {
    const storage = server.open();
    await storage.put(key, [Buffer.from(key)]);
    const { body } = await storage.get(key);
    expect(String(await whole(body))).toBe(key);
    expect(await all(storage.list(''))).toMatchObject([{ key }]);
  });

  test('may be empty', async () => {
    const storage = server.open();
    await storage.put('empty', []);
    const { size, body } = await storage.get('empty');
    expect([size, await whole(body)]).toEqual([0, Buffer.alloc(0)]);
  });

  test('is not read where it was replaced, is missing, or is shorter than the range', async () => {
    const storage = server.open();
    const { etag } = await storage.put('x', [Buffer.from('one')]);
    await storage.put('x', [Buffer.from('two')]);
    const errors = await Promise.all([
      errorOf(storage.get('x', { etag })),
      errorOf(storage.get('missing')),
      errorOf(storage.get('x', { range: { from: 3, to: 4 } })),
      errorOf(storage.get('x', { range: { from: 2, to: 9 } })),
    ]);
    expect(errors.map(({ code, retryable }) => [code, retryable])).toEqual([
      ['PreconditionFailed', false],
      ['NoSuchKey', false],
      ['InvalidRange', false],
      ['InvalidRange', false],
    ]);
  });
});

describe('an upload in blocks', () => {
  test('is listed, completed in the order of its parts, and read', async () => {
    const storage = server.open();
    const upload = await storage.createUpload('big');
    const third = await storage.uploadPart(upload, { number: 3, bytes: [bytes(100, 3)] });
    const first = await storage.uploadPart(upload, {
      number: 1,
      bytes: [bytes(300_000, 1), bytes(200_000, 2)],
    });
    expect(await all(storage.listParts(upload))).toEqual([
      { ...first, size: 500_000 },
      { ...third, size: 100 },
    ]);
    const { etag } = await storage.completeUpload(upload, [first, third]);
    const { body, size } = await storage.get('big', { etag });
    const wanted = Buffer.concat([bytes(300_000, 1), bytes(200_000, 2), bytes(100, 3)]);
    expect([size, wanted.equals(await whole(body))]).toEqual([wanted.length, true]);
  });

  test('completed again, as after an answer that was lost, is the same; another’s is refused', async () => {
    const storage = server.open();
    const mine = await storage.createUpload('x');
    const part = await storage.uploadPart(mine, { number: 1, bytes: [bytes(10, 1)] });
    const first = await storage.completeUpload(mine, [part]);
    expect((await storage.completeUpload(mine, [part])).etag).toBe(first.etag);
    const other = await storage.createUpload('x');
    const same = await storage.uploadPart(other, { number: 1, bytes: [bytes(10, 1)] });
    expect(await errorOf(storage.completeUpload(other, [same]))).toMatchObject({
      code: 'PreconditionFailed',
      retryable: false,
    });
  });

  test('that was given up has no parts, and takes no completion', async () => {
    const storage = server.open();
    const upload = await storage.createUpload('gone');
    const part = await storage.uploadPart(upload, { number: 1, bytes: [bytes(10, 1)] });
    await storage.abortUpload(upload);
    expect(await storage.head('gone')).toBeNull();
    expect(await errorOf(storage.completeUpload(upload, [part]))).toMatchObject({
      code: 'NoSuchUpload',
    });
    expect(await errorOf(all(storage.listParts(upload)))).toMatchObject({ code: 'NoSuchUpload' });
  });
});

test('a wrong key and a container that is not there are said', async () => {
  const { account } = server.config.credentials as { account: string };
  const wrong = server.open({
    credentials: { account, key: Buffer.from('no').toString('base64') },
  });
  expect(await errorOf(wrong.check())).toMatchObject({ code: 'AccessDenied', kind: 'permission' });
  const missing = server.open({ container: 'nowhere' });
  expect(await errorOf(missing.check())).toMatchObject({ code: 'NoSuchBucket' });
});
