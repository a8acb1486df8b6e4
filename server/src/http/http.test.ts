import { request } from 'node:http';
import { readConsole } from '../console/files.ts';
import { type AddressInfo, connect } from 'node:net';
import { text as readAll } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type Contract, contracts, problem } from '@millrace/api';
import { StoreUnavailable, defineJob, done } from '@millrace/engine';
import type { InjectOptions } from 'fastify';
import { afterEach, describe, expect, test } from 'vitest';
import { routes as workloadRoutes } from '@millrace/workloads/contracts';
import { z } from 'zod';
import { type Harness, type HarnessOptions, createHarness } from '../../test/harness.ts';
import { SECURITY_HEADERS } from './headers.ts';

/** The HTTP edge, before and around the handlers. */

const echo = defineJob({ kind: 'echo', input: z.unknown(), public: true, run: async () => done() });

let harness: Harness;
function start(options: HarnessOptions = {}): Harness {
  harness = createHarness({ kinds: [echo], ...options });
  return harness;
}
afterEach(() => harness.close());

async function ask(options: InjectOptions) {
  const response = await harness.app.inject(options);
  return { status: response.statusCode, headers: response.headers, text: response.body };
}

test('the address itself leads to the console where it was built, else to the description', async () => {
  start();
  const { status, headers } = await ask({ method: 'GET', url: '/' });
  expect(status).toBe(302);
  expect(headers.location).toBe(readConsole() === null ? '/docs' : '/console/');
});

test.each([
  ['/docs/reference', 'text/html; charset=utf-8', '<!doctype html>'],
  ['/openapi.json', 'application/json; charset=utf-8', '{"openapi":'],
])('%s comes as its reader takes it', async (url, type, beginning) => {
  start();
  const get = async (encoding: string) =>
    harness.app.inject({ url, headers: { 'accept-encoding': encoding } });
  const plain = await get('identity');
  expect(plain.headers).toMatchObject({ 'content-type': type, vary: 'accept-encoding' });
  expect(plain.headers).not.toHaveProperty('content-encoding');
  expect(plain.body.startsWith(beginning)).toBe(true);
  const packed = await get('gzip, deflate, br');
  expect(packed.headers['content-encoding']).toBe('br');
  expect(brotliDecompressSync(packed.rawPayload).equals(plain.rawPayload)).toBe(true);
  const zipped = await get('gzip');
  expect(gunzipSync(zipped.rawPayload).equals(plain.rawPayload)).toBe(true);
});

describe('the correlation id', () => {
  const enqueue = { method: 'POST', url: '/jobs', payload: { kind: 'echo' } } as const;

  test('is taken from the caller, returned, and put on the job and in the log', async () => {
    const { client, lines } = start();
    const { headers } = await ask({ ...enqueue, headers: { 'x-correlation-id': 'order-7:b' } });
    expect(headers['x-correlation-id']).toBe('order-7:b');
    const { jobs } = await client.listJobs({ query: { correlationId: 'order-7:b' } });
    expect(jobs).toHaveLength(1);
    const line = lines
      .map((text) => JSON.parse(text) as Record<string, unknown>)
      .find(({ route }) => route === '/jobs');
    expect(line).toMatchObject({ correlationId: 'order-7:b', method: 'POST', status: 201 });
  });

  test.each(['', 'two words', 'x'.repeat(129), 'ümlaut', 'tab\there', '{"a":1}\u007f'])(
    'is made again for %j',
    async (given) => {
      start();
      const { headers } = await ask({ ...enqueue, headers: { 'x-correlation-id': given } });
      expect(headers['x-correlation-id']).toMatch(/^[0-9a-f-]{36}$/);
    },
  );

  test('is on problems too', async () => {
    start();
    const { headers, text } = await ask({ url: '/nothing', headers: { 'x-correlation-id': 'c' } });
    expect(headers['x-correlation-id']).toBe('c');
    expect(JSON.parse(text)).toMatchObject({ correlationId: 'c' });
  });
});

