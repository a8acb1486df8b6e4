import { request } from 'node:http';
import { expect, test } from 'vitest';
import { type Body, type World, startWorld } from '../test/world.ts';

const get = async (
  world: World,
  path: string,
): Promise<{ status: number; text: string; headers: Headers }> => {
  const response = await fetch(world.origin + path);
  return { status: response.status, text: await response.text(), headers: response.headers };
};
const post = (
  world: World,
  path: string,
  form: Record<string, string>,
  headers: Record<string, string> = {},
) =>
  fetch(world.origin + path, {
    method: 'POST',
    body: new URLSearchParams(form),
    headers,
    redirect: 'manual',
  });
const api = async (world: World, method: string, path: string, body?: unknown) => {
  const response = await fetch(`${world.origin}/_sim/api/${path}`, {
    method,
    ...(body !== undefined && {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }),
  });
  return { status: response.status, body: (await response.json()) as Body };
};

test('the org: what there is, what happens; no call is counted', async () => {
  const world = await startWorld();
  await world.create('Account', { Name: 'A' });
  const { status, text, headers } = await get(world, '/_sim/');
  expect(status).toBe(200);
  expect(text).toContain('/_sim/records/Generated_Document__c');
  expect(text).toContain('1 of 100000');
  expect(text).toContain('/services/data/v66.0/sobjects/Account');
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(world.calls.total).toBe(1);
});

test('records and files; what is in them is text, never markup', async () => {
  const world = await startWorld();
  const id = await world.create('Account', { Name: '<script>alert(1)</script>' });
  const list = await get(world, '/_sim/records/Account');
  expect(list.text).toContain('&lt;script&gt;');
  expect(list.text).not.toContain('<script>');
  expect((await get(world, `/_sim/record/${id}`)).text).toContain('&lt;script&gt;');
  const version = await world.create('ContentVersion', {
    Title: 'a "b"',
    PathOnClient: 'x.html',
    VersionData: Buffer.from('<b>').toString('base64'),
    FirstPublishLocationId: id,
  });
  expect((await get(world, '/_sim/files')).text).toContain(`/_sim/record/${id}`);
  const file = await get(world, `/_sim/file/${version}`);
  expect(file.text).toBe('<b>');
  expect(file.headers.get('content-disposition')).toBe(
    "attachment; filename*=UTF-8''a%20%22b%22.html",
  );
  expect((await get(world, '/_sim/calls')).text).toContain('ContentVersion');
});

test.each([
  '/_sim/nothing',
  '/_sim/records/Nothing__c',
  '/_sim/record/001Wz00000000zzIAA',
  '/_sim/file/x',
])('nothing at %s', async (path) => {
  expect((await get(await startWorld(), path)).status).toBe(404);
});

test('faults by the form: on, seen, off', async () => {
  const world = await startWorld();
  const added = await post(world, '/_sim/faults', {
    kind: 'latency',
    method: '',
    path: 'composite',
    ms: '5',
    times: '',
  });
  expect([added.status, added.headers.get('location')]).toEqual([303, '/_sim/']);
  expect(world.faults.list()).toMatchObject([
    { kind: 'latency', path: 'composite', ms: 5, struck: 0 },
  ]);
  expect((await get(world, '/_sim/')).text).toContain('Take away');
  await post(world, '/_sim/faults/remove', { id: '1' });
  expect(world.faults.list()).toEqual([]);
  const wrong = await post(world, '/_sim/faults', { kind: 'latency' });
  expect(wrong.status).toBe(400);
  expect(await wrong.text()).toContain('ms: say how long');
});

test('the clock and the sessions by the form', async () => {
  const world = await startWorld();
  await world.query('SELECT Id FROM User');
  const before = world.now();
  await post(world, '/_sim/advance', { seconds: '90' });
  expect(world.now() - before).toBe(90_000);
  await post(world, '/_sim/sessions/expire', {});
  expect((await world.query('SELECT Id FROM User')).status).toBe(401);
});

test('the same for programs', async () => {
  const world = await startWorld();
  const id = await world.create('Account', { Name: 'A' });
  expect((await api(world, 'GET', 'state')).body).toMatchObject({
    apex: true,
    calls: { total: 1 },
    faults: [],
  });
  expect((await api(world, 'GET', 'records/Account')).body).toMatchObject([{ Id: id }]);
  expect((await api(world, 'GET', `record/${id}`)).body).toMatchObject({ Name: 'A' });
  expect((await api(world, 'GET', 'files')).body).toEqual([]);
  expect((await api(world, 'GET', 'calls')).body.last).toMatchObject([
    { method: 'POST', status: 201, calls: 1 },
    {},
  ]);
  const made = await api(world, 'POST', 'faults', { kind: 'unavailable', times: 3 });
  expect(made).toMatchObject({ status: 201, body: { id: 1, kind: 'unavailable' } });
  expect((await world.query('SELECT Id FROM User')).status).toBe(503);
  expect((await api(world, 'GET', 'faults')).body).toMatchObject([{ struck: 1 }]);
  expect((await api(world, 'DELETE', 'faults/9')).status).toBe(404);
  expect((await api(world, 'DELETE', 'faults')).body).toEqual([]);
  const before = world.now();
  expect((await api(world, 'POST', 'advance', { ms: 1500 })).body.now).toBe(before + 1500);
  await api(world, 'POST', 'expire-sessions');
  expect((await world.query('SELECT Id FROM User')).status).toBe(401);
});

test.each([
  ['POST', 'faults', { kind: 'lock', pth: 'x' }, 'pth: a fault has kind'],
  ['POST', 'faults', { kind: 'none' }, 'kind: give one of'],
  ['POST', 'advance', { ms: -1 }, 'ms: give a whole number'],
])('%s %s %o is refused with a reason', async (method, path, body, message) => {
  const answer = await api(await startWorld(), method, path, body);
  expect(answer.status).toBe(400);
  expect(answer.body.error_description).toContain(message);
});

test('a cut connection is in the list of calls', async () => {
  const world = await startWorld();
  await world.query('SELECT Id FROM User');
  world.faults.add({ kind: 'cut-after', times: 1 });
  await expect(world.query('SELECT Id FROM User')).rejects.toThrow('fetch failed');
  expect((await api(world, 'GET', 'calls')).body.last[0]).toMatchObject({ status: null, calls: 1 });
});

test('pages of other origins may not post, other names are not answered', async () => {
  const world = await startWorld();
  const foreign = await post(
    world,
    '/_sim/faults',
    { kind: 'lock' },
    { origin: 'http://evil.test' },
  );
  expect(foreign.status).toBe(403);
  expect(world.faults.list()).toEqual([]);
  const own = await post(world, '/_sim/faults', { kind: 'lock' }, { origin: world.origin });
  expect(own.status).toBe(303);
  const status = await new Promise<number | undefined>((resolve, reject) => {
    request(`${world.origin}/_sim/`, { headers: { host: 'evil.test' } }, ({ statusCode }) =>
      resolve(statusCode),
    )
      .on('error', reject)
      .end();
  });
  expect(status).toBe(421);
});
