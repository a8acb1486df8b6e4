import { onTestFinished, expect, test } from 'vitest';
import { error, openBucket, xml } from '../../test/bucket.ts';
import { raw, errorOf as thrownBy } from '../../../test/scripted.ts';
import { type BlobCredentials, type ObjectStorageError, createBlobStorage } from '../index.ts';
import { blobSigner } from './sign.ts';

const START = Date.UTC(2026, 0, 1);

function connect(url: string, credentials: BlobCredentials) {
  const slept: number[] = [];
  const storage = createBlobStorage(
    { endpoint: `${url}/acct`, container: 'exports', prefix: 'p', credentials },
    { now: () => START, random: () => 0, sleep: async (ms) => void slept.push(ms) },
  );
  onTestFinished(() => storage.close());
  return { storage, slept };
}

// azurite.long.test.ts has what a real server does; tokens it takes over https alone.

test('a token of Entra ID is asked for each request, shown, and never repeated', async () => {
  const server = await openBucket();
  let asked = 0;
  const { storage } = connect(server.url, { token: async () => `token-${(asked += 1)}` });
  server.will(
    xml(200, '<EnumerationResults><Blobs/><NextMarker/></EnumerationResults>'),
    xml(403, error('AuthorizationPermissionMismatch', '<Detail>token-2</Detail>')),
  );
  await storage.check();
  const refused = await thrownBy<ObjectStorageError>(storage.check());
  expect(refused).toMatchObject({ code: 'AccessDenied', kind: 'permission', retryable: false });
  expect(refused.message).toContain('Storage Blob Data Contributor');
  expect(refused.message).not.toContain('token-2');
  expect(server.seen.map(({ headers }) => headers['authorization'])).toEqual([
    'Bearer token-1',
    'Bearer token-2',
  ]);
  expect(server.seen[0]).toMatchObject({
    path: '/acct/exports?restype=container&comp=list&prefix=p%2F&maxresults=1',
    headers: { 'x-ms-version': '2021-12-02', 'x-ms-date': 'Thu, 01 Jan 2026 00:00:00 GMT' },
  });
});

test('a key signs as Microsoft documents it', async () => {
  // The string to sign of "Authorize with Shared Key" for the account acct, computed with openssl.
  const signer = await blobSigner({ account: 'acct', key: 'c2VjcmV0' })();
  const { authorization } = await signer.headers(
    {
      method: 'PUT',
      url: 'https://acct.blob.core.windows.net/exports/p/a%20b?comp=block&blockid=AAAA',
      headers: { 'content-md5': 'sum' },
      body: [Buffer.from('hello')],
    },
    START,
  );
  expect(authorization).toBe('SharedKey acct:Ox1QvmyTADYIuqBeMmkyW2khLwKChpP85FFy626OQt0=');
});

test('a server that is busy is asked again, and a HEAD says its code in a header', async () => {
  const server = await openBucket();
  const { storage, slept } = connect(server.url, { token: async () => 'x' });
  server.will(
    xml(503, error('ServerBusy')),
    raw(404, '', { 'x-ms-error-code': 'BlobNotFound' }),
    raw(404, '', { 'x-ms-error-code': 'ContainerNotFound' }),
  );
  expect(await storage.head('a')).toBeNull();
  expect(slept).toHaveLength(1);
  expect(await storage.head('a')).toBeNull();
});
