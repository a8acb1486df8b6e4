import type {
  ClaimedJob,
  NewJob,
  RenewAnswer,
  SettleAnswer,
  SettledOutcome,
} from '@millrace/engine';
import { newJob } from '@millrace/store-contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { meeting } from '../test/meeting.ts';
import type { PostgresStore } from './index.ts';

/** One lease for all jobs of a large claim: what meets at its row. The contract suite runs on shared leases too. */

const met = meeting();
const { open, rows, untilWaiting } = met;
let store: PostgresStore;
beforeEach(async () => {
  store = await open();
});

const SUCCEED = { move: 'succeed', result: '1', purgePayload: false, effects: [] } as const;
const error = { code: 'x', message: 'No.', retryable: true };
const RETRY = { move: 'retry', error, stack: null, delayMs: 0 } as const;
const FAIL = { move: 'fail', error, stack: null } as const;
const HAND_BACK = { move: 'handBack' } as const;

let claims = 0;
async function claim(limit: number, { by = store, leaseMs = 60_000, alone = false } = {}) {
  const wants = [{ kind: 'work', limit }];
  const params = { worker: 'w', claim: (claims += 1), wants, limit, leaseMs, alone };
  return (await by.claim(params)).jobs;
}

/** Jobs that share one lease. */
async function sharing(count = 40): Promise<ClaimedJob[]> {
  await store.enqueue({
    jobs: Array.from({ length: count }, () => newJob({ maxAttempts: 1_000 })),
  });
  const jobs = await claim(count);
  expect(await rows('SELECT FROM millrace.lease')).toEqual([]);
  return jobs;
}

function settle(
  jobs: readonly ClaimedJob[],
  outcomeOf: (index: number) => SettledOutcome,
  by = store,
): Promise<SettleAnswer[]> {
  return by.settle({
    settlements: jobs.map((job, index) => ({ job, outcome: outcomeOf(index), children: [] })),
  });
}

/** Every job that has not ended is in one place, and shared leases count what they hold. */
async function expectSound(): Promise<void> {
  const places = `
    SELECT seq FROM millrace.ready UNION ALL SELECT seq FROM millrace.scheduled
    UNION ALL SELECT seq FROM millrace.suspect UNION ALL SELECT seq FROM millrace.running`;
  expect(
    await rows(`
      SELECT j.seq, j.state, (SELECT count(*) FROM (${places}) p WHERE p.seq = j.seq) AS places FROM millrace.jobs j
       WHERE (SELECT count(*) FROM (${places}) p WHERE p.seq = j.seq) <> (j.state = 'QUEUED')::int`),
  ).toEqual([]);
  expect(
    await rows(`
      SELECT s.claim, s.holding, r.n FROM millrace.shared_lease s CROSS JOIN LATERAL (
        SELECT (SELECT count(*) FROM millrace.running WHERE claim = s.claim AND epoch = s.epoch)
               - (SELECT count(*) FROM millrace.lease WHERE claim = s.claim AND epoch = s.epoch) AS n) r
       WHERE r.n <> s.holding`),
  ).toEqual([]);
}