describe('every refusal is a problem', () => {
  const json = { 'content-type': 'application/json' };
  test.each<[string, InjectOptions, number, string]>([
    ['an unknown address', { url: '/nothing' }, 404, 'not_found'],
    ['a wrong method', { method: 'DELETE', url: '/jobs' }, 404, 'not_found'],
    ['a URL that is not one', { url: '/jobs/%zz' }, 400, 'invalid_request'],
    [
      'broken JSON',
      { method: 'POST', url: '/jobs', headers: json, payload: '{"kind":' },
      400,
      'invalid_request',
    ],
    [
      'a tenant with a NUL character',
      { url: '/jobs', headers: { 'millrace-tenant': 'a%00' } },
      400,
      'invalid_request',
    ],
    [
      'a tenant whose name is too long',
      { url: '/jobs', headers: { 'millrace-tenant': 'x'.repeat(101) } },
      400,
      'invalid_request',
    ],
    [
      'a tenant that is not written as in a URL',
      { url: '/jobs', headers: { 'millrace-tenant': '%zz' } },
      400,
      'invalid_request',
    ],
    ['no body', { method: 'POST', url: '/jobs' }, 400, 'invalid_request'],
    [
      'an empty body',
      { method: 'POST', url: '/jobs', headers: json, payload: '' },
      400,
      'invalid_request',
    ],
    [
      'JSON that is not an object',
      { method: 'POST', url: '/jobs', headers: json, payload: '7' },
      400,
      'invalid_request',
    ],
    [
      'a poisoned prototype',
      {
        method: 'POST',
        url: '/jobs',
        headers: json,
        payload: '{"kind":"echo","data":{"__proto__":{"a":1}}}',
      },
      400,
      'invalid_request',
    ],
    [
      'something saved that is nested 8,000 levels deep',
      {
        method: 'POST',
        url: '/saved/views/deep',
        headers: json,
        payload: `{"value":{"a":${'['.repeat(8_000)}${']'.repeat(8_000)}}}`,
      },
      400,
      'invalid_request',
    ],
    [
      'a form',
      {
        method: 'POST',
        url: '/jobs',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        payload: 'kind=echo',
      },
      415,
      'unsupported_media_type',
    ],
    [
      'plain text',
      {
        method: 'POST',
        url: '/jobs',
        headers: { 'content-type': 'text/plain' },
        payload: '{"kind":"echo"}',
      },
      415,
      'unsupported_media_type',
    ],
    [
      '3 MB',
      { method: 'POST', url: '/jobs', payload: { kind: 'echo', data: 'x'.repeat(3_000_000) } },
      413,
      'too_large',
    ],
    ['a name of 4,000 letters', { url: `/jobs/${'x'.repeat(4_000)}` }, 400, 'invalid_request'],
    [
      'a misspelt field',
      { method: 'POST', url: '/jobs', payload: { kind: 'echo', dealy: 5 } },
      400,
      'invalid_request',
    ],
  ])('%s', async (_, options, status, code) => {
    start();
    const answer = await ask(options);
    expect(answer.status).toBe(status);
    expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
    expect(problem.parse(JSON.parse(answer.text))).toMatchObject({ status, code });
  });

  test('a NUL character in any name or filter, on every route', async () => {
    start();
    // This process has no workloads, and a live stream is a route of another making.
    const ofWorkloads = new Set<Contract>(Object.values(workloadRoutes));
    const routes = (Object.values(contracts) as Contract[]).filter(
      (contract) => !ofWorkloads.has(contract) && contract.path !== '/events',
    );
    const asked = routes.flatMap(({ method, path, query, example }) => {
      const upload = method === 'POST' ? { payload: example.body ?? {} } : {};
      const named = path.replace(/:\w+/, 'a%00b').replace(/:\w+/g, 'x');
      const filters = query instanceof z.ZodObject ? Object.keys(query.shape) : [];
      return [
        ...(named === path ? [] : [{ method, url: named, ...upload }]),
        ...filters.map((name) => ({ method, url: `${path}?${name}=a%00b`, ...upload })),
      ];
    });
    expect(asked.length).toBeGreaterThan(20);
    for (const options of asked) {
      const { status } = await ask(options);
      expect(status, `${options.method} ${options.url}`).toBe(400);
    }
  });

  test.each<[string, string, string]>([
    ['a member that is refused', '{"kind":"echo","data":{"__proto__":{"a":1}}}', '"__proto__"'],
    ['what is no JSON', '{"kind":"echo","data":{"__proto__"', 'not valid JSON'],
    ['what is nested too deep', `${'['.repeat(1_001)}${']'.repeat(1_001)}`, '1000 levels deep'],
    ['what is millions of objects', `[${'{},'.repeat(500_000)}{}]`, '500 thousand values'],
  ])('the sentence is that of %s', async (_, payload, words) => {
    start();
    const { text } = await ask({ method: 'POST', url: '/jobs', headers: json, payload });
    expect(problem.parse(JSON.parse(text)).detail).toContain(words);
  });

  test('says which fields are wrong', async () => {
    start();
    const payload = { kind: 'echo', priority: 5_000, runAt: 'now', dealy: 5 };
    const { text } = await ask({ method: 'POST', url: '/jobs', payload });
    const told = problem.parse(JSON.parse(text));
    expect(told.issues?.map(({ path }) => path)).toEqual(['priority', 'runAt', '']);
    expect(told.detail).toContain('priority: ');
  });

  test('a failing store is 503, retryable, and its message stays in the log', async () => {
    const { lines } = start({
      store: (store) => ({
        ...store,
        counts: () => Promise.reject(new StoreUnavailable('connect ECONNREFUSED 10.9.9.9')),
      }),
    });
    const { status, text } = await ask({ url: '/counts' });
    expect(status).toBe(503);
    expect(JSON.parse(text)).toMatchObject({ code: 'store_unavailable', retryable: true });
    expect(text).not.toContain('10.9.9.9');
    expect(lines.join('')).toContain('10.9.9.9');
  });

  test('a request that failed on our side is one line, which says what was asked and why it failed', async () => {
    const cause = new Error('connect ECONNREFUSED 10.9.9.9');
    const error = new StoreUnavailable(`The database did not answer: ${cause.message}`, { cause });
    const { lines } = start({
      store: (store) => ({ ...store, enqueue: () => Promise.reject(error) }),
    });
    await ask({
      method: 'POST',
      url: '/jobs',
      headers: { 'x-correlation-id': 'c-10' },
      payload: { kind: 'echo' },
    });
    const own = lines.filter((line) => line.includes('c-10'));
    expect(own.map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({
        level: 'error',
        msg: 'request failed',
        method: 'POST',
        route: '/jobs',
        status: 503,
        code: 'store_unavailable',
        err: expect.objectContaining({ message: error.message }) as unknown,
      }),
    ]);
  });

  test('a mistake of ours is 500 and shows nothing of itself', async () => {
    const { lines } = start({
      store: (store) => ({
        ...store,
        get: () => Promise.reject(new TypeError('cannot read secretThing of undefined')),
      }),
    });
    const { status, text } = await ask({
      url: '/jobs/mem-1',
      headers: { 'x-correlation-id': 'c-9' },
    });
    expect(status).toBe(500);
    expect(JSON.parse(text)).toMatchObject({ code: 'internal', correlationId: 'c-9' });
    expect(text).not.toContain('secretThing');
    expect(lines.find((line) => line.includes('secretThing'))).toContain('c-9');
  });
});

