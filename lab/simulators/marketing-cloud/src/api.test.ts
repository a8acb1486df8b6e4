import { expect, test } from 'vitest';
import {
  CLIENT,
  CREDENTIALS,
  MID,
  OTHER_MID,
  field,
  performMessage,
  startWorld,
  tag,
} from '../test/world.ts';
import { startMarketingCloud } from './index.ts';

const FIELDS = [{ name: 'name' }];

async function token(origin: string, body: unknown) {
  const answer = await fetch(`${origin}/v2/token`, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

test('a token, as the documents have it', async () => {
  const world = await startWorld({ tokenSeconds: 1079 });
  const { status, body } = await token(world.origin, {
    ...CREDENTIALS,
    account_id: Number(OTHER_MID),
  });
  expect(status).toBe(200);
  expect(body).toEqual({
    access_token: expect.stringMatching(/^\S{64}$/),
    token_type: 'Bearer',
    expires_in: 1079,
    scope: expect.stringContaining('data_extensions_read'),
    soap_instance_url: `${world.origin}/`,
    rest_instance_url: `${world.origin}/`,
  });
});

test.each<[string, unknown, number, string]>([
  ['another secret', { ...CREDENTIALS, client_secret: 'x' }, 401, 'invalid_client'],
  ['another client', { ...CREDENTIALS, client_id: 'x' }, 401, 'invalid_client'],
  ['another grant', { ...CREDENTIALS, grant_type: 'password' }, 400, 'unsupported_grant_type'],
  ['a MID that is not its own', { ...CREDENTIALS, account_id: '5' }, 400, 'invalid_request'],
  ['no JSON', 'grant_type=client_credentials', 400, 'invalid_request'],
  ['a list', '[]', 400, 'invalid_request'],
])('no token for %s', async (_, sent, status, error) => {
  const world = await startWorld();
  const refused = await token(world.origin, sent);
  expect([refused.status, refused.body['error']]).toEqual([status, error]);
});

test('a client has the MIDs and the scopes that it was given', async () => {
  const world = await startWorld({
    clients: [{ ...CLIENT, mids: [OTHER_MID], scopes: ['automations_read'] }],
  });
  expect((await token(world.origin, { ...CREDENTIALS, account_id: MID })).status).toBe(400);
  expect((await token(world.origin, CREDENTIALS)).body['scope']).toBe('automations_read');
  expect((await world.rest('GET', '/automation/v1/queries', undefined, OTHER_MID)).status).toBe(
    200,
  );
  const rows = await world.rest(
    'GET',
    '/data/v1/customobjectdata/key/x/rowset',
    undefined,
    OTHER_MID,
  );
  expect(rows.status).toBe(403);
});

test('rows in pages, and on by the token', async () => {
  const world = await startWorld();
  world.unit(MID).addDataExtension({
    name: 'People',
    customerKey: 'p/1 ä',
    fields: [
      { name: 'Key', isPrimaryKey: true },
      { name: 'Born', type: 'Date' },
      { name: 'Member', type: 'Boolean' },
      { name: 'Number', type: 'Number' },
    ],
    rows: [3, 1, 2].map((n) => ({
      Key: `k${n}`,
      Born: `2026-05-0${n} 13:05:00.000`,
      Member: 'True',
      Number: n === 2 ? null : String(n),
    })),
  });
  const path = `/data/v1/customobjectdata/key/${encodeURIComponent('p/1 ä')}/rowset`;
  const { body } = await world.rest('GET', `${path}?$page=1&$pageSize=2&$orderBy=Key%20desc`);
  expect(body).toEqual({
    links: {
      self: `/v1/customobjectdata/token/${body.requestToken}/rowset?$page=1`,
      next: `/v1/customobjectdata/token/${body.requestToken}/rowset?$page=2`,
    },
    requestToken: expect.any(String),
    tokenExpireDateUtc: expect.any(String),
    customObjectId: expect.any(String),
    customObjectKey: 'p/1 ä',
    pageSize: 2,
    page: 1,
    count: 3,
    top: 0,
    items: [
      { keys: { key: 'k3' }, values: { born: '5/3/2026 1:05:00 PM', member: 'True', number: '3' } },
      { keys: { key: 'k2' }, values: { born: '5/2/2026 1:05:00 PM', member: 'True', number: '' } },
    ],
  });
  world.unit(MID).setRows('p/1 ä', []);
  const next = await world.rest('GET', `/data${body.links.next}`);
  expect(next.body).toMatchObject({ page: 2, count: 3, items: [{ keys: { key: 'k1' } }] });
  expect(next.body.links).not.toHaveProperty('next');
  const none = await world.rest('GET', path);
  expect(none.body.count).toBe(0);
  expect(none.body).not.toHaveProperty('items');
  expect((await world.rest('GET', `/data${body.links.next}`, undefined, OTHER_MID)).status).toBe(
    404,
  );
  world.advance(3_600_000);
  expect((await world.rest('GET', `/data${body.links.next}`)).status).toBe(404);
});

test('rows by a filter', async () => {
  const world = await startWorld();
  const rows = ['Ada', 'Ben', 'ada'].map((name, place) => ({ name, n: String(place * 5) }));
  world.unit(MID).addDataExtension({
    name: 'P',
    customerKey: 'P',
    fields: [{ name: 'name' }, { name: 'n', type: 'Number' }],
    rows,
  });
  const count = async (filter: string) =>
    (
      await world.rest(
        'GET',
        `/data/v1/customobjectdata/key/p/rowset?$filter=${encodeURIComponent(filter)}`,
      )
    ).body.count;
  expect(await count("name eq 'ADA'")).toBe(2);
  expect(await count("name eq 'ada' and n gte 10")).toBe(1);
  expect(await count('n lt 10')).toBe(2);
  expect(await count("name like '%en'")).toBe(1);
  expect(await count('nope eq 1')).toBeUndefined();
});

test.each(['$page=0', '$pageSize=x', '$page=-1', '$orderBy=nope'])(
  'rows: %s is refused',
  async (query) => {
    const world = await startWorld();
    world.unit(MID).addDataExtension({ name: 'P', customerKey: 'P', fields: FIELDS });
    expect(
      (await world.rest('GET', `/data/v1/customobjectdata/key/P/rowset?${query}`)).status,
    ).toBe(400);
  },
);

test('what is not there is 404 with the words of Marketing Cloud', async () => {
  const world = await startWorld();
  for (const path of [
    '/data/v1/customobjectdata/key/x/rowset',
    '/automation/v1/queries/x/actions/isrunning/',
    '/nothing',
    '/data/v1/customobjectdata/key/%E0/rowset',
  ]) {
    const { status, body } = await world.rest('GET', path);
    expect([status, body]).toEqual([
      404,
      { documentation: expect.any(String), errorcode: 404, message: 'Not Found' },
    ]);
  }
});

test('by REST a query needs a folder and a body', async () => {
  const world = await startWorld();
  world.unit(MID).addDataExtension({ name: 'T', customerKey: 'T', fields: FIELDS });
  const body = {
    name: 'R',
    key: 'r',
    queryText: 'SELECT 1 AS name',
    targetKey: 'T',
    targetUpdateTypeId: 0,
    categoryId: 5,
  };
  const make = (changed: object) =>
    world.rest('POST', '/automation/v1/queries', { ...body, ...changed });
  expect((await make({ categoryId: null })).status).toBe(400);
  expect((await make({ targetUpdateTypeId: 7 })).status).toBe(400);
  expect((await make({ targetKey: 'nope' })).status).toBe(400);
  expect((await make({ key: 'x'.repeat(37) })).status).toBe(400);
  expect((await make({})).status).toBe(200);
  expect((await make({ name: 'other' })).status).toBe(400);
});

const retrieve = (type: string, filter: string, properties = ['Name']) =>
  `<RetrieveRequestMsg><RetrieveRequest><ObjectType>${type}</ObjectType>${properties.map((name) => `<Properties>${name}</Properties>`).join('')}${filter}</RetrieveRequest></RetrieveRequestMsg>`;
const part = (property: string, operator: string, ...values: string[]) =>
  `<Property>${property}</Property><SimpleOperator>${operator}</SimpleOperator>${values.map((value) => `<Value>${value}</Value>`).join('')}`;
const simple = (...given: [string, string, ...string[]]) =>
  `<Filter xsi:type="SimpleFilterPart">${part(...given)}</Filter>`;

test.each<[string, string, string[]]>([
  ['everything', '', ['Ada', 'Ben', 'Carla_1', 'Carla_2']],
  ['equals, whatever the case', simple('Name', 'equals', 'ADA'), ['Ada']],
  ['notEquals', simple('Name', 'notEquals', 'Ada'), ['Ben', 'Carla_1', 'Carla_2']],
  ['IN', simple('CustomerKey', 'IN', 'ada', 'ben', 'x'), ['Ada', 'Ben']],
  ['like with %', simple('Name', 'like', 'Carla%'), ['Carla_1', 'Carla_2']],
  ['like without', simple('Name', 'like', 'e'), ['Ben']],
  ['isNull', simple('Status', 'isNull'), ['Ada', 'Ben', 'Carla_1', 'Carla_2']],
  [
    'AND',
    `<Filter xsi:type="ComplexFilterPart"><LeftOperand xsi:type="SimpleFilterPart">${part('Name', 'like', 'Carla')}</LeftOperand><LogicalOperator>AND</LogicalOperator><RightOperand xsi:type="SimpleFilterPart">${part('Name', 'like', '2')}</RightOperand></Filter>`,
    ['Carla_2'],
  ],
  [
    'OR',
    `<Filter xsi:type="ComplexFilterPart"><LeftOperand xsi:type="SimpleFilterPart">${part('Name', 'equals', 'Ada')}</LeftOperand><LogicalOperator>OR</LogicalOperator><RightOperand xsi:type="SimpleFilterPart">${part('Name', 'equals', 'Ben')}</RightOperand></Filter>`,
    ['Ada', 'Ben'],
  ],
  ['nothing', simple('Name', 'equals', 'x'), []],
])('Retrieve: %s', async (_, filter, expected) => {
  const world = await startWorld();
  for (const name of ['Ada', 'Ben', 'Carla_1', 'Carla_2']) {
    world.unit(MID).addDataExtension({ name, customerKey: name, fields: FIELDS });
  }
  const { status, text } = await world.soap('Retrieve', retrieve('DataExtension', filter));
  expect([status, tag(text, 'OverallStatus')]).toEqual([200, 'OK']);
  expect([...text.matchAll(/<Name>([^<]+)<\/Name>/g)].map(([, name]) => name)).toEqual(expected);
  expect(text.includes('<Results')).toBe(expected.length > 0);
});

test.each([
  [retrieve('Nonsense', ''), 'Nonsense'],
  [
    retrieve('DataExtension', '', ['Nope']),
    'The Request Property(s) Nope do not match with the fields of DataExtension retrieve',
  ],
  [retrieve('DataExtension', simple('Nope', 'equals', 'x')), 'Nope'],
  [retrieve('AsyncActivityStatus', simple('Status', 'equals', 'Queued'), ['Status']), 'Status'],
  [retrieve('DataExtension', simple('Name', 'resembles', 'x')), 'resembles'],
  [retrieve('DataExtension', '<ContinueRequest>x</ContinueRequest>'), 'ContinueRequest'],
])('a Retrieve is refused with OverallStatus: %s', async (message, reason) => {
  const world = await startWorld();
  const { status, text } = await world.soap('Retrieve', message);
  expect([status, tag(text, 'OverallStatus')]).toEqual([200, expect.stringMatching(/^Error: /)]);
  expect(text).toContain(reason);
});

const create = (fields: string, more = '', name = 'A') =>
  `<CreateRequest><Objects xsi:type="DataExtension"><Name>${name}</Name><CustomerKey>${name}</CustomerKey>${more}<Fields>${fields}</Fields></Objects></CreateRequest>`;

test.each([
  ['no field', create('')],
  ['two fields of one name', create(field('a') + field('A'))],
  ['a field that begins with _', create(field('_a'))],
  ['an unknown type', create(field('a', 'Blob'))],
  ['a text that is too long', create(field('a', 'Text', '<MaxLength>4001</MaxLength>'))],
  ['a length that is none', create(field('a', 'Text', '<MaxLength>x</MaxLength>'))],
  ['a name that cannot be', create(field('a'), '', '_a')],
  [
    'an object that cannot be made',
    '<CreateRequest><Objects xsi:type="Account"><Name>a</Name></Objects></CreateRequest>',
  ],
])('Create is refused: %s', async (_, message) => {
  const world = await startWorld();
  const { status, text } = await world.soap('Create', message);
  expect([status, tag(text, 'OverallStatus'), tag(text, 'StatusCode')]).toEqual([
    200,
    'Error',
    'Error',
  ]);
  expect(world.unit(MID).dataExtensions()).toEqual([]);
});

test('some of several objects: Has Errors', async () => {
  const world = await startWorld();
  const one = create(field('a')).replace(/<\/?CreateRequest>/g, '');
  const { text } = await world.soap('Create', `<CreateRequest>${one}${one}</CreateRequest>`);
  expect(tag(text, 'OverallStatus')).toBe('Has Errors');
});

test('a data extension goes when its time is over', async () => {
  const world = await startWorld();
  const retention =
    '<DataRetentionPeriodLength>1</DataRetentionPeriodLength><DataRetentionPeriod>Days</DataRetentionPeriod><RowBasedRetention>false</RowBasedRetention><DeleteAtEndOfRetentionPeriod>false</DeleteAtEndOfRetentionPeriod>';
  await world.soap('Create', create(field('a'), retention));
  expect(world.unit(MID).dataExtensions()).toHaveLength(1);
  world.advance(86_400_000);
  expect(world.unit(MID).dataExtensions()).toEqual([]);
});

test('Perform: by ObjectID alone, and only of one’s own', async () => {
  const world = await startWorld();
  const id = await world.makeQuery('SELECT 1 AS name');
  const key = performMessage(id).replace(
    /<ObjectID>.*<\/ObjectID>/,
    '<CustomerKey>qt1</CustomerKey>',
  );
  expect(tag((await world.soap('Perform', key)).text, 'OverallStatus')).toBe('Error');
  expect(
    tag((await world.soap('Perform', performMessage(id), OTHER_MID)).text, 'OverallStatus'),
  ).toBe('Error');
  const { text } = await world.soap('Perform', performMessage(id));
  expect(text).toContain('QueryDefinition perform called successfully');
});

test.each([
  '',
  '<',
  'no xml',
  '<Envelope/>',
  '<Envelope><Body><Nonsense/></Body></Envelope>',
  '<!DOCTYPE a [<!ENTITY b "c">]><Envelope/>',
])('a body that is no message is a fault: %s', async (body) => {
  const world = await startWorld();
  const answer = await fetch(`${world.origin}/Service.asmx`, { method: 'POST', body });
  expect(answer.status).toBe(500);
  expect(await answer.text()).toContain('soap:Fault');
});

test.each([
  [{ units: [] }, /^units: /],
  [{ units: ['x'] }, /^units: /],
  [{ units: ['1', '1'] }, /^units: /],
  [{ clients: [{ clientId: 'a', secret: 'b', mids: ['5'] }] }, /^clients: /],
  [{ speed: 0 }, /^speed: /],
  [{ sampleSize: 11 }, /^sampleSize: /],
  [{ queueMs: -1 }, /^queueMs: /],
  [{ concurrency: 0 }, /^concurrency: /],
  [{ host: '0.0.0.0' }, /^host: /],
])('options are refused: %o', async (options, message) => {
  await expect(startMarketingCloud(options)).rejects.toThrow(message);
});

test('SOAP asks for the scopes that documents name, as REST does', async () => {
  const world = await startWorld({ clients: [{ ...CLIENT, scopes: ['automations_read'] }] });
  const asking = (type: string, property: string): string =>
    `<RetrieveRequestMsg xmlns="http://exacttarget.com/wsdl/partnerAPI"><RetrieveRequest><ObjectType>${type}</ObjectType><Properties>${property}</Properties></RetrieveRequest></RetrieveRequestMsg>`;
  const queries = await world.soap('Retrieve', asking('QueryDefinition', 'ObjectID'));
  expect(queries.text).toContain('<OverallStatus>OK</OverallStatus>');
  const extensions = await world.soap('Retrieve', asking('DataExtension', 'ObjectID'));
  expect(extensions.text).toContain('API Permission Failed');
  await expect(world.makeQuery('SELECT 1 AS name')).rejects.toThrow();
  expect(world.unit(MID).dataExtensions()).toEqual([]);
  const rows = await world.rest('GET', '/data/v1/customobjectdata/key/x/rowset');
  expect(rows.status).toBe(403);
});

const STATUS_SAMPLE = [
  'CompletedDate Program StepName ActionType Type Status ProcessedCount TotalCount DuplicateCount',
  'ErrorCount StartTime EndTime InteractionID TaskID ScheduledTime StartDate StatusMessage ErrorMsg',
]
  .join(' ')
  .split(' ');

function retrieveStatuses(properties: readonly string[], filter: string): string {
  const asked = properties.map((name) => `<Properties>${name}</Properties>`).join('');
  return `<RetrieveRequestMsg xmlns="http://exacttarget.com/wsdl/partnerAPI"><RetrieveRequest>
    <ObjectType>AsyncActivityStatus</ObjectType>${asked}${filter}</RetrieveRequest></RetrieveRequestMsg>`;
}

function bound(property: string, operator: string, value: string): string {
  return `<Property>${property}</Property><SimpleOperator>${operator}</SimpleOperator><Value>${value}</Value>`;
}

test('statuses have every property of the documentation, and are found by the time they began', async () => {
  const world = await startWorld({ queueMs: 0 });
  const early = await world.startQuery('SELECT 1');
  world.advance(3_600_000);
  const late = await world.startQuery('SELECT 1');
  const between = (from: string, to: string): string =>
    `<Filter xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="ComplexFilterPart">
      <LeftOperand xsi:type="SimpleFilterPart">${bound('StartTime', 'equals', from)}</LeftOperand>
      <LogicalOperator>AND</LogicalOperator>
      <RightOperand xsi:type="SimpleFilterPart">${bound('EndTime', 'equals', to)}</RightOperand></Filter>`;
  const found = async (from: string, to: string) => {
    const { text } = await world.soap(
      'Retrieve',
      retrieveStatuses(STATUS_SAMPLE, between(from, to)),
    );
    expect(tag(text, 'OverallStatus')).toBe('OK');
    return [...text.matchAll(/<Name>TaskID<\/Name><Value>(\d+)</g)].map(([, id]) => id);
  };
  expect(await found('2026-05-20T03:00:00', '2026-05-20T06:00:00')).toEqual([early, late]);
  expect(await found('2026-05-20T04:30:00', '2026-05-20T06:00:00')).toEqual([late]);
});

test('queries come 25 to a page, whatever is asked for', async () => {
  const world = await startWorld();
  for (let made = 0; made < 27; made += 1) await world.makeQuery('SELECT 1');
  const page = async (search: string) =>
    (await world.rest('GET', `/automation/v1/queries?${search}`)).body;
  expect(await page('$pagesize=500')).toMatchObject({ page: 1, pageSize: 25, count: 27 });
  expect((await page('$pagesize=500&$page=2')).items).toHaveLength(2);
  expect((await page('$pagesize=10')).items).toHaveLength(10);
});

test('the log of a query has the error of its last run, and is empty where that went well', async () => {
  const world = await startWorld();
  const id = await world.makeQuery('SELECT 1');
  const log = async () => world.rest('GET', `/automation/v1/queries/${id}/log`);
  await world.soap('Perform', performMessage(id));
  await world.settled();
  expect([(await log()).status, (await log()).body]).toEqual([200, '']);
  world.faults.add({ kind: 'task-error', message: 'Division by zero.' });
  await world.soap('Perform', performMessage(id));
  await world.settled();
  expect((await log()).body).toBe('Division by zero.');
  expect((await world.rest('GET', '/automation/v1/queries/none/log')).status).toBe(404);
});

test('refusals by REST have the codes that are documented for them', async () => {
  const world = await startWorld({ clients: [{ ...CLIENT, scopes: ['automations_write'] }] });
  const code = async (body: unknown) =>
    (await world.rest('POST', '/automation/v1/queries', body)).body.errorcode;
  const query = { name: 'a', key: 'a', queryText: 'SELECT 1 AS a', targetKey: 't' };
  expect(await code(query)).toBe(10_002);
  expect(await code({ ...query, name: '', categoryId: 1 })).toBe(10_002);
  expect(await code([])).toBe(10_004);
  expect(await code({ ...query, categoryId: 1 })).toBe(10_005);
  expect((await world.rest('GET', '/automation/v1/queries')).body.errorcode).toBe(20_002);
});

test('refusals have the codes that are documented for them', async () => {
  const world = await startWorld();
  const code = async (action: string, object: string): Promise<string | null> => {
    const { text } = await world.soap(
      action,
      `<${action}Request xmlns="http://exacttarget.com/wsdl/partnerAPI" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
        <Objects xsi:type="DataExtension">${object}</Objects></${action}Request>`,
    );
    return tag(text, 'ErrorCode');
  };
  const fields = `<Fields>${field('a')}</Fields>`;
  expect(await code('Create', fields)).toBe('310001');
  await code('Create', `<Name>A</Name><CustomerKey>A</CustomerKey>${fields}`);
  expect(await code('Create', `<Name>A</Name><CustomerKey>A</CustomerKey>${fields}`)).toBe(
    '310003',
  );
  expect(await code('Create', `<Name>B?</Name>${fields}`)).toBe('310007');
  expect(await code('Delete', '<CustomerKey>C</CustomerKey>')).toBe('310002');
});
