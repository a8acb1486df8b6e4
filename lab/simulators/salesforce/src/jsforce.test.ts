import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { Connection } from 'jsforce';
import { expect, test } from 'vitest';
import {
  ADA,
  CREDENTIALS,
  INTEGRATION,
  SECRET,
  START,
  type World,
  assertion,
  startWorld,
} from '../test/world.ts';

/** jsforce as npm has it, told nothing but where the org is. */
async function connect(world: World): Promise<Connection> {
  const connection = new Connection({
    version: '66.0',
    oauth2: { loginUrl: world.loginUrl, clientId: 'service', clientSecret: SECRET },
  });
  await connection.authorize({ grant_type: 'client_credentials' });
  return connection;
}

test('logs in by JWT bearer, and knows who it is', async () => {
  const world = await startWorld();
  const connection = new Connection({ oauth2: { loginUrl: world.loginUrl } });
  const claims = { iss: 'signer', sub: INTEGRATION, aud: world.loginUrl, exp: START / 1000 + 180 };
  const info = await connection.authorize({
    grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
    assertion: assertion(claims),
  });
  expect(connection.instanceUrl).toBe(world.instanceUrl);
  const [user] = world.org.records('User');
  expect(info.id).toBe(user?.['Id']);
  expect(await connection.identity()).toMatchObject({
    user_id: user?.['Id'],
    organization_id: info.organizationId,
    username: INTEGRATION,
  });
});

test('a login that fails has its name and its sentence', async () => {
  const world = await startWorld();
  const connection = new Connection({
    oauth2: { loginUrl: world.loginUrl, clientId: 'service', clientSecret: 'wrong' },
  });
  await expect(connection.authorize({ grant_type: 'client_credentials' })).rejects.toMatchObject({
    name: 'invalid_client',
    message: 'invalid client credentials',
  });
});

test('records: create, retrieve, update, delete, one and many', async () => {
  const connection = await connect(await startWorld());
  const accounts = connection.sobject('Account');
  const one = await accounts.create({ Name: 'Acme' });
  const id = one.id ?? '';
  expect(one).toMatchObject({ success: true });
  expect(await accounts.retrieve(id)).toMatchObject({ Name: 'Acme', Industry: null });
  expect(await accounts.update({ Id: id, Industry: 'Mills' })).toMatchObject({ success: true, id });
  expect(await accounts.retrieve(id, { fields: ['Industry'] })).toMatchObject({
    Industry: 'Mills',
  });
  expect(await accounts.destroy(id)).toMatchObject({ success: true });
  await expect(accounts.retrieve(id)).rejects.toMatchObject({ errorCode: 'NOT_FOUND' });

  const many = await accounts.create([{ Name: 'A' }, { Name: '' }, { Name: 'C' }]);
  expect(many.map(({ success }) => success)).toEqual([true, false, true]);
  expect(many[1]?.errors[0]).toMatchObject({
    statusCode: 'REQUIRED_FIELD_MISSING',
    fields: ['Name'],
  });
  const ids = many.flatMap((each) => each.id ?? []);
  const updated = await accounts.update(ids.map((Id) => ({ Id, Type: 'Customer' })));
  expect(updated.every(({ success }) => success)).toBe(true);
  expect(await accounts.retrieve(ids)).toMatchObject([
    { Name: 'A', Type: 'Customer' },
    { Name: 'C', Type: 'Customer' },
  ]);
  expect((await accounts.destroy(ids)).every(({ success }) => success)).toBe(true);
  expect(await connection.query('SELECT COUNT() FROM Account')).toMatchObject({ totalSize: 0 });
});

test('collections with allOrNone roll back together', async () => {
  const world = await startWorld();
  const connection = await connect(world);
  const results = await connection.create('Account', [{ Name: 'A' }, {}], { allOrNone: true });
  expect(results.map(({ errors }) => errors[0])).toMatchObject([
    { statusCode: 'ALL_OR_NONE_OPERATION_ROLLED_BACK' },
    { statusCode: 'REQUIRED_FIELD_MISSING' },
  ]);
  expect(world.org.records('Account')).toEqual([]);
});

