import { describe, expect, it } from 'vitest';
import { aloneClaims, isAlone, suspectIn, twoPools } from '../../test/suspects.ts';
import { later } from '../../test/world.ts';
import { MillraceError, StoreUnavailable } from '../errors.ts';
import type { Store } from '../port.ts';

/** What cuts the turn of a suspect short, or keeps it from beginning. */

describe('a worker that is paused', () => {
  it('while others end takes no turn, and takes it once it goes on', async () => {
    const made = twoPools();
    const { worker, enqueue, run, begun, end, job } = made;
    const id = await suspectIn(made);
    await enqueue({ data: 'mine' });
    worker.start();
    await run(1_000);
    worker.pause();
    await run(1_000);
    end('mine');
    await run(60_000);
    expect(begun).toEqual(['mine']);
    expect(await job(id), 'it was handed back').toMatchObject({ state: 'QUEUED', attempt: 0 });
    worker.resume();
    await run(5_000);
    expect(begun).toEqual(['mine', 'suspect']);
  });

  it('in the very moment in which the last one ends takes none either', async () => {
    const made = twoPools();
    const { worker, enqueue, run, begun, end } = made;
    await suspectIn(made);
    await enqueue({ data: 'mine' });
    worker.start();
    await run(1_000);
    end('mine');
    worker.pause();
    await run(60_000);
    expect(begun).toEqual(['mine']);
  });

  it('during the turn keeps the suspect alone when it goes on', async () => {
    const made = twoPools();
    const { worker, enqueue, run, begun } = made;
    await suspectIn(made);
    worker.start();
    await run(1_000);
    worker.pause();
    await run(1_000);
    worker.resume();
    await enqueue({ kind: 'other', data: 'other' });
    await run(60_000);
    expect(begun).toEqual(['suspect']);
  });
});

it('a pool whose pause window has begun meanwhile takes no turn until it is over', async () => {
  const pauseWindows = [{ cron: '1 0 * * *', lasts: '30m' }] as const;
  const made = twoPools({
    worker: {
      pools: [
        { name: 'a', kinds: ['work'], pauseWindows },
        { name: 'b', kinds: ['other'] },
      ],
    },
  });
  const { worker, enqueue, run, begun, end } = made;
  await suspectIn(made);
  await enqueue({ kind: 'other', data: 'other' });
  worker.start();
  await run(60_000);
  expect(begun).toEqual(['other']);
  end('other');
  await run(20 * 60_000);
  expect(begun).toEqual(['other']);
  await run(10 * 60_000);
  expect(begun).toEqual(['other', 'suspect']);
});

