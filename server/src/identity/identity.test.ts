import { createHmac } from 'node:crypto';
import { ROLES, type RouteName, contracts, problem } from '@millrace/api';
import { routes as ofWorkloads } from '@millrace/workloads/contracts';
import { NO_WORKLOADS } from '../workloads/open.ts';
import { defineJob, done } from '@millrace/engine';
import { type Identity as Issuer, startIdentity } from '@millrace/simulator-identity';
import { type JWTPayload, base64url } from 'jose';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Harness, createHarness } from '../../test/harness.ts';
import { createLog } from '../log/log.ts';
import { createIdentity } from './identity.ts';

/** Tokens of a real issuer over HTTP, through the whole app. */

const hello = defineJob({
  kind: 'hello',
  input: z.unknown(),
  public: true,
  run: async () => done(),
});
const log = createLog({ level: 'silent', readable: false, secrets: [] });

let issuer: Issuer;
let harness: Harness;

// Making keys is slow: one pair serves all.
const first = await startIdentity();
const signingKeys = await first.exportKeys();
await first.close();

beforeEach(async () => {
  issuer = await startIdentity({ keys: signingKeys });
});
afterEach(async () => {
  await harness?.close();
  await issuer.close();
});

function start(
  config: {
    issuers?: string[];
    audiences?: string[];
    rateLimit?: number;
    tenantClaim?: string;
  } = {},
): Harness {
  const identity = createIdentity(
    {
      mode: 'issuer',
      issuers: config.issuers ?? [issuer.issuer],
      audiences: config.audiences ?? [issuer.audience],
      jwksUri: issuer.jwksUri,
      clientId: 'millrace',
    },
    log,
    { call: (_, run) => run() },
    config.tenantClaim ?? null,
  );
  harness = createHarness({
    kinds: [hello],
    parts: {
      authenticate: identity.authenticate,
      signIn: identity.signIn,
      checks: identity.checks,
      // Whoever may not is refused before anything is asked of it.
      workloads: {
        ...NO_WORKLOADS,
        routes: new Set(Object.keys(ofWorkloads)),
        handler: () => () => Promise.reject(new Error('it was asked')),
      },
    },
    ...(config.rateLimit !== undefined && { config: { rateLimit: config.rateLimit } }),
  });
  return harness;
}

function seconds(fromNow: number): number {
  return Math.floor(Date.now() / 1_000) + fromNow;
}

function claims(more: JWTPayload = {}): JWTPayload {
  return {
    iss: issuer.issuer,
    aud: issuer.audience,
    sub: 'pairwise-1',
    oid: 'subject-1',
    preferred_username: 'ada@example.com',
    roles: ['viewer'],
    iat: seconds(0),
    nbf: seconds(0),
    exp: seconds(3_600),
    ...more,
  };
}

async function get(token: string | null, url = '/me') {
  const response = await harness.app.inject({
    url,
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
  });
  return {
    status: response.statusCode,
    headers: response.headers,
    body: response.json() as object,
  };
}

const encoded = (value: object) => base64url.encode(JSON.stringify(value));

describe('a good token', () => {
  test('says who someone is', async () => {
    start();
    expect(await get(await issuer.sign(claims()))).toMatchObject({
      status: 200,
      body: { name: 'ada@example.com', subject: 'subject-1', roles: ['viewer'] },
    });
  });

  test('of a program names its registration', async () => {
    start();
    const { preferred_username: _, ...rest } = claims({ azp: 'batch-client', oid: 'object-1' });
    expect((await get(await issuer.sign(rest))).body).toMatchObject({
      name: 'app:batch-client',
      subject: 'object-1',
    });
  });

  test.each<[string, unknown, string[]]>([
    ['a text', 'acme', ['acme']],
    ['a list, in its order', ['globex', 'acme', 'globex'], ['globex', 'acme']],
    ['texts as they are', 'acme globex', ['acme globex']],
    ['what no tenant is called', ['', 7, null, 'a\u0000b', 'x'.repeat(101), 'acme'], ['acme']],
    ['nothing', undefined, []],
    ['an object', { acme: true }, []],
  ])('names tenants: %s', async (_, tenants, expected) => {
    start({ tenantClaim: 'tenants' });
    const { body } = await get(await issuer.sign(claims({ tenants })));
    expect(body).toMatchObject({ tenants: expected });
  });

  test('names no tenants where they are no boundary', async () => {
    start();
    const { body } = await get(await issuer.sign(claims({ tenants: ['acme'] })));
    expect(body).toMatchObject({ tenants: null });
  });

  test.each([
    [['1f0c', 'api://1f0c'], 'api://1f0c/.default'],
    [['api://1f0c', '1f0c'], 'api://1f0c/.default'],
    [['1f0c', 'api://millrace'], 'api://millrace/.default'],
    [['1f0c'], 'api://1f0c/.default'],
  ])('for %j is asked for as the API is called', async (audiences, scope) => {
    start({ audiences });
    expect((await harness.app.inject('/signin')).json()).toMatchObject({ scope });
  });

  test('may be for any of several audiences and issuers', async () => {
    start({ audiences: ['other', issuer.audience], issuers: ['https://other', issuer.issuer] });
    expect((await get(await issuer.sign(claims()))).status).toBe(200);
  });

  test('within the tolerance of clocks is good', async () => {
    start();
    expect((await get(await issuer.sign(claims({ exp: seconds(-30) })))).status).toBe(200);
    expect((await get(await issuer.sign(claims({ nbf: seconds(30) })))).status).toBe(200);
  });

  test('puts its name on the job', async () => {
    const { app } = start();
    const token = await issuer.sign(claims({ roles: ['operator'] }));
    const made = await app.inject({
      method: 'POST',
      url: '/jobs',
      headers: { authorization: `Bearer ${token}` },
      payload: { kind: 'hello' },
    });
    const { id } = made.json<{ id: string }>();
    expect((await get(token, `/jobs/${id}`)).body).toMatchObject({ submitter: 'ada@example.com' });
  });
});

