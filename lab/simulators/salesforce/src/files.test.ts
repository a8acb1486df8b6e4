import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { type World, startWorld } from '../test/world.ts';

const BYTES = Buffer.from([0, 255, 13, 10, 45, 45, 13, 10, 128, 1]);
const V = '/sobjects/ContentVersion';

const upload = (world: World, more: Record<string, unknown> = {}): Promise<string> =>
  world.create('ContentVersion', {
    PathOnClient: 'Offer 1.pdf',
    VersionData: BYTES.toString('base64'),
    ...more,
  });

async function documentOf(world: World, versionId: string): Promise<string> {
  return (await world.call('GET', `${V}/${versionId}?fields=ContentDocumentId`)).body
    .ContentDocumentId;
}

/** The order of the parts is the sender's choice; the JSON part may have any name. */
function multipart(order: 'json first' | 'file first', fields: unknown, bytes = BYTES): Buffer {
  const json = Buffer.from(
    `--b\r\nContent-Disposition: form-data; name="entity_content"\r\nContent-Type: application/json\r\n\r\n${JSON.stringify(fields)}\r\n`,
  );
  const file = Buffer.concat([
    Buffer.from(
      '--b\r\nContent-Disposition: form-data; name="VersionData"; filename="o.pdf"\r\nContent-Type: application/octet-stream\r\n\r\n',
    ),
    bytes,
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([
    ...(order === 'json first' ? [json, file] : [file, json]),
    Buffer.from('--b--\r\n'),
  ]);
}

test('by JSON: only the id comes back, the rest is read', async () => {
  const world = await startWorld();
  const id = await upload(world);
  const { body } = await world.call('GET', `${V}/${id}`);
  expect(body).toMatchObject({
    ContentDocumentId: expect.stringMatching(/^069\w{15}$/),
    Title: 'Offer 1',
    FileExtension: 'pdf',
    FileType: 'PDF',
    ContentSize: BYTES.length,
    Checksum: createHash('md5').update(BYTES).digest('hex'),
    VersionNumber: '1',
    IsLatest: true,
    VersionData: `/services/data/v66.0/sobjects/ContentVersion/${id}/VersionData`,
  });
  expect(world.org.record(body.ContentDocumentId)).toMatchObject({
    Title: 'Offer 1',
    LatestPublishedVersionId: id,
    ContentSize: BYTES.length,
  });
});

test.each(['json first', 'file first'] as const)('by multipart, %s', async (order) => {
  const world = await startWorld();
  const fields = { Title: 'Offer', PathOnClient: 'o.pdf' };
  const { status, body } = await world.call('POST', V, multipart(order, fields), {
    'content-type': 'multipart/form-data; boundary=b',
  });
  expect(status).toBe(201);
  expect(world.org.body(body.id)).toEqual(BYTES);
});

test.each([
  [
    'no JSON part',
    multipart('json first', {}).subarray(multipart('json first', {}).indexOf('--b', 5)),
  ],
  ['no end', multipart('json first', {}).subarray(0, -8)],
  ['no object', multipart('json first', 5)],
])('multipart refused: %s', async (_, sent) => {
  const world = await startWorld();
  const { status, body } = await world.call('POST', V, sent, {
    'content-type': 'multipart/form-data; boundary="b"',
  });
  expect([status, body[0]?.errorCode]).toEqual([400, 'INVALID_MULTIPART_REQUEST']);
});

test('the bytes come back as they are; what is not there is an error', async () => {
  const world = await startWorld();
  const id = await upload(world);
  const { status, headers, body } = await world.call('GET', `${V}/${id}/VersionData`);
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('application/octetstream');
  expect(body).toEqual(BYTES);
  expect((await world.call('GET', `${V}/068Wz00000000zzIAA/VersionData`)).status).toBe(404);
  expect((await world.call('DELETE', `${V}/${id}/VersionData`)).status).toBe(405);
});

test('the bytes cannot be read inside a composite', async () => {
  const world = await startWorld();
  const id = await upload(world);
  const url = `/services/data/v66.0/sobjects/ContentVersion/${id}/VersionData`;
  const { body } = await world.call('POST', '/composite', {
    compositeRequest: [{ method: 'GET', url, referenceId: 'a' }],
  });
  expect(body.compositeResponse[0]?.httpStatusCode).toBe(400);
});

test.each([
  ['no body', { VersionData: null }, 'REQUIRED_FIELD_MISSING', 'VersionData'],
  ['no path', { PathOnClient: null }, 'REQUIRED_FIELD_MISSING', 'PathOnClient'],
  ['no base64', { VersionData: 'é' }, 'JSON_PARSER_ERROR', 'base64'],
])('refused: %s', async (_, change, errorCode, message) => {
  const world = await startWorld();
  const fields = { PathOnClient: 'o.pdf', VersionData: 'aGk=', ...change };
  const { status, body } = await world.call('POST', V, fields);
  expect(status).toBe(400);
  expect(body).toMatchObject([{ errorCode, message: expect.stringContaining(message) }]);
});

test('a version of a document that is there', async () => {
  const world = await startWorld();
  const first = await upload(world);
  const ContentDocumentId = await documentOf(world, first);
  const second = await upload(world, { ContentDocumentId, Title: 'Offer 2' });
  expect(world.org.record(first)).toMatchObject({ IsLatest: false, VersionNumber: '1' });
  expect(world.org.record(second)).toMatchObject({
    IsLatest: true,
    VersionNumber: '2',
    ContentDocumentId,
  });
  expect(world.org.record(ContentDocumentId)).toMatchObject({ LatestPublishedVersionId: second });
  const { body } = await world.query(
    `SELECT Id FROM ContentVersion WHERE ContentDocumentId = '${ContentDocumentId}' AND IsLatest = true`,
  );
  expect(body.records).toMatchObject([{ Id: second }]);
});

test('links: one for the owner, one for each record, never two', async () => {
  const world = await startWorld();
  const account = await world.create('Account', { Name: 'A' });
  const ContentDocumentId = await documentOf(world, await upload(world));
  const link = {
    ContentDocumentId,
    LinkedEntityId: account,
    ShareType: 'V',
    Visibility: 'AllUsers',
  };
  const id = await world.create('ContentDocumentLink', link);
  const twice = await world.call('POST', '/sobjects/ContentDocumentLink', link);
  expect(twice.status).toBe(400);
  expect(twice.body).toEqual([
    {
      errorCode: 'DUPLICATE_VALUE',
      message: `Document with ID: ${ContentDocumentId} is already linked with the entity with ID: ${account}`,
      fields: [],
    },
  ]);
  const { body } = await world.query(
    `SELECT LinkedEntityId, ShareType FROM ContentDocumentLink WHERE ContentDocumentId = '${ContentDocumentId}'`,
  );
  expect(body.records).toMatchObject([
    { ShareType: 'I' },
    { LinkedEntityId: account, ShareType: 'V' },
  ]);
  expect(world.org.files()).toMatchObject([{ documentId: ContentDocumentId, parents: [account] }]);
  await world.call('DELETE', `/sobjects/ContentDocumentLink/${id}`);
  expect(world.org.files()).toMatchObject([{ parents: [] }]);
  await world.create('ContentDocumentLink', link);
});

test('FirstPublishLocationId makes a link in the insert, so a second one is a duplicate', async () => {
  const world = await startWorld();
  const account = await world.create('Account', { Name: 'A' });
  const version = await upload(world, { FirstPublishLocationId: account });
  expect(world.org.files()).toMatchObject([{ parents: [account] }]);
  const { body } = await world.call('POST', '/sobjects/ContentDocumentLink', {
    ContentDocumentId: await documentOf(world, version),
    LinkedEntityId: account,
  });
  expect(body).toMatchObject([{ errorCode: 'DUPLICATE_VALUE' }]);
});

test('a link to a record that is not there', async () => {
  const world = await startWorld();
  const account = await world.create('Account', { Name: 'A' });
  await world.call('DELETE', `/sobjects/Account/${account}`);
  const { body } = await world.call('POST', '/sobjects/ContentDocumentLink', {
    ContentDocumentId: await documentOf(world, await upload(world)),
    LinkedEntityId: account,
  });
  expect(body).toMatchObject([{ errorCode: 'ENTITY_IS_DELETED' }]);
});

test('a deleted document takes its versions and links along; a version alone cannot go', async () => {
  const world = await startWorld();
  const account = await world.create('Account', { Name: 'A' });
  const version = await upload(world);
  const document = await documentOf(world, version);
  await world.create('ContentDocumentLink', {
    ContentDocumentId: document,
    LinkedEntityId: account,
  });
  const alone = await world.call('DELETE', `${V}/${version}`);
  expect(alone.body).toMatchObject([{ errorCode: 'INVALID_TYPE_FOR_OPERATION' }]);
  expect((await world.call('DELETE', `/sobjects/ContentDocument/${document}`)).status).toBe(204);
  expect(world.org.files()).toEqual([]);
  expect(world.org.records('ContentDocumentLink')).toEqual([]);
  expect((await world.call('GET', `${V}/${version}/VersionData`)).status).toBe(404);
});

test('storage: what does not fit is refused, what goes makes room', async () => {
  const world = await startWorld({ storageBytes: 15 });
  const version = await upload(world);
  const full = await world.call('POST', V, {
    PathOnClient: 'x',
    VersionData: BYTES.toString('base64'),
  });
  expect(full.status).toBe(400);
  expect(full.body).toMatchObject([{ errorCode: 'STORAGE_LIMIT_EXCEEDED' }]);
  await world.call('DELETE', `/sobjects/ContentDocument/${await documentOf(world, version)}`);
  await upload(world);
});

test('new versions have a limit by the day', async () => {
  const world = await startWorld({
    dailyContentVersions: 2,
    sessionTimeoutMs: 100_000_000,
  });
  await upload(world);
  await upload(world);
  const { body } = await world.call('POST', V, { PathOnClient: 'x', VersionData: 'aGk=' });
  expect(body).toMatchObject([{ errorCode: 'LIMIT_EXCEEDED' }]);
  world.advance(86_400_000);
  await upload(world);
});

test('a JSON body of more than 50 MB is refused, by multipart it is taken', async () => {
  const world = await startWorld();
  const large = Buffer.alloc(39_500_000, 1);
  const json = await world.call('POST', V, {
    PathOnClient: 'x',
    VersionData: large.toString('base64'),
  });
  expect([json.status, json.body[0]?.errorCode]).toEqual([413, 'REQUEST_ENTITY_TOO_LARGE']);
  const parts = await world.call('POST', V, multipart('file first', { PathOnClient: 'x' }, large), {
    'content-type': 'multipart/form-data; boundary=b',
  });
  expect(parts.status).toBe(201);
  expect(world.org.files()).toMatchObject([{ size: large.length }]);
});
