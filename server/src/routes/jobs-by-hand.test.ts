import { afterEach, describe, expect, test } from 'vitest';
import { type Harness, type HarnessOptions, createHarness, refusal } from '../../test/harness.ts';
import { broken, endless, hello, internal } from '../../test/kinds.ts';

let harness: Harness;
function start(options: HarnessOptions = {}): Harness {
  harness = createHarness({ kinds: [hello, broken, internal, endless], ...options });
  return harness;
}
afterEach(() => harness.close());

function times<T>(count: number, value: T): T[] {
  return Array.from({ length: count }, () => value);
}

describe('by hand', () => {
  test('a waiting job is cancelled and retried; other moves are refused', async () => {
    const { client } = start();
    const { id } = await client.enqueue({ body: { kind: 'hello', data: { name: 'A' } } });
    expect(await refusal(client.retryJob({ params: { id } }), 'illegal_transition')).toContain(
      'QUEUED',
    );
    expect(await client.cancelJob({ params: { id } })).toEqual({ id, outcome: 'canceled' });
    expect(await refusal(client.cancelJob({ params: { id } }), 'illegal_transition')).toContain(
      'CANCELED',
    );
    expect(await client.retryJob({ params: { id } })).toEqual({ id, state: 'QUEUED' });
  });

  test.each(['getJob', 'cancelJob', 'retryJob', 'deleteJob', 'explainJob'] as const)(
    '%s knows no job "mem-99"',
    async (name) => {
      const { client } = start();
      expect(await refusal(client[name]({ params: { id: 'mem-99' } }), 'job_not_found')).toContain(
        'mem-99',
      );
    },
  );

  test('a job that has ended is retried with other data that its kind takes', async () => {
    const { client, store } = start();
    const { id } = await client.enqueue({ body: { kind: 'hello', data: { name: 'A' } } });
    const retry = (data: unknown) => client.retryJob({ params: { id }, body: { data } });
    await refusal(retry({ name: 'B' }), 'illegal_transition');
    await client.cancelJob({ params: { id } });
    await refusal(retry({ name: 7 }), 'invalid_payload');
    expect(await retry({ name: 'B' })).toEqual({ id, state: 'QUEUED' });
    expect((await client.getJob({ params: { id } })).data).toEqual({ name: 'B' });
    const job = { kind: 'internal', payload: '{}', tenant: '', priority: null, maxAttempts: 1 };
    const [made] = await store.enqueue({ jobs: [job] });
    const params = { id: made?.id ?? '' };
    await client.cancelJob({ params });
    await refusal(client.retryJob({ params, body: { data: {} } }), 'kind_not_public');
    expect(await client.retryJob({ params })).toMatchObject({ state: 'QUEUED' });
  });

  test('a job is deleted once it has ended', async () => {
    const { client } = start();
    const { id } = await client.enqueue({ body: { kind: 'hello', data: { name: 'A' } } });
    expect(await refusal(client.deleteJob({ params: { id } }), 'illegal_transition')).toContain(
      'QUEUED',
    );
    await client.cancelJob({ params: { id } });
    expect(await client.deleteJob({ params: { id } })).toEqual({ id });
    await refusal(client.getJob({ params: { id } }), 'job_not_found');
  });

  test('a running job is asked to stop: 202', async () => {
    const { app, client, worker, next } = start();
    const { id } = await client.enqueue({ body: { kind: 'endless' } });
    const running = next('job.started');
    worker.start();
    await running;
    const canceled = next('job.canceled');
    const response = await app.inject({ method: 'POST', url: `/jobs/${id}/cancel` });
    expect([response.statusCode, response.json()]).toEqual([202, { id, outcome: 'requested' }]);
    await canceled;
    expect((await client.getJob({ params: { id } })).state).toBe('CANCELED');
  });

  test('failed jobs are found by their error and retried in bulk', async () => {
    const { client, worker, next } = start();
    await client.enqueueBatch({ body: times(3, { kind: 'broken' }) });
    let failed = 0;
    const all = next('job.failed', () => (failed += 1) === 3);
    worker.start();
    await all;
    worker.pause();
    const { jobs } = await client.listJobs({ query: { errorCode: 'no_luck' } });
    expect(jobs.map(({ error }) => error?.message)).toEqual(Array(3).fill('It never works.'));
    expect(await client.retryJobs({ body: { state: 'FAILED', kind: 'hello' } })).toEqual({
      retried: 0,
    });
    expect(await client.retryJobs({ body: { errorCode: 'no_luck' } })).toEqual({ retried: 3 });
    expect(await client.cancelJobs({ body: { all: true } })).toEqual({ canceled: 3, requested: 0 });
  });

  test('a bulk action without a filter changes nothing', async () => {
    const { app, client } = start();
    await client.enqueue({ body: { kind: 'hello', data: { name: 'A' } } });
    for (const payload of [{}, undefined, { all: false }]) {
      const response = await app.inject({
        method: 'POST',
        url: '/jobs/cancel',
        ...(payload && { payload }),
      });
      expect(response.statusCode).toBe(400);
    }
    expect((await client.counts()).states.QUEUED).toBe(1);
  });

  test('a person is forgotten', async () => {
    const { client } = start();
    const subject = 'Ada/Lovelace ünïcode? #1';
    const { id } = await client.enqueue({
      body: { kind: 'hello', data: { name: 'Ada' }, subject },
    });
    expect(await client.eraseSubject({ params: { subject } })).toEqual({ erased: 1, saved: 0 });
    expect((await client.getJob({ params: { id } })).data).toBeNull();
    const long = 'é'.repeat(200);
    expect(await client.eraseSubject({ params: { subject: long } })).toMatchObject({
      erased: 0,
    });
  });
});
