import {
  type Duration,
  JobFailure,
  RETRY,
  defer,
  defineJob,
  defineRule,
  defineSchedule,
  done,
} from '@millrace/engine';
import type { Millrace } from 'millrace';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { TestQueueError } from './errors.ts';
import { createTestQueue } from './test-queue.ts';

const MINUTE = 60_000;
const START = Date.parse('2026-01-01T00:00:00Z');
const mail = defineJob({
  kind: 'mail',
  input: z.object({ to: z.string() }),
  run: async () => done('sent'),
});
const signUp = defineJob({
  kind: 'sign-up',
  input: z.object({ name: z.string() }),
  async run({ data }, { enqueue, log }) {
    log.info({ name: data.name }, 'welcome');
    enqueue({ kind: 'mail', data: { to: `${data.name}@example.com` }, key: data.name });
    return done({ greeting: `Hello ${data.name}!` });
  },
});

/** A kind whose executions do one after the other what the list says; the last for ever. */
function scripted(...script: (() => ReturnType<typeof done>)[]) {
  let runs = 0;
  return defineJob({
    kind: 'scripted',
    input: z.object({ n: z.number() }),
    run: async () => (script[Math.min(runs++, script.length - 1)] ?? done)(),
  });
}

const fails = (): never => {
  throw new Error('not today');
};

