import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type Queue,
  type Worker,
  createEvents,
  createQueue,
  createRegistry,
  createWorker,
  defineJob,
} from '@millrace/engine';
import { systemClock } from '@millrace/engine/system';
import { createMemoryStore } from '@millrace/store-memory';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  type Sink,
  attributesOf,
  spanNamed,
  spansOf,
  start,
  startSink,
} from '../../test/telemetry.ts';
import { traceRequests } from './requests.ts';
import { traceStore } from './store.ts';
import type { Telemetry } from './types.ts';

const SERVER = 2;
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = `00-${TRACE}-b7ad6b7169203331-01`;

let sink: Sink;
let telemetry: Telemetry;
let app: FastifyInstance;
let queue: Queue;
let worker: Worker;
const events = createEvents();
/** The trace context inside a handler. */
let seen: (string | undefined)[] = [];

beforeEach(async () => {
  seen = [];
  sink = await startSink();
  telemetry = await start({ otlpEndpoint: sink.url });
  const store = traceStore(createMemoryStore({ now: Date.now }), telemetry);
  const hello = defineJob({
    kind: 'hello',
    input: z.object({}),
    async run(job, context) {
      await context.get(job.id);
    },
  });
  const registry = createRegistry([hello]);
  queue = createQueue({ store, registry, events });
  worker = createWorker({
    config: { id: 'w' },
    store,
    registry,
    clock: systemClock,
    random: Math.random,
    events,
    ...(telemetry.tracing && { tracing: telemetry.tracing }),
  });
  app = Fastify({ genReqId: () => 'corr-7' });
  traceRequests(app, telemetry);
  app.addHook('onRequest', async () => void seen.push(telemetry.current()));
  app.get('/jobs/:id', async () => {
    seen.push(telemetry.current());
    await queue.counts();
    return {};
  });
  app.post('/jobs', async (_request, reply) => {
    seen.push(telemetry.current());
    const traceparent = telemetry.current();
    await queue.enqueue({ kind: 'hello', data: {}, ...(traceparent && { traceparent }) });
    return reply.code(201).send({});
  });
  app.get('/broken', async () => {
    throw new Error('broken');
  });
  app.get('/stream', (_request, reply) => {
    reply.hijack();
    reply.raw.writeHead(200).write('first');
  });
  app.get('/slow', () => new Promise(() => {}));
});
afterEach(async () => {
  await worker.stop();
  await app.close();
  await telemetry.stop();
  await sink.close();
});

/** Over a real socket, where the body arrives in another context than the handler's. */
async function post(headers: Record<string, string> = {}): Promise<void> {
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  const answer = await fetch(`${address}/jobs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ some: 'x'.repeat(100_000) }),
  });
  expect(answer.status).toBe(201);
}

describe('a request', () => {
  test('is measured by its route, not by its address', async () => {
    await app.inject({ url: '/jobs/mem-1' });
    await app.inject({ url: '/jobs/mem-2' });
    await app.inject({ url: '/nowhere/mem-3' });
    await app.inject({ url: '/broken' });
    const text = await telemetry.scrape();
    const count = (route: string, status: number) =>
      `http_request_duration_seconds_count{method="GET",route="${route}",status="${status}"}`;
    expect(text).toContain(`${count('/jobs/:id', 200)} 2\n`);
    expect(text).toContain(`${count('none', 404)} 1\n`);
    expect(text).toContain(`${count('/broken', 500)} 1\n`);
    expect(text).not.toContain('mem-');
  });

  test('is a span of its own, and what it asks of the store is inside', async () => {
    await app.inject({ url: '/jobs/mem-1' });
    await telemetry.stop();
    const span = spanNamed(sink, 'GET /jobs/:id');
    expect(span.kind).toBe(SERVER);
    expect(span.parentSpanId ?? '').toBe('');
    expect(attributesOf(span)).toEqual({
      'http.request.method': 'GET',
      'http.route': '/jobs/:id',
      'http.response.status_code': 200,
      correlationId: 'corr-7',
    });
    const inside = spanNamed(sink, 'store counts');
    expect(inside.parentSpanId).toBe(span.spanId);
    expect(attributesOf(inside)['correlationId']).toBe('corr-7');
  });

  test('goes on with the trace of its caller', async () => {
    await app.inject({ url: '/jobs/mem-1', headers: { traceparent: CALLER } });
    await telemetry.stop();
    const span = spanNamed(sink, 'GET /jobs/:id');
    expect([span.traceId, span.parentSpanId]).toEqual([TRACE, 'b7ad6b7169203331']);
  });

  test('is not traced when its caller does not want to be, but still knows where it comes from', async () => {
    const unwanted = CALLER.replace(/01$/, '00');
    await app.inject({ url: '/jobs/mem-1', headers: { traceparent: unwanted } });
    await telemetry.stop();
    expect(spansOf(sink)).toEqual([]);
    expect(seen).toEqual([unwanted, unwanted]);
  });

  test.each(['', 'nonsense', CALLER.replace(TRACE, '0'.repeat(32))])(
    'with the traceparent %j is as one without',
    async (traceparent) => {
      await app.inject({ url: '/jobs/mem-1', headers: { traceparent } });
      await telemetry.stop();
      expect(spanNamed(sink, 'GET /jobs/:id').parentSpanId ?? '').toBe('');
    },
  );

  test('knows its trace in hooks, and in the handler after the body has arrived', async () => {
    await post({ traceparent: CALLER });
    expect(seen).toHaveLength(2);
    expect(seen[0]).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`));
    expect(seen[1]).toBe(seen[0]);
  });

  test('that fails on our side is a failure; one that is refused is not', async () => {
    await app.inject({ url: '/broken' });
    await app.inject({ url: '/nowhere' });
    await telemetry.stop();
    expect(spanNamed(sink, 'GET /broken').status.code).toBe(2);
    expect(spanNamed(sink, 'GET none').status.code).toBe(0);
  });

  test.each([
    ['/stream', '200'],
    ['/slow', 'aborted'],
  ])('%s that its caller has left is over: %s', async (path, status) => {
    await app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = app.server.address() as AddressInfo;
    const arrived = once(app.server, 'request');
    const asked = httpRequest({ port, path }).end();
    asked.on('error', () => {});
    const [, response] = await arrived;
    if (path === '/stream') await once(asked, 'response');
    const over = once(response, 'close');
    asked.destroy();
    await over;
    expect(await telemetry.scrape()).toContain(
      `http_request_duration_seconds_count{method="GET",route="${path}",status="${status}"} 1\n`,
    );
  });
});

test('a stream is no latency', async () => {
  app.get('/live', { config: { stream: true } }, async () => ({}));
  await app.inject('/live');
  await app.inject('/jobs/1');
  const text = await telemetry.scrape();
  expect(text).toContain('route="/jobs/:id"');
  expect(text).not.toContain('route="/live"');
});

test('from the request over the store to the attempt: one trace, and a link to it', async () => {
  const ran = new Promise((resolve) => {
    events.on('job.succeeded', resolve);
  });
  await post({ traceparent: CALLER });
  worker.start();
  await ran;
  await worker.stop();
  await telemetry.stop();
  const request = spanNamed(sink, 'POST /jobs');
  const enqueue = spanNamed(sink, 'store enqueue');
  const attempt = spanNamed(sink, 'run hello');
  expect(enqueue.parentSpanId).toBe(request.spanId);
  expect(attempt.links).toMatchObject([{ traceId: TRACE, spanId: request.spanId }]);
  expect(spanNamed(sink, 'store get').parentSpanId).toBe(attempt.spanId);
});
