import { describe, expect, expectTypeOf, test } from 'vitest';
import { ApiError, createClient } from './client.ts';
import { contracts } from './contracts.ts';
import { problemOf } from './problem.ts';

/** A fetch that keeps what it was asked and answers with what it is given. */
function fakeFetch(status: number, body: unknown, headers: Record<string, string> = {}) {
  const calls: { url: string; init: RequestInit }[] = [];
  const fetch = ((url: string, init: RequestInit) => {
    calls.push({ url, init });
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return Promise.resolve(new Response(text, { status, headers }));
  }) as typeof globalThis.fetch;
  return { calls, client: createClient({ baseUrl: 'http://host/prefix/', fetch }) };
}

async function refusal(promise: Promise<unknown>): Promise<ApiError['problem']> {
  const thrown = await promise.catch((error: unknown) => error);
  if (!(thrown instanceof ApiError)) throw new Error(`not an ApiError: ${String(thrown)}`);
  return thrown.problem;
}

describe('the client', () => {
  test('has one method per route', () => {
    const { client } = fakeFetch(200, {});
    expect(Object.keys(client)).toEqual(Object.keys(contracts));
  });

  test('keeps the path of its base, fills in params and leaves out what is undefined', async () => {
    const { client, calls } = fakeFetch(200, { id: 'a/b?c', outcome: 'canceled' });
    await client.cancelJob({ params: { id: 'a/b?c' } });
    expect(calls[0]?.url).toBe('http://host/prefix/jobs/a%2Fb%3Fc/cancel');

    const list = fakeFetch(200, { jobs: [], next: null });
    await list.client.listJobs({ query: { state: 'FAILED', limit: 5 } });
    expect(list.calls[0]?.url).toBe('http://host/prefix/jobs?state=FAILED&limit=5');
  });

  test('sends a content type only with a body', async () => {
    const { client, calls } = fakeFetch(201, { id: 'x-1', created: true });
    await client.enqueue({ body: { kind: 'k', data: { a: 1 } } });
    expect(calls[0]?.init.body).toBe('{"kind":"k","data":{"a":1}}');
    expect(calls[0]?.init.headers).toMatchObject({ 'content-type': 'application/json' });

    const stop = fakeFetch(200, { isRunning: false, correlationId: 'c' });
    await stop.client.stopWorker();
    expect(stop.calls[0]?.init.headers).not.toHaveProperty('content-type');
  });

  test.each(['', '.', '..'])('refuses %j as a part of a path', async (id) => {
    const { client, calls } = fakeFetch(200, {});
    expect((await refusal(client.retryJob({ params: { id } }))).code).toBe('invalid_request');
    expect(calls).toEqual([]);
  });

  test('throws the problem that the service reported', async () => {
    const told = problemOf('job_not_found', 'There is no job "x".', 'c-1');
    const { client } = fakeFetch(404, told);
    expect(await refusal(client.getJob({ params: { id: 'x' } }))).toEqual(told);
  });

  test('lets a problem with a code of a newer server through', async () => {
    const told = { ...problemOf('internal', 'New.', 'c'), code: 'brand_new', status: 418 };
    const { client } = fakeFetch(418, told);
    expect((await refusal(client.counts())).code).toBe('brand_new');
  });

  test.each([
    [502, '<html>Bad gateway</html>'],
    [200, '<html>Welcome to the wrong port</html>'],
    [200, { some: 'other API' }],
    [500, ''],
  ])('says so when %i %j is not of this API', async (status, body) => {
    const { client } = fakeFetch(status, body, { 'x-correlation-id': 'c-2' });
    expect(await refusal(client.workerStatus())).toMatchObject({
      code: 'unexpected_answer',
      status,
      correlationId: 'c-2',
    });
  });

  test('takes the 503 of readiness as an answer', async () => {
    const body = {
      status: 'unavailable',
      checks: [{ name: 'store', ok: false, status: 'down', latencyMs: 3 }],
    };
    expect(await fakeFetch(503, body).client.readyz()).toEqual(body);
  });

  test('ignores fields of a newer server', async () => {
    const { client } = fakeFetch(200, { retried: 3, skipped: 1 });
    expect(await client.retryJobs({ body: { state: 'FAILED' } })).toEqual({ retried: 3 });
  });

  test('knows what each method needs', () => {
    const { client } = fakeFetch(200, {});
    expectTypeOf(client.getJob).parameter(0).toEqualTypeOf<{ readonly params: { id: string } }>();
    expectTypeOf(client.counts).toBeCallableWith();
    expectTypeOf(client.listJobs).toBeCallableWith();
    // @ts-expect-error: an id is needed
    expectTypeOf(client.getJob).toBeCallableWith();
    expectTypeOf(client.enqueue).returns.resolves.toEqualTypeOf<{ id: string; created: boolean }>();
  });
});
