import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import * as oidc from 'openid-client';
import { describe, expect, test } from 'vitest';
import { signIn, submit, visit } from '../test/browser.ts';
import { ADA, API_SCOPE, CALLBACK, OTTO, type World, startWorld } from '../test/world.ts';

/** `openid-client` and `jose` as they come: whatever they check, they check here. */

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function discover(world: World, client: string, authentication?: oidc.ClientAuth) {
  return oidc.discovery(new URL(world.issuer), client, undefined, authentication, {
    execute: [oidc.allowInsecureRequests],
  });
}

async function verified(world: World, token: string) {
  const { payload } = await jwtVerify(token, createRemoteJWKSet(new URL(world.jwksUri)), {
    issuer: world.issuer,
    audience: world.audience,
    algorithms: ['RS256'],
  });
  return payload;
}

async function startCodeFlow(config: oidc.Configuration, scope: string) {
  const verifier = oidc.randomPKCECodeVerifier();
  const state = oidc.randomState();
  const nonce = oidc.randomNonce();
  const url = oidc.buildAuthorizationUrl(config, {
    redirect_uri: CALLBACK,
    scope,
    state,
    nonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce };
  return { url, checks: { ...checks, idTokenExpected: true } };
}

describe('client credentials', () => {
  test.each([
    ['client_secret_basic', oidc.ClientSecretBasic],
    ['client_secret_post', oidc.ClientSecretPost],
  ])('with %s give a token of the app', async (_, authentication) => {
    const world = await startWorld();
    const config = await discover(world, 'daemon', authentication('p%ss: wörd+'));
    const tokens = await oidc.clientCredentialsGrant(config, { scope: API_SCOPE });
    const claims = await verified(world, tokens.access_token);
    expect(claims).toMatchObject({
      ver: '2.0',
      azp: 'daemon',
      azpacr: '1',
      roles: ['operator'],
      tid: expect.stringMatching(UUID),
      oid: expect.stringMatching(UUID),
      sub: claims['oid'],
    });
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(3600);
    expect(tokens.expires_in).toBe(3600);
    for (const absent of ['scp', 'name', 'preferred_username', 'idtyp']) {
      expect(claims).not.toHaveProperty(absent);
    }
  });

  test('of an app without roles have no roles claim', async () => {
    const world = await startWorld();
    const config = await discover(world, 'idle', oidc.ClientSecretPost('idle secret'));
    const tokens = await oidc.clientCredentialsGrant(config, { scope: API_SCOPE });
    expect(await verified(world, tokens.access_token)).not.toHaveProperty('roles');
  });
});

describe('the code flow with PKCE', () => {
  test('gives the tokens of the person who signed in', async () => {
    const world = await startWorld();
    const config = await discover(world, 'cli', oidc.None());
    const { url, checks } = await startCodeFlow(config, `openid profile email ${API_SCOPE}`);
    const { location } = await signIn(url, ADA);
    const tokens = await oidc.authorizationCodeGrant(config, location ?? new URL('x:'), checks);
    const access = await verified(world, tokens.access_token);
    expect(access).toMatchObject({
      ver: '2.0',
      azp: 'cli',
      azpacr: '0',
      scp: 'access_as_user',
      roles: ['admin'],
      name: 'Ada',
      preferred_username: ADA,
      oid: expect.stringMatching(UUID),
      tid: expect.stringMatching(UUID),
    });
    expect(access).not.toHaveProperty('idtyp');
    expect(tokens.claims()).toMatchObject({
      iss: world.issuer,
      aud: 'cli',
      name: 'Ada',
      preferred_username: ADA,
      email: ADA,
      oid: access['oid'],
      nonce: checks.expectedNonce,
    });
    expect(tokens.claims()?.sub).not.toBe(access.sub);
    expect(tokens.refresh_token).toBeUndefined();
  });

  test('gives no roles to a person without', async () => {
    const world = await startWorld();
    const config = await discover(world, 'cli', oidc.None());
    const { url, checks } = await startCodeFlow(config, `openid ${API_SCOPE}`);
    const { location } = await signIn(url, OTTO, 'open sesame');
    const tokens = await oidc.authorizationCodeGrant(config, location ?? new URL('x:'), checks);
    expect(await verified(world, tokens.access_token)).not.toHaveProperty('roles');
    expect(tokens.claims()).not.toHaveProperty('name'); // nobody asked for the profile
  });

  test('without a scope of the API gives a token that is of no use there', async () => {
    const world = await startWorld();
    const config = await discover(world, 'cli', oidc.None());
    const { url, checks } = await startCodeFlow(config, 'openid');
    const { location } = await signIn(url, ADA);
    const tokens = await oidc.authorizationCodeGrant(config, location ?? new URL('x:'), checks);
    await expect(verified(world, tokens.access_token)).rejects.toThrow('aud');
    expect(decodeJwt(tokens.access_token)).not.toHaveProperty('roles');
  });

  test('tells the program when the person cancels', async () => {
    const world = await startWorld();
    const config = await discover(world, 'cli', oidc.None());
    const { url, checks } = await startCodeFlow(config, 'openid');
    const { location } = await submit(await visit(url), { action: 'cancel', username: ADA });
    await expect(
      oidc.authorizationCodeGrant(config, location ?? new URL('x:'), checks),
    ).rejects.toMatchObject({ error: 'access_denied' });
  });
});

test('refresh tokens rotate, and the id token stays with the same person', async () => {
  const world = await startWorld();
  const config = await discover(world, 'cli', oidc.None());
  const scope = `openid offline_access ${API_SCOPE}`;
  const { url, checks } = await startCodeFlow(config, scope);
  const { location } = await signIn(url, ADA);
  const first = await oidc.authorizationCodeGrant(config, location ?? new URL('x:'), checks);
  const second = await oidc.refreshTokenGrant(config, first.refresh_token ?? '');
  expect(second.refresh_token).toEqual(expect.any(String));
  expect(second.refresh_token).not.toBe(first.refresh_token);
  expect(second.claims()?.sub).toBe(first.claims()?.sub);
  expect(await verified(world, second.access_token)).toMatchObject({ roles: ['admin'] });
  const third = await oidc.refreshTokenGrant(config, second.refresh_token ?? '');
  expect(third.refresh_token).toEqual(expect.any(String));
});

test('a device code is polled until the person has signed in', async () => {
  const world = await startWorld();
  const config = await discover(world, 'cli', oidc.None());
  const started = await oidc.initiateDeviceAuthorization(config, {
    scope: `openid profile ${API_SCOPE}`,
  });
  // The person signs in when the program has asked once in vain.
  const answers: string[] = [];
  config[oidc.customFetch] = async (url, options) => {
    const response = await fetch(url, options as RequestInit);
    const { error } = (await response.clone().json()) as { error?: string };
    answers.push(error ?? 'tokens');
    if (error === 'authorization_pending') {
      await signIn(started.verification_uri_complete ?? '', ADA);
    }
    return response;
  };
  const tokens = await oidc.pollDeviceAuthorizationGrant(config, { ...started, interval: 0 });
  expect(answers).toEqual(['authorization_pending', 'tokens']);
  expect(await verified(world, tokens.access_token)).toMatchObject({ preferred_username: ADA });
  expect(tokens.claims()?.aud).toBe('cli');
});

test('ids stay the same after a restart, and differ between tenants', async () => {
  const token = async (tenant: string) => {
    const world = await startWorld({ tenant });
    const config = await discover(world, 'daemon', oidc.ClientSecretPost('p%ss: wörd+'));
    const tokens = await oidc.clientCredentialsGrant(config, { scope: API_SCOPE });
    return verified(world, tokens.access_token);
  };
  const here = '9b2c6d5e-0000-4000-8000-1234567890ab';
  const there = '9b2c6d5e-0000-4000-8000-1234567890ac';
  const [one, again, elsewhere] = [await token(here), await token(here), await token(there)];
  expect([again['oid'], again['tid']]).toEqual([one['oid'], here]);
  expect([elsewhere['oid'], elsewhere['tid']]).not.toContain(one['oid']);
  expect(elsewhere['tid']).toBe(there);
});

test('options decide scope, lifetime and issuer', async () => {
  const tenant = '9b2c6d5e-0000-4000-8000-1234567890ab';
  const world = await startWorld({
    api: { appIdUri: 'api://else' },
    tokenLifetimeSeconds: 7,
    tenant,
  });
  expect(world.issuer).toBe(`${world.origin}/${tenant}/v2.0`);
  expect(world.scope).toBe('api://else/.default');
  const config = await discover(world, 'daemon', oidc.ClientSecretPost('p%ss: wörd+'));
  const tokens = await oidc.clientCredentialsGrant(config, { scope: world.scope });
  const claims = await verified(world, tokens.access_token);
  expect(claims).toMatchObject({ aud: world.audience, iss: world.issuer });
  expect((claims.exp ?? 0) - (claims.nbf ?? 0)).toBe(7);
  expect(decodeProtectedHeader(tokens.access_token)).toMatchObject({ alg: 'RS256', typ: 'JWT' });
});
