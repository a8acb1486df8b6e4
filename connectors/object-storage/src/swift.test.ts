import dns from 'node:dns';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { errorOf as thrownBy } from '../../test/scripted.ts';
import { type Server, openServer } from '../test/server.ts';
import { type ObjectStorageError, createObjectStorage } from './index.ts';

// On a real server; what it does not do is listed in test/server.ts.

const MIB = 1024 * 1024;
const errorOf = (promise: Promise<unknown>): Promise<ObjectStorageError> =>
  thrownBy<ObjectStorageError>(promise);

let server: Server;
beforeAll(async () => {
  server = await openServer();
});
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

describe('an object', () => {
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
  });

  test.each(['a b+c', "quote's (1)!*", 'é/ü/文字', 'x&y=<z>"', 'q?uery#hash%20'])(
    'may be named %s',
    async (key) => {
      const storage = server.open();
      await storage.put(key, [Buffer.from(key)]);
      const { body } = await storage.get(key);
      expect(String(await whole(body))).toBe(key);
      expect(await all(storage.list(''))).toMatchObject([{ key }]);
    },
  );

  test('may be in a bucket that is part of the host', async () => {
    // Every name is this machine's.
    const asked: string[] = [];
    const lookup = vi.spyOn(dns, 'lookup').mockImplementation(((
      name: string,
      _options: object,
      found: (error: null, addresses: object[]) => void,
    ) => {
      asked.push(name);
      found(null, [{ address: '127.0.0.1', family: 4 }]);
    }) as unknown as typeof dns.lookup);
    try {
      const endpoint = server.config.endpoint.replace('127.0.0.1', 's3.test');
      const storage = server.open({ endpoint, addressing: 'host', plainHttp: true });
      const upload = await storage.createUpload('in/host');
      const part = await storage.uploadPart(upload, { number: 1, bytes: [Buffer.from('x')] });
      await storage.completeUpload(upload, [part]);
      expect(await all(storage.list('in/'))).toMatchObject([{ key: 'in/host', size: 1 }]);
      expect(new Set(asked)).toEqual(new Set(['reports.s3.test']));
    } finally {
      lookup.mockRestore();
    }
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

  test('is found on a later page of a list, and only below the prefix', async () => {
    const storage = server.open();
    const other = server.open();
    await other.put('not-ours', [Buffer.from('x')]);
    const keys = Array.from({ length: 45 }, (_, i) => `k${String(i).padStart(2, '0')}`);
    await Promise.all(keys.map((key) => storage.put(key, [])));
    expect((await all(storage.list('k'))).map(({ key }) => key)).toEqual(keys);
  });
});

