import { expect, test } from 'vitest';
import { APEX, DATA, START, type World, startWorld } from '../test/world.ts';

const NOW = '2026-05-20T10:00:00.000+0000';
const TOKEN = 'token';
const FREE = {
  LeaseToken__c: null,
  LockedUntil__c: null,
  ClaimId__c: null,
  PresentedToken__c: null,
};

const document = (world: World, fields: Record<string, unknown>): Promise<string> =>
  world.org.insert('Generated_Document__c', fields);
const leased = (world: World, fields: Record<string, unknown> = {}): Promise<string> =>
  document(world, {
    Status__c: 'PROCESSING',
    LeaseToken__c: TOKEN,
    Epoch__c: 7,
    LockedUntil__c: new Date(START + 60_000).toISOString(),
    ClaimId__c: 'w/1',
    ...fields,
  });
const patch = (world: World, id: string, fields: unknown) =>
  world.call('PATCH', `/sobjects/Generated_Document__c/${id}`, fields);

test.each(['SUCCEEDED', 'FAILED', 'CANCELED', 'QUEUED'])(
  'a worker that shows its token may make it %s, once',
  async (Status__c) => {
    const world = await startWorld();
    const id = await leased(world);
    expect((await patch(world, id, { Status__c, PresentedToken__c: TOKEN })).status).toBe(204);
    expect(world.org.record(id)).toMatchObject({
      ...FREE,
      Status__c,
      SettledToken__c: TOKEN,
      FinishedAt__c: Status__c === 'QUEUED' ? null : NOW,
    });
    const again = await patch(world, id, { Status__c, PresentedToken__c: TOKEN });
    expect(again.status).toBe(400);
    expect(again.body).toEqual([
      {
        errorCode: 'FIELD_CUSTOM_VALIDATION_EXCEPTION',
        message: expect.stringMatching(/^STALE_LEASE/),
        fields: [],
      },
    ]);
    expect(world.org.record(id)).toMatchObject({ SettledToken__c: TOKEN });
  },
);

test.each<[string, Record<string, unknown>, Record<string, unknown>, RegExp]>([
  ['another token', {}, { Status__c: 'SUCCEEDED', PresentedToken__c: 'Token' }, /^STALE_LEASE/],
  [
    'a row nobody has',
    { Status__c: 'QUEUED', LeaseToken__c: null },
    { Status__c: 'SUCCEEDED', PresentedToken__c: TOKEN },
    /^STALE_LEASE/,
  ],
  ['no move', {}, { PresentedToken__c: TOKEN }, /^ILLEGAL_MOVE/],
  [
    'another epoch',
    {},
    { Status__c: 'SUCCEEDED', PresentedToken__c: TOKEN, Epoch__c: 8 },
    /^LEASE_IS_THE_WORKERS/,
  ],
])('a worker is refused: %s', async (_, before, fields, message) => {
  const world = await startWorld();
  const id = await leased(world, before);
  const seen = world.org.record(id);
  const { status, body } = await patch(world, id, fields);
  expect(status).toBe(400);
  expect(body).toMatchObject([
    { errorCode: 'FIELD_CUSTOM_VALIDATION_EXCEPTION', message: expect.stringMatching(message) },
  ]);
  expect(world.org.record(id)).toEqual(seen);
});

test('a worker that puts back what someone asked to stop ends it', async () => {
  const world = await startWorld();
  const id = await leased(world, { CancelRequested__c: true });
  const due = new Date(START + 5000).toISOString();
  await patch(world, id, {
    Status__c: 'QUEUED',
    ScheduledRetryTime__c: due,
    PresentedToken__c: TOKEN,
  });
  expect(world.org.record(id)).toMatchObject({
    ...FREE,
    Status__c: 'CANCELED',
    FinishedAt__c: NOW,
    ScheduledRetryTime__c: null,
  });
});

const ALL = ['QUEUED', 'PROCESSING', 'SUCCEEDED', 'FAILED', 'CANCELED'];
const BY_HAND: Readonly<Record<string, readonly string[]>> = {
  QUEUED: ['CANCELED'],
  PROCESSING: ['QUEUED', 'SUCCEEDED', 'FAILED', 'CANCELED'],
  SUCCEEDED: [],
  FAILED: ['QUEUED', 'CANCELED'],
  CANCELED: ['QUEUED'],
};