describe('is refused', () => {
  async function refused(token: string | null, status: number, code: string): Promise<void> {
    const answer = await get(token);
    expect(answer).toMatchObject({ status, body: { code } });
    expect(problem.safeParse(answer.body).success).toBe(true);
    if (status === 401) expect(answer.headers['www-authenticate']).toMatch(/^Bearer/);
    if (token !== null) expect(JSON.stringify(answer)).not.toContain(token);
  }

  test('without a token', async () => {
    start();
    await refused(null, 401, 'unauthenticated');
    const basic = await harness.app.inject({
      url: '/me',
      headers: { authorization: 'Basic YTpi' },
    });
    expect(basic.json()).toMatchObject({ code: 'unauthenticated' });
  });

  test('alg: none', async () => {
    start();
    const head = encoded({ alg: 'none', typ: 'JWT' });
    await refused(`${head}.${encoded(claims({ roles: ['admin'] }))}.`, 401, 'token_invalid');
  });

  test('HS256 with the public key as the secret', async () => {
    start();
    await get(await issuer.sign(claims()));
    const { keys } = (await (await fetch(issuer.jwksUri)).json()) as { keys: { kid: string }[] };
    const [key] = keys;
    for (const secret of [JSON.stringify(key), JSON.stringify({ keys })]) {
      const signed = `${encoded({ alg: 'HS256', kid: key?.kid })}.${encoded(claims())}`;
      const signature = createHmac('sha256', secret).update(signed).digest('base64url');
      await refused(`${signed}.${signature}`, 401, 'token_invalid');
    }
  });

  test('a key id that the issuer does not have', async () => {
    start();
    await refused(await issuer.sign(claims(), { kid: 'another' }), 401, 'token_invalid');
  });

  test('another issuer’s key under this one’s name', async () => {
    start();
    const other = await startIdentity();
    await refused(await other.sign(claims()), 401, 'token_invalid');
    await other.close();
  });

  test('a changed payload', async () => {
    start();
    const [head, , signature] = (await issuer.sign(claims())).split('.');
    const raised = encoded(claims({ roles: ['admin'] }));
    await refused(`${head}.${raised}.${signature}`, 401, 'token_invalid');
  });

  test.each(['garbage', 'a.b.c', '..', 'e30.e30.e30'])('what is no token: %s', async (token) => {
    start();
    await refused(token, 401, 'token_invalid');
  });

  test('a token that has ended', async () => {
    start();
    await refused(await issuer.sign(claims({ exp: seconds(-120) })), 401, 'token_expired');
  });

  test('one that is not valid yet', async () => {
    start();
    await refused(await issuer.sign(claims({ nbf: seconds(120) })), 401, 'token_invalid');
  });

  test('one without an end', async () => {
    start();
    const { exp: _, ...endless } = claims();
    await refused(await issuer.sign({ ...endless, exp: undefined }), 401, 'token_invalid');
    await refused(await issuer.sign(claims({ exp: 1e15 })), 401, 'token_invalid');
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['an end beyond all calendars', { exp: 1e15 }, 'token_invalid'],
    ['an end that no number holds', { exp: 1e308 }, 'token_invalid'],
    ['an end with a year of five digits', { exp: 253_402_300_800 }, 'token_invalid'],
    ['an end before 1970', { exp: -1 }, 'token_expired'],
    ['an end before all calendars', { exp: -1e15 }, 'token_expired'],
    ['an end that is over by a fraction', { exp: 0.5 }, 'token_expired'],
    ['an end as text', { exp: '4102444800' }, 'token_invalid'],
    ['no end but null', { exp: null }, 'token_invalid'],
    ['ends', { exp: [4_102_444_800] }, 'token_invalid'],
    ['a beginning beyond all calendars', { nbf: 1e15 }, 'token_invalid'],
    ['a beginning as text', { nbf: '0' }, 'token_invalid'],
    ['a beginning that is an object', { nbf: {} }, 'token_invalid'],
    ['an issue as text', { iat: '0' }, 'token_invalid'],
    ['an issue that is null', { iat: null }, 'token_invalid'],
  ])('one with %s', async (_, odd, code) => {
    start();
    await refused(await issuer.sign(claims(odd)), 401, code);
  });

  test('but not for a fraction of a second, which RFC 7519 allows, nor for a beginning before 1970', async () => {
    start();
    const token = await issuer.sign(claims({ exp: seconds(60) + 0.25, nbf: -1, iat: 0.5 }));
    expect(await get(token)).toMatchObject({ status: 200 });
  });

  test.each<[string, unknown, string]>([
    ['another', 'api://other', 'for api://other, and this service is'],
    ['several others', ['api://one', 'two'], 'for api://one, two, and'],
    ['none', '', 'for nobody, and'],
    ['what is no text', { a: 1 }, 'for nobody, and'],
  ])('one whose audience is %s, with the audience', async (_, aud, said) => {
    start();
    const token = await issuer.sign({ ...claims(), aud });
    await refused(token, 403, 'wrong_audience');
    expect((await get(token)).body).toMatchObject({ detail: expect.stringContaining(said) });
  });

  test('one of another issuer, with the issuer', async () => {
    start();
    const token = await issuer.sign(claims({ iss: 'https://evil.test' }));
    await refused(token, 403, 'wrong_issuer');
    expect((await get(token)).body).toMatchObject({
      detail: expect.stringContaining('of the issuer https://evil.test, and this service trusts'),
    });
  });
});

