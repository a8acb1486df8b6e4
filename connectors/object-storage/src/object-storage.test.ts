import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

import { EMPTY_LIST, connect, errorOf, openBucket } from '../test/bucket.ts';
import { credentialsFile } from './credentials.ts';
import { type ObjectStorageConfig, createObjectStorage } from './index.ts';

const GOOD: ObjectStorageConfig = {
  endpoint: 'https://s3.example.com',
  region: 'eu-central-1',
  bucket: 'reports',
  credentials: { accessKeyId: 'KEY', secretAccessKey: 'a-secret' },
};

test.each<[string, Partial<ObjectStorageConfig>, RegExp]>([
  ['no URL', { endpoint: 's3.example.com' }, /endpoint is not a URL/],
  ['a file', { endpoint: 'file:///etc' }, /endpoint is not a URL/],
  ['plain http', { endpoint: 'http://s3.example.com' }, /must begin with https/],
  ['a password', { endpoint: 'https://u:p@s3.example.com' }, /must not hold a user/],
  ['a query', { endpoint: 'https://s3.example.com?x=1' }, /must not have a question mark/],
  ['a bucket with capitals', { bucket: 'Reports' }, /lower-case/],
  ['a bucket with a slash', { bucket: 'a/b' }, /lower-case/],
  ['a dotted bucket as host', { bucket: 'a.b', addressing: 'host' }, /fits no certificate/],
  ['a prefix with dots', { prefix: 'a/../b' }, /none of dots/],
  ['no region', { region: '' }, /region is empty/],
  ['no key', { credentials: { accessKeyId: '', secretAccessKey: 'x' } }, /is empty/],
  ['no time', { timeoutMs: 0 }, /timeoutMs/],
  ['no connection', { connections: 0.5 }, /connections/],
])('a configuration with %s is refused', (_what, changes, message) => {
  expect(() => createObjectStorage({ ...GOOD, ...changes })).toThrow(message);
});

test('plain http is allowed by a setting', () => {
  createObjectStorage({ ...GOOD, endpoint: 'http://minio:9000', plainHttp: true });
});

test.each(['', '/a', 'a/', 'a//b', '.', 'a/../b', 'a/.', 'x'.repeat(1_025), '\ud800'])(
  'the key %j is refused before it is sent',
  async (key) => {
    const bucket = await openBucket();
    const { storage } = connect(bucket);
    expect(await errorOf(storage.put(key, []))).toMatchObject({
      code: 'invalid_key',
      outcome: 'notSent',
    });
    expect(bucket.seen).toEqual([]);
  },
);

test.each([0, 10_001, 1.5, Number.NaN])('a part has no number %d', async (number) => {
  const bucket = await openBucket();
  const { storage } = connect(bucket);
  const upload = { key: 'k', uploadId: 'u' };
  await expect(async () => storage.uploadPart(upload, { number, bytes: [] })).rejects.toThrow(
    /number from 1 to 10000/,
  );
});

test('the key is read from a file for each request', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-key-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'credentials');
  const bucket = await openBucket();
  bucket.otherwise(EMPTY_LIST);
  const { storage } = connect(bucket, { credentials: credentialsFile(path) });

  expect((await errorOf(storage.check())).message).toMatch(/credentials .* cannot be read: ENOENT/);
  await writeFile(path, '[other]\naws_access_key_id = A\naws_secret_access_key = B\n');
  expect((await errorOf(storage.check())).message).toMatch(
    /has no aws_access_key_id .*\[default\]/,
  );
  for (const key of ['FIRST', 'SECOND']) {
    await writeFile(
      path,
      `# keys\n[other]\naws_access_key_id=X\n[default]\naws_access_key_id = ${key}\naws_secret_access_key=s=+/\naws_session_token = t\n`,
    );
    await storage.check();
  }
  expect(bucket.seen.map(({ headers }) => headers['authorization']?.slice(0, 40))).toEqual([
    expect.stringContaining('Credential=FIRST/'),
    expect.stringContaining('Credential=SECOND/'),
  ]);
  expect(bucket.seen[0]?.headers['x-amz-security-token']).toBe('t');
});