test.each(ALL.flatMap((from) => ALL.filter((to) => to !== from).map((to) => [from, to] as const)))(
  'by hand: %s to %s',
  async (from, to) => {
    const world = await startWorld();
    const lease =
      from === 'PROCESSING' ? { LeaseToken__c: TOKEN, LockedUntil__c: NOW, ClaimId__c: 'w/1' } : {};
    const id = await document(world, {
      Status__c: from,
      Attempts__c: 3,
      Error__c: 'e',
      Result__c: 'r',
      CancelRequested__c: true,
      ...lease,
    });
    const { status, body } = await patch(world, id, { Status__c: to });
    if (BY_HAND[from]?.includes(to) !== true) {
      expect(status).toBe(400);
      expect(body[0]?.message).toBe(`ILLEGAL_MOVE: from ${from} to ${to}.`);
      return;
    }
    expect(status).toBe(204);
    const isFresh = from !== 'PROCESSING' && to === 'QUEUED';
    expect(world.org.record(id)).toMatchObject({
      ...FREE,
      Status__c: to,
      FinishedAt__c: to === 'QUEUED' ? null : NOW,
      Attempts__c: isFresh ? 0 : 3,
      Error__c: isFresh ? null : 'e',
      Result__c: isFresh ? null : 'r',
      CancelRequested__c: !isFresh,
    });
  },
);

test.each([
  { LeaseToken__c: 'mine' },
  { Epoch__c: 9 },
  { SettledToken__c: 'mine' },
  { LockedUntil__c: null },
])('by hand: %o is the workers’', async (fields) => {
  const world = await startWorld();
  const id = await leased(world);
  const { status, body } = await patch(world, id, fields);
  expect(status).toBe(400);
  expect(body[0]?.message).toMatch(/^LEASE_IS_THE_WORKERS/);
});

test('by hand: other fields, and a wish to stop, at any time', async () => {
  const world = await startWorld();
  const id = await leased(world);
  expect((await patch(world, id, { CancelRequested__c: true, Priority__c: 5 })).status).toBe(204);
  expect(world.org.record(id)).toMatchObject({ LeaseToken__c: TOKEN, CancelRequested__c: true });
});

test('a new document: not PROCESSING, QUEUED if nothing else, and without a shown token', async () => {
  const world = await startWorld();
  const { body } = await world.call('POST', '/sobjects/Generated_Document__c', {
    Status__c: 'PROCESSING',
  });
  expect(body[0]?.message).toMatch(/^ILLEGAL_MOVE/);
  const id = await world.create('Generated_Document__c', {
    PresentedToken__c: 'x',
    Status__c: null,
  });
  expect(world.org.record(id)).toMatchObject({ PresentedToken__c: null, Status__c: 'QUEUED' });
});

test('it runs on every way to write: collections, composites, upserts', async () => {
  const world = await startWorld();
  const id = await document(world, { Status__c: 'SUCCEEDED', RequestHash__c: 'h' });
  const many = await world.call('PATCH', '/composite/sobjects', {
    records: [{ attributes: { type: 'Generated_Document__c' }, id, Status__c: 'QUEUED' }],
  });
  expect(many.body[0]?.errors).toMatchObject([{ statusCode: 'FIELD_CUSTOM_VALIDATION_EXCEPTION' }]);
  const upsert = await world.call('PATCH', '/sobjects/Generated_Document__c/RequestHash__c/h', {
    Status__c: 'QUEUED',
  });
  expect(upsert.status).toBe(400);
});

