import { describe, expect, it } from 'vitest';
import {
  FIRST_CLAIM,
  type Handler,
  createWorld,
  later,
  never,
  untilAborted,
  work,
} from '../../test/world.ts';
import { done } from '../kinds/outcome.ts';

const LEASE_MS = 30_000;
/** A tenth of the lease before the store could let it end. */
const DEADLINE_MS = LEASE_MS * 0.9;

function world(run: Handler, concurrency = 20) {
  return createWorld({
    kinds: [work(run, { timeout: '1h' })],
    worker: { lease: LEASE_MS, pools: [{ name: 'all', concurrency }] },
  });
}

describe('the heartbeat', () => {
  it('keeps a long job for as long as it runs', async () => {
    const end = later();
    const { worker, enqueue, run, job } = world(() => end.promise);
    worker.start();
    const id = await enqueue();
    await run(10 * LEASE_MS);
    expect(await job(id)).toMatchObject({ state: 'PROCESSING', attempt: 1 });
    end.resolve();
    await run(10);
    expect(await job(id)).toMatchObject({ state: 'SUCCEEDED', attempt: 1 });
  });

  it('renews all leases in one write, after a third of their time', async () => {
    const { worker, enqueue, run, line } = world(never);
    worker.start();
    for (let n = 0; n < 5; n++) await enqueue();
    await run(LEASE_MS / 3 - 100);
    expect(line.count('renew')).toBe(0);
    await run(1_100);
    expect(line.calls.filter(({ verb }) => verb === 'renew')).toMatchObject([
      { params: { leases: Array.from({ length: 5 }, () => ({})), leaseMs: LEASE_MS } },
    ]);
  });

  it('says nothing when nothing runs', async () => {
    const { worker, enqueue, run, line } = world(async () => {});
    worker.start();
    await enqueue();
    await run(10 * LEASE_MS);
    expect(line.count('renew')).toBe(0);
  });

  it('outlives a store that is away for less than a lease', async () => {
    const end = later();
    const { worker, enqueue, run, job, line, of } = world(() => end.promise);
    worker.start();
    const id = await enqueue();
    await run(5_000);
    line.away.add('renew');
    await run(20_000);
    line.away.delete('renew');
    await run(LEASE_MS * 2);
    end.resolve();
    await run(10);
    expect(await job(id)).toMatchObject({ state: 'SUCCEEDED', attempt: 1 });
    expect(of('store.failed').length).toBeGreaterThan(0);
  });
});

describe('before the lease can end, the worker stops its handler itself', () => {
  it('when renewals fail', async () => {
    const aborted: number[] = [];
    const { worker, enqueue, run, job, line, of, time } = world(async (_, context) => {
      await untilAborted(context).catch(() => aborted.push(time.now()));
    });
    worker.start();
    const id = await enqueue();
    await run(10);
    line.away.add('renew').add('claim');
    await run(DEADLINE_MS - 110);
    expect(aborted).toEqual([]);
    await run(2_000);
    expect(aborted).toHaveLength(1);
    expect(aborted[0]).toBeLessThan(LEASE_MS);
    expect(of('lease.fenced')).toMatchObject([{ id, write: 'local' }]);
    // The handler returned, but late: whether that counts is for the store to say, and nobody has the job yet.
    expect(await job(id)).toMatchObject({ state: 'SUCCEEDED' });
  });

  it('and writes nothing of a handler that then fails: the job is its successor’s', async () => {
    const { worker, enqueue, run, job, line, join } = world(
      (_, context) => untilAborted(context),
      1,
    );
    worker.start();
    const id = await enqueue();
    await run(10);
    line.away.add('renew').add('claim');
    await run(DEADLINE_MS + 2_000);
    expect(await job(id)).toMatchObject({ state: 'PROCESSING', attempt: 1, error: null });
    expect(line.count('settle')).toBe(0);
    join('w2').worker.start();
    await run(LEASE_MS);
    // The lease was never renewed, so its attempt was given back.
    expect(await job(id)).toMatchObject({ state: 'PROCESSING', attempt: 1, worker: 'w2' });
  });

  it('when its loop was blocked: late, yet before it does anything else', async () => {
    const { worker, enqueue, run, line, clock, of } = world((_, context) => untilAborted(context));
    worker.start();
    const id = await enqueue();
    await run(10);
    clock.freeze();
    await run(LEASE_MS * 3);
    const settled = line.count('settle');
    clock.thaw();
    await run(10);
    expect(of('lease.fenced')).toMatchObject([{ id, write: 'local' }]);
    expect(line.count('settle')).toBe(settled);
  });

  it('frees the slot at once, since there is nothing left to wait for', async () => {
    const { worker, enqueue, run, line } = world(never, 1);
    worker.start();
    await enqueue();
    await run(10);
    line.away.add('renew').add('claim');
    await run(DEADLINE_MS + 1_100);
    expect(worker.status()).toMatchObject({ inFlight: 0, pools: [{ inFlight: 0 }] });
  });

  it('also while it waits for a handler that was cancelled, and reports it once', async () => {
    const { worker, queue, enqueue, run, line, of } = world(never);
    worker.start();
    const id = await enqueue();
    await run(10);
    line.away.add('renew').add('claim').add('settle');
    await run(DEADLINE_MS - 2_000);
    await queue.cancel([id]);
    await run(3_500);
    expect(of('lease.fenced')).toHaveLength(1);
    expect(worker.status().inFlight).toBe(0);
  });

  it('a late result is refused when someone else has the job', async () => {
    const end = later();
    let executions = 0;
    const { worker, enqueue, run, job, line, of, join } = world(async () => {
      executions += 1;
      if (executions === 1) await end.promise;
      else await never();
      return done('from the dead');
    });
    worker.start();
    const id = await enqueue();
    await run(10);
    // Cut off, and its handler's result comes in just before the worker would have noticed.
    line.away.add('renew').add('settle').add('claim');
    await run(DEADLINE_MS - 1_000);
    end.resolve();
    await run(10);
    const second = join('w2');
    second.worker.start();
    await run(LEASE_MS);
    line.away.clear();
    await run(10_000);
    expect(await job(id)).toMatchObject({ state: 'PROCESSING', worker: 'w2', result: null });
    expect(of('lease.fenced')).toMatchObject([{ id, write: 'settle' }]);
    expect(of('job.succeeded')).toEqual([]);
    expect(worker.status().totals).toMatchObject({ fenced: 1, succeeded: 0 });
  });
});

