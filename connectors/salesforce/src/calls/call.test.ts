import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { type Step, hangs, json, mark } from '../../../test/scripted.ts';
import { connect, errorOf, openOrg, refuses } from '../../test/org.ts';

const get = { method: 'GET', path: 'sobjects/X__c/a' } as const;
const post = { method: 'POST', path: 'sobjects/X__c', body: { Name: 'x' } } as const;
const unavailable = refuses(503, 'SERVER_UNAVAILABLE');

describe('a request', () => {
  test('is JSON in and out, under the version, with its correlation', async () => {
    const org = await openOrg();
    org.will(json(201, { id: 'a', name: 'Grüße' }));
    const { salesforce, reports } = connect(org, { apiVersion: '61.0' });
    const answer = await salesforce.request({ ...post, correlationId: 'corr-1\r\nx: y' });
    expect(answer).toEqual({ id: 'a', name: 'Grüße' });
    expect(org.seen[0]).toMatchObject({
      method: 'POST',
      path: '/services/data/v61.0/sobjects/X__c',
      body: '{"Name":"x"}',
    });
    expect(org.seen[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': '12',
      'x-correlation-id': 'corr-1__x: y',
    });
    expect(reports).toEqual([
      {
        method: 'POST',
        path: 'sobjects/X__c',
        status: 201,
        errorCode: null,
        durationMs: expect.any(Number) as number,
        retried: 0,
        requests: 1,
        correlationId: 'corr-1\r\nx: y',
      },
    ]);
  });

  test('without content gives null, and gzip is unpacked, in errors too', async () => {
    const org = await openOrg();
    const zipped =
      (status: number, body: unknown): Step =>
      ({ response }) => {
        response.writeHead(status, { 'content-encoding': 'gzip' });
        response.end(gzipSync(JSON.stringify(body)));
      };
    org.will(
      ({ response }) => void response.writeHead(204).end(),
      zipped(200, { fine: true }),
      zipped(400, [{ errorCode: 'MALFORMED_ID', message: 'x' }]),
    );
    const { salesforce } = connect(org);
    expect(await salesforce.request({ ...post, method: 'PATCH' })).toBeNull();
    expect(await salesforce.request(get)).toEqual({ fine: true });
    expect((await errorOf(salesforce.request(get))).code).toBe('MALFORMED_ID');
  });

  test('to Apex goes under apexrest, limits are read, and own headers are kept', async () => {
    const org = await openOrg();
    const { salesforce } = connect(org);
    await salesforce.apex({ method: 'POST', path: 'millrace/v1/claim', body: {} });
    await salesforce.limits();
    await salesforce.request({ ...get, headers: { 'if-match': 'x', authorization: 'mine' } });
    expect(org.seen.map(({ path }) => path)).toEqual([
      '/services/apexrest/millrace/v1/claim',
      '/services/data/v59.0/limits',
      '/services/data/v59.0/sobjects/X__c/a',
    ]);
    expect(org.seen[2]?.headers).toMatchObject({
      'if-match': 'x',
      authorization: 'Bearer token-1',
    });
    expect(salesforce.stats().byRoute).toEqual({
      'apexrest/millrace/v1/claim': 1,
      limits: 1,
      'sobjects/X__c': 1,
    });
  });

  test('whose address and headers are too long is not sent', async () => {
    const org = await openOrg();
    const { salesforce } = connect(org);
    const path = `sobjects/X__c/${'a'.repeat(16_300)}`;
    const error = await errorOf(salesforce.request({ method: 'GET', path }));
    expect(error).toMatchObject({ code: 'request_too_long', outcome: 'notSent' });
    expect(org.seen).toHaveLength(0);
  });

  test('is not sent after a redirect', async () => {
    const org = await openOrg();
    org.will(({ response }) => void response.writeHead(302, { location: '/other' }).end());
    const { salesforce } = connect(org);
    expect(await errorOf(salesforce.request(get))).toMatchObject({
      code: 'http_302',
      kind: 'unavailable',
      outcome: 'unknown',
    });
    expect(org.seen).toHaveLength(1);
  });
});

