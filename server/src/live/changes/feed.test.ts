import { type JobId, type JobSummary, type Store, StoreUnavailable } from '@millrace/engine';
import { createMemoryStore } from '@millrace/store-memory';
import { createVirtualTime } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { createThings } from '../things.ts';
import { type Batch, type Changed, createFeed } from './feed.ts';

/** A feed whose reads the test answers, and what came of it. */
function createWorld(cost = 0) {
  const time = createVirtualTime();
  const clock = time.process();
  const reads: { ids: readonly JobId[]; answer: () => void; fail: () => void }[] = [];
  const told: string[] = [];
  const store: Store = {
    ...createMemoryStore({ now: time.now }),
    summaries: ({ ids }) =>
      new Promise((resolve, reject) => {
        reads.push({
          ids,
          answer: () => resolve(ids.map(summary)),
          fail: () => reject(new StoreUnavailable('away')),
        });
      }),
  };
  const feed = createFeed({
    things: createThings(new Map()),
    store,
    clock,
    trouble: { failed: () => {}, fine: () => {} },
    watched: () => ['watched'],
    moved: async () => 'all',
    look: async () => ({ jobs: [], more: false }),
    onBatch(batch) {
      told.push(inWords(batch));
      return cost;
    },
    onGap(jobs) {
      told.push(`gap ${jobs.map(({ id }) => id).join()}`);
      return cost;
    },
  });
  return { feed, reads, told, run: (ms: number) => time.run(time.now() + ms) };
}

function summary(id: JobId): JobSummary {
  const never = { startedAt: null, finishedAt: null, leaseUntil: null };
  return { id, state: 'QUEUED', createdAt: 0, runAt: 0, ...never } as JobSummary;
}

function inWords({ changes, more }: Batch): string {
  return [...changes.map(({ traits }) => traits.id), ...(more === null ? [] : ['more'])].join(' ');
}

function changed(jobs: readonly JobId[], more = false): Changed {
  return { type: 'changed', jobs, more };
}

describe('the feed', () => {
  test('reads together what came while it was reading, and tells a job once, with the last', async () => {
    const { feed, reads, told, run } = createWorld();
    feed.take(changed(['a']));
    feed.take(changed(['b', 'a']));
    feed.take(changed(['c', 'b']));
    feed.take(changed([]));
    expect(reads.map(({ ids }) => ids)).toEqual([['a']]);
    reads[0]?.answer();
    await run(0);
    expect(reads[1]?.ids).toEqual(['a', 'c', 'b']);
    reads[1]?.answer();
    await run(0);
    expect(told).toEqual(['a', 'a c b']);
  });

  test('reads also what is watched when there were too many to name', async () => {
    const { feed, reads, told, run } = createWorld();
    feed.take(changed(['a'], true));
    expect(reads[0]?.ids).toEqual(['a', 'watched']);
    reads[0]?.answer();
    await run(0);
    expect(told).toEqual(['a more']);
  });

  test('reads a thousand at a time', async () => {
    const { feed, reads, run } = createWorld();
    const ids = (part: string): string[] => Array.from({ length: 400 }, (_, n) => `${part}/${n}`);
    for (const part of ['m0', 'm1', 'm2', 'm3']) feed.take(changed(ids(part)));
    reads[0]?.answer();
    await run(0);
    expect(reads[1]?.ids).toHaveLength(800);
    reads[1]?.answer();
    await run(0);
    expect(reads[2]?.ids).toHaveLength(400);
  });

  test('rests four times as long as the telling takes', async () => {
    const { feed, reads, told, run } = createWorld(10);
    feed.take(changed(['a']));
    reads[0]?.answer();
    await run(0);
    expect(told).toHaveLength(1);
    feed.take(changed(['b']));
    feed.take(changed(['c']));
    await run(39);
    expect(reads).toHaveLength(1);
    await run(1);
    expect(reads[1]?.ids).toEqual(['b', 'c']);
  });

  test('gives up what it cannot catch up with', async () => {
    const { feed, reads, told, run } = createWorld();
    feed.take(changed(['a']));
    const many = Array.from({ length: 250 }, (_, n) => `j-${n}`);
    for (let n = 1; n <= 41; n += 1) feed.take(changed(many));
    reads[0]?.answer();
    await run(0);
    // What was read before is part of it.
    expect(told).toEqual([]);
    expect(reads[1]?.ids).toEqual(['watched']);
    feed.take(changed(['b']));
    reads[1]?.answer();
    await run(0);
    reads[2]?.answer();
    await run(0);
    expect(told).toEqual(['gap watched', 'b']);
  });

  test('tries again, ever more slowly, until the store answers', async () => {
    const { feed, reads, told, run } = createWorld();
    feed.take(changed(['a']));
    for (const ms of [1_000, 2_000, 4_000, 5_000, 5_000]) {
      const count = reads.length;
      reads.at(-1)?.fail();
      await run(ms - 1);
      feed.take(changed(['x']));
      expect(reads).toHaveLength(count);
      await run(1);
      expect(reads.at(-1)?.ids).toEqual(['watched']);
    }
    reads.at(-1)?.answer();
    await run(0);
    expect(told).toEqual(['gap watched']);
    feed.take(changed(['b']));
    reads.at(-1)?.answer();
    await run(0);
    expect(told.at(-1)).toBe('b');
  });
});