describe('on loopback, a web page gets nowhere', () => {
  test.each([
    'localhost',
    'localhost:3000',
    '127.0.0.1:3000',
    '127.0.0.2',
    '[::1]:3000',
    'LOCALHOST',
  ])('Host %s is served', async (host) => {
    start();
    expect((await ask({ url: '/counts', headers: { host } })).status).toBe(200);
  });

  test.each([
    'evil.example',
    'evil.example:3000',
    'localhost.evil.example',
    '127.0.0.1.nip.io',
    '192.168.1.5',
    '0.0.0.0',
    'localhost@evil.example',
    'a b',
  ])('Host %j is refused, reading too', async (host) => {
    start();
    const { status, text } = await ask({ url: '/counts', headers: { host } });
    expect(status).toBe(421);
    expect(JSON.parse(text)).toMatchObject({ code: 'host_not_allowed' });
  });

  test('any Host is served where the operator has opened the service', async () => {
    start({ config: { host: '0.0.0.0' } });
    expect((await ask({ url: '/counts', headers: { host: 'millrace.example' } })).status).toBe(200);
  });

  const post = { method: 'POST', url: '/worker/stop' } as const;
  test.each([
    'http://evil.example',
    'https://localhost.evil.example',
    'null',
    'http://localhost:9999',
    'http://127.0.0.1:3000',
    'file://',
  ])('Origin %s may not change anything', async (origin) => {
    const { worker } = start();
    worker.start();
    const { status, text } = await ask({ ...post, headers: { host: 'localhost:3000', origin } });
    expect(status).toBe(403);
    expect(JSON.parse(text)).toMatchObject({ code: 'origin_not_allowed' });
    expect(worker.status().state).toBe('running');
  });

  test('its own pages and programs without an Origin may', async () => {
    const { worker } = start();
    worker.start();
    const headers = { host: 'localhost:3000', origin: 'http://localhost:3000' };
    expect((await ask({ ...post, headers })).status).toBe(200);
    expect(
      (await ask({ method: 'POST', url: '/worker/start', headers: { host: 'localhost:3000' } }))
        .status,
    ).toBe(200);
  });

  test('reading is not for other sites either: no answer allows it', async () => {
    start();
    const { headers } = await ask({ url: '/counts', headers: { origin: 'http://evil.example' } });
    expect(headers).not.toHaveProperty('access-control-allow-origin');
    expect(headers).toMatchObject(SECURITY_HEADERS);
  });
});