describe('a heartbeat that is slow', () => {
  /** The first renewal waits on its way there or back until the test lets it go on. */
  function slowly(run: Handler, where: 'there' | 'back') {
    const goOn = later();
    const renewals: number[] = [];
    const made = createWorld({
      kinds: [work(run, { timeout: '1h' })],
      worker: { lease: LEASE_MS },
      wrap: (store) => ({
        ...store,
        watch: () => () => {},
        async renew(params) {
          renewals.push(made.time.now());
          if (where === 'there') await goOn.promise;
          const answers = await store.renew(params);
          if (where === 'back') await goOn.promise;
          return answers;
        },
      }),
    });
    return { ...made, goOn, renewals };
  }

  it('is waited for: requests do not pile up, while deadlines go on being watched', async () => {
    const { worker, enqueue, run, renewals, of } = slowly(never, 'there');
    await enqueue();
    worker.start();
    await run(DEADLINE_MS + 1_500);
    expect(renewals).toHaveLength(1);
    expect(of('lease.fenced')).toMatchObject([{ write: 'local' }]);
  });

  it('and finds its job ended has nothing to tell', async () => {
    const end = later();
    const { worker, enqueue, run, job, of, goOn } = slowly(() => end.promise, 'there');
    const id = await enqueue();
    worker.start();
    await run(LEASE_MS / 2);
    end.resolve();
    await run(10);
    goOn.resolve();
    await run(10);
    expect(await job(id)).toMatchObject({ state: 'SUCCEEDED' });
    expect(of('lease.fenced')).toEqual([]);
  });

  it('cancels no job that has ended meanwhile', async () => {
    const end = later();
    const signals: AbortSignal[] = [];
    const { worker, queue, enqueue, run, goOn } = slowly((_, { signal }) => {
      signals.push(signal);
      return end.promise;
    }, 'back');
    const id = await enqueue();
    worker.start();
    await run(10);
    await queue.cancel([id]);
    await run(LEASE_MS / 2);
    end.resolve();
    await run(10);
    goOn.resolve();
    await run(10);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  });
});

it('a heartbeat that is answered "stale" stops the handler', async () => {
  let aborted = false;
  const { worker, enqueue, run, store, of } = world(async (_, context) => {
    await untilAborted(context).catch(() => (aborted = true));
  });
  const id = await enqueue();
  worker.start();
  await run(10);
  await store.settle({
    settlements: [
      {
        job: { id, epoch: 1, claim: FIRST_CLAIM } as never,
        outcome: { move: 'cancel' },
        children: [],
      },
    ],
  });
  await run(LEASE_MS / 2);
  expect(aborted).toBe(true);
  expect(of('lease.fenced')[0]).toMatchObject({ id, write: 'renew' });
});

it('a job that takes its workers with it ends FAILED', async () => {
  const { join, enqueue, run, job } = world(never);
  const id = await enqueue();
  // The first lease was never renewed, so that execution does not count.
  const executions: [string, number][] = [
    ['w2', 1],
    ['w3', 1],
    ['w4', 2],
    ['w5', 3],
    ['w6', 4],
  ];
  for (const [name, attempt] of executions) {
    const each = join(name);
    each.worker.start();
    await run(1_000);
    expect(await job(id)).toMatchObject({ state: 'PROCESSING', worker: name, attempt });
    each.clock.kill();
    await run(LEASE_MS + 1_000);
  }
  const last = join('w7');
  last.worker.start();
  await run(1_000);
  expect(await job(id)).toMatchObject({
    state: 'FAILED',
    attempt: 4,
    error: { code: 'worker_lost' },
  });
  expect(last.of('job.lost')).toEqual([{ id, kind: 'work', attempt: 4, correlationId: id }]);
  expect(last.worker.status().totals).toMatchObject({ lost: 1, takenOver: 1 });
});
