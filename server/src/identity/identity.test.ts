import { createHmac } from 'node:crypto';
import { problem } from '@millrace/api';
import { startIdentity } from '@millrace/simulator-identity';
import { base64url } from 'jose';
import { describe, expect, test } from 'vitest';
import { claims, get, harness, issuer, seconds, start, useIssuer } from '../../test/issuer.ts';

useIssuer();

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
    const own = { azp: 'batch-client', azpacr: '1', oid: 'object-1', sub: 'object-1' };
    const { preferred_username: _, ...rest } = claims(own);
    expect((await get(await issuer.sign(rest))).body).toMatchObject({
      name: 'app:batch-client',
      subject: 'object-1',
    });
  });

  test('of people who sign in with one client and have no user name: what is one’s is not the other’s', async () => {
    const { app } = start();
    const tokenOf = (sub: string) => {
      const more = { sub, oid: sub, azp: 'console', scope: 'openid', roles: ['member'] };
      const { preferred_username: _, ...rest } = claims(more);
      return issuer.sign(rest);
    };
    const post = async (sub: string, url: string, payload?: object) => {
      const headers = { authorization: `Bearer ${await tokenOf(sub)}` };
      return app.inject({ method: 'POST', url, headers, ...(payload && { payload }) });
    };
    const made = await post('alice', '/jobs', { kind: 'hello', delay: '1h' });
    const { id } = made.json<{ id: string }>();
    expect((await post('bob', `/jobs/${id}/cancel`)).statusCode).toBe(404);
    expect((await get(await tokenOf('alice'), `/jobs/${id}`)).body).toMatchObject({
      submitter: 'user:alice',
      state: 'QUEUED',
    });
    expect((await post('alice', `/jobs/${id}/cancel`)).statusCode).toBe(200);
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

  test('has claims that rules about rows go by: those of the settings, and no other', async () => {
    start({ callerClaims: ['county', 'branch', 'level'] });
    const odd = ['', null, 'a\u0000b', 'x'.repeat(101), 'north', 'north'];
    const token = claims({ county: 19, branch: odd, level: { a: 1 }, salary: ['high'] });
    const { body } = await get(await issuer.sign(token));
    expect(body).toMatchObject({ claims: { county: ['19'], branch: ['north'] } });
    expect(Object.keys((body as { claims: object }).claims)).toEqual(['county', 'branch']);
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

  test.each<[string, unknown]>([
    ['a number', 5],
    ['empty', ''],
    ['an object', {}],
    ['null', null],
  ])('one without an oid, whose subject is %s: it would be everybody’s', async (_, sub) => {
    start();
    const odd = { oid: undefined, sub } as Record<string, unknown>;
    await refused(await issuer.sign(claims(odd)), 401, 'token_invalid');
  });

  test('but not for a fraction of a second, which RFC 7519 allows, nor for a beginning before 1970', async () => {
    start();
    const token = await issuer.sign(claims({ exp: seconds(60) + 0.25, nbf: -1, iat: 0.5 }));
    expect(await get(token)).toMatchObject({ status: 200 });
  });

  test.each<[string, unknown, string]>([
    ['another', 'api://other', 'for api://other'],
    ['several others', ['api://one', 'two'], 'for api://one, two'],
    ['none', '', 'for nobody'],
    ['what is no text', { a: 1 }, 'for nobody'],
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
      detail: expect.stringContaining('https://evil.test'),
    });
  });
});
