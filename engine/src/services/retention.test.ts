import { describe, expect, it } from 'vitest';
import { createWorld, work } from '../../test/world.ts';
import type { Store } from '../port.ts';
import { createRetention } from './retention.ts';
import { RETRY } from '../kinds/retry.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const brief = work(
  ({ data }) => (data === 'bad' ? Promise.reject(new Error('no')) : Promise.resolve()),
  {
    kind: 'brief',
    retry: RETRY.never,
    retention: { succeeded: '1h', failed: '24h', canceled: '2h' },
  },
);
const usual = work(async () => {});

/** The service alone, over a queue whose worker has come and gone. */
function world(wrap: (store: Store) => Store = (store) => store) {
  const made = createWorld({ kinds: [brief, usual] });
  const { upkeep, control, followers } = wrap(made.store);
  if (upkeep === undefined) throw new Error('The memory store has upkeep.');
  const retention = createRetention({ ...made, upkeep, control, followers });

  async function workOff(): Promise<void> {
    made.worker.start();
    await made.run(1_000);
    const stopped = made.worker.stop();
    await made.run(1_000);
    await stopped;
  }
  const left = async () =>
    (await made.store.list({ filter: {}, limit: 10 })).jobs.map(({ id }) => id).toReversed();
  return { ...made, retention, workOff, left };
}

describe('finished jobs', () => {
  it('are forgotten when the time of their kind and end is over', async () => {
    const { queue, enqueue, run, workOff, retention, left, of } = world();
    const succeeded = await enqueue({ kind: 'brief' });
    const failed = await enqueue({ kind: 'brief', data: 'bad' });
    const canceled = await enqueue({ kind: 'brief', delay: '1h' });
    const other = await enqueue();
    await queue.cancel([canceled]);
    await workOff();

    const steps: [number, string[]][] = [
      [59 * MINUTE_MS, [succeeded, failed, canceled, other]],
      [2 * MINUTE_MS, [failed, canceled, other]],
      [HOUR_MS, [failed, other]],
      [DAY_MS, [other]],
      [7 * DAY_MS, []],
    ];
    for (const [ms, expected] of steps) {
      await run(ms);
      await retention.runOnce();
      expect(await left()).toEqual(expected);
    }
    expect(of('retention.pruned')).toEqual(Array.from({ length: 4 }, () => ({ count: 1 })));
  });

  it('of kinds that this process does not know are kept for the usual time', async () => {
    const { run, store, retention, left } = world();
    await store.enqueue({
      jobs: [{ kind: 'gone', payload: '1', maxAttempts: 1, tenant: '', priority: null }],
    });
    await store.cancel({ select: { ids: ['mem-1'] } });
    await run(6 * DAY_MS);
    await retention.runOnce();
    expect(await left()).toEqual(['mem-1']);
    await run(2 * DAY_MS);
    await retention.runOnce();
    expect(await left()).toEqual([]);
  });

  it('of kinds that another worker knows are left to it', async () => {
    const { run, store, retention, left } = world();
    await store.enqueue({
      jobs: [{ kind: 'theirs', payload: '1', maxAttempts: 1, tenant: '', priority: null }],
    });
    await store.cancel({ select: { ids: ['mem-1'] } });
    const seen = () =>
      store.control?.reportWorker({ worker: 'other', kinds: ['theirs'], stats: '{}' });
    await run(90 * DAY_MS);
    await seen();
    await retention.runOnce();
    expect(await left()).toEqual(['mem-1']);
    // Its worker is gone for good, and nobody else will ever forget the job.
    await run(2 * HOUR_MS);
    await retention.runOnce();
    expect(await left()).toEqual([]);
  });

  it('are never those that wait', async () => {
    const { enqueue, run, retention, left } = world();
    const id = await enqueue({ kind: 'brief', delay: '90d' });
    await run(80 * DAY_MS);
    await retention.runOnce();
    expect(await left()).toEqual([id]);
  });
});

describe('a sweep', () => {
  it('goes on at once while there is more, and rests for twenty times as long as it took', async () => {
    let steps = 0;
    const made = world((store) => ({
      ...store,
      upkeep: {
        async maintain() {},
        async prune() {
          steps += 1;
          await new Promise<void>((resolve) => void made.time.after(MINUTE_MS, resolve));
          return { count: 1_000, more: steps % 6 !== 0 };
        },
      },
    }));
    for (let sweep = 0; sweep < 2; sweep++) {
      for (let step = 1; step <= 6; step++) {
        const round = made.retention.runOnce();
        await made.run(MINUTE_MS);
        expect(await round).toEqual({ nextMs: step < 6 ? 0 : 120 * MINUTE_MS });
      }
    }
  });

  it('that took no time comes again in five minutes', async () => {
    expect(await world().retention.runOnce()).toEqual({ nextMs: 5 * MINUTE_MS });
  });

  it('leaves gates alone on a store that has none', async () => {
    const { retention } = world((store) => {
      const { followers: _, ...poor } = store;
      return poor;
    });
    expect(await retention.runOnce()).toEqual({ nextMs: 5 * MINUTE_MS });
  });

  it('runs beside the worker', async () => {
    const { worker, enqueue, run, left } = world();
    await enqueue({ kind: 'brief' });
    worker.start();
    await run(HOUR_MS + 6 * MINUTE_MS);
    expect(await left()).toEqual([]);
  });
});
