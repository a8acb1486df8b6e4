import type { ClaimedJob, NewJob } from '@millrace/engine';
import { newJob } from '@millrace/store-contract';
import pg from 'pg';
import { beforeEach, describe, expect, it } from 'vitest';
import { testServer } from '../test/databases.ts';
import { meeting } from '../test/meeting.ts';
import { type PostgresStore, openPostgresStore } from './index.ts';

/** Statements that meet others in the middle, and settings of other people's servers. */

const met = meeting();
const { open, rows, untilWaiting, atEnd } = met;
let store: PostgresStore;
beforeEach(async () => {
  store = await open();
});

let claims = 0;
async function claim(limit = 100, alone = false): Promise<ClaimedJob[]> {
  const wants = [{ kind: 'work', limit }];
  const claimed = await store.claim({
    worker: 'w',
    claim: (claims += 1),
    wants,
    limit,
    leaseMs: 60_000,
    alone,
  });
  return claimed.jobs;
}

async function failed(...jobs: Partial<NewJob>[]): Promise<string[]> {
  const made = await store.enqueue({ jobs: jobs.map((job) => newJob(job)) });
  const error = { code: 'x', message: 'No.', retryable: false };
  const outcome = { move: 'fail', error, stack: null } as const;
  await store.settle({
    settlements: (await claim()).map((job) => ({ job, outcome, children: [] })),
  });
  return made.map(({ id }) => id);
}

describe('an idempotency key', () => {
  const key = { value: 'ann@example.org', windowMs: 60_000 };

  it('goes with an erasure that a retry meets', async () => {
    const [, keyed = ''] = await failed({ subject: 'Ann' }, { subject: 'Ann', key });
    await met.other.query('BEGIN; SELECT FROM millrace.jobs WHERE seq = 1 FOR UPDATE');
    const erasing = store.erase({ subject: 'Ann' });
    await untilWaiting();
    await store.retry({ select: { ids: [keyed] } });
    await met.other.query('COMMIT');
    expect(await erasing).toBe(2);
    expect(await rows('SELECT FROM millrace.keys')).toEqual([]);
  });

  it('and its job stay, where a retry gives the job a new life while it is swept', async () => {
    const [, keyed = ''] = await failed({}, { key });
    const keep = { SUCCEEDED: 0, FAILED: 0, CANCELED: 0 };
    await met.other.query('BEGIN; SELECT FROM millrace.jobs WHERE seq = 1 FOR UPDATE');
    const sweeping = store.upkeep.prune({ keep: {}, otherwise: keep });
    await untilWaiting();
    await store.retry({ select: { ids: [keyed] } });
    await met.other.query('COMMIT');
    expect(await sweeping).toMatchObject({ count: 1 });
    expect(await store.enqueue({ jobs: [newJob({ key })] })).toEqual([
      { id: keyed, created: false },
    ]);
    expect(await store.get({ id: keyed })).toMatchObject({ state: 'QUEUED' });
  });
});

it('a cancel and a retry of a failed job that meet leave counts and lists that agree', async () => {
  const second = await open();
  for (let round = 0; round < 20; round += 1) {
    const ids = await failed({}, {}, {}, {});
    await Promise.all([
      store.cancel({ select: { ids } }),
      second.retry({ select: { ids } }),
      second.cancel({ select: { ids } }),
    ]);
    await store.cancel({ select: { ids } });
  }
  expect(await store.counts()).toEqual([
    { kind: 'work', tenant: '', state: 'CANCELED', count: 80, scheduled: 0 },
  ]);
  expect(
    await rows(
      'SELECT FROM millrace.jobs j JOIN millrace.dead d USING (seq) WHERE j.state <> d.state',
    ),
  ).toEqual([]);
});

describe('a database whose settings are', () => {
  it.each([
    `DateStyle = 'SQL, DMY'; ALTER DATABASE :name SET TimeZone = 'Asia/Jakarta'`,
    `DateStyle = 'German'; ALTER DATABASE :name SET TimeZone = 'Asia/Shanghai'`,
    `IntervalStyle = 'sql_standard'`,
    `default_transaction_isolation = 'repeatable read'`,
    `default_transaction_isolation = 'serializable'`,
  ])('%s: jobs run, and lost ones are taken over', async (settings) => {
    const name = new URL(met.url).pathname.slice(1);
    await met.other.query(`ALTER DATABASE ${name} SET ${settings.replaceAll(':name', name)}`);
    store = await open();
    await store.enqueue({ jobs: [newJob({})] });
    const [first] = await claim();
    const before = Date.now();
    await met.other.query(`UPDATE millrace.lease SET until = now() - interval '1 second'`);
    await claim();
    const [again] = await claim(1, true);
    expect(again).toMatchObject({ id: first?.id, suspect: true });
    const [lost] = (await store.get({ id: first?.id ?? '' }))?.executions ?? [];
    expect(lost?.outcome).toBe('lost');
    expect(Math.abs((lost?.startedAt ?? 0) - before)).toBeLessThan(60_000);
  });

  it('array_nulls = off: what is left out stays out', async () => {
    const name = new URL(met.url).pathname.slice(1);
    await met.other.query(`ALTER DATABASE ${name} SET array_nulls = off`);
    store = await open();
    await store.enqueue({
      jobs: [newJob({ correlationId: 'c', priority: 1 }), newJob({ priority: null })],
    });
    expect(await claim()).toMatchObject([
      { correlationId: 'c', priority: 1 },
      { correlationId: null, priority: null },
    ]);
  });

  it('of another encoding: it is set up, and jobs run', async () => {
    const root = new pg.Client(testServer());
    await root.connect();
    const name = `millrace_latin1_${process.pid}`;
    await root.query(
      `CREATE DATABASE ${name} ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`,
    );
    atEnd(async () => {
      await root.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await root.end();
    });
    store = await open(Object.assign(new URL(met.url), { pathname: `/${name}` }).href);
    await store.enqueue({ jobs: [newJob({ payload: '"Zoë"' })] });
    expect(await claim()).toMatchObject([{ payload: '"Zoë"' }]);
  });
});

it('a gate does not open for a kind that is called as something every object has', async () => {
  const gate = { rule: 'r', key: 'k', slots: ['constructor', 'work'], withinMs: 60_000 };
  const through = await openPostgresStore({
    url: met.url,
    dependants: ({ kind }) =>
      kind === 'work' ? [{ child: newJob({ kind: 'child' }), gate: { ...gate, slot: kind } }] : [],
  });
  atEnd(() => through.close());
  await store.enqueue({ jobs: [newJob({})] });
  const outcome = { move: 'succeed', result: '1', purgePayload: false, effects: [] } as const;
  await through.settle({
    settlements: (await claim()).map((job) => ({ job, outcome, children: [] })),
  });
  expect((await store.list({ filter: { kind: 'child' }, limit: 1 })).jobs).toEqual([]);
});
