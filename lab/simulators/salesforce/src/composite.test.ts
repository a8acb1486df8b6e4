import { expect, test } from 'vitest';
import { DATA, type World, startWorld } from '../test/world.ts';

const S = `${DATA}/sobjects`;
const part = (method: string, url: string, referenceId: string, body?: unknown): unknown => ({
  method,
  url,
  referenceId,
  ...(body !== undefined && { body }),
});
const account = (referenceId: string, Name: unknown = referenceId): unknown =>
  part('POST', `${S}/Account`, referenceId, { Name });

async function composite(world: World, parts: readonly unknown[], allOrNone?: boolean) {
  const body = {
    compositeRequest: parts,
    collateSubrequests: false,
    ...(allOrNone !== undefined && { allOrNone }),
  };
  return world.call('POST', '/composite', body);
}

test('references in addresses and bodies; one call', async () => {
  const world = await startWorld();
  const { status, body } = await composite(world, [
    account('a'),
    part('POST', `${S}/Contact`, 'c', { LastName: 'C of @{a.id}', AccountId: '@{a.id}' }),
    part('GET', `${S}/Contact/@{c.id}?fields=LastName,AccountId`, 'g'),
    part('GET', `${DATA}/query?q=SELECT+Id,Name+FROM+Account+WHERE+Id='@{g.AccountId}'`, 'q'),
    part('PATCH', `${S}/Contact/@{c.id}`, 'p', { FirstName: '@{q.records[0].Name}' }),
  ]);
  expect(status).toBe(200);
  const [a, c, g, q, p] = body.compositeResponse;
  expect(a).toEqual({
    body: { id: expect.stringMatching(/^001/), success: true, errors: [] },
    httpHeaders: { Location: `${S}/Account/${a?.body.id}` },
    httpStatusCode: 201,
    referenceId: 'a',
  });
  expect(g).toMatchObject({
    httpStatusCode: 200,
    body: { AccountId: a?.body.id, LastName: `C of ${a?.body.id}` },
  });
  expect(q?.body).toMatchObject({ totalSize: 1, done: true });
  expect(p).toEqual({ body: null, httpHeaders: {}, httpStatusCode: 204, referenceId: 'p' });
  expect(world.org.record(c?.body.id ?? '')).toMatchObject({ FirstName: 'a' });
  expect(world.calls).toMatchObject({ total: 1, byResource: { composite: 1 } });
});

test('without allOrNone each part stands alone; who refers to a failed one is halted', async () => {
  const world = await startWorld();
  const { body } = await composite(world, [
    account('a'),
    account('b', null),
    part('POST', `${S}/Contact`, 'c', { LastName: 'C', AccountId: '@{b.id}' }),
    account('d'),
  ]);
  expect(
    body.compositeResponse.map((each: { httpStatusCode: number }) => each.httpStatusCode),
  ).toEqual([201, 400, 400, 201]);
  expect(body.compositeResponse[1]?.body).toMatchObject([{ errorCode: 'REQUIRED_FIELD_MISSING' }]);
  expect(body.compositeResponse[2]?.body).toMatchObject([{ errorCode: 'PROCESSING_HALTED' }]);
  expect(world.org.records('Account')).toHaveLength(2);
});

test('with allOrNone one failure takes all back: records, files, links, unique values', async () => {
  const world = await startWorld();
  const key = { Key__c: 'k' };
  const parts = [
    account('a'),
    part('POST', `${S}/ContentVersion`, 'f', { PathOnClient: 'x.txt', VersionData: 'aGk=' }),
    part('GET', `${S}/ContentVersion/@{f.id}`, 'g'),
    part('POST', `${S}/ContentDocumentLink`, 'l', {
      ContentDocumentId: '@{g.ContentDocumentId}',
      LinkedEntityId: '@{a.id}',
    }),
    part('POST', `${S}/Docgen_Lease__c`, 'k', key),
  ];
  const failed = await composite(world, [...parts, account('z', null), account('after')], true);
  const codes = failed.body.compositeResponse.map((each) => each.body[0]?.errorCode);
  expect(codes).toEqual([
    ...parts.map(() => 'PROCESSING_HALTED'),
    'REQUIRED_FIELD_MISSING',
    'PROCESSING_HALTED',
  ]);
  expect(failed.body.compositeResponse[0]?.body[0]?.message).toContain('rolled back');
  for (const type of [
    'Account',
    'ContentVersion',
    'ContentDocument',
    'ContentDocumentLink',
    'Docgen_Lease__c',
  ]) {
    expect(world.org.records(type)).toEqual([]);
  }
  const good = await composite(world, parts, true);
  expect(good.body.compositeResponse.at(-1)?.httpStatusCode).toBe(201);
  expect(world.org.files()).toMatchObject([{ parents: [good.body.compositeResponse[0]?.body.id] }]);
});

test('with allOrNone parts see what those before them wrote, others do not', async () => {
  const world = await startWorld();
  const hold = world.faults.add({ kind: 'hold', path: 'composite$', times: 1 });
  const running = composite(
    world,
    [account('a'), part('GET', `${DATA}/query?q=SELECT+COUNT()+FROM+Account`, 'q')],
    true,
  );
  while (world.faults.list()[0]?.struck !== 1) await world.query('SELECT Id FROM User');
  expect((await world.query('SELECT COUNT() FROM Account')).body.totalSize).toBe(0);
  world.faults.remove(hold.id);
  expect((await running).body.compositeResponse[1]?.body.totalSize).toBe(1);
  expect((await world.query('SELECT COUNT() FROM Account')).body.totalSize).toBe(1);
});

