import { describe, expect, it } from 'vitest';
import {
  type Handler,
  START,
  createWorld,
  later,
  never,
  untilAborted,
  withoutHints,
  work,
} from '../../test/world.ts';
import { defer, done } from '../kinds/outcome.ts';
import { ABORT_GRACE_MS } from './running.ts';

/** How an execution is stopped from outside: timeout, cancel, shutdown. (A lost lease: leases.test.ts.) */

function world(run: Handler, changes: Parameters<typeof work>[1] = {}) {
  return createWorld({
    kinds: [work(run, { timeout: '10s', ...changes })],
    worker: { shutdownGrace: '20s' },
  });
}

const obedient: Handler = (_, context) => untilAborted(context);

describe('a timeout', () => {
  it('aborts the handler and counts as a failed attempt', async () => {
    const { worker, enqueue, run, job } = world(obedient);
    worker.start();
    const id = await enqueue();
    await run(9_900);
    expect(await job(id)).toMatchObject({ state: 'PROCESSING' });
    await run(2_000);
    expect(await job(id)).toMatchObject({
      state: 'QUEUED',
      attempt: 1,
      error: {
        code: 'timeout',
        message: 'The job ran longer than the 10 s its kind allows.',
        retryable: true,
      },
    });
  });

  it('does not undo work that was done all the same', async () => {
    const { worker, enqueue, run, job } = world(async (_, context) => {
      await untilAborted(context).catch(() => {});
      return done('just in time');
    });
    worker.start();
    const id = await enqueue();
    await run(12_000);
    expect(await job(id)).toMatchObject({ state: 'SUCCEEDED', result: '"just in time"' });
  });

  it('is per execution', async () => {
    const { worker, enqueue, run, job } = world(
      async ({ attempt }, context) => (attempt < 3 ? untilAborted(context) : done()),
      {
        retry: { backoff: 'linear', retries: 3, step: 0 },
      },
    );
    worker.start();
    const id = await enqueue();
    await run(25_000);
    expect(await job(id)).toMatchObject({ state: 'SUCCEEDED', attempt: 3 });
  });
});

describe('a wait that is not the job’s own', () => {
  it('does not count, however long it is, and the time before and after does', async () => {
    const turn = later();
    const { worker, enqueue, run, job } = world(async (_, context) => {
      const { pauseTimeout } = context;
      const resume = pauseTimeout();
      await turn.promise;
      resume();
      await untilAborted(context);
    });
    worker.start();
    const id = await enqueue();
    await run(10 * 60_000);
    expect(await job(id)).toMatchObject({ state: 'PROCESSING', attempt: 1, error: null });
    turn.resolve();
    await run(9_000);
    expect(await job(id)).toMatchObject({ state: 'PROCESSING' });
    await run(2_000);
    expect(await job(id)).toMatchObject({ state: 'QUEUED', error: { code: 'timeout' } });
  });

  it('goes on while another one lasts, and ends once', async () => {
    const [first, second] = [later(), later()];
    const { worker, enqueue, run, job } = world(async (_, context) => {
      const resumes = [context.pauseTimeout(), context.pauseTimeout()];
      await first.promise;
      resumes[0]?.();
      resumes[0]?.();
      await second.promise;
      resumes[1]?.();
      return done();
    });
    worker.start();
    const id = await enqueue();
    await run(60_000);
    first.resolve();
    await run(60_000);
    expect(await job(id)).toMatchObject({ state: 'PROCESSING', error: null });
    second.resolve();
    await run(10);
    expect(await job(id)).toMatchObject({ state: 'SUCCEEDED', attempt: 1 });
  });

  it('ends with the job’s lease or a cancel all the same', async () => {
    const { worker, queue, enqueue, run, job } = world((_, context) => {
      context.pauseTimeout();
      return untilAborted(context);
    });
    worker.start();
    const id = await enqueue();
    await run(1_000);
    await queue.cancel([id]);
    await run(1_000);
    expect(await job(id)).toMatchObject({ state: 'CANCELED' });
  });
});

