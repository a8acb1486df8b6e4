import { StoreUnavailable, defineJob, done } from '@millrace/engine';
import { openPostgresStore } from '@millrace/store-postgres';
import { afterEach, expect, it } from 'vitest';
import { z } from 'zod';
import { isLong, need } from '../../scripts/need.mjs';
import { startPostgres } from '../../scripts/services.mjs';
import { startLine } from '../../stores/postgres/test/line.ts';
import { startFactory, until } from './test/factory.ts';

await need('postgres programs');

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** Again and again in the long suite. */
const RESTARTS = isLong ? 3 : 1;
const JOBS = 120 * (RESTARTS + 1);

it.for(['fast', 'immediate'] as const)(
  `a database that restarts (%s), ${RESTARTS} times, loses no job and doubles none`,
  { timeout: 120_000 },
  async (mode) => {
    const postgres = await startPostgres({});
    cleanups.push(() => postgres.remove());
    const store = await openPostgresStore({ url: postgres.url, answerWithinMs: 5_000 });
    cleanups.push(() => store.close());
    const runs = new Map<number, number>();
    const count = defineJob({
      kind: 'count',
      input: z.object({ n: z.number() }),
      async run({ data }) {
        runs.set(data.n, (runs.get(data.n) ?? 0) + 1);
        await new Promise((resolve) => setTimeout(resolve, 20));
        return done(data.n);
      },
    });
    const { queue, worker } = startFactory({ store, kinds: [count], id: 'w', concurrency: 20 });
    worker.start();
    cleanups.push(() => worker.stop());

    let enqueued = 0;
    const producer = (async () => {
      for (let n = 0; n < JOBS; n++) {
        // The caller's own rule against doubles: the same key until it is answered.
        while (
          !(await queue
            .enqueue({ kind: 'count', data: { n }, key: `n${n}` })
            .then(() => true, expectUnavailable))
        );
        enqueued += 1;
        await new Promise((resolve) => setTimeout(resolve, 3));
      }
    })();
    for (let restart = 1; restart <= RESTARTS; restart++) {
      await until(() => Promise.resolve(enqueued >= 120 * restart));
      await postgres.stop(mode);
      await new Promise((resolve) => setTimeout(resolve, 150));
      await postgres.start();
    }
    await producer;
    await until(async () =>
      (await store.counts()).some(({ state, count: n }) => state === 'SUCCEEDED' && n >= JOBS),
    );

    expect(await store.counts()).toEqual([
      { kind: 'count', tenant: '', state: 'SUCCEEDED', count: JOBS, scheduled: 0 },
    ]);
    expect(runs.size).toBe(JOBS);
    // A claim whose answer was lost is asked for again and an outcome is kept until it is written: nothing runs twice.
    expect([...runs.values()].filter((n) => n > 1)).toEqual([]);
  },
);

// Once is enough.
if (!isLong)
  it(
    'connections that go silent are given up, and the work goes on over new ones',
    { timeout: 60_000 },
    async () => {
      const postgres = await startPostgres({ settings: { fsync: 'off' } });
      cleanups.push(() => postgres.remove());
      const line = await startLine(postgres.url);
      cleanups.push(() => line.close());
      const store = await openPostgresStore({
        url: line.through(postgres.url),
        answerWithinMs: 1_000,
      });
      cleanups.push(() => store.close());
      let runs = 0;
      const tick = defineJob({
        kind: 'tick',
        input: z.object({}),
        async run() {
          runs += 1;
          return done();
        },
      });
      const { queue, worker } = startFactory({ store, kinds: [tick], id: 'w' });
      worker.start();
      cleanups.push(() => worker.stop());
      await queue.enqueue({ kind: 'tick', data: {}, key: 'before' });
      await until(async () => (await store.counts()).some(({ state }) => state === 'SUCCEEDED'));

      line.silence();
      while (
        !(await queue
          .enqueue({ kind: 'tick', data: {}, key: 'after' })
          .then(() => true, expectUnavailable))
      );
      await until(async () =>
        (await store.counts()).some(({ state, count }) => state === 'SUCCEEDED' && count === 2),
      );
      expect(runs).toBe(2);
    },
  );

function expectUnavailable(error: unknown): false {
  expect(error).toBeInstanceOf(StoreUnavailable);
  return false;
}
