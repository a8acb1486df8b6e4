import { expect, test } from 'vitest';
import { CREDENTIALS, MID, OTHER_MID, field, startWorld, tag } from '../test/world.ts';
import type { FaultSpec } from './index.ts';

const SQL = 'SELECT name FROM People';
const CREATE = `<CreateRequest><Objects xsi:type="DataExtension"><Name>A</Name><CustomerKey>A</CustomerKey><Fields>${field('name')}</Fields></Objects></CreateRequest>`;
const LOOK =
  '<RetrieveRequestMsg><RetrieveRequest><ObjectType>DataExtension</ObjectType><Properties>Name</Properties></RetrieveRequest></RetrieveRequestMsg>';

test('cut-before and cut-after: the connection ends, and nothing or everything has happened', async () => {
  const world = await startWorld();
  await world.token();
  world.faults.add({ kind: 'cut-before', operation: '^soap:Create DataExtension$', times: 1 });
  await expect(world.soap('Create', CREATE)).rejects.toThrow('fetch failed');
  expect(world.unit(MID).dataExtensions()).toEqual([]);
  world.faults.add({ kind: 'cut-after', operation: '^soap:Create DataExtension$', times: 1 });
  await expect(world.soap('Create', CREATE)).rejects.toThrow('fetch failed');
  expect(world.unit(MID).dataExtensions()).toHaveLength(1);
  expect(world.faults.list()).toEqual([]);
});

test('gateway and gateway-after: a page instead of an answer', async () => {
  const world = await startWorld();
  await world.token();
  world.faults.add({ kind: 'gateway', times: 1 });
  const before = await world.soap('Create', CREATE);
  expect([before.status, before.headers.get('content-type')]).toEqual([
    503,
    'text/html; charset=utf-8',
  ]);
  expect(world.unit(MID).dataExtensions()).toEqual([]);
  world.faults.add({ kind: 'gateway-after', status: 502, times: 1 });
  expect((await world.soap('Create', CREATE)).status).toBe(502);
  expect(world.unit(MID).dataExtensions()).toHaveLength(1);
});

test('latency: the answer comes all the same', async () => {
  const world = await startWorld();
  world.faults.add({ kind: 'latency', ms: 1, times: 2 });
  expect((await world.soap('Retrieve', LOOK)).status).toBe(200);
  expect(world.faults.list()).toEqual([]);
});

test('bad-client: 401', async () => {
  const world = await startWorld();
  world.faults.add({ kind: 'bad-client', times: 1 });
  const ask = () =>
    fetch(`${world.origin}/v2/token`, { method: 'POST', body: JSON.stringify(CREDENTIALS) });
  const refused = await ask();
  expect([refused.status, await refused.json()]).toEqual([
    401,
    {
      error: 'invalid_client',
      error_description: expect.any(String),
      error_uri: expect.any(String),
    },
  ]);
  expect((await ask()).status).toBe(200);
});

test('token-expired: 500 with a fault by SOAP, 401 by REST, and that token is over for good', async () => {
  const world = await startWorld();
  await world.token();
  world.faults.add({ kind: 'token-expired', times: 1 });
  for (let time = 0; time < 2; time += 1) {
    const { status, text } = await world.soap('Retrieve', LOOK);
    expect(status).toBe(500);
    expect(text).toContain('<faultstring>Token Expired</faultstring>');
    expect(text).toMatch(/<faultcode [^>]+>q0:Security<\/faultcode>/);
  }
  const { status, body } = await world.rest('GET', '/automation/v1/queries');
  expect([status, body]).toEqual([
    401,
    { documentation: expect.any(String), errorcode: 0, message: 'Not Authorized' },
  ]);
  expect((await world.rest('GET', '/automation/v1/queries', undefined, OTHER_MID)).status).toBe(
    200,
  );
});

test('permission: 403 by REST, an error of the object by SOAP, and of all that is retrieved', async () => {
  const world = await startWorld();
  world.faults.add({ kind: 'permission', times: 3 });
  const { status, body } = await world.rest('GET', '/automation/v1/queries');
  expect([status, body.message]).toEqual([403, expect.stringMatching(/^Insufficient privileges/)]);
  const { text } = await world.soap('Create', CREATE);
  expect([tag(text, 'OverallStatus'), tag(text, 'ErrorCode')]).toEqual(['Error', '12001']);
  const { text: found } = await world.soap('Retrieve', LOOK);
  expect(tag(found, 'OverallStatus')).toMatch(/^Error: API Permission Failed/);
  expect(found).not.toContain('<Results');
});