describe('a job that shares its lease', () => {
  it('and succeeds while that is being taken apart gets no other', async () => {
    const jobs = await sharing();
    // Succeeding has the lease, and waits for a record.
    await met.other.query('BEGIN; SELECT FROM millrace.jobs WHERE seq = 30 FOR UPDATE');
    const settling = settle(jobs.slice(0, 30), () => SUCCEED);
    await untilWaiting(1);
    const ids = jobs.slice(0, 2).map(({ id }) => id);
    const canceling = store.cancel({ select: { ids } });
    await untilWaiting(2);
    await met.other.query('COMMIT');
    expect(new Set(await settling)).toEqual(new Set(['settled']));
    expect(await canceling).toEqual({ canceled: [], requested: [] });
    expect(await rows('SELECT FROM millrace.lease')).toEqual([]);
    await expectSound();
  });

  it('and went back to the queue is not settled once more, by whatever comes late', async () => {
    const jobs = await sharing();
    const [first] = jobs;
    if (first === undefined) throw new Error('Nothing was claimed.');
    expect(await settle([first], () => RETRY)).toEqual(['settled']);
    // Another claim had it meanwhile, so the record no longer says who settled it before.
    const [again] = await claim(1);
    expect(again?.id).toBe(first.id);
    expect(await settle(again === undefined ? [] : [again], () => RETRY)).toEqual(['settled']);
    for (const outcome of [RETRY, SUCCEED, FAIL, HAND_BACK])
      expect(await settle([first], () => outcome)).toEqual(['stale']);
    expect(await store.renew({ leases: [first], leaseMs: 60_000 })).toEqual(['stale']);
    await expectSound();
    expect(new Set(await settle(jobs.slice(1), () => SUCCEED))).toEqual(new Set(['settled']));
    expect(await rows('SELECT FROM millrace.shared_lease')).toEqual([]);
    await expectSound();
  });

  it('is taken over when its worker is lost, and those that succeeded are not', async () => {
    const jobs = await sharing();
    await settle(jobs.slice(0, 10), () => SUCCEED);
    expect(await store.renew({ leases: jobs.slice(10, 12), leaseMs: 60_000 })).toHaveLength(2);
    await met.other.query(`UPDATE millrace.shared_lease SET until = now() - interval '1 second'`);
    await claim(1);
    expect(await rows('SELECT FROM millrace.suspect')).toHaveLength(28);
    expect(await rows('SELECT FROM millrace.lease')).toHaveLength(2);
    await expectSound();
    expect(new Set(await settle(jobs.slice(12), () => SUCCEED))).toEqual(new Set(['stale']));
    expect(await settle(jobs.slice(0, 12), () => SUCCEED)).toEqual([
      ...Array.from({ length: 10 }, () => 'already'),
      'settled',
      'settled',
    ]);
  });

  it('does so with jobs of its kind and tenant only', async () => {
    await store.enqueue({
      jobs: Array.from({ length: 80 }, (_, n) => newJob({ tenant: n % 2 === 0 ? 'a' : 'b' })),
    });
    const jobs = await claim(80);
    expect(await rows('SELECT FROM millrace.lease')).toHaveLength(80);
    expect(await rows('SELECT FROM millrace.shared_lease')).toEqual([]);
    expect(new Set(await settle(jobs, () => SUCCEED))).toEqual(new Set(['settled']));
  });

  it('and has ended is not looked for in leases that others need', async () => {
    const jobs = await sharing();
    await settle(jobs.slice(0, 10), () => SUCCEED);
    await met.other.query('BEGIN; SELECT FROM millrace.shared_lease FOR UPDATE');
    const ids = jobs.slice(0, 10).map(({ id }) => id);
    expect(await store.cancel({ select: { ids } })).toEqual({ canceled: [], requested: [] });
    await met.other.query('COMMIT');
  });

  it('is shown as running, in every list, and counted', async () => {
    // Seqs of both claims overlap: each has every second job.
    await store.enqueue({
      jobs: Array.from({ length: 100 }, (_, n) => newJob({ priority: n % 2 })),
    });
    const [a, b] = [await claim(50), await claim(40)];
    await settle(a.slice(0, 5), () => SUCCEED);
    await store.renew({ leases: b.slice(0, 5), leaseMs: 60_000 });
    const running = [...a.slice(5), ...b].map(({ id }) => id).toSorted();
    const { jobs } = await store.list({ filter: { state: 'PROCESSING' }, limit: 100 });
    expect(jobs.map(({ id }) => id).toSorted()).toEqual(running);
    const seqs = jobs.map(({ id }) => Number(id.slice(3)));
    expect(seqs).toEqual(seqs.toSorted((one, two) => two - one));
    const all = await store.list({ filter: {}, limit: 100 });
    expect(
      all.jobs.flatMap(({ id, state }) => (state === 'PROCESSING' ? [id] : [])).toSorted(),
    ).toEqual(running);
    const waiting = await store.list({ filter: { state: 'QUEUED' }, limit: 100 });
    expect(waiting.jobs).toHaveLength(10);
    expect((await store.counts()).map(({ state, count }) => [state, count])).toEqual([
      ['PROCESSING', 85],
      ['QUEUED', 10],
      ['SUCCEEDED', 5],
    ]);
    expect(await store.inspect({ id: running[0] ?? '' })).toMatchObject({ runningOfTenant: 85 });
    const canceled = await store.cancel({
      select: { filter: { state: 'PROCESSING' }, limit: 100 },
    });
    expect(canceled.requested.toSorted()).toEqual(running);
    await expectSound();
  });
});

/** What gives jobs leases of their own, and what then has to find them there. */
const MOVES = {
  renewal: (jobs: readonly ClaimedJob[]) => store.renew({ leases: jobs, leaseMs: 60_000 }),
  checkpoint: (jobs: readonly ClaimedJob[]) => checkpoint(jobs, []),
  'checkpoint with a child': (jobs: readonly ClaimedJob[]) => checkpoint(jobs, [newJob()]),
  cancel: (jobs: readonly ClaimedJob[]) =>
    store.cancel({ select: { ids: jobs.map(({ id }) => id) } }),
};
type Move = keyof typeof MOVES;

function checkpoint(jobs: readonly ClaimedJob[], children: NewJob[]): Promise<RenewAnswer[]> {
  const checkpoints = jobs.map((lease) => ({ lease, step: 1, cursor: '1', children }));
  return store.chunks.checkpoint({ checkpoints, leaseMs: 60_000 });
}