test('a document with its file: one graph, and a stale one leaves nothing behind', async () => {
  const world = await startWorld();
  const account = await world.create('Account', { Name: 'A' });
  const good = await leased(world, { Account__c: account });
  const stale = await leased(world, { LeaseToken__c: 'another' });
  const S = `${DATA}/sobjects`;
  const graphs = [good, stale].map((id) => ({
    graphId: id,
    compositeRequest: [
      {
        method: 'POST',
        url: `${S}/ContentVersion`,
        referenceId: 'file',
        body: { PathOnClient: 'o.pdf', VersionData: 'aGk=' },
      },
      {
        method: 'GET',
        url: `${S}/ContentVersion/@{file.id}?fields=ContentDocumentId`,
        referenceId: 'read',
      },
      {
        method: 'POST',
        url: `${S}/ContentDocumentLink`,
        referenceId: 'link',
        body: {
          ContentDocumentId: '@{read.ContentDocumentId}',
          LinkedEntityId: account,
          ShareType: 'V',
          Visibility: 'AllUsers',
        },
      },
      {
        method: 'PATCH',
        url: `${S}/Generated_Document__c/${id}`,
        referenceId: 'done',
        body: { Status__c: 'SUCCEEDED', PresentedToken__c: TOKEN, OutputFileId__c: '@{file.id}' },
      },
    ],
  }));
  const { body } = await world.call('POST', '/composite/graph', { graphs });
  expect(body.graphs).toMatchObject([{ isSuccessful: true }, { isSuccessful: false }]);
  expect(body.graphs[1]?.graphResponse.compositeResponse[3]?.body[0]?.message).toMatch(
    /^STALE_LEASE/,
  );
  const [file, ...others] = world.org.files();
  expect(others).toEqual([]);
  expect(file).toMatchObject({ parents: [account] });
  expect(world.org.record(good)).toMatchObject({
    Status__c: 'SUCCEEDED',
    OutputFileId__c: file?.versionId,
  });
  expect(world.org.record(stale)).toMatchObject({ Status__c: 'PROCESSING', OutputFileId__c: null });
});

test('without Apex: no endpoints, no trigger; lease rows decide', async () => {
  const world = await startWorld({ apex: false });
  expect((await world.call('GET', `${APEX}/version`)).status).toBe(404);
  const id = await world.create('Generated_Document__c', {
    Status__c: 'PROCESSING',
    LeaseToken__c: 't',
  });
  expect(
    (await patch(world, id, { Status__c: 'SUCCEEDED', Epoch__c: 9, PresentedToken__c: 'x' }))
      .status,
  ).toBe(204);
  expect(world.org.record(id)).toMatchObject({
    Epoch__c: 9,
    PresentedToken__c: 'x',
    LeaseToken__c: 't',
  });
});

test('with a namespace: objects, fields, relationships and endpoints have its prefix', async () => {
  const world = await startWorld({ namespace: 'acme' });
  const account = await world.create('Account', { Name: 'A' });
  const id = await world.create('acme__Generated_Document__c', { acme__Account__c: account });
  const { body } = await world.query(
    'SELECT acme__Status__c, acme__Account__r.Name FROM acme__Generated_Document__c',
  );
  expect(body.records).toMatchObject([
    { acme__Status__c: 'QUEUED', acme__Account__r: { Name: 'A' } },
  ]);
  const children = await world.query(
    'SELECT (SELECT Id FROM acme__Generated_Documents__r) FROM Account',
  );
  expect(children.body.records[0]?.acme__Generated_Documents__r?.totalSize).toBe(1);
  expect((await world.call('GET', `${APEX}/version`)).status).toBe(404);
  const claimed = await world.call('POST', '/services/apexrest/acme/millrace/v1/claim', {
    worker: 'w',
    claimId: '1',
    leaseSeconds: 60,
    wants: [{ kind: null, limit: 1 }],
    limit: 1,
    maxAttempts: 4,
  });
  expect(claimed.body.jobs).toMatchObject([{ id }]);
  const token = `${id}:${claimed.body.jobs[0]?.epoch}`;
  const path = `/sobjects/acme__Generated_Document__c/${id}`;
  await world.call('PATCH', path, { acme__Status__c: 'SUCCEEDED', acme__PresentedToken__c: token });
  expect(world.org.record(id)).toMatchObject({
    acme__Status__c: 'SUCCEEDED',
    acme__SettledToken__c: token,
  });
  expect((await world.query('SELECT Status__c FROM Generated_Document__c')).body).toMatchObject([
    { errorCode: 'INVALID_TYPE' },
  ]);
});