describe('a worker that is stopped', () => {
  it('while others end takes no turn', async () => {
    const made = twoPools();
    const { worker, enqueue, run, begun, end, job, timers } = made;
    const id = await suspectIn(made);
    await enqueue({ data: 'mine' });
    worker.start();
    await run(1_000);
    const stopped = worker.stop();
    end('mine');
    await run(1_000);
    await stopped;
    expect(begun).toEqual(['mine']);
    expect(await job(id), 'it was handed back').toMatchObject({ state: 'QUEUED', attempt: 0 });
    expect(timers.size).toBe(0);
  });

  it('during the turn gives the suspect the time that everyone has to end, and no more', async () => {
    const made = twoPools({ worker: { shutdownGrace: '20s' } });
    const { worker, run, job, store } = made;
    const id = await suspectIn(made);
    worker.start();
    await run(1_000);
    let isStopped = false;
    void worker.stop().then(() => (isStopped = true));
    await run(19_000);
    expect(await job(id)).toMatchObject({ state: 'PROCESSING', worker: 'w1' });
    expect(isStopped).toBe(false);
    await run(10_000);
    expect(isStopped).toBe(true);
    expect(await job(id)).toMatchObject({ state: 'QUEUED', attempt: 0 });
    expect(await store.inspect({ id })).toMatchObject({ suspect: true });
  });

  it('while others end waits for them no longer than everyone has', async () => {
    const made = twoPools({ worker: { shutdownGrace: 0 } });
    const { worker, enqueue, run, job } = made;
    await suspectIn(made);
    const id = await enqueue({ data: 'mine' });
    worker.start();
    await run(1_000);
    let isStopped = false;
    void worker.stop().then(() => (isStopped = true));
    await run(10_000);
    expect(isStopped).toBe(true);
    expect(await job(id)).toMatchObject({ state: 'QUEUED', attempt: 0 });
  });

  it.each([
    ['its pool waits for it', false],
    ['its pool waits for something else', true],
  ])('while the suspect’s claim is on its way hands it back first: %s', async (_, isOdd) => {
    const answer = later();
    const made = twoPools({
      wrap: (store) => ({
        ...store,
        async claim(params) {
          const claimed = await store.claim(params);
          if (isAlone(params)) await answer.promise;
          // After an answer with a foreign kind the pool backs off.
          const jobs = claimed.jobs.map((each) =>
            each.payload === '"odd"' ? { ...each, kind: 'foreign' } : each,
          );
          return { ...claimed, jobs };
        },
      }),
    });
    const { worker, enqueue, run, job, begun } = made;
    const id = await suspectIn(made);
    if (isOdd) await enqueue({ data: 'odd' });
    worker.start();
    await run(50);
    let isStopped = false;
    void worker.stop().then(() => (isStopped = true));
    await run(1_000);
    expect(isStopped).toBe(false);
    answer.resolve();
    await run(100);
    expect(isStopped).toBe(true);
    expect(begun).toEqual([]);
    expect(await job(id)).toMatchObject({ state: 'QUEUED', attempt: 0 });
  });

  it('takes turns again once it is started again', async () => {
    const made = twoPools();
    const { worker, run, begun } = made;
    await suspectIn(made);
    worker.start();
    const stopped = worker.stop();
    await run(1_000);
    await stopped;
    expect(begun).toEqual([]);
    worker.start();
    await run(5_000);
    expect(begun).toEqual(['suspect']);
  });
});

describe('a store that fails during the turn', () => {
  function failing(error: Error, times: number) {
    let failures = 0;
    return (store: Store): Store => ({
      ...store,
      async claim(params) {
        if (!isAlone(params) || failures >= times) return store.claim(params);
        failures += 1;
        throw error;
      },
    });
  }

  it.each<[string, Error]>([
    ['away', new StoreUnavailable('away')],
    ['not pleased', new MillraceError('invalid_key', 'no')],
  ])('ends it, and the pools go on; the suspect has its turn later: %s', async (_, error) => {
    const made = twoPools({ wrap: failing(error, 2) });
    const { worker, enqueue, run, begun, end, of } = made;
    await suspectIn(made);
    worker.start();
    await run(500);
    await enqueue({ data: 'mine' });
    await enqueue({ kind: 'other', data: 'other' });
    await run(10);
    expect(begun).toEqual(['mine', 'other']);
    expect(of('store.failed')[0]).toMatchObject({ during: 'claim', error });
    end('mine');
    end('other');
    await run(10_000);
    expect(begun).toEqual(['mine', 'other', 'suspect']);
  });

  it('is asked once more for an answer that was lost, which is the suspect', async () => {
    const made = twoPools({
      wrap: (store) => ({
        ...store,
        async claim(params) {
          const claimed = await store.claim(params);
          if (isAlone(params) && params.replay !== true) throw new StoreUnavailable('lost');
          return claimed;
        },
      }),
    });
    const { worker, run, begun, line } = made;
    await suspectIn(made);
    worker.start();
    await run(500);
    expect(begun).toEqual(['suspect']);
    const [first, second, ...more] = aloneClaims(line.calls);
    expect(second).toEqual({ ...first, replay: true });
    expect(more).toEqual([]);
  });
});
