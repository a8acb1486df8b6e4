import { describe, expect, it } from 'vitest';
import {
  FIRST_CLAIM,
  type Handler,
  createWorld,
  later,
  never,
  untilAborted,
  withoutHints,
  work,
} from '../../test/world.ts';
import { MillraceError, StoreTimedOut, StoreUnavailable } from '../errors.ts';
import type { ClaimParams, Store } from '../port.ts';

const quick: Handler = async () => {};

function claimsOf(calls: readonly { verb: string; params: unknown }[]): ClaimParams[] {
  return calls.filter(({ verb }) => verb === 'claim').map(({ params }) => params as ClaimParams);
}

describe('a claim whose answer was lost', () => {
  it('is asked for again under its own name, and its jobs run once', async () => {
    let runs = 0;
    const { worker, enqueue, run, job, line, of } = createWorld({
      kinds: [work(async () => void (runs += 1))],
    });
    const id = await enqueue();
    line.answerLost.add('claim');
    worker.start();
    await run(10);
    expect(await job(id)).toMatchObject({ state: 'PROCESSING' });
    line.answerLost.delete('claim');
    await run(1_000);
    expect(await job(id)).toMatchObject({ state: 'SUCCEEDED', attempt: 1 });
    expect(runs).toBe(1);
    expect(claimsOf(line.calls).slice(0, 3)).toMatchObject([
      { claim: FIRST_CLAIM },
      { claim: FIRST_CLAIM, replay: true },
      { claim: FIRST_CLAIM + 1 },
    ]);
    expect(of('store.recovered')).toEqual([{ during: 'claim' }]);
  });

  it('that never arrived is followed by a new one at once', async () => {
    const { worker, enqueue, run, job, line } = createWorld({
      kinds: [work(quick)],
      wrap: withoutHints,
    });
    line.away.add('claim');
    const id = await enqueue();
    worker.start();
    await run(350);
    line.away.delete('claim');
    await run(400);
    expect(await job(id)).toMatchObject({ state: 'SUCCEEDED' });
  });

  it('is not asked for any more when its leases are over', async () => {
    const { worker, run, line } = createWorld({ kinds: [work(quick)], worker: { lease: '5s' } });
    line.away.add('claim');
    worker.start();
    await run(30_000);
    const ids = new Set(claimsOf(line.calls).map(({ claim }) => claim));
    expect(ids.size).toBeGreaterThan(1);
    expect(claimsOf(line.calls).filter(({ replay }) => replay !== true)).toHaveLength(ids.size);
  });
});

describe('a claim that is answered too late to begin', () => {
  function slowly(answer: Promise<void>) {
    let first = true;
    return (store: Store): Store => ({
      ...store,
      async claim(params) {
        const claimed = await store.claim(params);
        if (first && claimed.jobs.length > 0) {
          first = false;
          await answer;
        }
        return claimed;
      },
    });
  }

  it('is handed back with its attempts, and no handler has begun', async () => {
    const answer = later();
    let begun = 0;
    const { worker, enqueue, run, job, line, of } = createWorld({
      kinds: [work(async () => void (begun += 1))],
      worker: { lease: '10s' },
      wrap: slowly(answer.promise),
    });
    const id = await enqueue();
    worker.start();
    await run(9_500);
    line.away.add('claim');
    answer.resolve();
    await run(10);
    expect(begun).toBe(0);
    expect(await job(id)).toMatchObject({ state: 'QUEUED', attempt: 0 });
    expect(of('job.handedBack')).toMatchObject([{ id, durationMs: 0 }]);
  });

  it('is refused when someone else has taken over', async () => {
    const answer = later();
    const { worker, join, enqueue, run, job, of } = createWorld({
      kinds: [work(never)],
      worker: { lease: '10s' },
      wrap: slowly(answer.promise),
    });
    const id = await enqueue();
    worker.start();
    await run(10);
    join('w2').worker.start();
    await run(20_000);
    expect(await job(id)).toMatchObject({ worker: 'w2', attempt: 1 });
    answer.resolve();
    await run(10);
    expect(of('lease.fenced')).toMatchObject([{ id, write: 'settle' }]);
    expect(await job(id)).toMatchObject({ state: 'PROCESSING', worker: 'w2' });
  });

  it('because the worker was stopped meanwhile, is handed back at once', async () => {
    const answer = later();
    let begun = 0;
    const { worker, enqueue, run, job } = createWorld({
      kinds: [work(async () => void (begun += 1))],
      wrap: slowly(answer.promise),
    });
    const id = await enqueue();
    worker.start();
    await run(10);
    const stopped = worker.stop();
    await run(1_000);
    answer.resolve();
    await run(100);
    await stopped;
    expect(begun).toBe(0);
    expect(await job(id)).toMatchObject({ state: 'QUEUED', attempt: 0 });
  });
});

