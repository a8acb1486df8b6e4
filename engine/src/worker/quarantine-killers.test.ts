import { expect, it } from 'vitest';
import { LEASE_MS } from '../../test/suspects.ts';
import { type Handler, createWorld, never, work } from '../../test/world.ts';
import { done } from '../kinds/outcome.ts';
import type { Store } from '../port.ts';
import type { PoolConfig } from './pool-config.ts';

/** A job that stops its process, among forty that do no harm; one worker after the other, as a supervisor starts them. */

const NEIGHBOURS = 40;
const POOL = { name: 'all', concurrency: 50, batch: 50 };

function fleet(
  killAfterMs: number,
  workMs: number,
  wrap: (store: Store) => Store = (store) => store,
  pool: PoolConfig = POOL,
) {
  let running = 0;
  const besides: number[] = [];
  const handler: Handler = ({ data }) => {
    // Of the process that runs it: nothing it awaits comes back once the process is dead.
    const { clock } = current;
    const ms = data === 'killer' ? killAfterMs : workMs;
    running += 1;
    besides.push(running);
    return new Promise((resolve) => {
      clock.after(ms, () => {
        running -= 1;
        if (data === 'killer') clock.kill();
        else resolve(done(data));
      });
    });
  };
  const made = createWorld({
    kinds: [work(handler, { timeout: '1h' })],
    worker: { lease: LEASE_MS, pools: [pool] },
    wrap,
  });
  let current = made.join('p0');
  let processes = 0;

  async function runUntilQuiet(): Promise<void> {
    for (let round = 0; round < 20_000; round++) {
      if (processes === 0 || current.clock.state === 'killed') {
        processes += 1;
        running = 0;
        current = made.join(`p${processes}`);
        current.worker.start();
      }
      await made.run(1_000);
      const counts = await made.queue.counts();
      if (counts.every(({ state }) => state === 'SUCCEEDED' || state === 'FAILED')) return;
    }
    throw new Error('It never came to an end.');
  }
  return {
    ...made,
    runUntilQuiet,
    kill: () => current.clock.kill(),
    processes: () => processes,
    /** How many ran at each beginning, the one that began among them. */
    besides,
  };
}

it.each<[string, number, number]>([
  ['at once, before anyone’s lease was renewed', 0, 1_000],
  ['after a while, when all of them had been renewed', 2 * LEASE_MS, 3 * LEASE_MS],
])('it alone ends FAILED: it kills %s', async (_, killAfterMs, workMs) => {
  const { enqueue, runUntilQuiet, all, processes } = fleet(killAfterMs, workMs);
  for (let n = 0; n < NEIGHBOURS; n++) {
    if (n === NEIGHBOURS / 2) await enqueue({ data: 'killer' });
    await enqueue({ data: n });
  }
  await runUntilQuiet();
  const ended = await all('work');
  expect(ended.filter(({ state }) => state === 'FAILED')).toMatchObject([
    { payload: '"killer"', attempt: 4, error: { code: 'worker_lost' } },
  ]);
  const results = ended.flatMap(({ state, result }) =>
    state === 'SUCCEEDED' ? [Number(result)] : [],
  );
  expect(results).toEqual(Array.from(Array(NEIGHBOURS).keys()));
  // The one that took all of them along, and one for each attempt of the killer alone, unless the first was one.
  expect(processes()).toBe(killAfterMs === 0 ? 6 : 5);
});

it('four processes that die right after a claim, before anything begins, use no attempt', async () => {
  let deaths = 0;
  const { enqueue, runUntilQuiet, all, processes, kill } = fleet(0, 10, (store) => ({
    ...store,
    async claim(params) {
      const claimed = await store.claim(params);
      if (claimed.jobs.length === 0 || deaths === 4) return claimed;
      deaths += 1;
      kill();
      return never();
    },
  }));
  for (let n = 0; n < NEIGHBOURS; n++) await enqueue({ data: n });
  await runUntilQuiet();
  expect(processes()).toBe(5);
  for (const each of await all('work'))
    expect(each).toMatchObject({ state: 'SUCCEEDED', attempt: 1 });
});

const HALVES = { ...POOL, concurrency: 8, together: 4 };

it('suspects are cleared in halves, and the one that kills is still found out', async () => {
  const { enqueue, runUntilQuiet, all, processes } = fleet(0, 1_000, undefined, HALVES);
  for (const data of [0, 1, 2, 'killer', 4, 5, 6, 7]) await enqueue({ data });
  await runUntilQuiet();
  const ended = await all('work');
  expect(ended.map(({ state }) => state)).toEqual(
    [0, 1, 2, 3, 4, 5, 6, 7].map((n) => (n === 3 ? 'FAILED' : 'SUCCEEDED')),
  );
  expect(ended[3]).toMatchObject({ attempt: 4, error: { code: 'worker_lost' } });
  // As many as with each alone: the first, and one for each attempt of the killer.
  expect(processes()).toBe(6);
});

it('a worker that was killed from outside costs two turns and not eight', async () => {
  const { enqueue, runUntilQuiet, run, all, kill, besides, join, processes } = fleet(
    0,
    1_000,
    undefined,
    HALVES,
  );
  for (let n = 0; n < 8; n++) await enqueue({ data: n });
  const first = join('first', { lease: LEASE_MS, pools: [HALVES] });
  first.worker.start();
  await run(10);
  expect(besides).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  first.clock.kill();
  kill();
  besides.length = 0;
  await runUntilQuiet();
  expect(processes()).toBe(1);
  expect(besides).toEqual([1, 2, 3, 4, 1, 2, 3, 4]);
  for (const each of await all('work'))
    expect(each).toMatchObject({ state: 'SUCCEEDED', attempt: 1 });
});
