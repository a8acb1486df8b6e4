import { describe, expect, it } from 'vitest';
import { type Handler, createWorld, later, never, work } from '../../test/world.ts';
import { createWorker } from './worker.ts';

const quick: Handler = async () => {};

describe('a worker’s life', () => {
  it('start, pause, resume and stop do nothing a second time', async () => {
    const { worker, run, of, line } = createWorld({ kinds: [work(quick)] });
    expect(worker.status().state).toBe('stopped');
    expect(worker.pause()).toBe(false);
    expect(worker.resume()).toBe(false);
    worker.start();
    worker.start();
    expect(worker.resume()).toBe(false);
    expect(worker.pause()).toBe(true);
    expect(worker.pause()).toBe(false);
    worker.start();
    expect(worker.status().state).toBe('paused');
    expect(worker.resume()).toBe(true);
    await run(10);
    expect(line.count('claim')).toBe(1);
    const stopped = Promise.all([worker.stop(), worker.stop()]);
    await run(100);
    await stopped;
    await worker.stop();
    expect(of('worker.state').map(({ state }) => state)).toEqual([
      'running',
      'paused',
      'running',
      'stopping',
      'stopped',
    ]);
  });

  it('whoever asks for the end waits for it', async () => {
    const end = later();
    const { worker, enqueue, run } = createWorld({ kinds: [work(() => end.promise)] });
    worker.start();
    await enqueue();
    await run(10);
    const ends: number[] = [];
    void worker.stop().then(() => ends.push(1));
    void worker.stop().then(() => ends.push(2));
    await run(1_000);
    expect(ends).toEqual([]);
    end.resolve();
    await run(100);
    expect(ends).toEqual([1, 2]);
  });

  it('before it began, has no end to wait for', async () => {
    await createWorld({ kinds: [work(quick)] }).worker.stop();
  });

  it('may begin again', async () => {
    const { worker, enqueue, run, job } = createWorld({ kinds: [work(quick)] });
    worker.start();
    await run(10);
    const stopped = worker.stop();
    await run(100);
    await stopped;
    const id = await enqueue();
    await run(60_000);
    expect(await job(id)).toMatchObject({ state: 'QUEUED' });
    worker.start();
    await run(10);
    expect(await job(id)).toMatchObject({ state: 'SUCCEEDED' });
  });

  it('ends from a pause as well', async () => {
    const { worker, run, timers } = createWorld({ kinds: [work(quick)] });
    worker.start();
    worker.pause();
    await run(10);
    const stopped = worker.stop();
    await run(100);
    await stopped;
    expect(worker.status().state).toBe('stopped');
    expect(timers.size).toBe(0);
  });

  it('claims nothing after its end was asked for, and listens to no hints after it', async () => {
    const now = later();
    let watching = 0;
    const { worker, run, line } = createWorld({
      kinds: [work(quick)],
      worker: { pools: [{ name: 'all', pauseWindows: [{ cron: '0 3 * * *', lasts: '1h' }] }] },
      wrap: (store) => ({
        ...store,
        now: () => now.promise.then(() => store.now()),
        watch(listener) {
          watching += 1;
          const stop = store.watch(listener);
          return () => {
            watching -= 1;
            stop();
          };
        },
      }),
    });
    worker.start();
    await run(10);
    expect(watching).toBe(1);
    const stopped = worker.stop();
    now.resolve();
    await run(100);
    await stopped;
    expect(line.count('claim')).toBe(0);
    expect(watching).toBe(0);
  });

  it('leaves no timer that would keep the process alive', async () => {
    const schedule = { name: 'hourly', cron: '0 * * * *', job: { kind: 'work', data: null } };
    const { worker, enqueue, run, timers } = createWorld({
      kinds: [work(quick)],
      worker: { schedules: [schedule] },
    });
    worker.start();
    await enqueue();
    await run(5_000);
    expect(timers.size).toBeGreaterThan(0);
    const stopped = worker.stop();
    await run(100);
    await stopped;
    expect(timers.size).toBe(0);
  });
});

