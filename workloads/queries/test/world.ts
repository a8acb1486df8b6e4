import type { JobRequest, JobSummary, Log, Outcome } from '@millrace/engine';
import type { Database } from '@millrace/store-postgres';
import { runExecute } from '../src/execute/execute.ts';
import { EXECUTE } from '../src/jobs.ts';
import { type Queries, type QueriesParams, POLL_CONFIG, openQueries } from '../src/index.ts';
import type { ExecuteData } from '../src/execute/data.ts';
import type { MidOfTenant } from '../src/mids.ts';
import { metricsOf } from '../src/observe.ts';
import type { PollData } from '../src/poll/data.ts';
import { runPoll } from '../src/poll/poll.ts';
import type { WorkConfig } from '../src/workshop.ts';
import { type FakeCloud, createFakeCloud } from './cloud.ts';
import { clockAheadBy } from '../../../stores/postgres/test/databases.ts';
import type { TestDatabase } from '../../../stores/postgres/test/stores.ts';

/** The end of a process: nothing that it wanted to do happens any more. */
export class Killed extends Error {
  override readonly name = 'Killed';
}

interface WorldJob {
  readonly id: string;
  readonly kind: string;
  readonly key: string;
  data: unknown;
  dueAt: number;
  state: JobSummary['state'];
  attempt: number;
  error: { code: string; message: string; retryable: boolean } | null;
}

/**
 * The workload on a real database and a Marketing Cloud in memory. Jobs are run by hand, one after the other, in a time that
 * passes only from one due job to the next.
 */
export interface World {
  readonly queries: Queries;
  readonly cloud: FakeCloud;
  readonly jobs: WorldJob[];
  readonly told: string[];
  readonly warnings: string[];
  readonly announced: string[];
  /** As MCE_MIDS has them; one that is taken out is as after a restart without it. */
  readonly mids: MidOfTenant[];
  now(): number;
  /** Runs the next due job, and settles it. False: there is none. */
  step(): Promise<boolean>;
  /** Until no job is left. */
  finish(): Promise<void>;
  /** Lets time pass. */
  pass(ms: number): Promise<void>;
  /** The same as after a new start of the process. */
  reopen(): Promise<Queries>;
  /** Kills the process at its n-th contact with the outside, before or after that has its effect. */
  killAt(point: number, when: 'before' | 'after'): void;
  /** How many contacts there were since. */
  contacts(): number;
  close(): Promise<void>;
}

const DELAY_PER_RETRY_MS = 2_000;

export const WORK_CONFIG: WorkConfig = {
  poll: POLL_CONFIG,
  keepResultsMs: 86_400_000,
  startLookMs: 120_000,
  startLookEveryMs: 10_000,
};