describe('a store that fails every claim', () => {
  it.each<[string, Error]>([
    ['because it is away', new StoreUnavailable('away')],
    ['because it does not like it', new MillraceError('invalid_key', 'no')],
  ])('is asked ever less often: %s', async (_, error) => {
    const { worker, run, line, of } = createWorld({ kinds: [work(quick)] });
    line.refused.set('claim', () => error);
    worker.start();
    await run(60_000);
    // 100 ms, doubling to 10 s.
    expect(line.count('claim')).toBeLessThan(15);
    expect(of('store.failed').length).toBe(line.count('claim'));
  });

  it('is not asked more often because of hints', async () => {
    const { worker, enqueue, run, line } = createWorld({ kinds: [work(quick)] });
    line.away.add('claim');
    worker.start();
    for (let n = 0; n < 600; n++) {
      await enqueue();
      await run(100);
    }
    expect(line.count('claim')).toBeLessThan(15);
  });

  it('does not keep the worker from stopping, nor a timer alive', async () => {
    const { worker, run, line, timers } = createWorld({ kinds: [work(quick)] });
    line.away.add('claim');
    worker.start();
    await run(60_000);
    const stopped = worker.stop();
    await run(100);
    await stopped;
    expect(worker.status().state).toBe('stopped');
    expect(timers.size).toBe(0);
  });
});

describe('a store that answers nonsense', () => {
  it('does not end the loop: a job of an unknown kind', async () => {
    let foreign = true;
    const { worker, enqueue, run, job, of } = createWorld({
      kinds: [work(quick)],
      wrap: (store) => ({
        ...store,
        async claim(params) {
          const claimed = await store.claim(params);
          return foreign
            ? { ...claimed, jobs: claimed.jobs.map((each) => ({ ...each, kind: 'foreign' })) }
            : claimed;
        },
      }),
      worker: { lease: '5s' },
    });
    const id = await enqueue();
    worker.start();
    await run(60_000);
    const failures = of('store.failed');
    expect(failures[0]).toMatchObject({ during: 'claim', error: { code: 'unknown_kind' } });
    // Handed back each time, at the rhythm of a store that fails: 100 ms, doubling to 10 s.
    expect(failures.length).toBeGreaterThan(10);
    expect(failures.length).toBeLessThan(15);
    expect(of('job.handedBack')).toHaveLength(failures.length);
    expect(worker.status().pools).toMatchObject([{ inFlight: 0 }]);
    foreign = false;
    await run(10_000);
    expect(await job(id)).toMatchObject({ state: 'SUCCEEDED', attempt: 1 });
    expect(of('store.recovered')).toEqual([{ during: 'claim' }]);
  });

  it('does not keep those of its own kinds waiting: they run, and the foreign one goes back', async () => {
    const { worker, enqueue, run, job } = createWorld({
      kinds: [work(quick)],
      wrap: (store) => ({
        ...store,
        async claim(params) {
          const claimed = await store.claim(params);
          return {
            ...claimed,
            jobs: claimed.jobs.map((each) =>
              each.id === 'mem-1' ? { ...each, kind: 'foreign' } : each,
            ),
          };
        },
      }),
    });
    const ids = [await enqueue(), await enqueue(), await enqueue()];
    worker.start();
    await run(10);
    const states = await Promise.all(ids.map(async (id) => (await job(id)).state));
    expect(states).toEqual(['QUEUED', 'SUCCEEDED', 'SUCCEEDED']);
  });
});

it('every slot comes back, however its job ended', async () => {
  const endings: Record<string, Handler> = {
    done: quick,
    throws: () => Promise.reject(new Error('no')),
    throwsAtOnce: () => {
      throw new Error('no');
    },
    wrong: (async () => 5) as unknown as Handler,
    aborted: (_, context) => untilAborted(context),
    deaf: never,
    async *chunks() {
      yield { cursor: 1 };
      throw new Error('no');
    },
  };
  const { worker, queue, enqueue, run } = createWorld({
    kinds: [
      work((job, context) => (endings[String(job.data)] ?? quick)(job, context), { timeout: '2s' }),
    ],
    worker: { pools: [{ name: 'all', concurrency: 100 }] },
  });
  worker.start();
  for (const data of Object.keys(endings)) for (let n = 0; n < 3; n++) await enqueue({ data });
  await run(1_000);
  expect(worker.status().inFlight).toBe(6);
  await queue.cancelWhere({ state: 'PROCESSING' });
  await run(10_000);
  expect(worker.status()).toMatchObject({ inFlight: 0, settling: 0, pools: [{ inFlight: 0 }] });
});

describe('a claim that the store cannot finish in time', () => {
  it('is made smaller until it passes, and grows again', async () => {
    const limits: number[] = [];
    const { worker, enqueue, run, store } = createWorld({
      kinds: [work(quick)],
      worker: { pools: [{ name: 'all', batch: 16, concurrency: 100 }] },
      wrap: (inner) => ({
        ...inner,
        async claim(params) {
          limits.push(params.limit);
          if (params.limit > 4 && limits.length < 10) throw new StoreTimedOut('Too much.');
          return inner.claim(params);
        },
      }),
    });
    for (let n = 0; n < 100; n += 1) await enqueue();
    worker.start();
    await run(120_000);
    expect(limits.slice(0, 4)).toEqual([16, 8, 4, 8]);
    expect(Math.max(...limits.slice(10))).toBe(16);
    expect(await store.counts()).toMatchObject([{ state: 'SUCCEEDED', count: 100 }]);
  });
});