describe('an upload in parts', () => {
  test('is listed, completed in the order of its parts, and read', async () => {
    const storage = server.open();
    const upload = await storage.createUpload('big');
    const third = await storage.uploadPart(upload, { number: 3, bytes: [bytes(100, 3)] });
    const first = await storage.uploadPart(upload, {
      number: 1,
      bytes: [bytes(3 * MIB, 1), bytes(2 * MIB, 2)],
    });
    expect(await all(storage.listParts(upload))).toEqual([
      { ...first, size: 5 * MIB },
      { ...third, size: 100 },
    ]);
    expect(await all(storage.listUploads(''))).toMatchObject([upload]);
    const { etag } = await storage.completeUpload(upload, [first, third]);
    const { body, size } = await storage.get('big', { etag });
    const wanted = Buffer.concat([bytes(3 * MIB, 1), bytes(2 * MIB, 2), bytes(100, 3)]);
    expect([size, wanted.equals(await whole(body))]).toEqual([wanted.length, true]);
    expect(await all(storage.listUploads(''))).toEqual([]);
  });

  test('is refused with a foreign ETag, a part that is missing, one that is too small', async () => {
    const storage = server.open();
    const upload = await storage.createUpload('big');
    const small = await storage.uploadPart(upload, { number: 1, bytes: [bytes(10, 1)] });
    const last = await storage.uploadPart(upload, { number: 2, bytes: [bytes(10, 2)] });
    const outcomes = await Promise.all([
      errorOf(storage.completeUpload(upload, [{ ...small, etag: last.etag }])),
      errorOf(storage.completeUpload(upload, [small, { number: 7, etag: last.etag }])),
      errorOf(storage.completeUpload(upload, [small, last])),
    ]);
    expect(outcomes.map(({ code, kind, retryable }) => [code, kind, retryable])).toEqual([
      ['InvalidPart', 'conflict', false],
      ['InvalidPart', 'conflict', false],
      ['EntityTooSmall', 'conflict', false],
    ]);
  });

  test('is completed again with the same parts, and never replaces what is there', async () => {
    const storage = server.open();
    const upload = await storage.createUpload('big');
    const one = await storage.uploadPart(upload, { number: 1, bytes: [bytes(5 * MIB, 1)] });
    const two = await storage.uploadPart(upload, { number: 2, bytes: [bytes(5, 2)] });
    const done = await storage.completeUpload(upload, [one, two]);
    expect(await storage.completeUpload(upload, [one, two])).toEqual(done);
    const other = await errorOf(storage.completeUpload(upload, [one]));
    expect(other).toMatchObject({ code: 'PreconditionFailed', kind: 'conflict', status: 412 });
    expect(await storage.head('big')).toMatchObject({ size: 5 * MIB + 5, etag: done.etag });
  });

  test('takes a part from an object that is there', async () => {
    const storage = server.open();
    const upload = await storage.createUpload('copy');
    await storage.put('source', [bytes(6 * MIB, 1), bytes(100, 2)]);
    const range = { from: 1_000, to: 6 * MIB + 50 };
    const copied = await storage.copyPart(upload, { number: 1, from: 'source', range });
    const missing = errorOf(storage.copyPart(upload, { number: 2, from: 'nothing', range }));
    expect(await missing).toMatchObject({ kind: 'notFound', retryable: false });
    await storage.completeUpload(upload, [copied]);
    const { body } = await storage.get('copy');
    const wanted = Buffer.concat([bytes(6 * MIB - 1_000, 1), bytes(50, 2)]);
    expect(wanted.equals(await whole(body))).toBe(true);
  });

  test('is aborted, twice as well; then nothing goes on', async () => {
    const storage = server.open();
    const upload = await storage.createUpload('big');
    const part = await storage.uploadPart(upload, { number: 1, bytes: [bytes(10, 1)] });
    await storage.abortUpload(upload);
    await storage.abortUpload(upload);
    const gone = await Promise.all([
      errorOf(storage.uploadPart(upload, { number: 2, bytes: [bytes(10, 1)] })),
      errorOf(all(storage.listParts(upload))),
      errorOf(storage.completeUpload(upload, [part])),
    ]);
    for (const error of gone)
      expect(error).toMatchObject({ code: 'NoSuchUpload', kind: 'notFound', retryable: false });
    expect(await storage.head('big')).toBeNull();
  });

  test('may have more parts than fit a page', async () => {
    const storage = server.open();
    const upload = await storage.createUpload('many');
    const numbers = Array.from({ length: 45 }, (_, i) => i + 1);
    await Promise.all(
      numbers.map((number) => storage.uploadPart(upload, { number, bytes: [bytes(1, 1)] })),
    );
    expect((await all(storage.listParts(upload))).map(({ number }) => number)).toEqual(numbers);
  });
});

describe('what a server refuses', () => {
  const open = (changes: Parameters<Server['open']>[0], parts?: Parameters<Server['open']>[1]) =>
    server.open(changes, parts);

  test('a wrong secret: no secret, no signature in the message, and not sent again', async () => {
    let calls = 0;
    const secretAccessKey = 'a-wrong-secret-of-many-letters';
    const storage = open(
      { credentials: { accessKeyId: 'test:tester', secretAccessKey } },
      { onCall: ({ repeats }) => (calls += 1 + repeats) },
    );
    const error = await errorOf(storage.check());
    expect(error).toMatchObject({
      code: 'SignatureDoesNotMatch',
      kind: 'permission',
      retryable: false,
      status: 403,
    });
    expect(error.message).toMatch(/Check the secret access key/);
    expect(JSON.stringify([error.message, error.stack])).not.toMatch(/wrong-secret|AWS4|host:/);
    expect(calls).toBe(1);
  });

  test('an unknown key, a bucket that is missing, a wrong region', async () => {
    const unknown = { accessKeyId: 'test:nobody', secretAccessKey: 'x' };
    const errors = await Promise.all([
      errorOf(open({ credentials: unknown }).check()),
      errorOf(open({ bucket: 'nowhere' }).check()),
      errorOf(open({ bucket: 'nowhere' }).createUpload('x')),
      errorOf(open({ region: 'eu-west-1' }).check()),
    ]);
    expect(errors.map(({ code, kind, retryable }) => [code, kind, retryable])).toEqual([
      ['SignatureDoesNotMatch', 'permission', false],
      ['NoSuchBucket', 'notFound', false],
      ['NoSuchBucket', 'notFound', false],
      ['AuthorizationHeaderMalformed', 'elsewhere', false],
    ]);
    expect(errors[3]?.message).toMatch(/The region is us-east-1\. Check the endpoint/);
  });

  test('a clock that is wrong: by how much', async () => {
    const storage = open({}, { now: () => Date.now() - 60 * 60_000 });
    const error = await errorOf(storage.check());
    expect(error).toMatchObject({ code: 'RequestTimeTooSkewed', kind: 'clock', retryable: true });
    expect(error.message).toMatch(/its clock is 3[56]\d\d s ahead of this machine's\. Set this/);
  });

  test('nothing, where all is right', async () => {
    await open({}).check();
    await createObjectStorage({ ...server.config, prefix: '/nested/deeply/' }).check();
  });
});