export async function openWorld(
  database: TestDatabase,
  changes: Partial<QueriesParams> = {},
  /** Told when time passes. */
  onPass: (ms: number) => Promise<void> = () => Promise.resolve(),
): Promise<World> {
  await database.reset();
  const store = await database.open();
  const jobs: WorldJob[] = [];
  const told: string[] = [];
  const warnings: string[] = [];
  const announced: string[] = [];
  const mids: MidOfTenant[] = [
    { tenant: '', mid: '100001' },
    { tenant: 'acme', mid: '100002' },
  ];
  const listeners = new Set<(ids: readonly string[] | null) => void>();
  const started = Date.now();
  let ahead = 0;
  let ids = 0;
  let contacts = 0;
  let kill: { readonly point: number; readonly when: 'before' | 'after' } | null = null;
  let isDead = false;

  const now = (): number => started + ahead;
  async function pass(ms: number): Promise<void> {
    ahead += ms;
    await database.script(clockAheadBy(ahead));
    await onPass(ms);
  }

  function die(): never {
    isDead = true;
    kill = null;
    throw new Killed('killed');
  }

  /** One contact with what outlives the process. */
  async function contact<T>(effect: () => Promise<T>): Promise<T> {
    if (isDead) throw new Killed('dead');
    contacts += 1;
    const isHere = kill?.point === contacts;
    if (isHere && kill?.when === 'before') die();
    const answer = await effect();
    if (isHere) die();
    return answer;
  }

  const mortal: Database = {
    ...store.database,
    query: (statement, params) => contact(() => store.database.query(statement, params)),
  };

  const queue: QueriesParams['queue'] = {
    enqueueAll: (requests) =>
      contact(async () =>
        requests.map((request) => {
          const live = jobs.find(({ key, state }) => key === request.key && state === 'QUEUED');
          if (live !== undefined) return { id: live.id, created: false };
          const made = jobOf(request, now(), (ids += 1));
          jobs.push(made);
          return { id: made.id, created: true };
        }),
      ),
    list: async ({ filter }) => ({
      jobs: jobs.filter(({ key }) => key === filter.key).slice(-1) as unknown as JobSummary[],
      next: null,
    }),
  };

  let cloud: FakeCloud | undefined;
  const log: Log = {
    info: () => {},
    warn: (_, message) => void warnings.push(message),
    error: (_, message) => void warnings.push(message),
  };
  const params: QueriesParams = {
    store: { database: mortal },
    queue,
    live: {
      announce(topic, id) {
        announced.push(`${topic} ${id}`);
        for (const listener of listeners) listener([id]);
      },
      listen(_, listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    clock: {
      now: () => ahead,
      after(_, fire) {
        const timer = setImmediate(fire);
        return () => clearImmediate(timer);
      },
    },
    log,
    metrics: metricsOf({
      count: (name, _value, ...attributes) =>
        void told.push([name, ...Object.values(attributes[0] ?? {})].join(' ')),
      record: () => {},
    }),
    config: WORK_CONFIG,
    gatherMs: 20,
    keepRunsMs: 30 * 86_400_000,
    random: () => 0.5,
    account: {
      mids,
      open(onCall) {
        cloud ??= createFakeCloud(now, onCall, contact);
        return cloud;
      },
    },
    ...changes,
  };
  const queries = await openQueries(params);
  // A world without an account has a cloud that nobody asks.
  const fake = cloud ?? createFakeCloud(now, () => {}, contact);

  async function execute(job: WorldJob): Promise<Outcome> {
    const context = { signal: new AbortController().signal, log };
    const workshop = queries.workshop();
    return job.kind === EXECUTE
      ? runExecute(
          workshop,
          { data: job.data as ExecuteData, attempt: job.attempt, maxAttempts: 11 },
          context,
        )
      : runPoll(workshop, { data: job.data as PollData }, context);
  }

  async function step(): Promise<boolean> {
    const [job] = jobs
      .filter(({ state }) => state === 'QUEUED')
      .toSorted((a, b) => a.dueAt - b.dueAt);
    if (job === undefined) return false;
    if (job.dueAt > now()) await pass(job.dueAt - now());
    job.attempt += 1;
    try {
      const outcome = await execute(job);
      await contact(async () => settle(job, outcome));
    } catch (error) {
      if (error instanceof Killed) return true;
      const {
        code = 'unknown',
        retryable = true,
        retryAfterMs,
      } = error as Partial<{
        code: string;
        retryable: boolean;
        retryAfterMs: number;
      }>;
      if (retryable && job.attempt < 11) {
        job.dueAt = now() + (retryAfterMs ?? DELAY_PER_RETRY_MS);
        return true;
      }
      job.state = 'FAILED';
      job.error = { code, message: String(error), retryable };
    } finally {
      isDead = false;
    }
    return true;
  }

  function settle(job: WorldJob, outcome: Outcome): void {
    if (outcome.type === 'done') {
      job.state = 'SUCCEEDED';
      return;
    }
    job.attempt -= 1;
    job.data = JSON.parse(JSON.stringify(outcome.data ?? job.data));
    job.dueAt = now() + outcome.afterMs;
  }

  return {
    queries,
    cloud: fake,
    jobs,
    told,
    warnings,
    announced,
    mids,
    now,
    step,
    async finish() {
      for (let steps = 0; await step(); steps += 1)
        if (steps > 1_000) throw new Error('The jobs do not come to an end.');
    },
    pass,
    reopen: () => openQueries(params),
    killAt(point, when) {
      contacts = 0;
      kill = { point, when };
    },
    contacts: () => contacts,
    close: async () => {
      await queries.close();
      await store.close();
    },
  };
}

function jobOf(request: JobRequest, now: number, id: number): WorldJob {
  const delay = typeof request.delay === 'number' ? request.delay : 0;
  return {
    id: `job-${id}`,
    kind: request.kind,
    key: request.key ?? '',
    data: JSON.parse(JSON.stringify(request.data)),
    dueAt: now + delay,
    state: 'QUEUED',
    attempt: 0,
    error: null,
  };
}