test.each([
  ['26 parts', Array.from({ length: 26 }, (_, index) => account(`a${index}`)), 'LIMIT_EXCEEDED'],
  [
    '6 queries',
    Array.from({ length: 6 }, (_, index) =>
      part('GET', `${DATA}/query?q=SELECT+Id+FROM+User`, `q${index}`),
    ),
    'LIMIT_EXCEEDED',
  ],
  ['one reference twice', [account('a'), account('a')], 'INVALID_INPUT'],
  ['a reference that is no name', [account('a.b')], 'INVALID_INPUT'],
  ['no parts', [], 'JSON_PARSER_ERROR'],
  ['no method', [{ url: `${S}/Account`, referenceId: 'a' }], 'JSON_PARSER_ERROR'],
])('refused as a whole: %s', async (_, parts, errorCode) => {
  const world = await startWorld();
  const { status, body } = await composite(world, parts);
  expect(status).toBe(400);
  expect(body).toMatchObject([{ errorCode }]);
  expect(world.org.records('Account')).toEqual([]);
});

test('25 parts of which 5 are queries will do', async () => {
  const world = await startWorld();
  const parts = Array.from({ length: 25 }, (_, index) =>
    index < 5
      ? part('GET', `${DATA}/query?q=SELECT+Id+FROM+User`, `q${index}`)
      : account(`a${index}`),
  );
  const { body } = await composite(world, parts, true);
  expect(body.compositeResponse).toHaveLength(25);
  expect(world.org.records('Account')).toHaveLength(20);
});

test('a batch: parts apart, each a call', async () => {
  const world = await startWorld();
  const batchRequests = [
    { method: 'POST', url: 'v66.0/sobjects/Account', richInput: { Name: 'A' } },
    { method: 'POST', url: 'v66.0/sobjects/Account', richInput: {} },
    { method: 'GET', url: 'v66.0/query?q=SELECT+COUNT()+FROM+Account' },
  ];
  const { body } = await world.call('POST', '/composite/batch', { batchRequests });
  expect(body).toMatchObject({
    hasErrors: true,
    results: [
      { statusCode: 201 },
      { statusCode: 400, result: [{ errorCode: 'REQUIRED_FIELD_MISSING' }] },
      { statusCode: 200, result: { totalSize: 1 } },
    ],
  });
  expect(world.calls).toMatchObject({ total: 3, byResource: { batch: 3 } });
  const halting = await world.call('POST', '/composite/batch', {
    batchRequests,
    haltOnError: true,
  });
  expect(halting.body.results[2]).toMatchObject({
    statusCode: 412,
    result: [{ errorCode: 'BATCH_PROCESSING_HALTED' }],
  });
  const long = { batchRequests: Array.from({ length: 26 }, () => batchRequests[2]) };
  expect((await world.call('POST', '/composite/batch', long)).status).toBe(400);
});

test('a tree: parents with children, all or nothing', async () => {
  const world = await startWorld();
  const tree = (name: string | null) => ({
    records: [
      {
        attributes: { type: 'Account', referenceId: 'a' },
        Name: 'A',
        Contacts: {
          records: [{ attributes: { type: 'Contact', referenceId: 'c' }, LastName: name }],
        },
      },
    ],
  });
  const failed = await world.call('POST', '/composite/tree/Account', tree(null));
  expect(failed.status).toBe(400);
  expect(failed.body).toMatchObject({
    hasErrors: true,
    results: [{ referenceId: 'c', errors: [{ statusCode: 'REQUIRED_FIELD_MISSING' }] }],
  });
  expect(world.org.records('Account')).toEqual([]);
  const made = await world.call('POST', '/composite/tree/Account', tree('C'));
  expect(made.status).toBe(201);
  expect(made.body).toEqual({
    hasErrors: false,
    results: [
      { referenceId: 'a', id: expect.stringMatching(/^001/) },
      { referenceId: 'c', id: expect.stringMatching(/^003/) },
    ],
  });
  const [a, c] = made.body.results;
  expect(world.org.record(c?.id ?? '')).toMatchObject({ AccountId: a?.id });
  const many = Array.from({ length: 201 }, (_, index) => ({
    attributes: { type: 'Account', referenceId: `r${index}` },
    Name: 'A',
  }));
  expect((await world.call('POST', '/composite/tree/Account', { records: many })).status).toBe(400);
});

test('a guard by external id: a token that was rotated matches nothing, and the upload is undone', async () => {
  const world = await startWorld({ apex: false });
  const id = await world.create('Generated_Document__c', { LeaseToken__c: 'new' });
  const settle = (token: string) =>
    composite(
      world,
      [
        part('POST', `${S}/ContentVersion`, 'f', { PathOnClient: 'x.txt', VersionData: 'aGk=' }),
        part('PATCH', `${S}/Generated_Document__c/LeaseToken__c/${token}?updateOnly=true`, 'd', {
          Status__c: 'SUCCEEDED',
          OutputFileId__c: '@{f.id}',
        }),
      ],
      true,
    );
  const stale = await settle('old');
  expect(stale.body.compositeResponse).toMatchObject([
    { body: [{ errorCode: 'PROCESSING_HALTED' }] },
    { httpStatusCode: 404, body: [{ errorCode: 'NOT_FOUND' }] },
  ]);
  expect(world.org.files()).toEqual([]);
  const good = await settle('new');
  const [file] = world.org.files();
  expect(good.body.compositeResponse[1]).toMatchObject({
    httpStatusCode: 200,
    body: { id, created: false },
  });
  expect(world.org.record(id)).toMatchObject({
    Status__c: 'SUCCEEDED',
    OutputFileId__c: file?.versionId,
  });
});
