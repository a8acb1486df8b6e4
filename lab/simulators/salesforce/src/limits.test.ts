import { expect, test } from 'vitest';
import { CREDENTIALS, DATA, startWorld } from '../test/world.ts';

test('every answer says how much is used; tokens, versions and refusals are not counted', async () => {
  const world = await startWorld({ dailyApiRequests: 10 });
  const token = await world.token(CREDENTIALS);
  expect(token.headers.get('sforce-limit-info')).toBe('api-usage=0/10');
  expect((await fetch(`${world.origin}/services/data`)).headers.get('sforce-limit-info')).toBe(
    'api-usage=0/10',
  );
  expect((await fetch(world.origin + DATA)).headers.get('sforce-limit-info')).toBe(
    'api-usage=0/10',
  ); // 401
  expect((await world.call('GET', '')).headers.get('sforce-limit-info')).toBe('api-usage=1/10');
  expect((await world.query('nonsense')).headers.get('sforce-limit-info')).toBe('api-usage=2/10');
  expect((await world.call('GET', '/limits')).body.DailyApiRequests).toEqual({
    Max: 10,
    Remaining: 7,
  });
  expect(world.calls).toMatchObject({ total: 3, used: 3, max: 10, requests: 7 });
});

test('when they are used up: 403, until a day has passed', async () => {
  const world = await startWorld({ dailyApiRequests: 2, sessionTimeoutMs: 1_000_000_000 });
  await world.query('SELECT Id FROM User');
  await world.query('SELECT Id FROM User');
  const { status, headers, body } = await world.query('SELECT Id FROM User');
  expect(status).toBe(403);
  expect(body).toMatchObject([{ errorCode: 'REQUEST_LIMIT_EXCEEDED' }]);
  expect(headers.get('sforce-limit-info')).toBe('api-usage=2/2');
  world.advance(22 * 3_600_000);
  expect((await world.query('SELECT Id FROM User')).status).toBe(403);
  world.advance(2 * 3_600_000);
  expect((await world.query('SELECT Id FROM User')).status).toBe(200);
});

test('no more than 25 requests that last over 20 seconds', async () => {
  const world = await startWorld({ lockWaitMs: 1_000_000 });
  const id = await world.create('Account', { Name: 'A' });
  world.faults.add({ kind: 'hold', method: 'PATCH', times: 1 });
  const patches = Array.from({ length: 25 }, () =>
    world.call('PATCH', `/sobjects/Account/${id}`, { Name: 'B' }),
  );
  await world.untilWaiting(24);
  expect((await world.query('SELECT Id FROM User')).status).toBe(200);
  world.advance(20_001);
  const { status, body } = await world.query('SELECT Id FROM User');
  expect(status).toBe(403);
  expect(body).toMatchObject([
    { errorCode: 'REQUEST_LIMIT_EXCEEDED', message: expect.stringContaining('Concurrent') },
  ]);
  world.faults.clear();
  for (const answer of await Promise.all(patches)) expect(answer.status).toBe(204);
  expect((await world.query('SELECT Id FROM User')).status).toBe(200);
});