describe('who waited for a shared lease finds the own ones that were made meanwhile', () => {
  /** The first of the two comes to the lease before the second, and both wait. */
  async function inTurns<T>(first: () => Promise<unknown>, second: () => Promise<T>): Promise<T> {
    await met.other.query('BEGIN; SELECT FROM millrace.shared_lease FOR UPDATE');
    const moving = first();
    await untilWaiting(1);
    const answered = second();
    await untilWaiting(2);
    await met.other.query('COMMIT');
    await moving;
    return answered;
  }

  it.each(
    (Object.keys(MOVES) as Move[]).flatMap((move) =>
      [10, 40].flatMap((moved) => [1, 40].map((settled) => ({ move, moved, settled }))),
    ),
  )('success of $settled behind $move of $moved', async ({ move, moved, settled }) => {
    const jobs = await sharing();
    const done = jobs.slice(0, settled);
    const answers = await inTurns(
      () => MOVES[move](jobs.slice(0, moved)),
      () => settle(done, () => SUCCEED),
    );
    expect(answers).toEqual(done.map(() => 'settled'));
    await expectSound();
  });

  it.each(
    (Object.keys(MOVES) as Move[]).flatMap((move) =>
      (['renewal', 'checkpoint', 'checkpoint with a child'] as const).map((next) => ({
        move,
        next,
      })),
    ),
  )('$next behind $move', async ({ move, next }) => {
    const jobs = (await sharing()).slice(0, 5);
    const answers = await inTurns(
      () => MOVES[move](jobs),
      () => MOVES[next](jobs),
    );
    expect(answers).toEqual(jobs.map(() => (move === 'cancel' ? 'cancel' : 'renewed')));
    await expectSound();
  });
});

it('batches that settle jobs of the same claims in other ways do not wait for each other', async () => {
  const second = await open();
  for (let round = 0; round < 15; round += 1) {
    const [a, b] = [await sharing(), await sharing()];
    const half = [...a.slice(0, 20), ...b.slice(0, 20)];
    const rest = [...a.slice(20), ...b.slice(20)];
    const answers = await Promise.all([
      settle(half, (index) => (index < 20 ? SUCCEED : FAIL)),
      settle(rest, (index) => (index < 20 ? FAIL : SUCCEED), second),
    ]);
    expect(new Set(answers.flat())).toEqual(new Set(['settled']));
  }
  expect(await rows('SELECT FROM millrace.shared_lease')).toEqual([]);
  await expectSound();
});

it('workers that settle, renew, cancel, lose their leases and say everything twice end each job once', async () => {
  const JOBS = 300;
  const workers = [store, await open(), await open()];
  const ids = await store.enqueue({
    jobs: Array.from({ length: JOBS }, () => newJob({ maxAttempts: 1_000 })),
  });
  const ended = new Map<string, number>();
  const isOver = async (by: PostgresStore): Promise<boolean> =>
    (await by.counts()).every(({ state }) => state !== 'QUEUED' && state !== 'PROCESSING');
  const note = (jobs: readonly ClaimedJob[], answers: readonly SettleAnswer[], index: number) => {
    const id = jobs[index]?.id ?? '';
    if (answers[index] === 'settled') ended.set(id, (ended.get(id) ?? 0) + 1);
  };

  async function work(by: PostgresStore, seed: number): Promise<void> {
    let state = seed;
    // A small generator of its own, so that a failure comes again with the same seed.
    const below = (n: number): number => {
      state = (state * 48_271) % 2_147_483_647;
      return state % n;
    };
    for (let round = 0; !(await isOver(by)); round += 1) {
      const leaseMs = below(3) === 0 ? 1 : 60_000;
      const jobs = [
        ...(await claim(60, { by, leaseMs })),
        ...(round > 5 ? await claim(1, { by, alone: true }) : []),
      ];
      const renewed = jobs.filter(() => below(4) === 0);
      const canceled = below(5) === 0 ? jobs.filter(() => below(10) === 0) : [];
      const outcomes = jobs.map(() => [SUCCEED, SUCCEED, SUCCEED, RETRY, HAND_BACK][below(5)]);
      const outcomeOf = (index: number): SettledOutcome => outcomes[index] ?? SUCCEED;
      const [first, twice] = await Promise.all([
        settle(jobs, outcomeOf, by),
        settle(jobs, outcomeOf, by),
        by.renew({ leases: renewed, leaseMs: 60_000 }),
        by.cancel({ select: { ids: canceled.map(({ id }) => id) } }),
      ]);
      for (const [index] of jobs.entries())
        if (outcomeOf(index).move === 'succeed') {
          note(jobs, first, index);
          note(jobs, twice, index);
        }
    }
  }

  await Promise.all(workers.map((by, index) => work(by, 7 + index)));
  await expectSound();
  expect(await rows('SELECT FROM millrace.running')).toEqual([]);
  const { rows: done } = await met.other.query<{ id: string; state: string }>(
    `SELECT 'pg-' || seq AS id, state FROM millrace.jobs`,
  );
  expect(done).toHaveLength(ids.length);
  for (const { id, state } of done)
    expect(`${state} ${ended.get(id) ?? 0}`).toMatch(/^(SUCCEEDED 1|CANCELED 0)$/);
});
