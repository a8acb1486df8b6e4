import { expect, test } from 'vitest';
import { START, refusalOf, startWorld } from '../test/world.ts';

const D = '/sobjects/Generated_Document__c';
const NOW = '2026-05-20T10:00:00.000+0000';

test('POST 201, GET, PATCH 204, DELETE 204, then 404', async () => {
  const world = await startWorld();
  const made = await world.call('POST', D, { CorrelationId__c: ' c ' });
  const { id } = made.body;
  expect(made.status).toBe(201);
  expect(made.body).toEqual({ id, success: true, errors: [] });
  expect(made.headers.get('location')).toBe(
    `/services/data/v66.0/sobjects/Generated_Document__c/${id}`,
  );
  expect((await world.call('GET', `${D}/${id}`)).body).toMatchObject({
    attributes: { type: 'Generated_Document__c', url: made.headers.get('location') },
    Id: id,
    Name: 'GD-00000001',
    Status__c: 'QUEUED', // the default of the picklist
    Attempts__c: 0,
    CancelRequested__c: false,
    CorrelationId__c: 'c', // blanks around a text are cut
    CreatedDate: NOW,
    LastModifiedDate: NOW,
    OwnerId: world.org.records('User')[0]?.['Id'],
  });
  world.advance(1500);
  const patched = await world.call('PATCH', `${D}/${id}`, { Kind__c: 'k' });
  expect([patched.status, patched.body.length]).toEqual([204, 0]);
  expect(
    (await world.call('GET', `${D}/${id}?fields=Kind__c,LastModifiedDate,CreatedDate`)).body,
  ).toEqual({
    attributes: expect.anything(),
    Kind__c: 'k',
    LastModifiedDate: '2026-05-20T10:00:02.000+0000',
    CreatedDate: NOW,
    Id: id,
  });
  expect((await world.call('DELETE', `${D}/${id}`)).status).toBe(204);
  expect((await world.call('GET', `${D}/${id}`)).body).toEqual([
    { errorCode: 'NOT_FOUND', message: 'The requested resource does not exist' },
  ]);
  for (const method of ['PATCH', 'DELETE']) {
    const { status, body } = await world.call(
      method,
      `${D}/${id}`,
      method === 'PATCH' ? {} : undefined,
    );
    expect(status).toBe(404);
    expect(body).toMatchObject([{ errorCode: 'ENTITY_IS_DELETED', message: 'entity is deleted' }]);
  }
});

test('moments have whole seconds: fractions are cut', async () => {
  const world = await startWorld();
  const id = await world.create('Generated_Document__c', {
    LockedUntil__c: '2026-05-20T12:00:00.999+0200',
    StartedAt__c: '2026-05-20',
  });
  expect(world.org.record(id)).toMatchObject({
    LockedUntil__c: NOW,
    StartedAt__c: '2026-05-20T00:00:00.000+0000',
  });
  expect(START % 1000).not.toBe(0);
});

test('ids of 15 and of 18 letters are the same record; letters of the wrong case are not', async () => {
  const world = await startWorld();
  const id = await world.create('Account', { Name: 'A' });
  expect((await world.call('GET', `/sobjects/Account/${id.slice(0, 15)}`)).body.Id).toBe(id);
  const contact = await world.create('Contact', { LastName: 'C', AccountId: id.slice(0, 15) });
  expect(world.org.record(contact)).toMatchObject({ AccountId: id });
  expect(
    (await world.call('GET', `/sobjects/Account/${id.slice(0, 15).toLowerCase()}`)).status,
  ).toBe(404);
  expect((await world.call('GET', `/sobjects/Account/${id.slice(0, 15)}ZZZ`)).status).toBe(404);
  expect((await world.call('GET', `/sobjects/Contact/${id}`)).status).toBe(404);
});

test('an Id in the body is refused', async () => {
  const world = await startWorld();
  const id = await world.create('Account', { Name: 'A' });
  expect(await refusalOf(world, 'Account', { Id: id, Name: 'B' })).toMatchObject({
    errorCode: 'INVALID_FIELD_FOR_INSERT_UPDATE',
  });
  const { status, body } = await world.call('PATCH', `/sobjects/Account/${id}`, { Id: id });
  expect(status).toBe(400);
  expect(body).toMatchObject([{ errorCode: 'INVALID_FIELD' }]);
});

test('upsert by external id: 201, then 200; updateOnly never inserts', async () => {
  const world = await startWorld();
  const path = '/sobjects/Generated_Document__c/RequestHash__c/h%201';
  expect((await world.call('PATCH', `${path}?updateOnly=true`, { Kind__c: 'k' })).status).toBe(404);
  expect(world.org.records('Generated_Document__c')).toEqual([]);
  const made = await world.call('PATCH', path, { Kind__c: 'k' });
  expect(made.status).toBe(201);
  expect(made.body).toEqual({ id: expect.any(String), success: true, errors: [], created: true });
  expect(world.org.record(made.body.id)).toMatchObject({ RequestHash__c: 'h 1', Kind__c: 'k' });
  const again = await world.call('PATCH', `${path}?updateOnly=true`, { Kind__c: 'l' });
  expect(again.status).toBe(200);
  expect(again.body).toEqual({ id: made.body.id, success: true, errors: [], created: false });
  expect((await world.call('GET', path)).body).toMatchObject({ Kind__c: 'l' });
  const named = await world.call('PATCH', path, { RequestHash__c: 'h 1' });
  expect(named.body).toMatchObject([{ errorCode: 'INVALID_FIELD' }]);
  expect((await world.call('DELETE', path)).status).toBe(204);
  expect((await world.call('GET', path)).status).toBe(404);
});

