import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { runOnce } from '../test/run-once.ts';
import {
  FIRST_CLAIM,
  type Handler,
  START,
  createWorld,
  refusingEffects,
  work,
} from '../test/world.ts';
import { JobFailure, MillraceError } from './errors.ts';
import type { JobContext, RunningJob } from './kinds/kind.ts';
import { done } from './kinds/outcome.ts';
import type { Settlement, Store } from './port.ts';
import { RETRY } from './kinds/retry.ts';
import { createWorker } from './worker/worker.ts';

describe('a handler that returns', () => {
  it.each<[string, Handler, string]>([
    ['done with a result', async () => done({ rows: 3 }), '{"rows":3}'],
    ['done with nothing', async () => done(), 'null'],
    ['nothing', async () => {}, 'null'],
    ['done with undefined', async () => done(undefined), 'null'],
  ])('%s has succeeded', async (_, run, result) => {
    const { ended, of } = await runOnce(run);
    expect(ended).toMatchObject({ state: 'SUCCEEDED', result, attempt: 1, error: null });
    expect(of('job.succeeded')).toMatchObject([
      { id: 'mem-1', kind: 'work', tenant: 'acme', attempt: 1, correlationId: 'c1' },
    ]);
  });

  it.each([true, 5, { rows: 3 }, { type: 'done', result: 3 }, { type: 'defer' }])(
    '%j has made a mistake, which no retry repairs',
    async (value) => {
      const { ended } = await runOnce((async () => value) as unknown as Handler);
      expect(ended).toMatchObject({
        state: 'FAILED',
        attempt: 1,
        error: { code: 'invalid_outcome', retryable: false },
      });
    },
  );

  it.each<[string, unknown]>([
    ['NUL', 'a\u0000'],
    ['a BigInt', 1n],
    ['NaN', NaN],
    ['a Map', new Map([['a', 1]])],
    ['a hole', { rows: [1, undefined] }],
    ['a megabyte', 'x'.repeat(1_000_001)],
  ])('a result with %s fails and says so', async (_, result) => {
    const { ended } = await runOnce(async () => done(result));
    expect(ended).toMatchObject({
      state: 'FAILED',
      error: { code: 'result_unstorable', retryable: false },
    });
  });

  it('a result that JSON would change names the place', async () => {
    const { ended } = await runOnce(async () => done({ rows: [1, { rate: NaN }] }));
    expect(ended.error?.message).toContain('The result holds NaN at $.rows[1].rate,');
  });

  describe('with effects that the store could not commit', () => {
    const upload = { type: 'upload' };
    it.each([
      [true, { state: 'QUEUED', runAt: START + 60_000 }, 'job.retrying'],
      [false, { state: 'FAILED' }, 'job.failed'],
    ] as const)('has failed, retryable: %s', async (retryable, expected, event) => {
      const { worker, enqueue, run, job, of } = createWorld({
        kinds: [work(async () => done('made', { effects: [upload] }))],
        wrap: refusingEffects({ code: 'upload_failed', message: 'No room.', retryable }),
      });
      const id = await enqueue();
      worker.start();
      await run(10);
      expect(await job(id)).toMatchObject({
        ...expected,
        result: null,
        error: { code: 'upload_failed', message: 'No room.', retryable },
      });
      expect(of(event)).toMatchObject([{ id, error: { code: 'upload_failed' } }]);
      expect(of('job.succeeded')).toEqual([]);
    });
  });

  it('a result that only the store refuses is reported as the failure it became', async () => {
    const { worker, enqueue, run, job, line, of } = createWorld({
      kinds: [work(async () => done('odd'))],
    });
    line.refused.set('settle', ({ settlements }: { settlements: readonly Settlement[] }) =>
      settlements.some(({ outcome }) => outcome.move === 'succeed')
        ? new MillraceError('invalid_text', 'odd')
        : null,
    );
    worker.start();
    const id = await enqueue();
    await run(10);
    expect(await job(id)).toMatchObject({ state: 'FAILED', error: { code: 'result_unstorable' } });
    expect(of('job.failed')).toMatchObject([{ id, error: { code: 'result_unstorable' } }]);
    expect(of('job.succeeded')).toEqual([]);
    expect(worker.status().totals).toMatchObject({ succeeded: 0, failed: 1, processed: 1 });
  });

  it('effects on a store that cannot commit them fails', async () => {
    const { ended } = await runOnce(async () => done(null, { effects: [{ type: 'upload' }] }));
    expect(ended).toMatchObject({ state: 'FAILED', error: { code: 'unsupported_by_store' } });
  });

  it('purges the payload if its kind says so', async () => {
    expect(
      (await runOnce(async () => {}, { purgePayload: true }, 'secret')).ended.payload,
    ).toBeNull();
    expect((await runOnce(async () => {}, {}, 'kept')).ended.payload).toBe('"kept"');
  });
});

