import type { Dependant, FinishedJob, Job, NewJob } from '@millrace/engine';
import { newJob } from '@millrace/store-contract';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { recordCallers, transactionCallers } from '../test/callers.ts';
import { cutEverywhere } from '../test/cuts.ts';
import { type TestDatabases, testDatabases, testServer } from '../test/databases.ts';
import { type How, type Line, startLine } from '../test/line.ts';
import { migrate } from './migrate.ts';
import { type PgDatabase, openPg } from './pg.ts';
import { type PostgresStore, createStore } from './store.ts';
import { isLong } from '../../../scripts/need.mjs';
import { inFast, inLong } from '../../../scripts/suite.ts';

/**
 * Every caller of `transaction()` through a line that is cut before, during and after the commit. Below the port: the
 * simulation is above the driver, and sees neither a connection that breaks between two statements nor a pool.
 */

/** In the fast suite, which cuts in one way; the long one has all cases, and both ways. */
const FAST = ['settle', 'checkpoint', 'cancel', 'take over'];
const HOWS: readonly How[] = isLong ? ['close', 'reset'] : ['reset'];
/** The store tries out its LISTEN every minute, through the line: that question would be counted among those of a verb. */
const NO_CHECKS = {
  firstTestMs: 30_000,
  testMs: 30_000,
  retryMs: { first: 3_600_000, most: 3_600_000 },
  checkMs: 3_600_000,
};
const KINDS = ['work', 'child', 'after', 'left', 'right', 'both', 'limited'];

let databases: TestDatabases;
let url: string;
let line: Line;
let past: PgDatabase;
let admin: pg.Client;
let database: PgDatabase;
let callers: Set<string>;
/** Through the line, and past it. */
let store: PostgresStore;
let direct: PostgresStore;
const cleanups: (() => Promise<unknown>)[] = [];
const uncaught: Error[] = [];
const note = (error: Error): void => void uncaught.push(error);

beforeAll(async () => {
  process.on('uncaughtExceptionMonitor', note);
  databases = await testDatabases();
  ({ url } = await databases.create());
  line = await startLine(testServer());
  admin = new pg.Client(url);
  await admin.connect();
  past = openPg({ url, poolSize: 2, answerWithinMs: 30_000 });
  direct = await createStore({ database: past, name: 'pg', dependants });
  ({ database, callers } = recordCallers(openThrough(url, 30_000)));
  store = await createStore({
    // Hints go past the line: their questions are not the verbs'.
    database: { ...database, listen: past.listen },
    pauses: NO_CHECKS,
    name: 'pg',
    dependants,
  });
  database.setPrepared(true);
});
afterAll(async () => {
  await store.close();
  await direct.close();
  await admin.end();
  await line.close();
  await databases.remove();
  process.off('uncaughtExceptionMonitor', note);
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  // Without a listener, a client that breaks ends the process.
  expect(uncaught).toEqual([]);
});

function openThrough(at: string, answerWithinMs: number): PgDatabase {
  return openPg({ url: line.through(at), poolSize: 2, answerWithinMs });
}

/** One child after `after`, and one after `left` and `right` together. */
function dependants({ id, kind, state }: FinishedJob): readonly Dependant[] {
  const child = newJob({ kind: 'child', payload: JSON.stringify({ after: kind, state }) });
  if (kind === 'after') return [{ child: { ...child, parents: { after: id } } }];
  if (kind !== 'left' && kind !== 'right') return [];
  const gate = { rule: 'both', key: 'k', slot: kind, slots: ['left', 'right'], withinMs: 60_000 };
  return [{ child: newJob({ kind: 'both' }), gate }];
}

/** Empties every table of the queue. */
async function reset(): Promise<void> {
  const { rows } = await admin.query<{ emptying: string }>(`
    SELECT string_agg(format('DELETE FROM %I.%I', schemaname, tablename), ';') AS emptying
      FROM pg_tables WHERE schemaname = 'millrace' AND tablename <> 'migrations'`);
  await admin.query(rows[0]?.emptying ?? '');
}

/** Every job as it stands, without what differs from run to run, and which of them a worker could have now. */
async function observe(): Promise<unknown> {
  const { jobs } = await direct.list({ filter: {}, limit: 1_000 });
  const all = await Promise.all(jobs.map(({ id }) => direct.get({ id })));
  const counts = await direct.counts();
  const { jobs: free } = await direct.claim({
    worker: 'observer',
    claim: (claims += 1),
    wants: KINDS.map((kind) => ({ kind, limit: 100 })),
    limit: 100,
    leaseMs: 60_000,
  });
  return {
    jobs: all.flatMap((job) => (job === null ? [] : [comparable(job)])).toSorted(byText),
    counts: counts.map((count) => JSON.stringify(count)).toSorted(),
    free: free.map(({ kind, payload }) => `${kind} ${payload}`).toSorted(),
    schedules: (await direct.schedules.all()).map(({ name, lastTick }) => ({ name, lastTick })),
  };
}