describe('cancel', () => {
  it('ends a queued job at once', async () => {
    const { queue, enqueue, job } = world(obedient);
    const id = await enqueue();
    expect(await queue.cancel([id])).toEqual({ canceled: [id], requested: [] });
    expect(await job(id)).toMatchObject({ state: 'CANCELED' });
  });

  it('reaches a running job by a hint, with the reason in its signal', async () => {
    let reason: unknown = null;
    const { worker, queue, enqueue, run, job, of, line } = world(async (_, context) =>
      untilAborted(context).catch((thrown: unknown) => Promise.reject((reason = thrown))),
    );
    worker.start();
    const id = await enqueue();
    await run(10);
    expect(await queue.cancel([id])).toEqual({ canceled: [], requested: [id] });
    await run(10);
    expect(await job(id)).toMatchObject({ state: 'CANCELED' });
    expect(reason).toMatchObject({ name: 'AbortError', message: 'The job was aborted: canceled.' });
    expect(of('job.canceled')).toMatchObject([{ id }]);
    expect(line.count('renew')).toBe(0);
  });

  it('reaches it with the next heartbeat where no hint comes', async () => {
    const { worker, queue, enqueue, run, job } = createWorld({
      kinds: [work(obedient)],
      worker: { lease: '30s' },
      wrap: withoutHints,
    });
    const id = await enqueue();
    worker.start();
    await run(12_000);
    await queue.cancel([id]);
    await run(5_000);
    expect(await job(id)).toMatchObject({ state: 'PROCESSING', cancelRequested: true });
    await run(5_000);
    expect(await job(id)).toMatchObject({ state: 'CANCELED' });
  });

  it('holds against a handler that defers', async () => {
    const { worker, queue, enqueue, run, job } = world(async (_, context) => {
      await untilAborted(context).catch(() => {});
      return defer({ after: '1s' });
    });
    worker.start();
    const id = await enqueue();
    await run(10);
    await queue.cancel([id]);
    await run(10);
    expect(await job(id)).toMatchObject({ state: 'CANCELED' });
  });

  it('is aborted from the first look, when the handler looks late', async () => {
    const goOn = later();
    let aborted: boolean | null = null;
    const { worker, queue, enqueue, run } = world(async (_, context) => {
      await goOn.promise;
      aborted = context.signal.aborted;
    });
    worker.start();
    const id = await enqueue();
    await run(10);
    await queue.cancel([id]);
    await run(10);
    goOn.resolve();
    await run(10);
    expect(aborted).toBe(true);
  });
});

describe('a handler that does not listen', () => {
  it('is left behind after its grace, and its slot is free', async () => {
    const { worker, queue, enqueue, run, job } = world(never);
    worker.start();
    const id = await enqueue();
    await run(10);
    await queue.cancel([id]);
    await run(ABORT_GRACE_MS - 20);
    expect(await job(id)).toMatchObject({ state: 'PROCESSING' });
    expect(worker.status().inFlight).toBe(1);
    await run(50);
    expect(await job(id)).toMatchObject({ state: 'CANCELED' });
    expect(worker.status()).toMatchObject({ inFlight: 0, pools: [{ inFlight: 0 }] });
  });

  it('cannot change anything any more, however it ends', async () => {
    const ends = [later(), later()];
    const { worker, queue, enqueue, run, job, of } = world(async ({ data }, context) => {
      await ends[Number(data)]?.promise;
      context.progress({ done: 1 });
      if (data === 1) throw new Error('late');
      return done('late');
    });
    worker.start();
    const ids = [await enqueue({ data: 0 }), await enqueue({ data: 1 })];
    await run(10);
    await queue.cancel(ids);
    await run(ABORT_GRACE_MS + 20);
    for (const end of ends) end.resolve();
    await run(10_000);
    for (const id of ids)
      expect(await job(id)).toMatchObject({ state: 'CANCELED', result: null, progress: null });
    expect(of('lease.fenced')).toEqual([]);
  });

  it('leaves no timer behind when it listened after all', async () => {
    const { worker, queue, enqueue, run, timers } = world(obedient);
    worker.start();
    const id = await enqueue();
    await run(10);
    await queue.cancel([id]);
    await run(10);
    const stopped = worker.stop();
    await run(100);
    await stopped;
    expect(timers.size).toBe(0);
  });
});

describe('shutdown', () => {
  it('lets what runs come to its end', async () => {
    const end = later();
    const { worker, enqueue, run, job } = world(() => end.promise, { timeout: '1m' });
    worker.start();
    const id = await enqueue();
    await run(10);
    const stopped = worker.stop();
    await run(15_000);
    end.resolve();
    await run(100);
    await stopped;
    expect(await job(id)).toMatchObject({ state: 'SUCCEEDED' });
  });

  it.each<[string, Handler]>([
    ['listens', obedient],
    ['does not', never],
  ])('hands back what takes longer, with its attempt: a handler that %s', async (_, handler) => {
    const { worker, enqueue, run, job, of } = world(handler, { timeout: '1h' });
    worker.start();
    const id = await enqueue();
    await run(10);
    const stopped = worker.stop();
    await run(19_000);
    expect(await job(id)).toMatchObject({ state: 'PROCESSING' });
    await run(8_000);
    await stopped;
    expect(await job(id)).toMatchObject({
      state: 'QUEUED',
      attempt: 0,
      runAt: expect.any(Number),
      error: null,
    });
    expect((await job(id)).runAt).toBeLessThanOrEqual(START + 27_010);
    expect(of('job.handedBack')).toMatchObject([{ id }]);
  });

  it('keeps the heartbeat until the last job is handed back', async () => {
    const { worker, enqueue, run, job } = createWorld({
      kinds: [work(never, { timeout: '1h' })],
      worker: { lease: '5s', shutdownGrace: '1m' },
    });
    worker.start();
    const id = await enqueue();
    await run(10);
    const stopped = worker.stop();
    await run(60_000);
    expect(await job(id)).toMatchObject({ state: 'PROCESSING', leaseUntil: expect.any(Number) });
    expect((await job(id)).leaseUntil).toBeGreaterThan(START + 60_000);
    await run(6_000);
    await stopped;
    expect(await job(id)).toMatchObject({ state: 'QUEUED' });
  });
});
