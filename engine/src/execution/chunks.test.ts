import { describe, expect, it } from 'vitest';
import { type Handler, type World, createWorld, later, work } from '../../test/world.ts';
import { JobFailure } from '../errors.ts';
import type { JobDefinition } from '../kinds/kind.ts';
import { done } from '../kinds/outcome.ts';
import { RETRY } from '../kinds/retry.ts';

const LEASE_MS = 10_000;

function world(run: Handler, changes: Partial<JobDefinition<unknown>> = {}): World {
  const kinds = [
    work(run, { retry: RETRY.chunks, ...changes }),
    work(async () => {}, { kind: 'child' }),
  ];
  return createWorld({ kinds, worker: { lease: LEASE_MS, shutdownGrace: 0 } });
}

/** Counts from the cursor up to `to`; `before` runs before each number. */
function counting(to: number, before: (n: number) => unknown = () => {}): Handler {
  return async function* ({ cursor }) {
    for (let n = Number(cursor ?? 0) + 1; n <= to; n++) {
      await before(n);
      yield { cursor: n, progress: { done: n, total: to } };
    }
    return done(to);
  };
}

describe('a chunk', () => {
  it('is saved with its progress, and reported', async () => {
    const hold = later();
    const { worker, enqueue, run, job, of, emitted } = world(
      counting(3, (n) => n === 3 && hold.promise),
    );
    worker.start();
    const id = await enqueue();
    await run(10);
    expect(await job(id)).toMatchObject({
      state: 'PROCESSING',
      cursor: '2',
      progress: { done: 2, total: 3 },
    });
    hold.resolve();
    await run(10);
    expect(await job(id)).toMatchObject({
      state: 'SUCCEEDED',
      result: '3',
      cursor: '3',
      progress: { done: 3, total: 3 },
    });
    expect(of('job.progress').map(({ done: n, total }) => [n, total])).toEqual([
      [1, 3],
      [2, 3],
      [3, 3],
    ]);
    expect(emitted.filter(({ name }) => name === 'store.failed')).toEqual([]);
  });

  it('with a cursor that JSON would change fails the job: it would go on from somewhere else', async () => {
    const { worker, enqueue, run, job } = world(async function* () {
      yield { cursor: { after: NaN } };
    });
    worker.start();
    const id = await enqueue();
    await run(10);
    expect(await job(id)).toMatchObject({
      state: 'FAILED',
      cursor: null,
      error: {
        code: 'invalid_payload',
        message: expect.stringContaining('The cursor holds NaN at $.after,'),
        retryable: false,
      },
    });
  });

  it('renews the lease: handlers that yield need no heartbeat', async () => {
    const steps = [later(), later(), later()];
    const { worker, enqueue, run, job, line, of } = world(
      counting(3, (n) => steps[n - 1]?.promise),
    );
    line.away.add('renew');
    worker.start();
    const id = await enqueue();
    await run(10);
    for (const step of steps) {
      await run(LEASE_MS * 0.8);
      step.resolve();
    }
    await run(10);
    expect(await job(id)).toMatchObject({ state: 'SUCCEEDED', attempt: 1 });
    expect(of('lease.fenced')).toEqual([]);
  });

  it('that cannot be stored fails the job, and its finally blocks have run', async () => {
    let closed = false;
    const { worker, enqueue, run, job } = world(async function* () {
      try {
        yield { cursor: 'x\u0000' };
      } finally {
        closed = true;
      }
    });
    worker.start();
    const id = await enqueue();
    await run(10);
    expect(await job(id)).toMatchObject({
      state: 'FAILED',
      cursor: null,
      error: { code: 'invalid_text' },
    });
    expect(closed).toBe(true);
  });

  it('may have a progress that makes no sense: it loses that alone', async () => {
    const { worker, enqueue, run, job } = world(async function* () {
      yield { cursor: 1, progress: { done: NaN, total: Infinity, note: 'row\u0000 1' } };
    });
    worker.start();
    const id = await enqueue();
    await run(10);
    expect(await job(id)).toMatchObject({
      state: 'SUCCEEDED',
      progress: { done: 0, note: 'row 1' },
    });
  });
});

describe('a job that fails after some chunks', () => {
  it('goes on from the cursor, and counts its attempts from the beginning', async () => {
    const begun: unknown[] = [];
    const failures = new Map([
      [2, 3],
      [4, 3],
    ]);
    const { worker, enqueue, run, job, of } = world(
      counting(5, (n) => {
        begun.push(n);
        const left = failures.get(n) ?? 0;
        failures.set(n, left - 1);
        if (left > 0) throw new JobFailure('row', `row ${n}`);
      }),
    );
    worker.start();
    const id = await enqueue();
    await run(60_000);
    // Four executions for row 2, four more for row 4: six failures in all, though only three retries in a row.
    expect(begun).toEqual([1, 2, 2, 2, 2, 3, 4, 4, 4, 4, 5]);
    expect(await job(id)).toMatchObject({ state: 'SUCCEEDED', attempt: 1 });
    expect(of('job.retrying').map(({ delayMs }) => delayMs)).toEqual([
      1_000, 2_000, 3_000, 1_000, 2_000, 3_000,
    ]);
  });

  it('ends when the cursor stands still, however often it is yielded', async () => {
    let executions = 0;
    const { worker, enqueue, run, job } = world(async function* () {
      executions += 1;
      yield { cursor: { page: 1, of: 9 } };
      throw new Error('stuck');
    });
    worker.start();
    const id = await enqueue();
    await run(10 * 60_000);
    // The first yield moved the cursor from nothing; then three retries.
    expect(executions).toBe(4);
    expect(await job(id)).toMatchObject({ state: 'FAILED', attempt: 4 });
  });

  it('ends as well on a store that writes the cursor in its own way', async () => {
    let executions = 0;
    const kind = work(
      async function* () {
        executions += 1;
        yield { cursor: { page: 1, of: 9 } };
        throw new Error('stuck');
      },
      { retry: RETRY.chunks },
    );
    const reordered = createWorld({
      kinds: [kind],
      wrap: (store) => ({
        ...store,
        async claim(params) {
          const claimed = await store.claim(params);
          return {
            ...claimed,
            jobs: claimed.jobs.map((job) => ({
              ...job,
              cursor: job.cursor === null ? null : '{"of": 9, "page": 1}',
            })),
          };
        },
      }),
    });
    reordered.worker.start();
    await reordered.enqueue();
    await reordered.run(10 * 60_000);
    expect(executions).toBe(4);
  });
});

describe('children of a chunk', () => {
  const withChildren: Handler = async function* ({ cursor }, { enqueue }) {
    for (let n = Number(cursor ?? 0) + 1; n <= 3; n++) {
      enqueue({ kind: 'child', data: n });
      yield { cursor: n };
    }
  };

  it('are made once each', async () => {
    const { worker, enqueue, run, all } = world(withChildren);
    worker.start();
    await enqueue();
    await run(10);
    expect((await all('child')).map(({ payload }) => payload)).toEqual(['1', '2', '3']);
  });

  it('once each also when an answer is lost and the chunk’s fate is unknown', async () => {
    const { worker, enqueue, run, all, line } = world(withChildren);
    line.answerLost.add('checkpoint');
    worker.start();
    await enqueue();
    await run(10);
    line.answerLost.delete('checkpoint');
    line.away.add('checkpoint');
    await run(2_000);
    line.away.delete('checkpoint');
    await run(10_000);
    expect((await all('child')).map(({ payload }) => payload)).toEqual(['1', '2', '3']);
  });
});
