import { expect, test } from 'vitest';
import { askToken } from '../test/code-flow.ts';
import { API_SCOPE, startWorld } from '../test/world.ts';

const CREDENTIALS = {
  grant_type: 'client_credentials',
  client_id: 'idle',
  client_secret: 'idle secret',
  scope: API_SCOPE,
};

test('jwks-down: 503 until it is lifted; tokens are given all the same', async () => {
  const world = await startWorld();
  world.faults.add({ kind: 'jwks-down' });
  const response = await fetch(world.jwksUri);
  expect(response.status).toBe(503);
  expect(await response.json()).toMatchObject({ error: 'temporarily_unavailable' });
  expect((await askToken(world, CREDENTIALS)).status).toBe(200);
  world.faults.clear();
  expect((await fetch(world.jwksUri)).status).toBe(200);
  expect(world.requests.jwks).toBe(2);
});

test('jwks-garbage: 200, and no JSON', async () => {
  const world = await startWorld();
  world.faults.add({ kind: 'jwks-garbage' });
  const response = await fetch(world.jwksUri);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toContain('application/json');
  await expect(response.json()).rejects.toThrow(SyntaxError);
});

test('jwks-slow: no answer while it lasts, a good one afterwards', async () => {
  const world = await startWorld();
  world.faults.add({ kind: 'jwks-slow' });
  const answered: string[] = [];
  const asked = fetch(world.jwksUri).then((response) => {
    answered.push('jwks');
    return response;
  });
  while (world.requests.jwks === 0) await fetch(`${world.issuer}/.well-known/openid-configuration`);
  await askToken(world, CREDENTIALS); // others are not held up
  expect(answered).toEqual([]);
  world.faults.clear();
  expect((await asked).status).toBe(200);
});

test('jwks-slow: who gives up, and close, are not held up', async () => {
  const world = await startWorld();
  world.faults.add({ kind: 'jwks-slow' });
  const impatient = new AbortController();
  const given = fetch(world.jwksUri, { signal: impatient.signal });
  const held = fetch(world.jwksUri);
  const ends = Promise.all([
    expect(given).rejects.toThrow('aborted'),
    expect(held).rejects.toThrow('fetch failed'),
  ]);
  while (world.requests.jwks < 2) await fetch(`${world.issuer}/.well-known/openid-configuration`);
  impatient.abort();
  await world.close();
  await ends;
});

test('token-down: 503 for every grant; the keys are there', async () => {
  const world = await startWorld();
  world.faults.add({ kind: 'token-down' });
  const { status, body } = await askToken(world, CREDENTIALS);
  expect(status).toBe(503);
  expect(body).toMatchObject({ error: 'temporarily_unavailable' });
  expect((await fetch(world.jwksUri)).status).toBe(200);
  world.faults.clear();
  expect((await askToken(world, CREDENTIALS)).status).toBe(200);
});

test('the page: what there is without a secret, and the faults to switch', async () => {
  const world = await startWorld();
  const switched = await fetch(`${world.origin}/_sim/faults`, {
    method: 'POST',
    headers: { origin: world.origin },
    body: new URLSearchParams({ kind: 'jwks-down', times: '1' }),
    redirect: 'manual',
  });
  expect(switched.status).toBe(303);
  const page = await (await fetch(`${world.origin}/_sim/`)).text();
  expect(page).toContain(world.issuer);
  expect(page).toContain('ada@sandbox.test');
  expect(page).toContain('Take away');
  expect(page).not.toMatch(/open sesame|p%ss|idle secret/);
  expect((await fetch(world.jwksUri)).status).toBe(503);
  expect((await fetch(world.jwksUri)).status).toBe(200);
  expect(world.requests.other).toBe(0);
});