describe('a handler is given', () => {
  it('the job as its schema reads it', async () => {
    let given: RunningJob<unknown> | null = null;
    await runOnce(
      async (job) => void (given = job),
      { input: z.object({ n: z.number(), unit: z.string().default('rows') }) },
      { n: 5, more: 1 },
    );
    expect(given).toEqual({
      id: 'mem-1',
      kind: 'work',
      data: { n: 5, unit: 'rows' },
      tenant: 'acme',
      attempt: 1,
      maxAttempts: 4,
      createdAt: START,
      cursor: null,
      correlationId: 'c1',
      submitter: 'ann',
      parents: {},
    });
  });

  it('nothing, when its data does not fit any more: it never begins', async () => {
    let fits = true;
    let begun = false;
    const input = z.unknown().refine(() => fits, 'not any more');
    const world = createWorld({ kinds: [work(async () => void (begun = true), { input })] });
    const id = await world.enqueue();
    fits = false;
    world.worker.start();
    await world.run(10);
    expect(begun).toBe(false);
    expect(await world.job(id)).toMatchObject({
      state: 'FAILED',
      error: { code: 'validation_error', retryable: false },
    });
  });

  it('one log, made when it is first asked for', async () => {
    const { store, registry, clock, events, enqueue, run } = createWorld({
      kinds: [
        work(async ({ data }, context) => {
          if (data === 'loud') for (const line of ['one', 'two']) context.log.info({}, line);
        }),
      ],
    });
    const made: string[] = [];
    const lines: string[] = [];
    const write = (_: object, line: string) => void lines.push(line);
    createWorker({
      config: { id: 'w' },
      store,
      registry,
      clock,
      events,
      random: () => 0,
      logFor: ({ id }) => ({ info: write, warn: write, error: write, made: made.push(id) }),
    }).start();
    await enqueue({ data: 'silent' });
    await enqueue({ data: 'loud' });
    await run(10);
    expect(made).toEqual(['mem-2']);
    expect(lines).toEqual(['one', 'two']);
  });

  it('a context that can be taken apart', async () => {
    const lines: unknown[] = [];
    const { ended } = await runOnce(async (_, { lease, log, get, signal }: JobContext) => {
      log.info({}, 'silent');
      lines.push(lease, signal.aborted, (await get('mem-1'))?.state);
    });
    expect(lines).toEqual([{ id: 'mem-1', epoch: 1, claim: FIRST_CLAIM }, false, 'PROCESSING']);
    expect(ended.state).toBe('SUCCEEDED');
  });
});

describe('a handler that throws', () => {
  it('is run again after each step, then fails for good with its error', async () => {
    const attempts: number[] = [];
    const { run, job, id, of } = await runOnce(async ({ attempt }) => {
      attempts.push(attempt);
      throw new JobFailure('upload_failed', `no ${attempt}`);
    });
    expect(await job(id)).toMatchObject({
      state: 'QUEUED',
      attempt: 1,
      runAt: START + 60_000,
      error: { code: 'upload_failed', message: 'no 1' },
    });
    await run(59_980);
    expect(attempts).toEqual([1]);
    await run(60 * 60_000);
    expect(attempts).toEqual([1, 2, 3, 4]);
    expect(await job(id)).toMatchObject({
      state: 'FAILED',
      attempt: 4,
      error: { code: 'upload_failed', message: 'no 4' },
    });
    expect(of('job.retrying').map(({ delayMs }) => delayMs)).toEqual([60_000, 300_000, 900_000]);
    expect(of('job.failed')).toMatchObject([{ attempt: 4, error: { message: 'no 4' } }]);
  });

  it('fails at once where a retry is of no use', async () => {
    const { ended } = await runOnce(async () => {
      throw new JobFailure('template_not_found', 'no', { retryable: false });
    });
    expect(ended).toMatchObject({
      state: 'FAILED',
      attempt: 1,
      error: { code: 'template_not_found', retryable: false },
    });
  });

  it.each<[number, number]>([
    [7_000, 7_000],
    [0, 0],
    [-5, 0],
    [NaN, 0],
    [Infinity, 10 * 365 * 86_400_000],
  ])('may say when to come back: %d', async (retryAfterMs, delayMs) => {
    const { of } = await runOnce(async ({ attempt }) => {
      if (attempt === 1) throw new JobFailure('busy', 'later', { retryAfterMs });
    });
    expect(of('job.retrying')).toMatchObject([{ delayMs }]);
  });

  it.each<[string, Handler]>([
    [
      'before its first await',
      () => {
        throw new Error('early');
      },
    ],
    ['a string', () => Promise.reject('early')],
    [
      'a failure with a number for a code',
      async () => {
        throw new JobFailure(404 as unknown as string, 'early');
      },
    ],
  ])('%s is reported like any other', async (_, run) => {
    const { ended } = await runOnce(run, { retry: RETRY.never });
    expect(ended).toMatchObject({
      state: 'FAILED',
      error: { message: expect.stringContaining('early') },
    });
  });
});

it('a policy that turns out to be wrong only now fails the job, and not the worker', async () => {
  const kind = {
    ...work(() => Promise.reject(new Error('no'))),
    retry: { backoff: 'steps', delays: ['soon' as '1s'] },
  } as const;
  const { worker, enqueue, run, job } = createWorld({ kinds: [kind] });
  worker.start();
  const id = await enqueue();
  await run(10);
  expect(await job(id)).toMatchObject({ state: 'FAILED', error: { code: 'invalid_definition' } });
  expect(worker.status()).toMatchObject({ inFlight: 0, settling: 0 });
});

// A spread copies fields and no getters.
it('hands the store settlements that it can copy', async () => {
  const copying = (store: Store): Store => ({
    ...store,
    settle: ({ settlements }) =>
      store.settle({ settlements: settlements.map((settlement) => ({ ...settlement })) }),
  });
  const { worker, enqueue, run, job } = createWorld({
    kinds: [work(async () => {})],
    wrap: copying,
  });
  worker.start();
  const id = await enqueue();
  await run(10);
  expect(await job(id)).toMatchObject({ state: 'SUCCEEDED', error: null });
});
