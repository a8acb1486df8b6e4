import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type Step, hangs, json, losesAnswer } from '../../../test/scripted.ts';
import { connect, errorOf, openOrg, refuses } from '../../test/org.ts';
import { createSalesforce } from '../salesforce.ts';

const expired = refuses(401, 'INVALID_SESSION_ID', 'Session expired or invalid');
const get = { method: 'GET', path: 'limits' } as const;
const post = { method: 'POST', path: 'sobjects/X__c', body: { Name: 'x' } } as const;

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

describe('the two ways to a token', () => {
  test('client credentials', async () => {
    const org = await openOrg();
    const { salesforce } = connect(org);
    await salesforce.request(get);
    await salesforce.request(get);
    expect(org.logins.map((form) => Object.fromEntries(form))).toEqual([
      {
        grant_type: 'client_credentials',
        client_id: 'client',
        client_secret: 'very-secret-client-secret',
      },
    ]);
    expect(org.seen.map(({ headers }) => headers['authorization'])).toEqual([
      'Bearer token-1',
      'Bearer token-1',
    ]);
    expect(salesforce.stats()).toMatchObject({ tokens: 1, calls: 2 });
  });

  test.each([pem, pem.replaceAll('\n', '\\n')])('a signed assertion', async (key) => {
    const org = await openOrg();
    const at = Date.UTC(2026, 0, 1);
    const auth = { type: 'jwt', clientId: 'client', username: 'me@acme.example' } as const;
    const { salesforce } = connect(org, { auth: { ...auth, privateKey: key } }, { now: () => at });
    await salesforce.request(get);
    const form = org.logins[0];
    expect(form?.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
    const [header = '', claims = '', signature = ''] = (form?.get('assertion') ?? '').split('.');
    const parsed = (text: string): unknown =>
      JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    expect(parsed(header)).toEqual({ alg: 'RS256', typ: 'JWT' });
    expect(parsed(claims)).toEqual({
      iss: 'client',
      sub: 'me@acme.example',
      aud: org.url,
      exp: at / 1_000 + 120,
    });
    expect(
      verify(
        'RSA-SHA256',
        Buffer.from(`${header}.${claims}`),
        createPublicKey(publicKey.export({ type: 'spki', format: 'pem' })),
        Buffer.from(signature, 'base64url'),
      ),
    ).toBe(true);
  });

  test('a wrong clock of ours is put right by the refusal itself', async () => {
    const org = await openOrg();
    const at = Date.UTC(2020, 0, 1); // years behind the org
    const auth = { type: 'jwt', clientId: 'c', username: 'u', privateKey: pem } as const;
    const { salesforce } = connect(org, { auth }, { now: () => at });
    org.login(json(400, { error: 'invalid_grant', error_description: 'expired authorization' }));
    await errorOf(salesforce.request(get));
    await errorOf(salesforce.request(get));
    const [first = 0, second = 0] = org.logins.map((form) => {
      const claims = (form.get('assertion') ?? '').split('.')[1] ?? '';
      return (JSON.parse(Buffer.from(claims, 'base64url').toString()) as { exp: number }).exp;
    });
    expect(first).toBe(at / 1_000 + 120);
    expect(second).toBeGreaterThan(Date.UTC(2025, 0, 1) / 1_000);
  });

  test.each([
    ['nonsense', 'privateKey'],
    [
      generateKeyPairSync('ec', { namedCurve: 'P-256' })
        .privateKey.export({ type: 'pkcs8', format: 'pem' })
        .toString(),
      'privateKey',
    ],
  ])('a key that is none is refused at the start and not quoted', (key, says) => {
    const open = (): unknown =>
      createSalesforce({
        loginUrl: 'https://acme.my.salesforce.com',
        auth: { type: 'jwt', clientId: 'c', username: 'u', privateKey: key },
      });
    expect(open).toThrow(expect.objectContaining({ code: 'invalid_config' }));
    expect(open).toThrow(says);
    expect(open).not.toThrow(key);
  });
});

describe('an expired session', () => {
  test('costs one new token and one repeat, whatever the method', async () => {
    const org = await openOrg();
    const { salesforce, reports } = connect(org);
    await salesforce.request(get);
    org.will(expired, json(201, { id: 'a' }));
    expect(await salesforce.request(post)).toEqual({ id: 'a' });
    expect(org.seen.map(({ headers }) => headers['authorization'])).toEqual([
      'Bearer token-1',
      'Bearer token-1',
      'Bearer token-2',
    ]);
    expect(reports.at(-1)).toMatchObject({ status: 201, retried: 1, requests: 2, errorCode: null });
  });

  test('that a hundred calls meet at once costs one token', async () => {
    const org = await openOrg();
    const { salesforce } = connect(org);
    await salesforce.request(get);
    org.otherwise((exchange) => {
      const isOld = exchange.seen.headers['authorization'] === 'Bearer token-1';
      return (isOld ? expired : json(200, { fine: true }))(exchange);
    });
    const answers = await Promise.all(Array.from({ length: 100 }, () => salesforce.request(post)));
    expect(answers).toEqual(Array.from({ length: 100 }, () => ({ fine: true })));
    expect(org.logins).toHaveLength(2);
  });

  test('that a new token does not mend ends after one repeat', async () => {
    const org = await openOrg();
    org.otherwise(expired);
    const { salesforce } = connect(org);
    const error = await errorOf(salesforce.request(post));
    expect(error).toMatchObject({
      code: 'INVALID_SESSION_ID',
      kind: 'session',
      outcome: 'refused',
      status: 401,
    });
    expect([org.seen.length, org.logins.length]).toEqual([2, 2]);
  });

  test('that never ends costs five tokens a minute, and then no call at all', async () => {
    const org = await openOrg();
    org.otherwise(expired);
    const at = { now: 0 };
    const { salesforce } = connect(org, {}, { now: () => at.now });
    const ask = (): Promise<{ code: string }> => errorOf(salesforce.request(get));
    const codes = [(await ask()).code, (await ask()).code, (await ask()).code];
    expect(codes).toEqual(['INVALID_SESSION_ID', 'INVALID_SESSION_ID', 'token_limit']);
    expect([org.seen.length, org.logins.length]).toEqual([5, 5]);
    const error = await errorOf(salesforce.request(get));
    expect(error).toMatchObject({ code: 'token_limit', kind: 'session', outcome: 'notSent' });
    expect(error.message).toContain('The next is asked for in 60 s.');
    expect([org.seen.length, org.logins.length]).toEqual([5, 5]);

    at.now = 60_000;
    org.otherwise(json(200, { fine: true }));
    expect(await salesforce.request(get)).toEqual({ fine: true });
  });
});

describe('a login that fails', () => {
  const refused: Step = json(400, {
    error: 'invalid_grant',
    error_description: "user hasn't approved this consumer",
  });

  test('is reported in its own words, and asked five times a minute', async () => {
    const org = await openOrg();
    org.login(refused);
    const { salesforce } = connect(org);
    const errors = [];
    for (let n = 0; n < 7; n++) errors.push(await errorOf(salesforce.request(post)));
    expect(errors[0]).toMatchObject({ code: 'token_refused', kind: 'session', outcome: 'notSent' });
    expect(errors[0]?.message).toContain("invalid_grant: user hasn't approved this consumer");
    expect(errors.map(({ code }) => code).slice(4)).toEqual([
      'token_refused',
      'token_limit',
      'token_limit',
    ]);
    expect(errors[6]?.message).toContain('invalid_grant');
    expect([org.seen.length, org.logins.length]).toEqual([0, 5]);
  });

  test('with 401 is not taken for an expired session', async () => {
    const org = await openOrg();
    org.login(json(401, { error: 'invalid_client' }));
    const { salesforce } = connect(org);
    expect((await errorOf(salesforce.request(get))).code).toBe('token_refused');
    expect(org.logins).toHaveLength(1);
  });

  test('by its connection or a 503 is tried again, and does not use up the five', async () => {
    const org = await openOrg();
    let times = 0;
    org.login((exchange) => {
      times += 1;
      if (times % 2 === 0) return losesAnswer(exchange);
      return json(503, {})(exchange);
    });
    const { salesforce, slept } = connect(org);
    for (let n = 0; n < 4; n++) {
      const error = await errorOf(salesforce.request(post));
      expect(error).toMatchObject({ kind: 'unavailable', outcome: 'notSent', retryable: true });
      expect(error.code).toBe('login_unavailable');
    }
    expect(org.logins).toHaveLength(16);
    expect(slept).toHaveLength(12); // the login's own repeats; the call adds none
  });

  test.each([
    [404, 'text'],
    [200, { instance_url: 'https://acme.my.salesforce.com' }],
    [200, 'text'],
    [200, { access_token: 'a\r\nb', instance_url: 'http://127.0.0.1' }],
  ])('with %i and %j gives no token', async (status, body) => {
    const org = await openOrg();
    org.login(({ response }) => {
      response.writeHead(status).end(typeof body === 'string' ? `<${body}>` : JSON.stringify(body));
    });
    const { salesforce } = connect(org);
    expect(await errorOf(salesforce.request(get))).toMatchObject({ outcome: 'notSent' });
    expect(org.seen).toHaveLength(0);
  });

  test('by naming a strange instance gets no token sent there', async () => {
    const org = await openOrg();
    org.login(json(200, { access_token: 'token', instance_url: 'https://evil.example' }));
    const { salesforce } = connect(org);
    const error = await errorOf(salesforce.request(get));
    expect(error).toMatchObject({ code: 'untrusted_instance', outcome: 'notSent' });
  });

  test('by not answering does not hold the caller who leaves', async () => {
    const org = await openOrg();
    const { step, arrived } = hangs();
    org.login(step);
    const { salesforce } = connect(org, { timeoutMs: 2_000 });
    const controller = new AbortController();
    const call = errorOf(salesforce.request({ ...post, signal: controller.signal }));
    await arrived;
    controller.abort();
    expect(await call).toMatchObject({ code: 'canceled', outcome: 'notSent' });
  });
});
