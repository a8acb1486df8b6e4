import { describe, expect, it } from 'vitest';
import { type Handler, createWorld, later, never, work } from '../../test/world.ts';
import type { ClaimedJob } from '../job.ts';
import type { Claimed, Store } from '../port.ts';

/** The claim that is ahead of the batch that begins; and claims that others were faster at. */

const quick: Handler = async () => {};

/** Sees each claim as it leaves, and may change what is answered. */
function watchingClaims(
  onClaim: (nth: number) => void,
  change: (claimed: Claimed) => Claimed = (claimed) => claimed,
) {
  let claims = 0;
  return (store: Store): Store => ({
    ...store,
    watch: () => () => {},
    async claim(params) {
      claims += 1;
      onClaim(claims);
      return change(await store.claim(params));
    },
  });
}

describe('while there is more', () => {
  it('the next claim is sent before the batch begins', async () => {
    const steps: string[] = [];
    const { worker, enqueue, run } = createWorld({
      kinds: [work(async () => void steps.push('begin'))],
      worker: { pools: [{ name: 'all', concurrency: 20, batch: 2 }] },
      wrap: watchingClaims(() => steps.push('claim')),
    });
    for (let n = 0; n < 4; n++) await enqueue();
    worker.start();
    await run(1_000);
    expect(steps.slice(0, 7)).toEqual([
      'claim',
      'claim',
      'begin',
      'begin',
      'claim',
      'begin',
      'begin',
    ]);
  });

  it('and without, the batch begins before anything else', async () => {
    const steps: string[] = [];
    const { worker, enqueue, run } = createWorld({
      kinds: [work(async () => void steps.push('begin'))],
      wrap: watchingClaims(() => steps.push('claim')),
    });
    for (let n = 0; n < 2; n++) await enqueue();
    worker.start();
    await run(5_100);
    expect(steps).toEqual(['claim', 'begin', 'begin', 'claim']);
  });
});

describe('a claim that finds nothing although something is due', () => {
  function contended() {
    const times: number[] = [];
    const line = { isTaken: true };
    const made = createWorld({
      kinds: [work(quick)],
      wrap: watchingClaims(
        () => times.push(made.time.now()),
        (claimed) => (line.isTaken ? { ...claimed, jobs: [], more: true } : claimed),
      ),
    });
    const gaps = (): number[] => times.slice(1).map((time, index) => time - (times[index] ?? 0));
    return { ...made, times, gaps, line };
  }

  it('is sent again soon, and ever less often: 5 ms, doubling to a second', async () => {
    const { worker, run, gaps } = contended();
    worker.start();
    await run(5_000);
    expect(gaps()).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 1_000, 1_000, 1_000]);
  });

  it('starts from 5 ms again once one has found something', async () => {
    const { worker, enqueue, run, gaps, line, times } = contended();
    worker.start();
    await run(2_000);
    await enqueue();
    line.isTaken = false;
    await run(300);
    line.isTaken = true;
    times.length = 0;
    await run(6_000);
    expect(gaps().slice(0, 4)).toEqual([5, 10, 20, 40]);
  });
});

describe('what was claimed and has not begun when the worker is stopped', () => {
  it('is handed back with its attempts: the batch, and the one that is ahead', async () => {
    let begun = 0;
    const { worker, enqueue, run, all, of, timers } = createWorld({
      kinds: [work(async () => void (begun += 1))],
      worker: { pools: [{ name: 'all', batch: 2 }] },
      // The second claim leaves when the first batch is about to begin.
      wrap: watchingClaims((nth) => {
        if (nth === 2) void worker.stop();
      }),
    });
    for (let n = 0; n < 5; n++) await enqueue();
    worker.start();
    await run(1_000);
    expect(worker.status()).toMatchObject({
      state: 'stopped',
      inFlight: 0,
      settling: 0,
      pools: [{ inFlight: 0 }],
    });
    expect(begun).toBe(0);
    expect(of('job.handedBack')).toHaveLength(4);
    for (const each of await all('work'))
      expect(each).toMatchObject({ state: 'QUEUED', attempt: 0 });
    expect(timers.size).toBe(0);
  });
});

it('a slot comes back once, however often a job could be said to have ended', async () => {
  const goOn = later();
  let isForeign = false;
  const asForeign = (job: ClaimedJob): ClaimedJob => ({ ...job, kind: 'foreign' });
  const { worker, queue, enqueue, run } = createWorld({
    kinds: [
      work(() => goOn.promise, { timeout: '1s' }),
      work(never, { kind: 'endless', timeout: '1h' }),
    ],
    worker: { pools: [{ name: 'all', concurrency: 3 }] },
    wrap: (store) => ({
      ...store,
      async claim(params) {
        const claimed = await store.claim(params);
        return isForeign ? { ...claimed, jobs: claimed.jobs.map(asForeign) } : claimed;
      },
    }),
  });
  worker.start();
  // Cancelled, out of time, given up, and then the handler ends after all.
  const ids = [await enqueue(), await enqueue(), await enqueue()];
  await run(500);
  await queue.cancel(ids.slice(0, 2));
  await run(10_000);
  goOn.resolve();
  await run(100);
  // Of a kind that nobody asked for.
  isForeign = true;
  await enqueue();
  await run(10_000);
  await queue.cancelWhere({ state: 'QUEUED' });
  isForeign = false;
  expect(worker.status().pools).toMatchObject([{ inFlight: 0 }]);
  for (let n = 0; n < 10; n++) await enqueue({ kind: 'endless' });
  await run(20_000);
  expect(worker.status()).toMatchObject({ inFlight: 3, pools: [{ inFlight: 3 }] });
});
