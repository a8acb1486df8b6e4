import type { ClaimedJob } from '@millrace/engine';
import { newJob } from '@millrace/store-contract';
import { expect, it } from 'vitest';
import { meeting } from '../test/meeting.ts';
import { openPostgresStore } from './index.ts';

/** A server behind the same address that lacks the last commits, without a connection that breaks or a hint that tells. */

const met = meeting();

it.each([1, 40])('epochs of a claim of %d go on growing', async (count) => {
  const store = await openPostgresStore({ url: met.url });
  met.atEnd(() => store.close());
  await store.enqueue({ jobs: Array.from({ length: count }, () => newJob({})) });
  let claims = 0;
  async function claim(): Promise<readonly ClaimedJob[]> {
    const wants = [{ kind: 'work', limit: count }];
    const claimed = await store.claim({
      worker: 'w',
      claim: (claims += 1),
      wants,
      limit: count,
      leaseMs: 60_000,
    });
    expect(claimed.jobs).toHaveLength(count);
    return claimed.jobs;
  }
  async function handBack(jobs: readonly ClaimedJob[]): Promise<void> {
    await store.settle({
      settlements: jobs.map((job) => ({ job, outcome: { move: 'handBack' }, children: [] })),
    });
  }

  await handBack(await claim());
  const { rows } = await met.other.query<{ last_value: string }>(
    'SELECT last_value FROM millrace.epoch',
  );
  const before = await claim();
  await handBack(before);
  await met.other.query(`SELECT setval('millrace.epoch', $1)`, [rows[0]?.last_value]);
  const after = await claim();
  expect(after[0]?.epoch).toBeGreaterThan(before[0]?.epoch ?? Infinity);
});