test('upsert by external id: made, then found, one and many', async () => {
  const connection = await connect(await startWorld());
  const leases = connection.sobject('Docgen_Lease__c');
  const first = await leases.upsert({ Key__c: 'k:1' }, 'Key__c');
  expect(first).toMatchObject({ success: true, created: true });
  expect(await leases.upsert({ Key__c: 'k:1' }, 'Key__c')).toMatchObject({
    id: first.id,
    created: false,
  });
  const many = await leases.upsert([{ Key__c: 'k:1' }, { Key__c: 'K:1' }], 'Key__c');
  expect(many).toMatchObject([
    { id: first.id, success: true, created: false },
    { success: true, created: true },
  ]);
});

test('a query goes on from page to page by itself', async () => {
  const world = await startWorld();
  const connection = await connect(world);
  for (let start = 0; start < 450; start += 150) {
    await connection.create(
      'Account',
      Array.from({ length: 150 }, (_, index) => ({ Name: `Account ${start + index}` })),
    );
  }
  const before = world.calls.total;
  const records = await connection.query<{ Name: string }>('SELECT Name FROM Account', {
    autoFetch: true,
    maxFetch: 10_000,
    headers: { 'Sforce-Query-Options': 'batchSize=200' },
  });
  expect(records.totalSize).toBe(450);
  expect(records.records).toHaveLength(450);
  expect(new Set(records.records.map(({ Name }) => Name)).size).toBe(450);
  expect(world.calls.total - before).toBe(3);
});

test('its query builder, parents and children', async () => {
  const connection = await connect(await startWorld());
  const { id: AccountId } = await connection.sobject('Account').create({ Name: "O'Hara" });
  await connection.sobject('Contact').create([
    { LastName: 'A', AccountId },
    { LastName: 'B', AccountId, FirstName: 'Bea' },
  ]);
  const found = await connection
    .sobject('Contact')
    .find({ 'Account.Name': "O'Hara", FirstName: { $ne: null } }, ['Name', 'Account.Name'])
    .sort({ LastName: -1 })
    .limit(5);
  expect(found).toMatchObject([{ Name: 'Bea B', Account: { Name: "O'Hara" } }]);
  const accounts = await connection.query(
    'SELECT Name, (SELECT LastName FROM Contacts ORDER BY LastName DESC) FROM Account',
  );
  expect(accounts.records).toMatchObject([
    { Contacts: { totalSize: 2, done: true, records: [{ LastName: 'B' }, { LastName: 'A' }] } },
  ]);
});

test('a file by multipart, and its bytes back', async () => {
  const world = await startWorld();
  const connection = await connect(world);
  const bytes = Buffer.from(Array.from({ length: 1000 }, (_, index) => index % 256));
  const { id = '' } = await connection.create(
    'ContentVersion',
    { Title: 'Offer', PathOnClient: 'offer.pdf', VersionData: bytes.toString('base64') },
    {
      multipartFileFields: {
        VersionData: { filename: 'offer.pdf', contentType: 'application/octet-stream' },
      },
    },
  );
  expect(world.org.body(id)).toEqual(bytes);
  const version = await connection.sobject('ContentVersion').retrieve(id);
  expect(version).toMatchObject({
    ContentDocumentId: expect.stringMatching(/^069/),
    Checksum: createHash('md5').update(bytes).digest('hex'),
    ContentSize: 1000,
    FileExtension: 'pdf',
  });
  expect(await buffer(connection.sobject('ContentVersion').record(id).blob('VersionData'))).toEqual(
    bytes,
  );
});

test('Apex REST', async () => {
  const world = await startWorld();
  const connection = await connect(world);
  const id = await world.create('Generated_Document__c', { RequestJSON__c: '{}' });
  expect(await connection.apex.get('/millrace/v1/version')).toEqual({ version: '1', now: START });
  const claimed = await connection.apex.post('/millrace/v1/claim', {
    worker: 'w',
    claimId: '1',
    leaseSeconds: 60,
    wants: [{ kind: null, limit: 5 }],
    limit: 5,
    minPriority: null,
    maxAttempts: 4,
  });
  expect(claimed).toMatchObject({ jobs: [{ id }] });
  await expect(connection.apex.post('/millrace/v1/claim', {})).rejects.toMatchObject({
    errorCode: 'BAD_REQUEST',
  });
});

test('limits, and what every answer says of them', async () => {
  const world = await startWorld({ dailyApiRequests: 500 });
  const connection = await connect(world);
  const limits = await connection.limits();
  expect(limits['DailyApiRequests']).toEqual({ Max: 500, Remaining: 499 });
  expect(connection.limitInfo).toEqual({ apiUsage: { used: 1, limit: 500 } });
});

