import { newJob, only, times } from '@millrace/store-contract';
import { expect, onTestFinished, test } from 'vitest';
import { redisForTests } from '../test/redis.ts';
import { FAILED, claimAll, settle, start, succeeded } from '../test/work.ts';

/** A Redis whose memory is full, where what frees memory and what ends running work must go through. */

const openStore = redisForTests();

async function world() {
  const opened = await openStore();
  const { store, admin } = opened;
  const setLimit = async (bytes: string): Promise<void> => {
    await admin.call('CONFIG', 'SET', 'maxmemory', bytes);
  };
  onTestFinished(() => setLimit('0'));
  const fill = async (): Promise<void> => {
    await setLimit('1');
    await expect(store.enqueue({ jobs: [newJob()] })).rejects.toThrow(/memory of Redis is full/);
  };
  return { ...opened, fill, setLimit };
}

test('jobs that ended are pruned, removed and erased', async () => {
  const { store, fill, advance } = await world();
  const ended = [];
  for (const outcome of [succeeded(), succeeded(), FAILED]) {
    const job = await start(store, { subject: 'person-1' });
    await settle(store, job, outcome);
    ended.push(job);
  }
  await advance(1_000);
  await fill();
  expect(await store.amend?.remove({ id: ended[0]?.id ?? '' })).toBe(true);
  expect(await store.erase({ subject: 'person-1' })).toBe(2);
  const keep = { SUCCEEDED: 0, FAILED: 0, CANCELED: 0 };
  let removed = 0;
  for (let more = true, steps = 0; more && steps < 20; steps += 1) {
    const step = await store.upkeep?.prune({ keep: {}, otherwise: keep });
    removed += step?.count ?? 0;
    more = step?.more ?? false;
  }
  expect(removed).toBe(2);
  expect(await store.counts()).toEqual([]);
});

test('what runs is renewed, cancelled and settled, and what is lost is taken over', async () => {
  const { store, fill, setLimit, advance } = await world();
  await store.enqueue({ jobs: times(4, () => newJob()) });
  const jobs = await claimAll(store, 'work', { limit: 3 });
  await fill();
  expect(await store.renew({ leases: jobs, leaseMs: 60_000 })).toEqual(times(3, () => 'renewed'));
  const [first, second, third] = jobs.map(({ id }) => id);
  expect(await store.cancel({ select: { ids: [first ?? ''] } })).toMatchObject({
    requested: [first],
  });
  for (const job of jobs.slice(0, 2)) expect(await settle(store, job)).toBe('settled');
  expect(await store.get({ id: second ?? '' })).toMatchObject({ state: 'SUCCEEDED' });
  // The key that moves the clock of a test needs memory too.
  await setLimit('0');
  await advance(61_000);
  await setLimit('1');
  const { takenOver } = await store.claim({
    worker: 'heir',
    claim: 1,
    wants: [],
    limit: 0,
    leaseMs: 60_000,
  });
  expect(takenOver).toBe(1);
  expect(only(await claimAll(store, 'work', { alone: true }))).toMatchObject({ id: third });
});
