import {
  type NewJob,
  StoreUnavailable,
  createRegistry,
  defineJob,
  dependantsOf,
} from '@millrace/engine';
import { type PostgresStore, openPostgresStore } from '@millrace/store-postgres';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { need } from '../../scripts/need.mjs';
import { startPostgres } from '../../scripts/services.mjs';
import { clockAheadBy } from '../../stores/postgres/test/databases.ts';
import { type Line, startLine } from '../../stores/postgres/test/line.ts';
import { createDice } from '../../testkit/src/random.ts';
import { until } from './test/factory.ts';
import { type Fleet, type WorkerProcess, createFleet } from './test/fleet.ts';

/**
 * Jobs of every shape (see kinds.mjs) on several worker processes, while processes, connections and the database go
 * away: round after round a batch, and in the middle of it a fault.
 */

await need('postgres programs');

const ROUNDS = Number(process.env['MILLRACE_TEST_CHAOS_ROUNDS'] ?? 12);
const SEED = Number(process.env['MILLRACE_TEST_CHAOS_SEED'] ?? Math.floor(Math.random() * 1e9));
const WORKERS = 4;
const BATCH = 8;

const dice = createDice(SEED);
const cleanups: (() => Promise<unknown>)[] = [];
let postgres: Awaited<ReturnType<typeof startPostgres>>;
let store: PostgresStore;
let fleet: Fleet;
let crew: Member[];
let members = 0;
let rounds = 0;

// Whoever cancels a job makes what follows from it: also a process that runs none.
const abandonedKind = defineJob({
  kind: 'abandoned',
  input: z.object({ n: z.number() }),
  run: () => Promise.resolve(),
  cleanup: () => Promise.resolve(),
});
const dependants = dependantsOf(createRegistry([abandonedKind]), []);

interface Member {
  readonly worker: WorkerProcess;
  readonly line: Line;
}

beforeEach(async () => {
  postgres = await startPostgres({ settings: { fsync: 'off' } });
  cleanups.push(() => postgres.remove());
  store = await openPostgresStore({ url: postgres.url, dependants });
  cleanups.push(() => store.close());
  await store.database.script(
    'CREATE TABLE executions (job text, kind text, n integer, epoch bigint, worker text)',
  );
  fleet = createFleet();
  cleanups.push(() => fleet.killAll());
  crew = await Promise.all(Array.from({ length: WORKERS }, recruit));
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** A worker process on a line of its own. */
async function recruit(): Promise<Member> {
  const line = await startLine(postgres.url);
  cleanups.push(() => line.close());
  members += 1;
  return { worker: await fleet.start(`worker${members}`, line.through(postgres.url)), line };
}

async function replace(member: Member): Promise<void> {
  crew[crew.indexOf(member)] = await recruit();
}

function anyone(): Member {
  const member = crew[dice.integer(0, crew.length - 1)];
  if (member === undefined) throw new Error('Nobody works here.');
  return member;
}

const FAULTS: Record<string, () => Promise<unknown>> = {
  async 'the database restarts'() {
    await postgres.stop('fast');
    await postgres.start();
  },
  async 'a worker is killed in the middle of its jobs'() {
    const { member } = await freezeAtWork();
    await member.worker.kill();
    await replace(member);
  },
  async 'a line is cut'() {
    anyone().line.cutAll('reset');
  },
  async 'a worker is stopped for longer than its leases last'() {
    const { member, held } = await freezeAtWork();
    // It wakes up with the result of a job that another is in the middle of.
    await until(() => isTakenOver(held, member.worker), 10);
    member.worker.thaw();
  },
  async 'the database crashes'() {
    await postgres.stop('immediate');
    await postgres.start();
  },
  async 'a line goes silent'() {
    anyone().line.silence();
  },
  async 'sessions are ended one after the other'() {
    for (let count = 0; count < 20; count++)
      await store.database.script(`
        SELECT pg_terminate_backend(pid) FROM (
          SELECT pid FROM pg_stat_activity
           WHERE application_name = 'millrace' AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1) s`);
  },
  async 'a worker leaves in order'() {
    const member = anyone();
    await member.worker.leave();
    await replace(member);
  },
  async 'a worker leaves whose line has gone silent'() {
    const member = anyone();
    member.line.silence();
    await member.worker.leave();
    await replace(member);
  },
  async 'every line is closed'() {
    for (const { line } of crew) line.cutAll('close');
  },
  async 'a worker is killed while the database restarts'() {
    const member = anyone();
    await Promise.all([postgres.stop('fast'), member.worker.kill()]);
    await postgres.start();
    await replace(member);
  },
};

/** Stops a process at a moment at which it has leases: among them that of a job that takes long. */
async function freezeAtWork(): Promise<{ member: Member; held: string[] }> {
  for (;;) {
    const member = anyone();
    member.worker.freeze();
    const { jobs } = await store.list({ filter: { state: 'PROCESSING' }, limit: 1_000 });
    const held = jobs.filter(
      ({ kind, worker }) => kind === 'contested' && worker === member.worker.id,
    );
    if (held.length > 0) return { member, held: held.map(({ id }) => id) };
    member.worker.thaw();
    if (!(await isOpen('contested'))) await enqueueBatch();
  }
}

/** Whether another worker has begun the latest execution of one of these jobs. */
async function isTakenOver(jobs: readonly string[], { id }: WorkerProcess): Promise<boolean> {
  const latest = await rowsOf<{ job: string; worker: string }>(
    'SELECT DISTINCT ON (job) job, worker FROM executions ORDER BY job, epoch DESC',
  );
  return latest.some(({ job, worker }) => jobs.includes(job) && worker !== id);
}

const job = (kind: string, n: number, changes: Partial<NewJob> = {}): NewJob => ({
  kind,
  payload: JSON.stringify({ n }),
  maxAttempts: 10_000,
  tenant: '',
  priority: null,
  ...changes,
});
const keyed = (kind: string, n: number): NewJob =>
  job(kind, n, { key: { value: `${kind} ${n}`, windowMs: 86_400_000 } });

async function enqueueBatch(): Promise<void> {
  const numbers = Array.from({ length: BATCH }, (_, index) => rounds * BATCH + index);
  rounds += 1;
  // The caller's own rule against doubles: the same key until it is answered.
  const kinds = ['order', 'stretch', 'doomed', 'once', 'once'];
  const jobs = numbers.flatMap((n) => [
    ...kinds.map((kind) => keyed(kind, n)),
    ...(n % 4 === 0 ? [keyed('contested', n)] : []),
    { ...keyed('abandoned', n), due: { afterMs: 86_400_000 } },
  ]);
  const made = await insist(() => store.enqueue({ jobs }));
  const abandoned = made.filter((_, index) => jobs[index]?.kind === 'abandoned');
  await insist(() => store.cancel({ select: { ids: abandoned.map(({ id }) => id) } }));
}

/** As any caller would: again, until there is an answer. */
async function insist<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      expect(error).toBeInstanceOf(StoreUnavailable);
    }
  }
}