describe('a test queue', () => {
  it('does nothing until it is drained, and then everything', async () => {
    const queue = createTestQueue({ jobs: [signUp, mail] });
    const { id } = await queue.enqueue(signUp, { name: 'Ada' });
    expect([queue.runs(), queue.job(id).state]).toEqual([[], 'QUEUED']);
    const runs = await queue.drain();
    expect(runs.map(({ kind, outcome }) => [kind, outcome])).toEqual([
      ['sign-up', 'succeeded'],
      ['mail', 'succeeded'],
    ]);
    expect(runs[0]).toEqual({
      id,
      kind: 'sign-up',
      attempt: 1,
      data: { name: 'Ada' },
      outcome: 'succeeded',
      result: { greeting: 'Hello Ada!' },
      failure: null,
      againInMs: null,
      log: [{ level: 'info', message: 'welcome', fields: { name: 'Ada' } }],
      children: [{ kind: 'mail', data: { to: 'Ada@example.com' }, key: 'Ada' }],
      chunks: [],
      progress: null,
    });
    expect(queue.enqueued(mail)).toEqual([{ to: 'Ada@example.com' }]);
    expect(queue.job(id)).toMatchObject({
      state: 'SUCCEEDED',
      data: { name: 'Ada' },
      result: { greeting: 'Hello Ada!' },
    });
    expect(await queue.drain()).toEqual([]);
  });

  it('takes data of the schema, and no other', async () => {
    const queue = createTestQueue({ jobs: [mail] });
    // @ts-expect-error: the compiler knows what the kind takes
    await expect(queue.enqueue(mail, { too: 'Ada' })).rejects.toThrow(
      /does not fit the kind "mail"/,
    );
    await queue.enqueue(mail, { to: 'Ada' });
    const [first] = queue.enqueued(mail);
    expect(first?.to satisfies string | undefined).toBe('Ada');
  });

  it('waits for retries on its own clock', async () => {
    const job = scripted(fails, fails, () => done('at last'));
    const queue = createTestQueue({ jobs: [job], start: '2026-05-01T12:00:00Z' });
    const { id } = await queue.enqueue(job, { n: 1 });
    const runs = await queue.drain();
    expect(runs.map(({ attempt, outcome, againInMs }) => [attempt, outcome, againInMs])).toEqual([
      [1, 'retrying', MINUTE],
      [2, 'retrying', 5 * MINUTE],
      [3, 'succeeded', null],
    ]);
    expect(runs[0]?.failure).toMatchObject({ code: 'unknown', message: 'Error: not today' });
    expect(queue.now()).toEqual(new Date('2026-05-01T12:06:00Z'));
    expect(queue.job(id).runs).toEqual(runs);
  });

  it('gives failures as values, dead letters included', async () => {
    const job = defineJob({
      kind: 'refused',
      input: z.object({}),
      run() {
        throw new JobFailure('card_declined', 'The bank said no.', { retryable: false });
      },
    });
    const queue = createTestQueue({ jobs: [job] });
    await queue.enqueue(job, {});
    const [run] = await queue.drain();
    expect(run).toMatchObject({ outcome: 'failed', failure: { code: 'card_declined' } });
    expect(queue.jobs()).toMatchObject([{ state: 'FAILED', error: { code: 'card_declined' } }]);
  });

  it('follows defers with their data, and knows what was enqueued', async () => {
    const poll = defineJob({
      kind: 'poll',
      input: z.object({ polls: z.number() }),
      run: async ({ data: { polls } }) =>
        polls < 3 ? defer({ after: '1h', data: { polls: polls + 1 } }) : done(polls),
    });
    const queue = createTestQueue({ jobs: [poll] });
    const { id } = await queue.enqueue(poll, { polls: 0 });
    const runs = await queue.drain();
    expect(runs.map(({ outcome }) => outcome)).toEqual([
      'deferred',
      'deferred',
      'deferred',
      'succeeded',
    ]);
    expect(runs.map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1]);
    expect(queue.enqueued(poll)).toEqual([{ polls: 0 }]);
    expect(queue.job(id).data).toEqual({ polls: 3 });
  });

  it('knows the data of a job that has forgotten it', async () => {
    const secret = defineJob({
      kind: 'secret',
      input: z.object({ pin: z.string() }),
      purgePayload: true,
      run: async () => done(),
    });
    const queue = createTestQueue({ jobs: [secret] });
    await queue.enqueue(secret, { pin: '1234' });
    await queue.drain();
    expect(queue.enqueued(secret)).toEqual([{ pin: '1234' }]);
  });

  it('saves chunks with their cursor and progress', async () => {
    const count = defineJob({
      kind: 'count',
      input: z.object({ to: z.number() }),
      async *run({ data, cursor }, { enqueue }) {
        for (let n = Number(cursor ?? 0) + 1; n <= data.to; n += 1) {
          enqueue({ kind: 'mail', data: { to: String(n) } });
          yield { cursor: n, progress: { done: n, total: data.to } };
        }
        return done('counted');
      },
    });
    const queue = createTestQueue({ jobs: [count, mail] });
    await queue.enqueue(count, { to: 2 });
    const [run] = await queue.drain();
    expect(run).toMatchObject({
      chunks: [
        { cursor: 1, progress: { done: 1, total: 2 } },
        { cursor: 2, progress: { done: 2, total: 2 } },
      ],
      progress: { done: 2, total: 2 },
      children: [{ data: { to: '1' } }, { data: { to: '2' } }],
      result: 'counted',
    });
  });

  it('lets rules make what follows, once all parents have ended', async () => {
    const kinds = ['price', 'stock'].map((kind) =>
      defineJob({ kind, input: z.object({}), run: async () => done(kind) }),
    );
    const offer = defineJob({ kind: 'offer', input: z.object({}), run: async () => done() });
    const rule = defineRule({
      name: 'both',
      parents: ['price', 'stock'],
      match: ({ correlationId }) => correlationId,
      child: 'offer',
      data: () => ({}),
    });
    const queue = createTestQueue({ jobs: [...kinds, offer], rules: [rule] });
    for (const kind of kinds) await queue.enqueue(kind, {}, { correlationId: 'one' });
    await queue.drain();
    expect(queue.jobs(offer)).toHaveLength(1);
  });

  it('fires schedules where its clock is moved over them', async () => {
    const nightly = defineSchedule({
      name: 'nightly',
      cron: '0 2 * * *',
      timeZone: 'Europe/Berlin',
      job: { kind: 'mail', data: { to: 'everybody' } },
    });
    const queue = createTestQueue({
      jobs: [mail],
      schedules: [nightly],
      start: '2026-03-27T12:00:00Z',
    });
    expect(await queue.drain()).toEqual([]);
    await queue.advance('3d');
    // The clocks change on the 29th: 02:00 is left out, and runs at the moment they move to.
    expect(queue.jobs(mail).map(({ createdAt }) => new Date(createdAt).toISOString())).toEqual([
      '2026-03-28T01:00:00.000Z',
      '2026-03-29T01:00:00.000Z',
      '2026-03-30T00:00:00.000Z',
    ]);
    expect(queue.now()).toEqual(new Date('2026-03-30T12:00:00Z'));
  });

  it('a tick at the very end of an advance is run', async () => {
    const hourly = defineSchedule({
      name: 'hourly',
      cron: '0 * * * *',
      job: { kind: 'mail', data: { to: 'everybody' } },
    });
    const queue = createTestQueue({ jobs: [mail], schedules: [hourly] });
    const runs = await queue.advance('1h');
    expect(runs).toMatchObject([{ kind: 'mail', outcome: 'succeeded' }]);
  });

  it.each<[string, Duration, number | null, number]>([
    ['* * * * *', '10m', MINUTE, 10],
    ['* * * * * *', '40s', 1_000, 40],
    ['*/7 * * * *', '1h', null, 9],
    ['0 0 1 * *', '365d', null, 12],
  ])('makes the job of every tick of %s within %s', async (cron, duration, distance, count) => {
    const job = { kind: 'mail', data: { to: 'everybody' } };
    const queue = createTestQueue({
      jobs: [mail],
      schedules: [
        defineSchedule({ name: 'one', cron, job }),
        defineSchedule({ name: 'other', cron, timeZone: 'Etc/GMT-1', job }),
      ],
    });
    await queue.advance(duration);
    for (const schedule of ['one', 'other']) {
      const made = queue.jobs(mail).filter((each) => each.schedule === schedule);
      expect(made).toHaveLength(count);
      const moments = made.map(({ createdAt }) => createdAt);
      if (distance !== null)
        expect(moments).toEqual(moments.map((_, n) => START + (n + 1) * distance));
    }
    expect(queue.runs(mail)).toHaveLength(2 * count);
  });

  it('makes the jobs of ticks while the store is away as a worker does: the last of those that were missed', async () => {
    const minutely = defineSchedule({
      name: 'minutely',
      cron: '* * * * *',
      job: { kind: 'mail', data: { to: 'everybody' } },
    });
    const queue = createTestQueue({ jobs: [mail], schedules: [minutely] });
    await queue.advance('2m');
    queue.break({ store: 'away', for: '330s' });
    await queue.advance('10m');
    // Those of minutes 3 to 6 were missed, and that of minute 7 is late.
    expect(queue.jobs(mail)).toHaveLength(2 + 1 + 5);
  });

  it('runs what is due, and leaves the rest', async () => {
    const queue = createTestQueue({ jobs: [mail] });
    await queue.enqueue(mail, { to: 'now' });
    await queue.enqueue(mail, { to: 'tomorrow' }, { delay: '1d' });
    await queue.enqueue(mail, { to: 'next month' }, { delay: '30d' });
    const dataOf = (runs: readonly { data: unknown }[]) => runs.map(({ data }) => data);
    expect(dataOf(await queue.advance(0))).toEqual([{ to: 'now' }]);
    expect(dataOf(await queue.advance('23h'))).toEqual([]);
    expect(dataOf(await queue.advance('1h'))).toEqual([{ to: 'tomorrow' }]);
    expect(dataOf(await queue.drain())).toEqual([{ to: 'next month' }]);
    expect(queue.now()).toEqual(new Date('2026-01-31T00:00:00Z'));
  });

  it('keeps keys, priorities and cancels', async () => {
    const queue = createTestQueue({ jobs: [mail], concurrency: 1 });
    const first = await queue.enqueue(mail, { to: 'a' }, { key: 'one' });
    expect(await queue.enqueue(mail, { to: 'b' }, { key: 'one' })).toEqual({
      id: first.id,
      created: false,
    });
    await queue.enqueue(mail, { to: 'urgent' }, { priority: 9 });
    const { id } = await queue.enqueue(mail, { to: 'never' });
    expect([await queue.cancel(id), await queue.cancel('mem-99')]).toEqual([true, false]);
    const runs = await queue.drain();
    expect(runs.map(({ data }) => data)).toEqual([{ to: 'urgent' }, { to: 'a' }]);
    expect(await queue.explain(id)).toMatch(/cancel/i);
    expect(await queue.retry(id)).toBe(true);
    expect(await queue.drain()).toMatchObject([{ id, outcome: 'succeeded' }]);
  });

  it('cleans up after what has failed, and tells of ends without sending anything', async () => {
    const cleaned: string[] = [];
    const job = defineJob({
      kind: 'export',
      input: z.object({}),
      retry: RETRY.never,
      run: fails,
      cleanup: async ({ id }) => void cleaned.push(id),
    });
    const queue = createTestQueue({ jobs: [job] });
    const { id } = await queue.enqueue(job, {}, { webhook: 'https://example.com/hook' });
    const runs = await queue.drain();
    expect(cleaned).toEqual([id]);
    expect(runs.map(({ kind }) => kind).toSorted()).toEqual([
      'export',
      'export.cleanup',
      'millrace.webhook',
    ]);
  });

  it('tells what happens as it happens', async () => {
    const job = scripted(fails, () => done());
    const queue = createTestQueue({ jobs: [job] });
    const heard: string[] = [];
    queue.on('job.retrying', ({ id }) => heard.push(`retrying ${id}`));
    queue.on('job.succeeded', ({ id }) => heard.push(`succeeded ${id}`));
    await queue.enqueue(job, { n: 1 });
    await queue.drain();
    expect(heard).toEqual(['retrying mem-1', 'succeeded mem-1']);
  });

  it('drains a thousand jobs', async () => {
    const queue = createTestQueue({ jobs: [mail] });
    for (let n = 0; n < 1_000; n += 1) await queue.enqueue(mail, { to: String(n) });
    expect(await queue.drain()).toHaveLength(1_000);
  });

  it('does not mind the fake timers of a runner', async () => {
    vi.useFakeTimers();
    try {
      const job = scripted(fails, () => done('ok'));
      const queue = createTestQueue({ jobs: [job] });
      await queue.enqueue(job, { n: 1 });
      expect(await queue.drain()).toHaveLength(2);
    } finally {
      vi.useRealTimers();
    }
  });

  it('takes the transaction of an app that enqueues in one', async () => {
    const queue = createTestQueue({ jobs: [mail] });
    await queue.enqueue(mail, { to: 'Ada' }, { transaction: {} });
    expect(queue.enqueued(mail)).toHaveLength(1);
  });
});