describe('the keys', () => {
  test('may be changed: a token signed with the new one is good at once', async () => {
    start();
    const old = await issuer.sign(claims());
    expect((await get(old)).status).toBe(200);
    await issuer.rotateKeys();
    expect((await get(await issuer.sign(claims()))).status).toBe(200);
    // The old key is still published: tokens out there stay good.
    expect((await get(old)).status).toBe(200);
  });

  test('that cannot be fetched at the start make the service unready, and come when they can', async () => {
    issuer.faults.add({ kind: 'jwks-down' });
    start();
    const token = await issuer.sign(claims());
    expect(await get(token)).toMatchObject({ status: 503, body: { code: 'identity_unavailable' } });
    expect((await get(token)).headers['retry-after']).toBeDefined();
    const unready = await harness.app.inject('/readyz');
    expect(unready.statusCode).toBe(503);
    expect(unready.json()).toMatchObject({ status: 'unavailable' });
    issuer.faults.clear();
    expect((await get(token)).status).toBe(200);
    expect((await harness.app.inject('/readyz')).json()).toMatchObject({ status: 'ready' });
  });

  test('that cannot be fetched later: known ones stay good, a new one is refused', async () => {
    start();
    const token = await issuer.sign(claims());
    expect((await get(token)).status).toBe(200);
    issuer.faults.add({ kind: 'jwks-down' });
    await issuer.rotateKeys();
    expect((await get(await issuer.sign(claims()))).status).toBe(401);
    expect((await get(token)).status).toBe(200);
    const ready = await harness.app.inject('/readyz');
    expect(ready.statusCode).toBe(200);
    expect(ready.json()).toMatchObject({
      status: 'degraded',
      checks: [{ name: 'identity', status: 'degraded', latencyMs: expect.any(Number) as number }],
    });
  });

  test('a flood of made-up key ids asks the issuer ten times at the most', async () => {
    start();
    const [, payload, signature] = (await issuer.sign(claims())).split('.');
    await get(await issuer.sign(claims()));
    for (let n = 0; n < 300; n += 1) {
      const head = encoded({ alg: 'RS256', kid: `made-up-${n}` });
      expect((await get(`${head}.${payload}.${signature}`)).status).toBe(401);
    }
    expect(issuer.requests.jwks).toBeLessThanOrEqual(10);
    expect((await get(await issuer.sign(claims()))).status).toBe(200);
  });
});