function comparable(job: Job): object {
  const {
    id: _,
    createdAt,
    runAt,
    startedAt,
    finishedAt,
    leaseUntil,
    parents,
    executions,
    ...same
  } = job;
  return {
    ...same,
    isDue: runAt <= createdAt,
    hasStarted: startedAt !== null,
    hasFinished: finishedAt !== null,
    isLeased: leaseUntil !== null,
    parents: Object.keys(parents ?? {}),
    executions: executions.map(({ outcome, attempt }) => `${attempt} ${outcome}`),
  };
}

function byText(a: object, b: object): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}

async function add(...jobs: Partial<NewJob>[]): Promise<string[]> {
  return (await direct.enqueue({ jobs: jobs.map(newJob) })).map(({ id }) => id);
}

let claims = 0;

async function start(
  jobs: Partial<NewJob>[],
): Promise<Awaited<ReturnType<PostgresStore['claim']>>['jobs']> {
  await add(...jobs);
  const { jobs: claimed } = await direct.claim({
    worker: 'w',
    claim: (claims += 1),
    wants: KINDS.map((kind) => ({ kind, limit: 100 })),
    limit: 100,
    leaseMs: 60_000,
  });
  expect(claimed).toHaveLength(jobs.length);
  return claimed;
}

async function expire(): Promise<void> {
  await admin.query(`UPDATE millrace.lease SET until = now() - interval '1 second'`);
}

type Prepare = () => Promise<(again: boolean) => Promise<unknown>>;

const ERROR = { code: 'x', message: 'No.', retryable: true };

/** A result with a child, a rule with one parent, one with two, a retry and a deferral in one batch. */
const settling = async (asked: PostgresStore): ReturnType<Prepare> => {
  const kinds = ['work', 'work', 'work', 'after', 'left', 'right'];
  const jobs = await start(kinds.map((kind, n) => ({ kind, payload: `{"n":${n}}` })));
  const outcomes = [
    { move: 'succeed', result: '1', purgePayload: false, effects: [] },
    { move: 'retry', error: ERROR, stack: null, delayMs: 0 },
    { move: 'defer', payload: '{"n":7}', delayMs: 60_000 },
    { move: 'fail', error: ERROR, stack: null },
    { move: 'succeed', result: '2', purgePayload: true, effects: [] },
    { move: 'succeed', result: '3', purgePayload: false, effects: [] },
  ] as const;
  const settlements = jobs
    .toSorted((a, b) => (a.payload ?? '').localeCompare(b.payload ?? ''))
    .flatMap((job, index) => {
      const outcome = outcomes[index];
      const children = index === 0 ? [newJob({ kind: 'child' }), newJob({ kind: 'child' })] : [];
      return outcome === undefined ? [] : [{ job, outcome, children }];
    });
  return async () => {
    const answers = await asked.settle({ settlements });
    expect(answers.filter((answer) => answer !== 'settled' && answer !== 'already')).toEqual([]);
  };
};