describe('what is wrong with a test is said in a sentence', () => {
  async function fault(run: () => unknown): Promise<TestQueueError> {
    try {
      await run();
    } catch (error) {
      if (error instanceof TestQueueError) return error;
      throw error;
    }
    throw new Error('There was no error.');
  }

  it('kinds that were not given: by the test itself', async () => {
    const queue = createTestQueue({ jobs: [mail] });
    for (const use of [
      () => queue.enqueue(signUp, { name: 'Ada' }),
      () => queue.enqueued(signUp),
      () => queue.jobs(signUp),
    ])
      expect(await fault(use)).toMatchObject({
        code: 'unknown_kind',
        message:
          'This queue does not know the kind "sign-up". Give it with the others: jobs: [mail, signUp].',
      });
  });

  it('kinds that were not given: by a handler, also one that catches the error', async () => {
    const caught = defineJob({
      kind: 'caught',
      input: z.object({}),
      async run(_, { enqueue }) {
        try {
          enqueue({ kind: 'mail', data: {} });
        } catch {
          // as some do
        }
      },
    });
    const queue = createTestQueue({ jobs: [signUp, caught] });
    await queue.enqueue(signUp, { name: 'Ada' });
    expect((await fault(() => queue.drain())).message).toContain('the kind "mail"');
    await queue.enqueue(caught, {});
    expect((await fault(() => queue.drain())).message).toContain('the kind "mail"');
  });

  it('kinds that were not given: by a rule', () => {
    const rule = defineRule({ name: 'r', parents: ['mail'], child: 'other', data: () => ({}) });
    expect(() => createTestQueue({ jobs: [mail], rules: [rule] })).toThrow(
      'The rule "r", child: This queue does not know the kind "other".',
    );
  });

  it('a service that was forgotten', async () => {
    const charge = defineJob({
      kind: 'charge',
      input: z.object({}),
      run: async (_, __, bank: { pay(): Promise<string> }) => done(await bank.pay()),
    });
    const queue = createTestQueue({ jobs: [charge] });
    await queue.enqueue(charge, {});
    expect(await fault(() => queue.drain())).toMatchObject({
      code: 'no_service',
      message:
        'The handler of "charge" used its service (pay), and this test gives it none. Give one: services: { \'charge\': … }.',
    });
    const paid = createTestQueue({
      jobs: [charge],
      services: { charge: { pay: async () => 'paid' } },
    });
    await paid.enqueue(charge, {});
    expect(await paid.drain()).toMatchObject([{ result: 'paid' }]);
    expect(
      (await fault(() => createTestQueue({ jobs: [mail], services: { mial: {} } }))).message,
    ).toContain('does not know the kind "mial"');
  });

  it('a job that never ends', async () => {
    const poll = defineJob({
      kind: 'poll',
      input: z.object({}),
      run: async () => defer({ after: '1s' }),
    });
    const queue = createTestQueue({ jobs: [poll] });
    await queue.enqueue(poll, {});
    const { code, message } = await fault(() => queue.drain({ within: '30s' }));
    expect(code).toBe('not_drained');
    expect(message).toMatch(/^1 jobs have not ended within 30s .* mem-1 \("poll"\): /);
    expect((await fault(() => queue.drain())).message).toMatch(
      /^There is no end to it: mem-1 \("poll"\) has run 1\d{3} times so far\./,
    );
  });

  it('a job that nobody may run', async () => {
    const held = defineJob({
      kind: 'held',
      input: z.object({}),
      quota: { running: 0 },
      run: async () => done(),
    });
    const queue = createTestQueue({ jobs: [held] });
    await queue.enqueue(held, {});
    expect((await fault(() => queue.drain())).message).toMatch(/mem-1 \("held"\): .*quota/);
  });

  it('options that are none', async () => {
    const create = (options: object) => () =>
      createTestQueue(options as Parameters<typeof createTestQueue>[0]);
    expect((await fault(create({ kinds: [mail] }))).message).toBe(
      'createTestQueue, kinds: there is no such field. There are jobs, rules, schedules, services, start, concurrency, patience.',
    );
    expect((await fault(create({ jobs: [mail, undefined] }))).message).toMatch(/list of kinds/);
    expect((await fault(create({ jobs: [] }))).message).toMatch(/list of kinds/);
    expect((await fault(create({ jobs: [mail], start: 'soon' }))).message).toMatch(
      /no date: "soon"/,
    );
    const queue = createTestQueue({ jobs: [mail] });
    const wrong = { delya: '1m' } as object;
    expect((await fault(() => queue.enqueue(mail, { to: 'Ada' }, wrong))).message).toMatch(
      /^queue.enqueue, delya: there is no such field. Did you mean "delay"\?$/,
    );
    expect((await fault(() => queue.job('mem-9'))).message).toMatch(/no job "mem-9"/);
  });

  it('two drains at once, or one in a handler', async () => {
    const queue = createTestQueue({ jobs: [mail] });
    await queue.enqueue(mail, { to: 'Ada' });
    const [, second] = await Promise.allSettled([queue.drain(), queue.drain()]);
    expect(second).toMatchObject({ reason: { code: 'under_way' } });
  });
});

it('what has a default need not be given, and handlers and tests get it', async () => {
  const list = defineJob({
    kind: 'list',
    input: z.object({ page: z.number().default(1), since: z.coerce.date().optional() }),
    run: async ({ data }) => done(data.page),
  });
  const queue = createTestQueue({ jobs: [list] });
  await queue.enqueue(list, {});
  const [first] = queue.enqueued(list);
  expect(first?.page satisfies number | undefined).toBe(1);
  expect(await queue.drain()).toMatchObject([{ result: 1 }]);
});

it('an app is given the queue in place of Millrace', async () => {
  async function app(millrace: Pick<Millrace, 'enqueue'>): Promise<void> {
    await millrace.enqueue(mail, { to: 'Ada' }, { key: 'ada' });
  }
  const queue = createTestQueue({ jobs: [mail] });
  await app(queue);
  expect(queue.jobs(mail)).toMatchObject([{ key: 'ada' }]);
});
