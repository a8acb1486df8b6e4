import { decodeJwt, decodeProtectedHeader } from 'jose';
import { describe, expect, test } from 'vitest';
import { type Fields, askToken, codeFor, redeem } from '../test/code-flow.ts';
import { ADA, type World, startWorld } from '../test/world.ts';
import type { Api } from './index.ts';

/** The whole of each access token, so that a claim too many is noticed as well as one too few. */

const GUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const TENANT = '72f988bf-86f1-41af-91ab-2d7cd011db47';
const API = '6e74172b-be56-4843-9ff4-e66a39bb12e3';
const SCOPE = `api://${API}/.default`;

const start = (api: Api = {}) =>
  startWorld({ tenant: TENANT, issuerHost: 'entra', api: { clientId: API, ...api } });

async function appToken(world: World, scope = SCOPE): Promise<string> {
  const { body } = await askToken(world, {
    grant_type: 'client_credentials',
    client_id: 'daemon',
    client_secret: 'p%ss: wörd+',
    scope,
  });
  return String(body['access_token']);
}

async function userToken(world: World, scope = `openid profile ${SCOPE}`): Promise<string> {
  const { body } = await redeem(world, await codeFor(world, { scope }));
  return String(body['access_token']);
}

const always = {
  iat: expect.any(Number),
  nbf: expect.any(Number),
  exp: expect.any(Number),
  uti: expect.stringMatching(/^[\w-]{22}$/),
  oid: expect.stringMatching(GUID),
  sub: expect.any(String),
  tid: TENANT,
};

describe('version 2', () => {
  const frame = {
    ...always,
    ver: '2.0',
    aud: API,
    iss: `https://login.microsoftonline.com/${TENANT}/v2.0`,
  };

  test('of an app by itself', async () => {
    const token = await appToken(await start());
    const claims = decodeJwt(token);
    expect(claims).toEqual({ ...frame, azp: 'daemon', azpacr: '1', roles: ['operator'] });
    expect(claims.sub).toBe(claims['oid']);
    expect(decodeProtectedHeader(token)).toEqual({
      typ: 'JWT',
      alg: 'RS256',
      kid: expect.any(String),
    });
  });

  test('of a person', async () => {
    const claims = decodeJwt(await userToken(await start()));
    expect(claims).toEqual({
      ...frame,
      azp: 'cli',
      azpacr: '0',
      name: 'Ada',
      preferred_username: ADA,
      scp: 'access_as_user',
      roles: ['admin'],
    });
    expect(claims.sub).not.toBe(claims['oid']);
  });

  test('of a person whose program did not ask for the profile has no names', async () => {
    const claims = decodeJwt(await userToken(await start(), `api://${API}/access_as_user`));
    expect(claims).toEqual({
      ...frame,
      azp: 'cli',
      azpacr: '0',
      scp: 'access_as_user',
      roles: ['admin'],
    });
  });

  test('names the client id, however the API was asked for', async () => {
    const world = await start({ appIdUri: 'api://millrace' });
    for (const scope of ['api://millrace/.default', `${API}/.default`]) {
      expect(decodeJwt(await appToken(world, scope)).aud).toBe(API);
    }
  });
});

describe('version 1', () => {
  const iss = `https://sts.windows.net/${TENANT}/`;
  const frame = { ...always, ver: '1.0', aud: `api://${API}`, iss, idp: iss };

  test('of an app by itself', async () => {
    const token = await appToken(await start({ tokenVersion: 1 }));
    const claims = decodeJwt(token);
    expect(claims).toEqual({ ...frame, appid: 'daemon', appidacr: '1', roles: ['operator'] });
    expect(claims.sub).toBe(claims['oid']);
    const { kid, x5t } = decodeProtectedHeader(token);
    expect(x5t).toBe(kid);
  });

  test('of a person, with all names whatever was asked for', async () => {
    const world = await start({ tokenVersion: 1 });
    const whole = {
      ...frame,
      appid: 'cli',
      appidacr: '0',
      acr: '1',
      amr: ['pwd'],
      name: 'Ada',
      unique_name: ADA,
      upn: ADA,
      scp: 'access_as_user',
      roles: ['admin'],
    };
    expect(decodeJwt(await userToken(world))).toEqual(whole);
    expect(decodeJwt(await userToken(world, SCOPE))).toEqual(whole);
  });

  test('names the API as the request did', async () => {
    const world = await start({ tokenVersion: 1, appIdUri: 'api://millrace' });
    for (const id of ['api://millrace', API]) {
      expect(decodeJwt(await appToken(world, `${id}/.default`)).aud).toBe(id);
      expect(decodeJwt(await userToken(world, `${id}/access_as_user`)).aud).toBe(id);
    }
  });

  test('is asked of the same endpoints: id tokens and discovery stay those of version 2', async () => {
    const world = await startWorld({ api: { tokenVersion: 1 } });
    const { body } = await redeem(world, await codeFor(world));
    expect(decodeJwt(String(body['id_token']))).toMatchObject({ iss: world.issuer, ver: '2.0' });
    expect(decodeJwt(String(body['access_token']))).toMatchObject({
      iss: world.tokenIssuer,
      aud: world.audience,
    });
    expect(world.tokenIssuer).toBe(world.issuer.replace(/v2\.0$/, ''));
  });
});

test.each([1, 2] as const)(
  'idtyp is for apps, where the API wants it: version %i',
  async (version) => {
    const world = await start({ tokenVersion: version, optionalClaims: ['idtyp'] });
    expect(decodeJwt(await appToken(world))).toHaveProperty('idtyp', 'app');
    expect(decodeJwt(await userToken(world))).not.toHaveProperty('idtyp');
  },
);

test('a person is the same subject of the API in both versions', async () => {
  const [one, two] = await Promise.all(
    ([1, 2] as const).map(async (tokenVersion) =>
      decodeJwt(await userToken(await start({ tokenVersion }))),
    ),
  );
  expect([one?.sub, one?.['oid']]).toEqual([two?.sub, two?.['oid']]);
});

test.each<[string, Fields]>([
  ['.default beside a scope by name', { scope: `${SCOPE} api://${API}/access_as_user` }],
  ['a scope of another API', { scope: `api://${TENANT}/.default` }],
])('refused: %s', async (_, fields) => {
  const world = await start();
  const body = new URLSearchParams({ client_id: 'cli', ...(fields as { scope: string }) });
  const answer = await fetch(world.endpoint.devicecode, { method: 'POST', body });
  expect(await answer.json()).toMatchObject({ error: 'invalid_scope' });
});