test('describe, of one and of all', async () => {
  const connection = await connect(await startWorld());
  const { sobjects } = await connection.describeGlobal();
  expect(sobjects.map(({ name }) => name)).toContain('Generated_Document__c');
  const { fields, keyPrefix } = await connection.sobject('Generated_Document__c').describe();
  expect(keyPrefix).toMatch(/^a0/);
  expect(fields.find(({ name }) => name === 'Status__c')).toMatchObject({
    type: 'picklist',
    restrictedPicklist: true,
    nillable: false,
    defaultValue: 'QUEUED',
  });
  expect(fields.find(({ name }) => name === 'LeaseToken__c')).toMatchObject({
    unique: true,
    caseSensitive: true,
    externalId: true,
    length: 80,
  });
});

test('an ended session is refreshed once and the call repeated', async () => {
  const world = await startWorld();
  let refreshed = 0;
  const connection = new Connection({
    instanceUrl: world.instanceUrl,
    accessToken: 'never was one',
    refreshFn: (_, done) => {
      refreshed += 1;
      void world.token(CREDENTIALS).then(({ body }) => done(null, body.access_token));
    },
  });
  expect(await connection.query('SELECT Id FROM User')).toMatchObject({ totalSize: 2 });
  world.expireSessions();
  expect(await connection.query(`SELECT Id FROM User WHERE Username = '${ADA}'`)).toMatchObject({
    totalSize: 1,
  });
  expect(refreshed).toBe(2);
});

test.each([
  ['MALFORMED_QUERY', (c: Connection) => c.query('SELECT Id FORM Account')],
  ['INVALID_TYPE', (c: Connection) => c.query('SELECT Id FROM Nothing__c')],
  ['INVALID_FIELD', (c: Connection) => c.query('SELECT Nothing__c FROM Account')],
  ['NOT_FOUND', (c: Connection) => c.sobject('Nothing__c').create({})],
  ['REQUIRED_FIELD_MISSING', (c: Connection) => c.sobject('Account').create({})],
  ['STRING_TOO_LONG', (c: Connection) => c.sobject('Account').create({ Name: 'x'.repeat(256) })],
  [
    'MALFORMED_ID',
    (c: Connection) => c.sobject('Contact').create({ LastName: 'A', AccountId: 'x' }),
  ],
  ['JSON_PARSER_ERROR', (c: Connection) => c.sobject('Account').create({ Name: 5 })],
])('an error has its name: %s', async (errorCode, run) => {
  const connection = await connect(await startWorld());
  await expect(Promise.resolve(run(connection))).rejects.toMatchObject({
    errorCode,
    name: errorCode,
  });
});

test.each([
  ['UNABLE_TO_LOCK_ROW', 'lock'],
  ['REQUEST_LIMIT_EXCEEDED', 'limit'],
  ['SERVER_UNAVAILABLE', 'unavailable'],
] as const)('a fault has its name: %s', async (errorCode, kind) => {
  const world = await startWorld();
  const connection = await connect(world);
  const { id = '' } = await connection.sobject('Account').create({ Name: 'A' });
  world.faults.add({ kind, times: 1 });
  await expect(connection.sobject('Account').update({ Id: id, Name: 'B' })).rejects.toMatchObject({
    errorCode,
  });
});

test('an ended session has its name where nothing can refresh it', async () => {
  const world = await startWorld();
  const { body } = await world.token(CREDENTIALS);
  const { instanceUrl } = world;
  const connection = new Connection({ instanceUrl, accessToken: body.access_token });
  world.faults.add({ kind: 'session-expired', times: 1 });
  for (let time = 0; time < 2; time += 1) {
    await expect(Promise.resolve(connection.query('SELECT Id FROM User'))).rejects.toMatchObject({
      errorCode: 'INVALID_SESSION_ID',
      message: 'Session expired or invalid',
    });
  }
});

test('DUPLICATE_VALUE and ENTITY_IS_DELETED by name', async () => {
  const connection = await connect(await startWorld());
  const leases = connection.sobject('Docgen_Lease__c');
  const { id = '' } = await leases.create({ Key__c: 'k' });
  await expect(leases.create({ Key__c: 'k' })).rejects.toMatchObject({
    errorCode: 'DUPLICATE_VALUE',
    message: `duplicate value found: Key__c duplicates value on record with id: ${id}`,
  });
  await leases.destroy(id);
  await expect(leases.destroy(id)).rejects.toMatchObject({ errorCode: 'ENTITY_IS_DELETED' });
});