describe('shutting down', () => {
  it('does not wait longer for a kind than it says, and hands its work back', async () => {
    const signalled: string[] = [];
    const waits: Handler = async (job, { signal }) => {
      await new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          signalled.push(String(job.data));
          reject(new Error('stopped'));
        });
      });
    };
    const { worker, enqueue, run, job, timers } = createWorld({
      kinds: [work(waits, { shutdownGrace: '10s' })],
      worker: { shutdownGrace: '5m' },
    });
    worker.start();
    const id = await enqueue();
    await run(10);
    expect(worker.status().inFlight).toBe(1);
    let stopped = false;
    void worker.stop().then(() => (stopped = true));
    await run(9_000);
    expect([signalled.length, stopped]).toEqual([0, false]);
    await run(2_000);
    expect([signalled.length, stopped]).toEqual([1, true]);
    expect(await job(id)).toMatchObject({ state: 'QUEUED', attempt: 0 });
    expect(timers.size).toBe(0);
  });
});

describe('shutting down without a store', () => {
  it('comes to an end: what cannot be written is left to the leases', async () => {
    const { worker, enqueue, run, line, job, timers } = createWorld({
      kinds: [work(quick)],
      worker: { lease: '30s', shutdownGrace: '10s' },
    });
    worker.start();
    await run(10);
    line.away.add('settle').add('renew').add('claim').add('reportWorker').add('now');
    line.away.delete('claim');
    const id = await enqueue();
    await run(10);
    line.away.add('claim');
    expect(worker.status()).toMatchObject({ inFlight: 0, settling: 1 });
    let stopped = false;
    void worker.stop().then(() => (stopped = true));
    await run(29_000);
    expect(stopped).toBe(false);
    await run(2_000);
    expect(stopped).toBe(true);
    await run(10_000);
    expect(timers.size).toBe(0);
    expect(await job(id)).toMatchObject({ state: 'PROCESSING' });
  });

  it('within its grace, where the store is silent; what it gives afterwards is left to its lease', async () => {
    const silence = later();
    let isSilent = false;
    const { worker, enqueue, run, line, job, timers } = createWorld({
      kinds: [work(quick)],
      worker: { lease: '3s', shutdownGrace: '8s' },
      wrap: (store) => {
        const { control } = store;
        const heard = async <T>(answer: Promise<T>): Promise<T> => {
          if (isSilent) await silence.promise;
          return answer;
        };
        return {
          ...store,
          claim: (params) => heard(store.claim(params)),
          ...(control && {
            control: { ...control, reportWorker: (report) => heard(control.reportWorker(report)) },
          }),
        };
      },
    });
    worker.start();
    await run(20_000);
    isSilent = true;
    const id = await enqueue();
    await run(11_000);
    let stopped = false;
    void worker.stop().then(() => (stopped = true));
    await run(7_000);
    expect(stopped).toBe(false);
    await run(7_000);
    expect(stopped).toBe(true);
    expect(timers.size).toBe(0);
    silence.resolve();
    await run(1_000);
    expect(line.count('settle')).toBe(0);
    expect(timers.size).toBe(0);
    expect(await job(id)).toMatchObject({ state: 'PROCESSING' });
    isSilent = false;
    worker.start();
    await run(10_000);
    expect(await job(id)).toMatchObject({ state: 'SUCCEEDED' });
  });

  it('also when so many outcomes wait that claiming has stopped', async () => {
    const { worker, enqueue, run, line } = createWorld({
      kinds: [work(quick)],
      worker: { lease: '30s', pools: [{ name: 'all', batch: 1_000, concurrency: 20_000 }] },
    });
    for (let n = 0; n < 11_500; n++) await enqueue();
    line.away.add('settle');
    worker.start();
    await run(1_000);
    expect(worker.status().settling).toBe(11_000);
    let stopped = false;
    void worker.stop().then(() => (stopped = true));
    await run(31_000);
    expect(stopped).toBe(true);
  });

  it('waits for a store that comes back in time', async () => {
    const { worker, enqueue, run, line, job } = createWorld({
      kinds: [work(quick)],
      worker: { lease: '30s' },
    });
    worker.start();
    line.away.add('settle');
    const id = await enqueue();
    await run(10);
    const stopped = worker.stop();
    await run(10_000);
    line.away.clear();
    await run(6_000);
    await stopped;
    expect(await job(id)).toMatchObject({ state: 'SUCCEEDED' });
  });
});