describe('roles', () => {
  const routes = (Object.keys(contracts) as RouteName[]).filter((name) => name !== 'events');

  async function ask(name: RouteName, roles: readonly string[]): Promise<{ code?: string }> {
    const { method, path } = contracts[name];
    const token = await issuer.sign(claims({ roles: [...roles] }));
    const response = await harness.app.inject({
      method,
      url: path.replaceAll(/:\w+/g, 'x'),
      headers: { authorization: `Bearer ${token}` },
    });
    return response.headers['content-type']?.toString().includes('json') === true
      ? response.json<{ code?: string }>()
      : {};
  }

  test.each(routes)('%s is for whom the table says', async (name) => {
    start();
    const access = contracts[name].access;
    const least = ROLES.indexOf(access as never);
    for (const [index, role] of [[], ...ROLES.map((each) => [each])].entries()) {
      const { code } = await ask(name, role);
      // Index 0 has no role at all.
      expect(code === 'role_missing', `${name} as ${role.join()}`).toBe(index - 1 < least);
    }
  });

  test('of another service mean nothing', async () => {
    start();
    expect(await ask('listJobs', ['Viewer', 'owner', 'administrator'])).toMatchObject({
      code: 'role_missing',
    });
  });
});

test('those who fail are limited by address; good callers from the same one are not', async () => {
  start({ rateLimit: 5 });
  for (let n = 0; n < 5; n += 1) expect((await get('x')).status).toBe(401);
  const limited = await get('x');
  expect(limited).toMatchObject({ status: 429, body: { code: 'rate_limited', retryable: true } });
  expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0);
  expect((await get(await issuer.sign(claims()))).status).toBe(200);
  expect((await harness.app.inject('/healthz')).statusCode).toBe(200);
});

describe('a name that could not be kept as it is', () => {
  test.each<[string, JWTPayload]>([
    ['would be that of a program', { preferred_username: '\u0000app:daemon' }],
    ['would be that of somebody else', { preferred_username: 'ada@example.com\u0000' }],
    ['has a character that is not seen', { preferred_username: 'ada@example.com\u0007' }],
    ['has half of a character', { preferred_username: 'ada\ud800' }],
    ['is too long', { preferred_username: 'x'.repeat(201) }],
    ['is of a program', { idtyp: 'app', azp: 'dae\u0000mon' }],
    ['is the subject', { oid: 'subject\u0000-1' }],
  ])('is refused where it %s', async (_, more) => {
    start();
    expect(await get(await issuer.sign(claims(more)))).toMatchObject({
      status: 401,
      body: { code: 'token_invalid', detail: expect.stringContaining('name or the subject') },
    });
  });

  test('is good up to the last character', async () => {
    start();
    const name = 'ä'.repeat(200);
    expect(await get(await issuer.sign(claims({ preferred_username: name })))).toMatchObject({
      status: 200,
      body: { name },
    });
  });
});

describe('the denied', () => {
  const denied = () =>
    harness.lines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ msg, level }) => msg === 'request denied' && level === 'info');

  test('are logged with their address, what they wanted and why not, reading too', async () => {
    start();
    await get('garbage', '/jobs/secret-name');
    await get(await issuer.sign(claims({ roles: ['viewer'] })), '/audit');
    await harness.app.inject({ url: '/me', headers: { 'x-forwarded-for': '203.0.113.9' } });
    expect(denied()).toMatchObject([
      {
        method: 'GET',
        route: '/jobs/:id',
        status: 401,
        code: 'token_invalid',
        address: '127.0.0.1',
      },
      { route: '/audit', status: 403, code: 'role_missing', by: 'ada@example.com' },
      { route: '/me', status: 401, code: 'unauthenticated', forwardedFor: '203.0.113.9' },
    ]);
    expect(harness.lines.join('')).not.toMatch(/garbage|secret-name/);
  });

  test('do not fill the disk, and one who floods hides no other', async () => {
    start();
    const from = (remoteAddress: string) => harness.app.inject({ url: '/me', remoteAddress });
    for (let n = 0; n < 50; n += 1) await from('192.0.2.1');
    expect(denied()).toHaveLength(10);
    await from('192.0.2.2');
    expect(denied().at(-1)).toMatchObject({ address: '192.0.2.2', unlogged: 40 });
    for (let n = 0; n < 400; n += 1) await from(`198.51.100.${n}`);
    expect(denied()).toHaveLength(300);
  });
});

test('a flood of one open route leaves the probes alone', async () => {
  start({ rateLimit: 3 });
  const status = async (url: string) => (await harness.app.inject(url)).statusCode;
  for (let n = 0; n < 3; n += 1) expect(await status('/signin')).toBe(200);
  expect(await status('/signin')).toBe(429);
  expect(await status('/healthz')).toBe(200);
});
