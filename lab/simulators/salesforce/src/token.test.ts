import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { ADA, CREDENTIALS, INTEGRATION, START, assertion, startWorld } from '../test/world.ts';

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const SOON = Math.floor(START / 1000) + 180;
const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;

test('client credentials: the whole answer, and no expires_in', async () => {
  const world = await startWorld();
  const { status, body } = await world.token(CREDENTIALS);
  expect(status).toBe(200);
  expect(body).toEqual({
    access_token: expect.stringMatching(/^00D\w{12}!\S{50,}$/),
    signature: expect.any(String),
    scope: 'api web',
    instance_url: world.instanceUrl,
    id: expect.stringMatching(/\/id\/00D\w{15}\/005\w{15}$/),
    token_type: 'Bearer',
    issued_at: String(START),
  });
});

test('client credentials by HTTP Basic', async () => {
  const world = await startWorld();
  const { client_id: id, client_secret: secret } = CREDENTIALS;
  const response = await fetch(`${world.loginUrl}/services/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  expect(response.status).toBe(200);
});

test.each([
  ['a wrong secret', { client_secret: 'wrong' }, 'invalid_client', 'invalid client credentials'],
  ['an unknown client', { client_id: 'nobody' }, 'invalid_client_id', 'client identifier invalid'],
  [
    'an app without a secret',
    { client_id: 'signer' },
    'invalid_grant',
    'no client credentials user enabled',
  ],
  [
    'another grant',
    { grant_type: 'password' },
    'unsupported_grant_type',
    'grant type not supported',
  ],
])('client credentials refused: %s', async (_, change, error, error_description) => {
  const world = await startWorld();
  const { status, body } = await world.token({ ...CREDENTIALS, ...change });
  expect({ status, body }).toEqual({ status: 400, body: { error, error_description } });
});

test.each(['https://login.salesforce.com', 'https://test.salesforce.com', 'origin', 'origin/'])(
  'JWT bearer: the audience %s will do',
  async (audience) => {
    const world = await startWorld();
    const aud = audience.replace('origin', world.origin);
    const claims = { iss: 'signer', sub: INTEGRATION, aud, exp: SOON };
    const { status, body } = await world.token({
      grant_type: JWT_BEARER,
      assertion: assertion(claims),
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ instance_url: world.origin, token_type: 'Bearer' });
    expect(body).not.toHaveProperty('expires_in');
  },
);

const GOOD = { iss: 'signer', sub: INTEGRATION, aud: 'https://login.salesforce.com', exp: SOON };

test.each([
  [
    'another key',
    assertion(GOOD, { alg: 'RS256' }, stranger),
    'invalid_grant',
    'invalid assertion',
  ],
  ['another algorithm', assertion(GOOD, { alg: 'none' }), 'invalid_grant', 'invalid assertion'],
  ['a changed payload', forged(), 'invalid_grant', 'invalid assertion'],
  ['no JWT', 'hello', 'invalid_grant', 'invalid assertion'],
  [
    'an unknown client',
    assertion({ ...GOOD, iss: 'x' }),
    'invalid_client_id',
    'client identifier invalid',
  ],
  [
    'a client without a key',
    assertion({ ...GOOD, iss: 'service' }),
    'invalid_grant',
    'invalid assertion',
  ],
  [
    'another audience',
    assertion({ ...GOOD, aud: 'https://a.test' }),
    'invalid_grant',
    'audience is invalid',
  ],
  [
    'an old one',
    assertion({ ...GOOD, exp: SOON - 181 }),
    'invalid_grant',
    'expired authorization code',
  ],
  [
    'no expiry',
    assertion({ ...GOOD, exp: undefined }),
    'invalid_grant',
    'expired authorization code',
  ],
  [
    'no user',
    assertion({ ...GOOD, sub: 'x' }),
    'invalid_grant',
    "user hasn't approved this consumer",
  ],
  [
    'a user not approved',
    assertion({ ...GOOD, sub: ADA }),
    'invalid_grant',
    "user hasn't approved this consumer",
  ],
])('JWT bearer refused: %s', async (_, sent, error, error_description) => {
  const world = await startWorld();
  const { status, body } = await world.token({ grant_type: JWT_BEARER, assertion: sent });
  expect({ status, body }).toEqual({ status: 400, body: { error, error_description } });
});

function forged(): string {
  const [header, , signature] = assertion(GOOD).split('.');
  const payload = Buffer.from(JSON.stringify({ ...GOOD, sub: ADA })).toString('base64url');
  return [header, payload, signature].join('.');
}

test('a session slides: it ends when it is not used for the timeout', async () => {
  const world = await startWorld({ sessionTimeoutMs: 60_000 });
  expect((await world.call('GET', '/limits')).status).toBe(200);
  world.advance(50_000);
  expect((await world.call('GET', '/limits')).status).toBe(200);
  world.advance(60_000);
  expect((await world.call('GET', '/limits')).status).toBe(200);
  world.advance(60_001);
  const { status, body } = await world.call('GET', '/limits');
  expect(status).toBe(401);
  expect(body).toEqual([
    { message: 'Session expired or invalid', errorCode: 'INVALID_SESSION_ID' },
  ]);
});

test('no session, no answer; tokens and versions need none', async () => {
  const world = await startWorld();
  const response = await fetch(`${world.origin}/services/data/v66.0/limits`);
  expect(response.status).toBe(401);
  const versions = await (await fetch(`${world.origin}/services/data`)).json();
  expect(versions).toContainEqual({
    label: "Summer '25",
    url: '/services/data/v64.0',
    version: '64.0',
  });
  expect(versions).toContainEqual({
    label: "Spring '26",
    url: '/services/data/v66.0',
    version: '66.0',
  });
  expect(world.calls.total).toBe(0);
});

test('userinfo says whose session it is', async () => {
  const world = await startWorld();
  const { body } = await world.call('GET', '/services/oauth2/userinfo');
  expect(body).toMatchObject({ preferred_username: INTEGRATION, name: 'Integration User' });
  expect((await world.call('GET', '')).body).toMatchObject({
    query: '/services/data/v66.0/query',
    identity: body.id,
  });
});