describe('what a worker says of itself', () => {
  it('counts what it did', async () => {
    const { worker, queue, enqueue, run, store } = createWorld({
      kinds: [
        work(({ data, attempt }) => {
          if (data === 'bad' || (data === 'odd' && attempt === 1))
            return Promise.reject(new Error('no'));
          return data === 'long' ? never() : Promise.resolve();
        }),
      ],
    });
    worker.start();
    for (const data of ['good', 'good', 'odd', 'long']) await enqueue({ data });
    await run(30 * 60_000);
    expect(worker.status()).toMatchObject({
      id: 'w1',
      state: 'running',
      uptimeMs: 30 * 60_000,
      inFlight: 1,
      settling: 0,
      lastPoll: expect.any(Number),
      totals: { processed: 3, succeeded: 3, failed: 0, retries: 3, canceled: 0 },
    });
    await queue.cancelWhere({ state: 'PROCESSING' });
    await enqueue({ data: 'bad' });
    await run(60 * 60_000);
    expect(worker.status().totals).toMatchObject({
      processed: 5,
      succeeded: 3,
      failed: 1,
      canceled: 1,
    });
    const [report] = (await store.control?.workers()) ?? [];
    expect(report).toMatchObject({ worker: 'w1', kinds: ['work'] });
    expect(JSON.parse(report?.stats ?? '')).toMatchObject({ totals: { processed: 5 } });
  });

  it('has not polled before it has', () => {
    expect(createWorld({ kinds: [work(quick)] }).worker.status()).toMatchObject({
      lastPoll: null,
      state: 'stopped',
    });
  });

  it('goes on while its reports fail', async () => {
    const { worker, enqueue, run, job, line, of, store } = createWorld({ kinds: [work(quick)] });
    line.away.add('reportWorker');
    worker.start();
    const id = await enqueue();
    await run(20_000);
    expect(await job(id)).toMatchObject({ state: 'SUCCEEDED' });
    expect(of('store.failed')[0]).toMatchObject({ during: 'report' });
    line.away.delete('reportWorker');
    await run(5_000);
    expect(await store.control?.workers()).toHaveLength(1);
  });
});

describe('a configuration that is not possible', () => {
  it.each([0, -1, 50])('a lease of %d ms', (lease) => {
    expect(() => createWorld({ kinds: [work(quick)], worker: { lease } })).toThrow(
      'A lease lasts at least 100 ms.',
    );
  });

  it('two schedules of one name', () => {
    const schedule = { name: 'daily', cron: '0 0 * * *', job: { kind: 'work', data: null } };
    expect(() =>
      createWorld({ kinds: [work(quick)], worker: { schedules: [schedule, schedule] } }),
    ).toThrow('Two schedules are called "daily".');
  });

  it('schedules on a store that has none', () => {
    const { store, registry, clock, events } = createWorld({ kinds: [work(quick)] });
    const { schedules: _, ...poor } = store;
    const schedules = [{ name: 'daily', cron: '0 0 * * *', job: { kind: 'work', data: null } }];
    expect(() =>
      createWorker({
        config: { id: 'w', schedules },
        store: poor,
        registry,
        clock,
        random: () => 0,
        events,
      }),
    ).toThrow(expect.objectContaining({ code: 'unsupported_by_store' }));
  });

  it('chunks on a store that cannot save them fail the job', async () => {
    const { worker, enqueue, run, job } = createWorld({
      kinds: [
        work(async function* () {
          yield { cursor: 1 };
        }),
      ],
      wrap(store) {
        const { chunks: _, ...poor } = store;
        return poor;
      },
    });
    worker.start();
    const id = await enqueue();
    await run(10);
    expect(await job(id)).toMatchObject({
      state: 'FAILED',
      error: { code: 'unsupported_by_store' },
    });
  });
});
