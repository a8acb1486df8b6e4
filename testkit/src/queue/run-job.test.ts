import { RETRY, defer, defineJob, done } from '@millrace/engine';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { runJob } from './run-job.ts';

const greet = defineJob({
  kind: 'greet',
  input: z.object({ name: z.string() }),
  async run({ data, attempt }, { log, progress }) {
    if (data.name === 'Nobody') throw new Error('There is nobody to greet.');
    progress({ done: 1, total: 1 });
    log.warn({ attempt }, 'hello');
    return done(`Hello ${data.name}!`);
  },
});

it('runs a handler once and gives all that came of it', async () => {
  expect(await runJob(greet, { name: 'Ada' })).toMatchObject({
    outcome: 'succeeded',
    result: 'Hello Ada!',
    log: [{ level: 'warn', message: 'hello', fields: { attempt: 1 } }],
    progress: { done: 1, total: 1 },
    failure: null,
  });
});

it('a failure is a value, and says whether there will be another attempt', async () => {
  const first = await runJob(greet, { name: 'Nobody' });
  expect(first).toMatchObject({ outcome: 'retrying', attempt: 1, againInMs: 60_000 });
  expect(first.failure).toMatchObject({
    code: 'unknown',
    message: 'Error: There is nobody to greet.',
    retryable: true,
  });
  expect(first.failure?.stack).toContain('run-job.test.ts');
  const last = await runJob(greet, { name: 'Nobody' }, { attempt: 4 });
  expect(last).toMatchObject({ outcome: 'failed', attempt: 4, againInMs: null });
  await expect(runJob(greet, { name: 'Ada' }, { attempt: 5 })).rejects.toThrow(/from 1 to 4/);
  const wrong = { attempts: 2 } as object;
  await expect(runJob(greet, { name: 'Ada' }, wrong)).rejects.toThrow(
    /attempts: there is no such field/,
  );
});

it('goes on from a cursor', async () => {
  const count = defineJob({
    kind: 'count',
    input: z.object({ to: z.number() }),
    async *run({ data, cursor }) {
      for (let n = Number(cursor ?? 0) + 1; n <= data.to; n += 1) yield { cursor: n };
      return done();
    },
  });
  const { chunks, attempt } = await runJob(count, { to: 4 }, { cursor: 2, attempt: 2 });
  expect([chunks, attempt]).toEqual([[{ cursor: 3 }, { cursor: 4 }], 2]);
});

it('gives the handler its service, and knows its children', async () => {
  const pay = defineJob({
    kind: 'pay',
    input: z.object({ euros: z.number() }),
    retry: RETRY.never,
    async run({ data }, { enqueue }, bank: { take(euros: number): string }) {
      enqueue({ kind: 'greet', data: { name: bank.take(data.euros) }, delay: '1m' });
      return defer({ after: '2m' });
    },
  });
  const service = { take: (euros: number) => `customer ${euros}` };
  const run = await runJob(pay, { euros: 7 }, { service, jobs: [greet] });
  expect(run).toMatchObject({ outcome: 'deferred', againInMs: 120_000 });
  expect(run.children).toEqual([{ kind: 'greet', data: { name: 'customer 7' }, delayMs: 60_000 }]);
  await expect(runJob(pay, { euros: 7 }, { service })).rejects.toThrow(
    'This queue does not know the kind "greet". Give it with the others: jobs: [pay, greet].',
  );
  await expect(runJob(pay, { euros: 7 }, { jobs: [greet] })).rejects.toThrow(/used its service/);
});

it('a handler that returns what it may not has failed', async () => {
  const wrong = defineJob({
    kind: 'wrong',
    input: z.object({}),
    run: (async () => 'a text') as never,
  });
  expect((await runJob(wrong, {})).failure).toMatchObject({ code: 'invalid_outcome' });
});
