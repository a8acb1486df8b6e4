import { type NewJob, StoreUnavailable } from '@millrace/engine';
import { expectRefused, newJob, only, times } from '@millrace/store-contract';
import { describe, expect, test } from 'vitest';
import { redisForTests } from '../test/redis.ts';
import { FAILED, claimAll, settle, start, succeeded } from '../test/work.ts';
import { type Context, jsonPartsOf } from './context.ts';
import { kindOf, numberOf, prefixOf, queueOf, rankOf } from './names.ts';
import { settle as settleWith } from './operations/settle.ts';

/** What this store has beyond the parts that the contract knows, and its own corners. */

const world = redisForTests();

describe('children', () => {
  const child = (changes: Partial<NewJob> = {}) => newJob({ kind: 'child', ...changes });

  test('are made with every outcome that is accepted, in the same step', async () => {
    const { store } = await world();
    const outcomes = [
      succeeded(),
      FAILED,
      { move: 'cancel' },
      { move: 'defer', payload: '2', delayMs: 60_000 },
      { move: 'handBack' },
    ] as const;
    for (const outcome of outcomes) {
      const job = await start(store, { kind: outcome.move });
      const due = { afterMs: 60_000 };
      expect(await settle(store, job, outcome, [child(), child({ due })])).toBe('settled');
      const made = await store.list({ filter: { kind: 'child' }, limit: 9 });
      expect(made.jobs).toHaveLength(2);
      for (const { id } of made.jobs) await store.cancel({ select: { ids: [id] } });
      for (const { id } of made.jobs) expect(await store.amend?.remove({ id })).toBe(true);
    }
  });

  test('are not made by a lease that is stale, was settled, or was asked to stop', async () => {
    const { store, advance } = await world();
    const zombie = await start(store);
    await advance(61_000);
    const heir = only(await claimAll(store, 'work', { alone: true }));
    expect(await settle(store, zombie, succeeded(), [child()])).toBe('stale');
    expect(await settle(store, heir)).toBe('settled');
    expect(await settle(store, heir, succeeded(), [child()])).toBe('already');
    const asked = await start(store);
    await store.cancel({ select: { ids: [asked.id] } });
    expect(await settle(store, asked, { move: 'handBack' }, [child()])).toBe('canceled');
    expect((await store.list({ filter: { kind: 'child' }, limit: 9 })).jobs).toEqual([]);
  });

  test('with one key, made by two parents, are one', async () => {
    const { store } = await world();
    const parents = [await start(store, { kind: 'a' }), await start(store, { kind: 'b' })];
    const key = { value: 'poll-17', windowMs: 60_000 };
    for (const parent of parents) await settle(store, parent, succeeded(), [child({ key })]);
    const { jobs } = await store.list({ filter: { key: 'poll-17' }, limit: 9 });
    expect(jobs).toHaveLength(1);
  });

  test('that cannot be stored keep their parent from settling', async () => {
    const { store } = await world();
    const job = await start(store);
    await expectRefused(settle(store, job, succeeded(), [child({ payload: '"\\u0000"' })]));
    await expectRefused(settle(store, job, succeeded(), [child({ webhook: 'https://a.example' })]));
    expect(await settle(store, job)).toBe('settled');
  });
});

test('a tenant is a label: lists, counts and keys keep to it', async () => {
  const { store } = await world();
  const key = { value: 'k', windowMs: 60_000 };
  const tenants = ['a', 'b:c', ''];
  const made = await store.enqueue({ jobs: tenants.map((tenant) => newJob({ tenant, key })) });
  expect(made.every(({ created }) => created)).toBe(true);
  for (const [index, tenant] of tenants.entries()) {
    const { jobs } = await store.list({ filter: { tenants: [tenant] }, limit: 9 });
    expect(jobs).toMatchObject([{ id: made[index]?.id, tenant }]);
  }
  expect((await store.list({ filter: { tenants: [] }, limit: 9 })).jobs).toEqual([]);
  const counts = await store.counts();
  expect(counts.map(({ tenant, count }) => `${tenant}: ${count}`).toSorted()).toEqual(
    tenants.map((tenant) => `${tenant}: 1`).toSorted(),
  );
  const canceled = await store.cancel({ select: { filter: { tenants: ['a'] }, limit: 9 } });
  expect(canceled).toEqual({ canceled: [made[0]?.id], requested: [] });
});

