import { JobFailure, defineJob, done } from '@millrace/engine';
import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import { type Harness, createHarness } from '../../test/harness.ts';

let harness: Harness;
afterEach(() => harness.close());

let release: () => void = () => {};
const chatty = defineJob({
  kind: 'chatty',
  input: z.object({ fails: z.boolean(), waits: z.boolean().optional() }),
  public: true,
  retry: { backoff: 'steps', delays: ['1h'] },
  async *run({ data }, { log }) {
    log.info({ rows: 3, password: 'hunter2' }, 'read the rows');
    if (data.waits === true) await new Promise<void>((resolve) => (release = resolve));
    yield { cursor: 1 };
    log.warn({ err: new Error('it is slow') }, 'x'.repeat(600));
    if (data.fails) throw new JobFailure('no_luck', 'It never works.', { retryable: true });
    return done(null);
  },
});

async function jobAfter(event: 'job.succeeded' | 'job.retrying', data: object) {
  harness = createHarness({ kinds: [chatty] });
  const { id } = await harness.client.enqueue({ body: { kind: 'chatty', data } });
  const ended = harness.next(event);
  harness.worker.start();
  await ended;
  return harness.client.getJob({ params: { id } });
}

test('what a handler logs is kept with an execution that did not end well, without secrets', async () => {
  const job = await jobAfter('job.retrying', { fails: true });
  const [execution] = job.executions;
  expect(execution).toMatchObject({
    outcome: 'retried',
    epoch: expect.any(Number),
    log: [
      { level: 'info', message: 'read the rows rows=3 password=[redacted]' },
      { level: 'info', message: 'chunk 1 saved' },
      { level: 'warn', message: expect.stringMatching(/^x{499}…$/) },
      { level: 'error', message: 'no_luck: It never works.; next attempt in 3600 s' },
    ],
  });
  expect(Date.parse(execution?.log?.[0]?.at ?? '')).toBeGreaterThan(Date.now() - 60_000);
});

test('of a job that went well at once nothing is written, and the replica that ran it knows', async () => {
  const job = await jobAfter('job.succeeded', { fails: false });
  expect(job.executions).toEqual([]);
  expect(job.log?.map(({ message }) => message.slice(0, 13))).toEqual([
    'read the rows',
    'chunk 1 saved',
    'x'.repeat(13),
  ]);
});

test('of a job that runs, the replica that runs it knows what it has logged', async () => {
  harness = createHarness({ kinds: [chatty] });
  const { client, worker } = harness;
  const body = { kind: 'chatty', data: { fails: false, waits: true } };
  const { id } = await client.enqueue({ body });
  expect((await client.getJob({ params: { id } })).log).toBeNull();
  const begun = harness.next('job.started');
  worker.start();
  await begun;
  expect(await client.getJob({ params: { id } })).toMatchObject({
    state: 'PROCESSING',
    log: [{ level: 'info', message: 'read the rows rows=3 password=[redacted]' }],
  });
  const ended = harness.next('job.succeeded');
  release();
  await ended;
});