describe('time', () => {
  test('is up for an answer that does not come, and there is no repeat', async () => {
    const org = await openOrg();
    const { salesforce } = connect(org, { timeoutMs: 1_000 });
    await salesforce.request(get);
    org.otherwise(hangs().step);
    const error = await errorOf(salesforce.request(get));
    expect(error).toMatchObject({ code: 'timeout', outcome: 'unknown', retryable: true });
    expect(org.seen).toHaveLength(2);
  });

  test('is up for a body that stops in the middle', async () => {
    const org = await openOrg();
    org.will(({ response }) => void response.writeHead(200).write('{"a":'));
    const { salesforce } = connect(org, { timeoutMs: 1_000 });
    expect((await errorOf(salesforce.request(get))).code).toBe('timeout');
  });

  test('is the caller’s: he may leave while it runs and while it waits to be repeated', async () => {
    const org = await openOrg();
    const { step, arrived } = hangs();
    org.will(step);
    const controller = new AbortController();
    const { salesforce } = connect(
      org,
      {},
      {
        sleep: async () => {
          controller.abort();
          throw new Error('aborted');
        },
      },
    );
    const running = errorOf(salesforce.request({ ...post, signal: controller.signal }));
    await arrived;
    controller.abort();
    expect(await running).toMatchObject({ code: 'canceled', outcome: 'unknown' });

    org.will(unavailable);
    const waiting = salesforce.request({ ...get, signal: new AbortController().signal });
    expect((await errorOf(waiting)).code).toBe('SERVER_UNAVAILABLE');
    expect(org.seen).toHaveLength(2);
  });
});

describe('the API limit', () => {
  test('is read from every answer, errors included', async () => {
    const org = await openOrg();
    const { salesforce } = connect(org);
    expect(salesforce.budget()).toEqual({ level: 'unknown' });
    org.will(json(200, {}, { 'sforce-limit-info': 'api-usage=18/5000' }));
    await salesforce.request(get);
    expect(salesforce.budget()).toMatchObject({ used: 18, max: 5_000, level: 'fine' });
    org.will(json(404, [], { 'sforce-limit-info': 'api-usage=4600/5000' }));
    await errorOf(salesforce.request(get));
    expect(salesforce.budget()).toMatchObject({ used: 4_600, ratio: 0.92, level: 'stop' });
    await salesforce.request(get); // the connector only tells
  });

  test('once used up, holds batch calls for a minute without a call', async () => {
    const org = await openOrg();
    const at = { now: 0 };
    const { salesforce, reports } = connect(org, {}, { now: () => at.now });
    org.will(refuses(403, 'REQUEST_LIMIT_EXCEEDED', 'TotalRequests Limit exceeded.'));
    const first = await errorOf(salesforce.request(get));
    expect(first).toMatchObject({ code: 'REQUEST_LIMIT_EXCEEDED', kind: 'limit', status: 403 });
    expect(org.seen).toHaveLength(1); // not repeated

    const held = await errorOf(salesforce.request({ ...get, lane: 'batch' }));
    expect(held).toMatchObject({ code: 'limit_exceeded', kind: 'limit', outcome: 'notSent' });
    expect(org.seen).toHaveLength(1);
    expect(reports.at(-1)).toMatchObject({ requests: 0, errorCode: 'limit_exceeded' });
    await salesforce.request({ ...get, lane: 'interactive' });
    expect(org.seen).toHaveLength(2);

    at.now = 60_000;
    await salesforce.request(get);
    expect(org.seen).toHaveLength(3);
  });

  test('met by one batch call stops those that wait at the gate', async () => {
    const org = await openOrg();
    org.otherwise(refuses(403, 'REQUEST_LIMIT_EXCEEDED'));
    const { salesforce } = connect(org, { concurrency: 1 });
    const errors = await Promise.all(
      Array.from({ length: 20 }, () => errorOf(salesforce.request(get))),
    );
    expect(errors.map(({ kind }) => kind)).toEqual(Array.from({ length: 20 }, () => 'limit'));
    expect(org.seen).toHaveLength(1);
  });
});