test('what is erased is not in the events of the queue either', async () => {
  const { store, admin, prefix } = await world();
  await settle(store, await start(store, { subject: 'person-9' }), succeeded('"Dear Ann"'));
  const events = `{${prefix}}:work:events`;
  expect(JSON.stringify(await admin.xrange(events, '-', '+'))).toContain('Ann');
  await store.erase({ subject: 'person-9' });
  expect(JSON.stringify(await admin.xrange(events, '-', '+'))).not.toContain('Ann');
});

test('a part of a batch whose answer was lost is asked about again, the others are not', async () => {
  const { store } = await world();
  await store.enqueue({ jobs: times(150, () => newJob()) });
  const jobs = await claimAll(store, 'work', { limit: 150 });
  const lost = new StoreUnavailable('The answer was lost.');
  let calls = 0;
  const context = {
    confirm: async () => {},
    write: async () => {
      calls += 1;
      if (calls > 1) throw lost;
      return times(100, () => 'settled');
    },
  } as unknown as Context;
  const settlements = jobs.map((job) => ({ job, outcome: succeeded(), children: [] }));
  const answers = await settleWith(context, { settlements });
  expect(answers).toEqual([
    ...times(100, () => 'settled'),
    ...times(50, () => ({ unknown: lost })),
  ]);
  calls = 1;
  await expect(settleWith(context, { settlements })).rejects.toBe(lost);
});

test('a batch is sent in parts of a hundred jobs and of a megabyte at the most', () => {
  const lengths = (items: readonly unknown[]): number[] =>
    jsonPartsOf(items).map((json) => (JSON.parse(json) as unknown[]).length);
  expect(lengths([])).toEqual([]);
  expect(lengths(times(250, (index) => index))).toEqual([100, 100, 50]);
  const long = 'x'.repeat(400_000);
  expect(lengths([long, long, long, 'x'.repeat(2_000_000), 1, 2])).toEqual([2, 1, 1, 2]);
});

test('a stack that was cut in the middle of a character is kept without the half', async () => {
  const { store } = await world();
  const job = await start(store);
  const error = { code: 'broken', message: 'It broke.', retryable: false };
  expect(await settle(store, job, { move: 'fail', error, stack: 'b\ud83d' })).toBe('settled');
  const kept = await store.get({ id: job.id });
  expect(kept?.executions).toMatchObject([{ stack: 'b\ufffd' }]);
});

test('a sweep passes over what is kept, however much of it comes first', async () => {
  const { store, advance } = await world();
  const key = { windowMs: 3_600_000 };
  await store.enqueue({
    jobs: times(250, (index) => newJob({ key: { value: `k${index}`, ...key } })),
  });
  await store.enqueue({ jobs: times(20, () => newJob()) });
  for (const job of await claimAll(store, 'work', { limit: 270 })) await settle(store, job);
  await advance(120_000);
  const keep = { SUCCEEDED: 60_000, FAILED: 0, CANCELED: 0 };
  let removed = 0;
  for (let more = true, steps = 0; more && steps < 20; steps += 1) {
    const step = await store.upkeep?.prune({ keep: {}, otherwise: keep });
    removed += step?.count ?? 0;
    more = step?.more ?? false;
  }
  expect(removed).toBe(20);
});

describe('names', () => {
  test('a kind is a queue that BullMQ takes, and comes back', () => {
    for (const kind of ['a', 'a:b', '100%', '%3A', 'a%3Ab:c'])
      expect([queueOf(kind).includes(':'), kindOf(queueOf(kind))]).toEqual([false, kind]);
  });

  test('a prefix that would break the slot is refused', () => {
    expect(prefixOf('millrace.prod-1')).toBe('{millrace.prod-1}');
    for (const bad of ['', '{a}', 'a}b', 'a:b', 'x'.repeat(65)])
      expect(() => prefixOf(bad)).toThrow(/prefix/);
  });

  test('priorities are turned round, and none is last', () => {
    const ranks = [1_000, 1, 0, -1, -1_000, null].map(rankOf);
    expect(ranks.toSorted((a, b) => a - b)).toEqual(ranks);
    expect(new Set(ranks).size).toBe(6);
    expect([rankOf(9e9), rankOf(-9e9)]).toEqual([1, 2_097_149]);
  });

  test('an id is of this store or of none', () => {
    expect(numberOf('bull-17')).toBe('17');
    for (const id of ['bull-0', 'bull-', 'bull-1x', 'pg-1', '17']) expect(numberOf(id)).toBeNull();
  });
});