test('an external id that is not unique may mean several: 300', async () => {
  const world = await startWorld();
  for (let count = 0; count < 2; count += 1) {
    await world.create('Generated_Document__c', { ClaimId__c: 'w/1' });
  }
  const { status, body } = await world.call(
    'PATCH',
    '/sobjects/Generated_Document__c/ClaimId__c/w%2F1',
    {},
  );
  expect(status).toBe(300);
  expect(body).toEqual([
    expect.stringContaining('/sobjects/Generated_Document__c/a0'),
    expect.anything(),
  ]);
});

test('what is no external id cannot be upserted by', async () => {
  const world = await startWorld();
  const { status, body } = await world.call('PATCH', '/sobjects/Account/Name/A', {});
  expect(status).toBe(404);
  expect(body[0]).toMatchObject({
    errorCode: 'NOT_FOUND',
    message: expect.stringContaining('external ID'),
  });
});

test('If-Unmodified-Since: to the second, for every object; tags for accounts alone', async () => {
  const world = await startWorld();
  const id = await world.create('Generated_Document__c', {});
  const seen = await world.call('GET', `${D}/${id}`);
  const since = seen.headers.get('last-modified') ?? '';
  expect(since).toBe('Wed, 20 May 2026 10:00:00 GMT');
  expect(seen.headers.get('etag')).toBeNull();
  const patch = (headers: Record<string, string>, type = 'Generated_Document__c', which = id) =>
    world.call('PATCH', `/sobjects/${type}/${which}`, {}, headers);
  world.advance(200); // within the same second, nobody sees the change
  expect((await patch({})).status).toBe(204);
  expect((await patch({ 'if-unmodified-since': since })).status).toBe(204);
  world.advance(1000);
  await patch({});
  const failed = await patch({ 'if-unmodified-since': since });
  expect(failed.status).toBe(412);
  const unchanged = await world.call('GET', `${D}/${id}`, undefined, {
    'if-modified-since': 'Wed, 20 May 2026 11:00:00 GMT',
  });
  expect(unchanged.status).toBe(304);

  const account = await world.create('Account', { Name: 'A' });
  const tag = (await world.call('GET', `/sobjects/Account/${account}`)).headers.get('etag') ?? '';
  world.advance(1000);
  expect((await patch({ 'if-match': tag }, 'Account', account)).status).toBe(204);
  expect((await patch({ 'if-match': tag }, 'Account', account)).status).toBe(412);
});

test('an event is published after the commit, and not kept', async () => {
  const world = await startWorld();
  const { status } = await world.call('POST', '/sobjects/Docgen_Wakeup__e', { Count__c: 3 });
  expect(status).toBe(201);
  expect(world.org.events).toEqual([
    { type: 'Docgen_Wakeup__e', at: START, values: { Count__c: 3 } },
  ]);
  await world.call('POST', '/composite', {
    allOrNone: true,
    compositeRequest: [
      {
        method: 'POST',
        url: '/services/data/v66.0/sobjects/Docgen_Wakeup__e',
        referenceId: 'a',
        body: { Count__c: 1 },
      },
      { method: 'POST', url: '/services/data/v66.0/sobjects/Account', referenceId: 'b', body: {} },
    ],
  });
  expect(world.org.events).toHaveLength(1);
});

test.each([
  ['GET', '/sobjects/Nothing__c', 404, 'NOT_FOUND'],
  ['GET', '/nothing', 404, 'NOT_FOUND'],
  ['GET', '/services/data/v66.0/sobjects/Account/x/y/z', 404, 'NOT_FOUND'],
  ['GET', '/services/data/v9.0/limits', 404, 'NOT_FOUND'],
  ['GET', '/services/data/v99.0/limits', 404, 'NOT_FOUND'],
  ['PUT', '/sobjects/Account', 405, 'METHOD_NOT_ALLOWED'],
])('%s %s: %d', async (method, path, status, errorCode) => {
  const world = await startWorld();
  const answer = await world.call(method, path);
  expect(answer.status).toBe(status);
  expect(answer.body).toMatchObject([{ errorCode }]);
});

test('bodies that are none', async () => {
  const world = await startWorld();
  const post = (body: string, type = 'application/json') =>
    world.call('POST', '/sobjects/Account', body, { 'content-type': type });
  expect((await post('{')).body).toMatchObject([{ errorCode: 'JSON_PARSER_ERROR' }]);
  expect((await post('[]')).body).toMatchObject([{ errorCode: 'JSON_PARSER_ERROR' }]);
  const xml = await post('<a/>', 'application/xml');
  expect([xml.status, xml.body[0]?.errorCode]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
});

test('URI and headers together have 16,384 bytes at most', async () => {
  const world = await startWorld();
  expect(
    (await world.query(`SELECT Id FROM Account WHERE Name = '${'x'.repeat(15_000)}'`)).status,
  ).toBe(200);
  const long = await world.query(`SELECT Id FROM Account WHERE Name = '${'x'.repeat(16_384)}'`);
  expect([long.status, long.body[0]?.errorCode]).toEqual([414, 'URI_TOO_LONG']);
  const heavy = await world.call('GET', '/limits', undefined, { 'x-heavy': 'x'.repeat(16_384) });
  expect(heavy.status).toBe(431);
});