describe('on a socket', () => {
  test('a request without a Host is refused, and one with a content type but no body is not', async () => {
    const { app, worker } = start();
    worker.start();
    await app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = app.server.address() as AddressInfo;
    const status = (path: string, headers: Record<string, string>, setHost: boolean) =>
      new Promise<number | undefined>((resolve, reject) => {
        const sent = request({ host: '127.0.0.1', port, path, method: 'POST', headers, setHost });
        sent
          .on('response', (response) => resolve(response.resume().statusCode))
          .on('error', reject);
        sent.end();
      });
    expect(await status('/worker/stop', {}, false)).toBe(400);
    expect(await status('/worker/stop', { host: '' }, false)).toBe(421);
    expect(await status('/worker/stop', { 'content-type': 'application/json' }, true)).toBe(200);
  });

  test.each<[string, string, number, string]>([
    [
      'headers of 20 KB',
      `GET /healthz HTTP/1.1\r\nhost: localhost\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
    ['what is not HTTP', 'hello?\r\n\r\n', 400, 'invalid_request'],
  ])('%s get a problem, too', async (_, sent, status, code) => {
    const { app } = start();
    await app.listen({ host: '127.0.0.1', port: 0 });
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
    socket.write(sent);
    const answer = await readAll(socket);
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(head).toContain('content-type: application/problem+json');
    expect(problem.parse(JSON.parse(body))).toMatchObject({ status, code });
  });
});

test('a log line names the route, not the person in its path', async () => {
  const { client, lines } = start();
  await client.eraseSubject({ params: { subject: 'ada@example.com' } });
  await client.listJobs({ query: { key: 'private-key' } });
  expect(lines.join('')).toContain('/subjects/:subject');
  expect(lines.join('')).not.toMatch(/ada|private-key/);
});