async function executions(): Promise<number> {
  const [row] = await rowsOf<{ count: number }>('SELECT count(*)::int FROM executions');
  return row?.count ?? 0;
}

/** Whether jobs are left that have not ended: of this kind, or of any. */
async function isOpen(kind?: string): Promise<boolean> {
  const counts = await insist(() => store.counts());
  return counts.some(
    (each) =>
      (kind === undefined || each.kind === kind) &&
      (each.state === 'QUEUED' || each.state === 'PROCESSING'),
  );
}

function rowsOf<R extends Record<string, unknown>>(text: string): Promise<R[]> {
  return insist(() => store.database.query<R>({ name: '', text }, []));
}

it(
  `loses nothing and doubles nothing (seed ${SEED})`,
  { timeout: 60_000 + ROUNDS * 20_000 },
  async ({ onTestFailed }) => {
    const faults = Object.entries(FAULTS);
    let doing = 'nothing yet';
    onTestFailed(() => console.error(`Round ${rounds}, after: ${doing}.`, fleet.dead()));
    for (let round = 0; round < ROUNDS; round++) {
      const before = await executions();
      await enqueueBatch();
      // Somewhere in the middle: a batch comes to about 150 executions.
      const after = before + dice.integer(5, 100);
      await until(async () => (await executions()) >= after || !(await isOpen()), 10);
      const [name, fault] = faults[round % faults.length] ?? ['', () => Promise.resolve()];
      doing = name;
      await fault();
      expect(fleet.dead()).toEqual([]);
    }
    doing = 'all faults';
    // What waits for the next attempt of a cleanup would wait for minutes: the clock goes forward until all is done.
    for (let ahead = 60_000; !(await settledWithin(5_000)); ahead += 60_000)
      await insist(() => store.database.script(clockAheadBy(ahead)));

    expect(await rowsOf(ENDS)).toEqual(expectedEnds(rounds * BATCH));
    expect(await rowsOf(DOUBLED)).toEqual([]);
    expect(await rowsOf(MISMATCHED)).toEqual([]);
    expect(await rowsOf(STALE)).toEqual([]);
    expect(fleet.dead()).toEqual([]);
    expect(fleet.messages().some(({ takenOver = 0 }) => takenOver > 0)).toBe(true);
  },
);

async function settledWithin(ms: number): Promise<boolean> {
  const end = performance.now() + ms;
  while (performance.now() < end) {
    if (!(await isOpen())) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}

const ENDS = `SELECT kind, state, count(*)::int AS count FROM millrace.jobs GROUP BY kind, state ORDER BY kind COLLATE "C"`;

/** By kind: what so many numbers come to. */
function expectedEnds(count: number): object[] {
  const made: Record<string, number> = {
    abandoned: 1,
    'abandoned.cleanup': 1,
    contested: 0.25,
    doomed: 1,
    'doomed.cleanup': 1,
    item: 2,
    joined: 1,
    left: 1,
    note: 4,
    once: 1,
    order: 1,
    piece: 4,
    receipt: 1,
    right: 1,
    shared: 0.1,
    stretch: 1,
  };
  const states: Record<string, string> = { abandoned: 'CANCELED', doomed: 'FAILED' };
  return Object.entries(made).map(([kind, each]) => ({
    kind,
    state: states[kind] ?? 'SUCCEEDED',
    count: Math.ceil(count * each),
  }));
}

/** What a job makes is named after what made it. */
const DOUBLED = `
  SELECT kind, payload::text, count(*)::int FROM millrace.jobs GROUP BY kind, payload HAVING count(*) > 1`;

/** Parents that met at a gate and do not belong together, or a child of fewer than both. */
const MISMATCHED = `
  SELECT j.payload::text, j.parents::text FROM millrace.jobs j WHERE j.kind = 'joined' AND (
    SELECT count(*) FROM millrace.jobs p
     WHERE 'pg-' || p.seq IN (j.parents->>'left', j.parents->>'right') AND p.payload->'n' = j.payload->'n') <> 2`;

/** Results of an execution that was not the job's last: its lease was over. */
const STALE = `
  SELECT j.kind, j.payload::text, j.result::text FROM millrace.jobs j
   WHERE j.result ? 'epoch' AND (j.result->>'epoch')::bigint <> (
     SELECT max(e.epoch) FROM executions e WHERE e.job = 'pg-' || j.seq)`;