test('throttled and blocked: 429 with and without Retry-After, 500 by SOAP', async () => {
  const world = await startWorld();
  world.faults.add({ kind: 'throttled', times: 2 });
  const slower = await world.rest('GET', '/automation/v1/queries');
  expect([slower.status, slower.headers.get('retry-after'), slower.body.errorcode]).toEqual([
    429,
    '5',
    50_100,
  ]);
  const limited = await world.soap('Retrieve', LOOK);
  expect(limited.status).toBe(500);
  expect(limited.text).toContain('<faultcode>soap:Server</faultcode>');
  expect(limited.text).toContain('<faultstring>Rate Limited</faultstring>');
  expect(limited.text).toContain('<Code>17</Code>');
  world.faults.add({ kind: 'blocked', times: 1 });
  const blocked = await world.rest('GET', '/automation/v1/queries');
  expect([blocked.status, blocked.headers.get('retry-after'), blocked.body.errorcode]).toEqual([
    429,
    null,
    50_200,
  ]);
});

test('retention-refused: only with a retention', async () => {
  const world = await startWorld();
  world.faults.add({ kind: 'retention-refused' });
  const keeping = CREATE.replace(
    '<Fields>',
    '<DataRetentionPeriodLength>1</DataRetentionPeriodLength><RowBasedRetention>false</RowBasedRetention><DeleteAtEndOfRetentionPeriod>false</DeleteAtEndOfRetentionPeriod><Fields>',
  );
  expect(tag((await world.soap('Create', keeping)).text, 'StatusMessage')).toContain('retention');
  expect(tag((await world.soap('Create', CREATE)).text, 'StatusCode')).toBe('OK');
});

test('create-exception and new-id-zero: of queries, by SOAP alone', async () => {
  const world = await startWorld();
  world.faults.add({ kind: 'create-exception', times: 1 });
  await expect(world.makeQuery(SQL)).rejects.toThrow('exception');
  const body = {
    name: 'R',
    key: 'r',
    queryText: SQL,
    targetKey: 't1',
    targetUpdateTypeId: 0,
    categoryId: 5,
  };
  expect((await world.rest('POST', '/automation/v1/queries', body)).status).toBe(200);
  const create = (key: string) =>
    world.soap(
      'Create',
      `<CreateRequest><Objects xsi:type="QueryDefinition"><Name>${key}</Name><CustomerKey>${key}</CustomerKey><QueryText>${SQL}</QueryText><TargetType>DE</TargetType><DataExtensionTarget><CustomerKey>t1</CustomerKey></DataExtensionTarget></Objects></CreateRequest>`,
    );
  expect(Number(tag((await create('a')).text, 'NewID'))).toBeGreaterThan(0);
  world.faults.add({ kind: 'new-id-zero', times: 1 });
  const zero = (await create('b')).text;
  expect([tag(zero, 'NewID'), tag(zero, 'NewObjectID')?.length]).toEqual(['0', 36]);
});

test('perform-error: nothing is started', async () => {
  const world = await startWorld();
  world.faults.add({ kind: 'perform-error', message: 'Not now.', times: 1 });
  await expect(world.startQuery(SQL)).rejects.toThrow('Not now.');
  expect(world.unit(MID).tasks()).toEqual([]);
});

test('stuck-queued: Queued, and isrunning says false, until the fault is taken away', async () => {
  const world = await startWorld();
  const { id } = world.faults.add({ kind: 'stuck-queued', mid: MID });
  const taskId = await world.startQuery(SQL);
  const theirs = await world.startQuery(SQL, { mid: OTHER_MID });
  world.advance(3_600_000);
  await world.settled();
  expect(await world.statusOf(taskId)).toMatchObject({ Status: 'Queued', CompletedDate: null });
  expect(await world.statusOf(theirs, OTHER_MID)).toMatchObject({ Status: 'Complete' });
  world.faults.remove(id);
  await world.taskEnded(taskId);
  expect(await world.statusOf(taskId)).toMatchObject({ Status: 'Complete' });
});

test('slow: the query runs longer', async () => {
  const world = await startWorld();
  world.faults.add({ kind: 'slow', ms: 5000 });
  const taskId = await world.startQuery(SQL);
  await world.settled();
  expect(await world.statusOf(taskId)).toMatchObject({ Status: 'Processing' });
  world.advance(5000);
  await world.taskEnded(taskId);
  expect(await world.statusOf(taskId)).toMatchObject({ Status: 'Complete' });
});

