import { expect, test } from 'vitest';
import { type FaultSpec } from './index.ts';
import { DATA, type World, startWorld } from '../test/world.ts';

const insert = (world: World, Name = 'A') => world.call('POST', '/sobjects/Account', { Name });

test('cut-before: the connection ends, and nothing has happened', async () => {
  const world = await startWorld();
  await insert(world, 'first');
  world.faults.add({ kind: 'cut-before', method: 'POST', path: 'sobjects', times: 1 });
  await expect(insert(world)).rejects.toThrow('fetch failed');
  expect(world.org.records('Account')).toHaveLength(1);
  expect(world.calls.total).toBe(1);
  expect((await insert(world)).status).toBe(201);
});

test('cut-after: the connection ends, and everything has happened', async () => {
  const world = await startWorld();
  await insert(world, 'first');
  world.faults.add({ kind: 'cut-after', method: 'POST', path: 'sobjects', times: 1 });
  await expect(insert(world)).rejects.toThrow('fetch failed');
  expect(world.org.records('Account')).toHaveLength(2);
  expect(world.calls.total).toBe(2);
  expect(world.faults.list()).toEqual([]);
});

test('unavailable: 503, not counted', async () => {
  const world = await startWorld();
  await insert(world);
  world.faults.add({ kind: 'unavailable', times: 1 });
  const { status, body } = await insert(world);
  expect([status, body[0]?.errorCode]).toEqual([503, 'SERVER_UNAVAILABLE']);
  expect(world.calls.total).toBe(1);
  world.faults.add({ kind: 'unavailable', path: 'oauth2/token' });
  expect((await world.token({})).status).toBe(503);
});

test('session-expired: this session is over for good', async () => {
  const world = await startWorld();
  await insert(world);
  world.faults.add({ kind: 'session-expired', times: 1 });
  for (let time = 0; time < 2; time += 1) {
    const { status, body } = await insert(world);
    expect([status, body[0]?.errorCode]).toEqual([401, 'INVALID_SESSION_ID']);
  }
});

test('limit: 403, without Retry-After, and the header all the same', async () => {
  const world = await startWorld();
  world.faults.add({ kind: 'limit', times: 1 });
  const { status, headers, body } = await insert(world);
  expect(status).toBe(403);
  expect(body).toEqual([
    { errorCode: 'REQUEST_LIMIT_EXCEEDED', message: 'TotalRequests Limit exceeded.' },
  ]);
  expect(headers.get('retry-after')).toBeNull();
  expect(headers.get('sforce-limit-info')).toBe('api-usage=0/100000');
});

test('lock: one row cannot be had, reads and other rows can', async () => {
  const world = await startWorld();
  const a = (await insert(world)).body.id;
  const b = (await insert(world)).body.id;
  const patch = (id: string) => world.call('PATCH', `/sobjects/Account/${id}`, { Name: 'B' });
  world.faults.add({ kind: 'lock', record: a });
  expect((await patch(a)).body).toMatchObject([{ errorCode: 'UNABLE_TO_LOCK_ROW' }]);
  expect((await patch(b)).status).toBe(204);
  expect((await world.call('GET', `/sobjects/Account/${a}`)).status).toBe(200);
  world.faults.clear();
  world.faults.add({ kind: 'lock', object: 'Contact' });
  expect((await patch(a)).status).toBe(204);
});

test('storage: for one object or for all', async () => {
  const world = await startWorld();
  world.faults.add({ kind: 'storage', object: 'ContentVersion' });
  expect((await insert(world)).status).toBe(201);
  const file = await world.call('POST', '/sobjects/ContentVersion', {
    PathOnClient: 'a',
    VersionData: 'aGk=',
  });
  expect(file.body).toMatchObject([{ errorCode: 'STORAGE_LIMIT_EXCEEDED' }]);
});

test('refused: as a trigger of the org would, with its code and words', async () => {
  const world = await startWorld();
  const code = 'CANNOT_EXECUTE_FLOW_TRIGGER';
  world.faults.add({ kind: 'refused', object: 'Account', code, message: 'The flow failed.' });
  const { status, body } = await insert(world);
  expect([status, body[0]?.errorCode, body[0]?.message]).toEqual([400, code, 'The flow failed.']);
  expect(world.org.records('Account')).toEqual([]);
});

test('gateway: a page instead of the org, before anything happened or after the commit', async () => {
  const world = await startWorld();
  await insert(world);
  const request = (kind: 'gateway' | 'gateway-after', status?: number) => {
    world.faults.add({ kind, times: 1, ...(status !== undefined && { status }) });
    return fetch(`${world.origin}${DATA}/limits`, { redirect: 'manual' });
  };
  for (const [kind, status] of [
    ['gateway', 502],
    ['gateway-after', 504],
    // fetch does not show a 407.
    ...[200, 302, 400, 403, 404, 408, 420, 429].map((page) => ['gateway', page] as const),
  ] as const) {
    const answer = await request(kind, status);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toContain('text/html');
    expect(await answer.text()).toContain(String(status));
  }
  expect((await request('gateway')).status).toBe(502);
});

test('latency: the answer comes all the same', async () => {
  const world = await startWorld();
  world.faults.add({ kind: 'latency', ms: 1, times: 2 });
  expect((await insert(world)).status).toBe(201);
  expect((await insert(world)).status).toBe(201);
  expect(world.faults.list()).toEqual([]);
});

test('every and times: each third, twice', async () => {
  const world = await startWorld();
  await insert(world);
  world.faults.add({ kind: 'unavailable', method: 'GET', every: 3, times: 2 });
  const statuses: number[] = [];
  for (let time = 0; time < 9; time += 1)
    statuses.push((await world.call('GET', '/limits')).status);
  expect(statuses).toEqual([200, 200, 503, 200, 200, 503, 200, 200, 200]);
});

test('by chance, the same for the same seed', async () => {
  const strikes = async (seed: number) => {
    const world = await startWorld({ seed });
    await insert(world);
    world.faults.add({ kind: 'unavailable', probability: 0.5 });
    const statuses: number[] = [];
    for (let time = 0; time < 20; time += 1)
      statuses.push((await world.call('GET', '/limits')).status);
    return statuses;
  };
  const first = await strikes(7);
  expect(first).toContain(503);
  expect(first).toContain(200);
  expect(await strikes(7)).toEqual(first);
  expect(await strikes(8)).not.toEqual(first);
});

test('close lets go of what is held, and answers nobody', async () => {
  const world = await startWorld();
  await insert(world);
  world.faults.add({ kind: 'hold', method: 'POST' });
  const held = expect(insert(world)).rejects.toThrow('fetch failed');
  while (world.faults.list()[0]?.struck !== 1) await world.call('GET', '/limits');
  await world.close();
  await held;
});

test.each<[string, FaultSpec]>([
  ['kind', { kind: 'flood' as 'lock' }],
  ['ms', { kind: 'latency' }],
  ['ms', { kind: 'latency', ms: -1 }],
  ['times', { kind: 'lock', times: 0 }],
  ['every', { kind: 'lock', every: 1.5 }],
  ['probability', { kind: 'lock', probability: 2 }],
  ['path', { kind: 'lock', path: '(' }],
  ['status', { kind: 'gateway', status: 500 }],
])('refused: %s', async (name, spec) => {
  const world = await startWorld();
  expect(() => world.faults.add(spec)).toThrow(new RegExp(`^${name}: `));
});
