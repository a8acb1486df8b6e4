import { expect, test } from 'vitest';
import { visit } from '../test/browser.ts';
import { type Fields, codeFor, redeem, refresh } from '../test/code-flow.ts';
import { CALLBACK, type World, startWorld } from '../test/world.ts';

function logout(world: World, fields: Fields) {
  const url = new URL(world.endpoint.logout);
  for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value ?? '');
  return visit(url);
}

const signedIn = async (world: World) => {
  const { body } = await redeem(world, await codeFor(world));
  return { idToken: String(body['id_token']), refreshToken: body['refresh_token'] };
};

test('ends the sign-in that the id token names, and no other', async () => {
  const world = await startWorld();
  const [one, two] = [await signedIn(world), await signedIn(world)];
  world.advance(7_200_000); // an expired token names it as well
  const { status, location } = await logout(world, {
    id_token_hint: one.idToken,
    post_logout_redirect_uri: CALLBACK,
    state: 'bye',
  });
  expect([status, location?.href]).toEqual([303, `${CALLBACK}?state=bye`]);
  expect((await refresh(world, one.refreshToken)).status).toBe(400);
  expect((await refresh(world, two.refreshToken)).status).toBe(200);
});

test('without anything is a page', async () => {
  const page = await logout(await startWorld(), {});
  expect(page.status).toBe(200);
  expect(page.text).toContain('You are signed out');
});

test('may be posted', async () => {
  const world = await startWorld();
  const { idToken, refreshToken } = await signedIn(world);
  const body = new URLSearchParams({ id_token_hint: idToken });
  expect((await visit(world.endpoint.logout, { method: 'POST', body })).status).toBe(200);
  expect((await refresh(world, refreshToken)).status).toBe(400);
});

test.each<[string, Fields]>([
  ['nobody’s address', { post_logout_redirect_uri: CALLBACK }],
  ['an unknown client’s', { client_id: 'nobody', post_logout_redirect_uri: CALLBACK }],
  ['an address elsewhere', { client_id: 'cli', post_logout_redirect_uri: 'https://evil.test' }],
  ['another’s', { client_id: 'daemon', post_logout_redirect_uri: CALLBACK }],
])('goes to no address but the client’s own: %s', async (_, fields) => {
  const page = await logout(await startWorld(), fields);
  expect([page.status, page.location]).toEqual([400, null]);
});

test('takes no hint of another issuer or client', async () => {
  const world = await startWorld();
  const { idToken, refreshToken } = await signedIn(world);
  const { iss, ...claims } = { iss: 'https://evil.test', aud: 'cli', sid: 'x' };
  for (const fields of [
    { id_token_hint: 'x.y.z' },
    { id_token_hint: `${idToken.slice(0, -4)}AAAA` },
    { id_token_hint: await world.sign({ ...claims, iss }) },
    { id_token_hint: await world.sign(claims, { kid: 'nobody' }) },
    { id_token_hint: idToken, client_id: 'other-cli' },
  ]) {
    expect((await logout(world, fields)).status).toBe(400);
  }
  expect((await refresh(world, refreshToken)).status).toBe(200);
});