test.each<[FaultSpec, object]>([
  [{ kind: 'fatal-error' }, { Status: 'FatalError', ErrorMsg: null }],
  [
    { kind: 'task-error', message: 'Too bad.' },
    { Status: 'Error', ErrorMsg: 'Too bad.' },
  ],
  [{ kind: 'no-completed-date' }, { Status: 'Complete', CompletedDate: null }],
  [{ kind: 'no-status' }, { Status: null, CompletedDate: expect.any(String) }],
  [{ kind: 'unknown-task' }, {}],
])('%o', async (fault, status) => {
  const world = await startWorld();
  world.faults.add(fault);
  const taskId = await world.startQuery(SQL);
  await world.taskEnded(taskId);
  const found = await world.statusOf(taskId);
  expect(found).toMatchObject(status);
  if (fault.kind === 'unknown-task') expect(found).toEqual({});
});

test('early-completed-date: from the start', async () => {
  const world = await startWorld({ queueMs: 1000 });
  world.faults.add({ kind: 'early-completed-date' });
  const taskId = await world.startQuery(SQL);
  expect(await world.statusOf(taskId)).toMatchObject({
    Status: 'Queued',
    CompletedDate: '2026-05-20T04:00:00.789',
  });
});

test('stays-queued: Queued and completed from the start, also when it has ended; a failure shows', async () => {
  const world = await startWorld({ queueMs: 1000 });
  world.faults.add({ kind: 'stays-queued' });
  const expected = { Status: 'Queued', CompletedDate: '2026-05-20T04:00:00.789' };
  const taskId = await world.startQuery(SQL);
  expect(await world.statusOf(taskId)).toMatchObject(expected);
  world.advance(1000);
  await world.taskEnded(taskId);
  expect(await world.statusOf(taskId)).toMatchObject(expected);
  world.faults.add({ kind: 'task-error', message: 'No.' });
  const failed = await world.startQuery(SQL);
  world.advance(1000);
  await world.taskEnded(failed);
  expect(await world.statusOf(failed)).toMatchObject({ Status: 'Error', ErrorMsg: 'No.' });
});

test('late-rows and lost-rows: Complete, and the rows show later or never', async () => {
  const world = await startWorld();
  const count = async (key: string) =>
    (await world.rest('GET', `/data/v1/customobjectdata/key/${key}/rowset`)).body.count;
  world.faults.add({ kind: 'late-rows', ms: 10_000, times: 1 });
  await world.taskEnded(await world.startQuery(SQL));
  expect(await count('t1')).toBe(0);
  world.advance(10_000);
  expect(await count('t1')).toBe(1);
  world.faults.add({ kind: 'lost-rows', times: 1 });
  await world.taskEnded(await world.startQuery(SQL));
  world.advance(3_600_000);
  expect(await count('t2')).toBe(0);
});

test('not-running and no-rowset', async () => {
  const world = await startWorld({ runMs: 1000 });
  const id = await world.makeQuery(SQL);
  await world.rest('POST', `/automation/v1/queries/${id}/actions/start/`);
  world.faults.add({ kind: 'not-running', times: 1 });
  const running = async () =>
    (await world.rest('GET', `/automation/v1/queries/${id}/actions/isrunning/`)).body.isRunning;
  expect([await running(), await running()]).toEqual([false, true]);
  world.faults.add({ kind: 'no-rowset', times: 1 });
  const rowset = () => world.rest('GET', '/data/v1/customobjectdata/key/t1/rowset');
  expect([(await rowset()).status, (await rowset()).status]).toEqual([404, 200]);
});

test('by chance, the same for the same seed', async () => {
  const strikes = async (seed: number) => {
    const world = await startWorld({ seed });
    await world.token();
    world.faults.add({ kind: 'gateway', probability: 0.5 });
    const statuses = [];
    for (let time = 0; time < 20; time += 1)
      statuses.push((await world.soap('Retrieve', LOOK)).status);
    return statuses;
  };
  const first = await strikes(7);
  expect(first).toContain(503);
  expect(first).toContain(200);
  expect(await strikes(7)).toEqual(first);
});

test('close lets go of what is held', async () => {
  const world = await startWorld();
  world.faults.add({ kind: 'stuck-queued' });
  await world.startQuery(SQL);
  await world.close();
});

test.each<[string, FaultSpec]>([
  ['kind', { kind: 'flood' as 'slow' }],
  ['ms', { kind: 'latency' }],
  ['ms', { kind: 'slow' }],
  ['ms', { kind: 'late-rows', ms: -1 }],
  ['seconds', { kind: 'throttled', seconds: 0.5 }],
  ['operation', { kind: 'slow', ms: 1, operation: '(' }],
  ['status', { kind: 'gateway', status: 500 }],
])('refused: %s', async (name, spec) => {
  const world = await startWorld();
  expect(() => world.faults.add(spec)).toThrow(new RegExp(`^${name}: `));
});
