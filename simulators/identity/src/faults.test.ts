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
  world.faults.set('jwks-down');
  const response = await fetch(world.jwksUri);
  expect(response.status).toBe(503);
  expect(await response.json()).toMatchObject({ error: 'temporarily_unavailable' });
  expect((await askToken(world, CREDENTIALS)).status).toBe(200);
  world.faults.set('none');
  expect((await fetch(world.jwksUri)).status).toBe(200);
  expect(world.requests.jwks).toBe(2);
});

test('jwks-garbage: 200, and no JSON', async () => {
  const world = await startWorld();
  world.faults.set('jwks-garbage');
  const response = await fetch(world.jwksUri);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toContain('application/json');
  await expect(response.json()).rejects.toThrow(SyntaxError);
});

test('jwks-slow: no answer while it lasts, a good one afterwards', async () => {
  const world = await startWorld();
  world.faults.set('jwks-slow');
  const answered: string[] = [];
  const asked = fetch(world.jwksUri).then((response) => {
    answered.push('jwks');
    return response;
  });
  while (world.requests.jwks === 0) await fetch(`${world.issuer}/.well-known/openid-configuration`);
  await askToken(world, CREDENTIALS); // others are not held up
  expect(answered).toEqual([]);
  world.faults.set('none');
  expect((await asked).status).toBe(200);
});

test('jwks-slow: who gives up, and close, are not held up', async () => {
  const world = await startWorld();
  world.faults.set('jwks-slow');
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
  world.faults.set('token-down');
  const { status, body } = await askToken(world, CREDENTIALS);
  expect(status).toBe(503);
  expect(body).toMatchObject({ error: 'temporarily_unavailable' });
  expect((await fetch(world.jwksUri)).status).toBe(200);
  world.faults.set('none');
  expect((await askToken(world, CREDENTIALS)).status).toBe(200);
});
