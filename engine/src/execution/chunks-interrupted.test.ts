import { describe, expect, it } from 'vitest';
import {
  FIRST_CLAIM,
  type Handler,
  type World,
  createWorld,
  later,
  never,
  work,
} from '../../test/world.ts';
import { MillraceError, StoreUnavailable } from '../errors.ts';
import type { Checkpoint } from '../port-parts.ts';
import { RETRY } from '../kinds/retry.ts';

const LEASE_MS = 10_000;

function world(run: Handler): World {
  const kinds = [work(run, { retry: RETRY.chunks, timeout: '1h' })];
  return createWorld({ kinds, worker: { lease: LEASE_MS, shutdownGrace: 0 } });
}

describe('between two chunks', () => {
  /** Yields once, then waits for the test to let it yield again. */
  function paused(closing: { closed: boolean }, goOn: Promise<void>): Handler {
    return async function* () {
      try {
        yield { cursor: 1 };
        await goOn;
        yield { cursor: 2 };
        yield { cursor: 3 };
      } finally {
        closing.closed = true;
      }
    };
  }

  it('cancel applies, and the finally blocks run', async () => {
    const goOn = later();
    const closing = { closed: false };
    const { worker, queue, enqueue, run, job } = world(paused(closing, goOn.promise));
    worker.start();
    const id = await enqueue();
    await run(10);
    await queue.cancel([id]);
    await run(10);
    expect(closing.closed).toBe(false);
    goOn.resolve();
    await run(10);
    expect(closing.closed).toBe(true);
    expect(await job(id)).toMatchObject({ state: 'CANCELED', cursor: '2' });
  });

  it('shutdown applies: the job goes back with its cursor and its attempt', async () => {
    const goOn = later();
    const closing = { closed: false };
    const { worker, enqueue, run, job } = world(paused(closing, goOn.promise));
    worker.start();
    const id = await enqueue();
    await run(10);
    const stopped = worker.stop();
    await run(100);
    goOn.resolve();
    await run(100);
    await stopped;
    expect(closing.closed).toBe(true);
    expect(await job(id)).toMatchObject({ state: 'QUEUED', cursor: '2', attempt: 0 });
  });

  it('a lost lease applies: nothing more is written', async () => {
    const goOn = later();
    const closing = { closed: false };
    const { worker, enqueue, run, job, line, clock, of } = world(paused(closing, goOn.promise));
    worker.start();
    const id = await enqueue();
    await run(10);
    clock.freeze();
    await run(LEASE_MS * 2);
    line.away.add('claim');
    clock.thaw();
    goOn.resolve();
    await run(10);
    expect(closing.closed).toBe(true);
    expect(await job(id)).toMatchObject({ state: 'PROCESSING', cursor: '1' });
    expect(of('lease.fenced')).toMatchObject([{ id, write: 'local' }]);
  });

  it('the successor’s work is not overwritten: a stale checkpoint stops the handler', async () => {
    const goOn = later();
    const closing = { closed: false };
    const { worker, enqueue, run, job, store, of } = world(paused(closing, goOn.promise));
    const id = await enqueue();
    worker.start();
    await run(10);
    await store.settle({
      settlements: [
        {
          job: { id, epoch: 1, claim: FIRST_CLAIM } as never,
          outcome: {
            move: 'fail',
            error: { code: 'x', message: '', retryable: false },
            stack: null,
          },
          children: [],
        },
      ],
    });
    goOn.resolve();
    await run(10);
    expect(closing.closed).toBe(true);
    expect(of('lease.fenced')).toMatchObject([{ id, write: 'checkpoint' }]);
    expect(await job(id)).toMatchObject({ state: 'FAILED', cursor: '1' });
  });

  it('a store that is away is asked again, and the chunk is saved once it is back', async () => {
    const goOn = later();
    const { worker, enqueue, run, job, line } = world(paused({ closed: false }, goOn.promise));
    worker.start();
    const id = await enqueue();
    await run(10);
    line.away.add('checkpoint');
    goOn.resolve();
    await run(3_000);
    expect(await job(id)).toMatchObject({ state: 'PROCESSING', cursor: '1' });
    line.away.delete('checkpoint');
    await run(5_000);
    expect(await job(id)).toMatchObject({ state: 'SUCCEEDED', cursor: '3', attempt: 1 });
  });

  it('a store that is away for longer than the lease ends it, after the finally blocks', async () => {
    const goOn = later();
    const closing = { closed: false };
    const { worker, enqueue, run, job, line } = world(paused(closing, goOn.promise));
    worker.start();
    const id = await enqueue();
    await run(10);
    line.away.add('checkpoint').add('renew').add('claim');
    goOn.resolve();
    await run(2 * LEASE_MS);
    expect(closing.closed).toBe(true);
    expect(await job(id)).toMatchObject({ state: 'PROCESSING', cursor: '1' });
    expect(worker.status().inFlight).toBe(0);
  });

  it('what the finally blocks throw is not why the job ends', async () => {
    const { worker, enqueue, run, job, line } = world(async function* () {
      try {
        yield { cursor: 1 };
      } finally {
        // oxlint-disable-next-line no-unsafe-finally -- someone will
        throw new Error('while closing');
      }
    });
    line.refused.set('checkpoint', () => new MillraceError('payload_too_large', 'no'));
    worker.start();
    const id = await enqueue();
    await run(10);
    expect(await job(id)).toMatchObject({ state: 'FAILED', error: { code: 'payload_too_large' } });
  });
});

it('a progress never overtakes a chunk, which the store would then take for an old one', async () => {
  const goOn = later();
  const { worker, enqueue, run, job, line, all } = createWorld({
    kinds: [
      work(async function* (_, { progress, enqueue: addChild }) {
        await goOn.promise;
        progress({ done: 1 });
        addChild({ kind: 'child', data: null });
        yield { cursor: 1 };
      }),
      work(async () => {}, { kind: 'child' }),
    ],
    worker: { lease: LEASE_MS },
  });
  worker.start();
  const id = await enqueue();
  await run(2_000);
  // The chunk is lost on its way; by the time it is sent again, a second has passed.
  line.refused.set('checkpoint', ({ checkpoints }: { checkpoints: readonly Checkpoint[] }) =>
    checkpoints.some(({ cursor }) => cursor !== undefined) ? new StoreUnavailable('lost') : null,
  );
  goOn.resolve();
  await run(2_500);
  line.refused.clear();
  await run(5_000);
  expect(await job(id)).toMatchObject({ state: 'SUCCEEDED', cursor: '1' });
  expect(await all('child')).toHaveLength(1);
});

it('a handler that was given up and still yields saves nothing', async () => {
  const goOn = later();
  const { worker, queue, enqueue, run, job, line } = world(async function* () {
    yield { cursor: 1 };
    await goOn.promise;
    yield { cursor: 2 };
    await never();
  });
  worker.start();
  const id = await enqueue();
  await run(10);
  await queue.cancel([id]);
  line.away.add('settle');
  await run(5_100);
  const saved = line.count('checkpoint');
  goOn.resolve();
  await run(10);
  expect(line.count('checkpoint')).toBe(saved);
  expect(await job(id)).toMatchObject({ cursor: '1' });
});

it('a handler that is given up while its chunk waits for the store asks no more', async () => {
  const { worker, queue, enqueue, run, line } = world(async function* () {
    yield { cursor: 1 };
  });
  line.away.add('checkpoint');
  worker.start();
  const id = await enqueue();
  await run(10);
  await queue.cancel([id]);
  await run(5_100);
  const asked = line.count('checkpoint');
  await run(LEASE_MS);
  expect(line.count('checkpoint')).toBe(asked);
});