describe('the connection', () => {
  test('carries so many requests at once and no more, with room for interactive ones', async () => {
    const org = await openOrg();
    const answers: (() => void)[] = [];
    const four = mark();
    org.otherwise((exchange) => {
      answers.push(() => void json(200, {})(exchange));
      if (answers.length === 4) four.reach();
    });
    const { salesforce } = connect(org, { concurrency: 4 });
    const batch = Array.from({ length: 10 }, () => salesforce.request(get));
    const interactive = salesforce.request({ ...get, path: 'limits', lane: 'interactive' });
    await four.reached;
    expect(org.seen.filter(({ path }) => path.endsWith('limits'))).toHaveLength(1);
    expect(org.seen).toHaveLength(4);
    org.otherwise(json(200, {}));
    for (const answer of answers) answer();
    await Promise.all([...batch, interactive]);
  });

  test('once closed, refuses, and lets what is under way end', async () => {
    const org = await openOrg();
    let answer = (): void => {};
    const { step, arrived } = hangs();
    org.will((exchange) => {
      answer = () => void json(200, { fine: true })(exchange);
      void step(exchange);
    });
    const { salesforce } = connect(org, { concurrency: 1 });
    const running = salesforce.request(get);
    const waiting = errorOf(salesforce.request(get));
    await arrived;
    const closed = salesforce.close();
    const refused = { code: 'closed', outcome: 'notSent' };
    expect(await waiting).toMatchObject(refused);
    expect(await errorOf(salesforce.request(get))).toMatchObject(refused);
    answer();
    expect(await running).toEqual({ fine: true });
    await closed;
    await salesforce.close();
  });

  test('knows the org’s clock', async () => {
    const org = await openOrg();
    const at = Date.UTC(2026, 0, 1);
    org.will(json(200, {}, { date: new Date(at + 90_000).toUTCString() }));
    org.login(json(200, { access_token: 't', instance_url: org.url }, { date: 'none' }));
    const { salesforce } = connect(org, {}, { now: () => at });
    await salesforce.request(get);
    expect(salesforce.now()).toBe(at + 90_500);
  });
});

test('no secret is shown to anyone', async () => {
  const org = await openOrg();
  org.login((exchange) => {
    const secret = new URLSearchParams(exchange.seen.body).get('client_secret');
    return json(400, { error: 'invalid_client', error_description: `bad ${secret}` })(exchange);
  });
  const { salesforce, lines, reports } = connect(org);
  const errors = [await errorOf(salesforce.request({ ...post, correlationId: 'c' }))];
  org.login(json(200, { access_token: 'the-token', instance_url: org.url }));
  org.otherwise((exchange) =>
    refuses(400, 'INVALID_X', `You sent ${exchange.seen.headers['authorization']}`)(exchange),
  );
  errors.push(await errorOf(salesforce.request(post)));
  const told = [lines, reports, errors.map((e) => [e.message, e.stack, JSON.stringify(e)])];
  expect(JSON.stringify(told)).toContain('You sent Bearer [secret]');
  expect(JSON.stringify(told)).not.toMatch(/very-secret|the-token/);
});

test.each([
  { apiVersion: 'v59' },
  { timeoutMs: 0 },
  { concurrency: 0 },
  { concurrency: 1.5 },
  { loginUrl: 'http://acme.example' },
  { auth: { type: 'clientCredentials', clientId: '', clientSecret: 'x' } },
  { auth: { type: 'clientCredentials', clientId: 'x', clientSecret: '' } },
] as const)('the configuration %j is refused', (config) => {
  expect(() => connect({ url: 'https://acme.my.salesforce.com' }, config)).toThrow(
    expect.objectContaining({ code: 'invalid_config' }),
  );
});