const CASES: Record<string, Prepare> = {
  settle: () => settling(store),
  async checkpoint() {
    const jobs = await start([{}, {}]);
    const checkpoints = jobs.map(({ id, epoch, claim }) => ({
      lease: { id, epoch, claim },
      step: 1,
      cursor: '{"at":1}',
      progress: { done: 1 },
      children: [newJob({ kind: 'child' })],
    }));
    return () => store.chunks.checkpoint({ checkpoints, leaseMs: 60_000 });
  },
  async 'first renewal of jobs that share a lease'() {
    // A claim that finds no subqueue, so that the next one does not expect several of them.
    await direct.claim({ worker: 'w', claim: (claims += 1), wants: [], limit: 0, leaseMs: 60_000 });
    const leases = (await start(Array.from({ length: 32 }, () => ({})))).slice(0, 2);
    return async () => {
      expect(await store.renew({ leases, leaseMs: 60_000 })).toEqual(['renewed', 'renewed']);
    };
  },
  async cancel() {
    const [running] = await start([{}]);
    const ids = await add({}, { kind: 'after' }, { due: { afterMs: 60_000 } });
    return () => store.cancel({ select: { ids: [...ids, running?.id ?? ''] } });
  },
  async retry() {
    const ids = await add({}, {});
    await direct.cancel({ select: { ids } });
    return () => store.retry({ select: { filter: { state: 'CANCELED' }, limit: 10 } });
  },
  async 'another priority'() {
    const ids = await add({ priority: 1 }, {});
    return () => store.rearrange.prioritize({ ids, priority: 7 });
  },
  async 'a cancel taken back'() {
    const ids = await add({}, {});
    await direct.cancel({ select: { ids } });
    return () => store.rearrange.restore({ ids });
  },
  async 'retry with other data'() {
    const [id = ''] = await add({ payload: '{"n":1}' });
    await direct.cancel({ select: { ids: [id] } });
    return () => store.amend.retryWith({ id, payload: '{"n":2}' });
  },
  async remove() {
    const [id = ''] = await add({ key: { value: 'k', windowMs: 60_000 } });
    await direct.cancel({ select: { ids: [id] } });
    return () => store.amend.remove({ id });
  },
  async erase() {
    await add({ subject: 'Ann', payload: '"Ann"', key: { value: 'k', windowMs: 60_000 } });
    return () => store.erase({ subject: 'Ann' });
  },
  async 'take over'() {
    await start([{}, { kind: 'after', maxAttempts: 1 }]);
    await expire();
    const claim = { worker: 'next', wants: [], limit: 1, leaseMs: 60_000 };
    return () => store.claim({ ...claim, claim: (claims += 1) });
  },
  async 'claim within a quota'() {
    await add({ kind: 'limited', tenant: 'a' }, { kind: 'limited', tenant: 'a' });
    const wants = [{ kind: 'limited', limit: 5, tenantLimit: 1 }];
    const claim = { worker: 'next', claim: (claims += 1), wants, limit: 5, leaseMs: 60_000 };
    return async (again) => {
      const replayed = again ? (await store.claim({ ...claim, replay: true })).jobs : [];
      // As a worker does: what the lost claim was given, or a new one.
      const claimed = replayed.length > 0 ? replayed : (await store.claim(claim)).jobs;
      expect(claimed).toHaveLength(1);
    };
  },
  async 'claim a suspect within a quota'() {
    await start([{ kind: 'limited', tenant: 'a' }]);
    await expire();
    await direct.claim({ worker: 'w', claim: (claims += 1), wants: [], limit: 1, leaseMs: 60_000 });
    const wants = [{ kind: 'limited', limit: 5, tenantLimit: 1 }];
    const number = (claims += 1);
    const claim = { worker: 'next', claim: number, wants, limit: 1, leaseMs: 60_000, alone: true };
    return async (again) => {
      const replayed = again ? (await store.claim({ ...claim, replay: true })).jobs : [];
      const claimed = replayed.length > 0 ? replayed : (await store.claim(claim)).jobs;
      expect(claimed).toHaveLength(1);
    };
  },
  async 'fire a schedule'() {
    const schedule = { name: 's', cron: '* * * * *', timeZone: 'UTC', kind: 'work' };
    await direct.schedules.sync({ schedules: [schedule] });
    const tick = 4_000_000_000_000;
    return () => store.schedules.fire({ schedule: 's', tick, job: newJob(), skipOverlap: true });
  },
};

const cases = Object.entries(CASES).filter(([name]) => isLong || FAST.includes(name));

it.each(cases)('%s', async (_, prepare) => {
  const freshly: Prepare = async () => {
    await reset();
    return prepare();
  };
  const asked = await cutEverywhere({
    line,
    database,
    admin,
    hows: HOWS,
    prepare: freshly,
    observe,
  });
  expect(asked.some((text) => text.startsWith('BEGIN'))).toBe(true);
  expect(asked).toContain('COMMIT');
});

inLong('migrate', async () => {
  const bare = await databases.createBare();
  cleanups.push(() => bare.drop());
  const client = new pg.Client(bare.url);
  await client.connect();
  const through = openThrough(bare.url, 30_000);
  cleanups.push(
    () => client.end(),
    () => through.close(),
  );
  const recorded = recordCallers(through);
  await cutEverywhere({
    line,
    database: through,
    admin: client,
    hows: HOWS,
    async prepare() {
      await client.query('DROP SCHEMA IF EXISTS millrace CASCADE');
      return () => migrate(recorded.database);
    },
    async observe() {
      const { rows } = await client.query(
        `SELECT table_name FROM information_schema.tables WHERE table_schema = 'millrace' ORDER BY 1`,
      );
      return { rows, left: await migrate(through) };
    },
  });
  for (const caller of recorded.callers) callers.add(caller);
});

inFast('settle, while the line goes silent', async () => {
  // What is asked again waits for the locks of whoever went silent, until the server ends that session.
  const impatient = openThrough(url, 1_500);
  const through = await createStore({
    database: { ...impatient, listen: (...heard) => past.listen(...heard) },
    name: 'pg',
    dependants,
  });
  cleanups.push(() => through.close());
  const asked = await cutEverywhere({
    line,
    database: impatient,
    admin,
    hows: ['silence'],
    only: (text) => text === 'COMMIT',
    async prepare() {
      await reset();
      return settling(through);
    },
    observe,
  });
  expect(asked).toContain('COMMIT');
});

inLong('nothing that opens a transaction has no case here', async () => {
  expect([...callers].toSorted()).toEqual(await transactionCallers());
});
