import type { ErrorCode } from '@millrace/api';
import { defineJob, done } from '@millrace/engine';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Harness, type HarnessOptions, createHarness, refusal } from '../../test/harness.ts';
import { type Caller, DEVELOPER } from '../identity/caller.ts';
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

describe('a job', () => {
  test('does not show the password of a PDF', async () => {
    const { client } = start();
    const data = { name: 'Ada', pdf: { password: 'hunter2', watermark: 'DRAFT' } };
    const { id } = await client.enqueue({ body: { kind: 'hello', data } });
    const job = await client.getJob({ params: { id } });
    expect(job.data).toMatchObject({ name: 'Ada', pdf: { password: '***', watermark: 'DRAFT' } });
    expect(JSON.stringify(job)).not.toContain('hunter2');
  });

  test('shows the address of its webhook to operators, and its host to everyone else', async () => {
    const WEBHOOK = 'https://hooks.example:8443/t/s3cret-token?key=s3cret-key';
    let roles: Caller['roles'] = ['operator'];
    const { client, worker, next } = start({
      webhook: { secret: Buffer.alloc(32, 7), allow: [] },
      parts: { authenticate: async () => ({ ...DEVELOPER, roles }) },
    });
    const { id } = await client.enqueue({
      body: { kind: 'hello', data: { name: 'Ada' }, webhook: WEBHOOK },
    });
    const ended = next('job.succeeded', (event) => event.id === id);
    worker.start();
    await ended;
    const seen = async () => {
      const { jobs } = await client.listJobs();
      const whole = await Promise.all(jobs.map((job) => client.getJob({ params: { id: job.id } })));
      const delivery = whole.find(({ kind }) => kind === 'millrace.webhook');
      const job = whole.find((each) => each.id === id);
      return {
        text: JSON.stringify([jobs, whole]),
        webhook: job?.webhook,
        url: (delivery?.data as { url?: string } | undefined)?.url,
      };
    };
    expect(await seen()).toMatchObject({ webhook: WEBHOOK, url: WEBHOOK });
    roles = ['viewer'];
    const asViewer = await seen();
    expect(asViewer).toMatchObject({ webhook: 'hooks.example:8443', url: 'hooks.example:8443' });
    expect(asViewer.text).not.toContain('s3cret');
  });

  test('is enqueued, run, and found with its result', async () => {
    const { client, worker, next } = start();
    const { id, created } = await client.enqueue({
      body: { kind: 'hello', data: { name: 'Ada' } },
    });
    expect(created).toBe(true);
    expect(await client.getJob({ params: { id } })).toMatchObject({
      state: 'QUEUED',
      result: null,
    });

    const ended = next('job.succeeded');
    worker.start();
    await ended;
    const job = await client.getJob({ params: { id } });
    expect(job).toMatchObject({
      state: 'SUCCEEDED',
      data: { name: 'Ada' },
      result: { greeting: 'Hello Ada' },
      attempt: 1,
    });
    expect(job.finishedAt).toMatch(/^\d{4}-.*Z$/);
    expect(await client.explainJob({ params: { id } })).toMatchObject({ reason: 'succeeded' });
  });

  test('shows its parent and its children, whichever way they came about', async () => {
    const parent = defineJob({
      kind: 'parent',
      input: z.unknown(),
      public: true,
      run: async (_, { enqueue }) => enqueue({ kind: 'made', data: null }),
    });
    const [made, followed] = ['made', 'followed'].map((kind) =>
      defineJob({ kind, input: z.unknown(), run: async () => {} }),
    );
    const rule = { name: 'after', parents: ['parent'], child: 'followed', data: () => null };
    const { client, worker, next } = start({
      kinds: [parent, made, followed].filter((kind) => kind !== undefined),
      rules: [rule],
    });
    const { id } = await client.enqueue({ body: { kind: 'parent' } });
    expect(await client.getJob({ params: { id } })).toMatchObject({ parents: null, children: [] });
    const ended = next('job.succeeded', (event) => event.id === id);
    worker.start();
    await ended;
    const { children } = await client.getJob({ params: { id } });
    expect(children.map(({ kind }) => kind).toSorted()).toEqual(['followed', 'made']);
    for (const child of children)
      expect(await client.getJob({ params: { id: child.id } })).toMatchObject({
        parents: { parent: id },
      });
  });

  test('shows the executions that did not end well, with where it was thrown and why', async () => {
    const flaky = defineJob({
      kind: 'flaky',
      input: z.unknown(),
      public: true,
      retry: { backoff: 'linear', retries: 3, step: 1 },
      async run({ attempt }) {
        if (attempt === 1) throw new Error('No answer.', { cause: new Error('read ECONNRESET') });
        return done();
      },
    });
    const { client, worker, next, lines } = start({ kinds: [flaky] });
    const { id } = await client.enqueue({ body: { kind: 'flaky' } });
    expect(await client.getJob({ params: { id } })).toMatchObject({ executions: [] });
    const ended = next('job.succeeded');
    worker.start();
    await ended;
    const { executions } = await client.getJob({ params: { id } });
    expect(executions).toMatchObject([
      {
        attempt: 1,
        worker: 'worker-1',
        outcome: 'retried',
        error: { code: 'unknown', message: 'Error: No answer.', retryable: true },
        stack: expect.stringMatching(
          /^Error: No answer\.\n\s+at .*jobs\.test\.ts[^]*\nCaused by: Error: read ECONNRESET\n\s+at /,
        ),
      },
      { attempt: 2, outcome: 'succeeded', error: null, stack: null },
    ]);
    for (const { startedAt, endedAt } of executions)
      expect(Date.parse(endedAt)).toBeGreaterThanOrEqual(Date.parse(startedAt));
    // Lists stay short.
    expect((await client.listJobs()).jobs[0]).not.toHaveProperty('executions');
    expect(lines.join('')).not.toContain('"stack":null');
  });

  test('whose data is no JSON fails once, and can be looked at', async () => {
    const { client, worker, store, next } = start();
    // As someone leaves RequestJSON__c who edits it by hand.
    const payload = '{"name": Ada}';
    const job = { kind: 'hello', payload, maxAttempts: 4, tenant: '', priority: null };
    const [made] = await store.enqueue({ jobs: [job] });
    const params = { id: made?.id ?? '' };
    expect(await client.getJob({ params })).toMatchObject({ state: 'QUEUED', data: payload });
    const failed = next('job.failed');
    worker.start();
    await failed;
    expect(await client.getJob({ params })).toMatchObject({
      state: 'FAILED',
      attempt: 1,
      data: payload,
      error: { code: 'validation_error', retryable: false },
    });
    expect((await client.listJobs()).jobs).toHaveLength(1);
    expect(await client.explainJob({ params })).toMatchObject({ reason: 'failed' });
  });

  test('whose result or cursor is no JSON shows them as they are', async () => {
    const { client } = start({
      store: (store) => ({
        ...store,
        async get(params) {
          const job = await store.get(params);
          return job && { ...job, result: 'done!', cursor: 'page 7' };
        },
      }),
    });
    const { id } = await client.enqueue({ body: { kind: 'hello', data: { name: 'Ada' } } });
    expect(await client.getJob({ params: { id } })).toMatchObject({
      data: { name: 'Ada' },
      result: 'done!',
      cursor: 'page 7',
    });
  });

  test('shows its cursor, which can hold values of rows, to operators alone', async () => {
    let roles: Caller['roles'] = ['operator'];
    const { client } = start({
      parts: { authenticate: async () => ({ ...DEVELOPER, roles }) },
      store: (store) => ({
        ...store,
        async get(params) {
          const job = await store.get(params);
          return job && { ...job, cursor: '{"key":["Ada Lovelace"]}' };
        },
      }),
    });
    const { id } = await client.enqueue({ body: { kind: 'hello', data: { name: 'x' } } });
    const seen = async () => (await client.getJob({ params: { id } })).cursor;
    expect(await seen()).toEqual({ key: ['Ada Lovelace'] });
    for (const role of ['viewer', 'member'] as const) {
      roles = [role];
      expect(await seen()).toBeNull();
    }
  });

  test('with a key is made once: 201, then 200 with the same id', async () => {
    const { app, client } = start();
    const body = { kind: 'hello', data: { name: 'Ada' }, key: 'k', keyWindow: '1h' };
    const first = await app.inject({ method: 'POST', url: '/jobs', payload: body });
    const second = await app.inject({ method: 'POST', url: '/jobs', payload: body });
    expect([first.statusCode, second.statusCode]).toEqual([201, 200]);
    expect(second.json()).toEqual({ id: first.json<{ id: string }>().id, created: false });
    expect((await client.listJobs({ query: { key: 'k' } })).jobs).toHaveLength(1);
  });

  test('keeps everything that was asked for', async () => {
    const { client } = start();
    const { id } = await client.enqueue({
      body: {
        kind: 'hello',
        data: { name: 'A' },
        tenant: 't',
        priority: 5,
        delay: '15m',
        subject: 'person-1',
      },
    });
    const job = await client.getJob({ params: { id } });
    expect(job).toMatchObject({
      tenant: 't',
      priority: 5,
      subject: 'person-1',
      submitter: 'development',
    });
    expect(Date.parse(job.runAt) - Date.parse(job.createdAt)).toBe(15 * 60_000);
    expect(await client.explainJob({ params: { id } })).toMatchObject({
      reason: 'scheduled',
      until: job.runAt,
    });
  });

  test('of an unknown kind names the nearest that is public', async () => {
    const { client } = start();
    const said = (kind: string) => refusal(client.enqueue({ body: { kind } }), 'unknown_kind');
    expect(await said('helo')).toBe(
      'Unknown kind "helo". Did you mean "hello"? Job files are read from /srv/jobs.',
    );
    expect(await said('nope')).toMatch(/Known kinds: .*hello.*\. Job files are read from/);
    expect(await said('intrenal')).not.toContain('internal');
    expect(await said('millrace.webhok')).not.toContain('millrace.webhook');
  });

  test.each<[object, ErrorCode]>([
    [{ kind: 'nope' }, 'unknown_kind'],
    [{ kind: 'internal' }, 'kind_not_public'],
    [
      { kind: 'millrace.webhook', data: { job: 'x', state: 'FAILED', url: 'http://127.0.0.1' } },
      'kind_not_public',
    ],
    [{ kind: 'hello', data: { name: 7 } }, 'invalid_payload'],
    [{ kind: 'hello', data: { name: 'a\u0000b' } }, 'invalid_text'],
    [{ kind: 'hello', data: { name: 'A' }, runAt: '2001-01-01T00:00:00Z' }, 'invalid_run_at'],
    [
      { kind: 'hello', data: { name: 'A' }, runAt: '2091-01-01T00:00:00Z', delay: 5 },
      'invalid_run_at',
    ],
    [{ kind: 'hello', data: { name: 'A' }, delay: '99999d' }, 'invalid_run_at'],
    [{ kind: 'hello', data: { name: 'A' }, webhook: 'https://example.com/hook' }, 'webhooks_off'],
    [{ kind: 'hello', data: { name: 'A' }, submitter: 'someone-else' }, 'invalid_request'],
    [{ kind: 'hello', data: { name: 'x'.repeat(1_100_000) } }, 'payload_too_large'],
  ])('is refused: %j', async (body, code) => {
    const { client } = start();
    await refusal(client.enqueue({ body: body as { kind: string } }), code);
    expect((await client.listJobs()).jobs).toEqual([]);
  });

  test('comes in batches, all or none', async () => {
    const { client } = start();
    const good = { kind: 'hello', data: { name: 'A' } };
    await refusal(client.enqueueBatch({ body: [good, { kind: 'internal' }] }), 'kind_not_public');
    await refusal(client.enqueueBatch({ body: [good, { ...good, data: {} }] }), 'invalid_payload');
    await refusal(client.enqueueBatch({ body: [] }), 'invalid_request');
    await refusal(client.enqueueBatch({ body: times(1_001, good) }), 'invalid_request');
    expect((await client.counts()).states.QUEUED).toBe(0);
    const { jobs } = await client.enqueueBatch({ body: times(1_000, good) });
    expect(new Set(jobs.map(({ id }) => id)).size).toBe(1_000);
    expect((await client.counts()).states).toEqual({
      QUEUED: 1_000,
      PROCESSING: 0,
      SUCCEEDED: 0,
      FAILED: 0,
      CANCELED: 0,
    });
  });
});
