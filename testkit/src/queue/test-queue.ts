import {
  type Duration,
  type Enqueued,
  type Events,
  type FieldTable,
  type JobId,
  type JobKind,
  type JobRequest,
  REQUEST_FIELDS,
  StoreUnavailable,
  toMs,
} from '@millrace/engine';
import type { Break, StoreCall } from './breaks.ts';
import { createDrain } from './drain.ts';
import { TestQueueError } from './errors.ts';
import { type TestQueueOptions, refuseUnknown } from './options.ts';
import type { JobRun } from './runs.ts';
import { type TestJob, enqueuedData, viewOf } from './views.ts';
import { type TestWorld, createTestWorld } from './world.ts';

/**
 * A queue with the real engine, in memory and in virtual time: nothing happens but in `drain` and `advance`, and there all
 * of it happens at once.
 */
export interface TestQueue {
  /** Typed by the kind's schema. A `transaction` is taken and not joined: there is none in memory. */
  enqueue<Given>(
    kind: JobKind<unknown, unknown, Given>,
    data: NoInfer<Given>,
    options?: TestEnqueueOptions,
  ): Promise<Enqueued>;
  /**
   * Runs until every job has ended: retries, defers and what follows from a job included, whatever time that takes on the
   * queue's clock. Gives what has run, in its order.
   */
  drain(options?: { readonly within?: Duration }): Promise<readonly JobRun[]>;
  /** Moves the clock, and runs what is due on the way. Gives what has run, in its order. */
  advance(duration: Duration): Promise<readonly JobRun[]>;

  /** The data of every job of a kind that was enqueued, by whomever: the test, a handler, a rule, a schedule. */
  enqueued<Input>(kind: JobKind<Input>): Input[];
  /** Oldest first. */
  jobs(kind?: Pick<JobKind, 'kind'>): TestJob[];
  job(id: JobId): TestJob;
  /** Every execution so far, in the order in which they began. */
  runs(kind?: Pick<JobKind, 'kind'>): readonly JobRun[];
  /** Why a job is where it is, in a sentence. */
  explain(id: JobId): Promise<string>;

  /** False: it has ended already. One that runs is asked to stop. */
  cancel(id: JobId): Promise<boolean>;
  /** By hand: a failed or cancelled job starts over. */
  retry(id: JobId): Promise<boolean>;

  /** Has something go wrong from now on. */
  break(what: Break): void;
  /** Takes back what is still to go wrong. */
  repair(): void;
  /** For fakes: the worker dies here, and the handler that asks never goes on. */
  crash(): Promise<never>;

  /** For fakes: waits on the queue's clock. Rejects when the signal is aborted. */
  sleep(duration: Duration, options?: { readonly signal?: AbortSignal }): Promise<void>;
  /** The queue's clock. */
  now(): Date;
  on: Events['on'];
}

export type TestEnqueueOptions = Omit<JobRequest, 'kind' | 'data'> & {
  readonly transaction?: unknown;
};

const { kind: _kind, data: _data, ...REQUESTED } = REQUEST_FIELDS;
export const ENQUEUE_OPTIONS: FieldTable<TestEnqueueOptions> = { ...REQUESTED, transaction: true };

export function createTestQueue(options: TestQueueOptions): TestQueue {
  return testQueueIn(createTestWorld(options));
}

function testQueueIn(world: TestWorld): TestQueue {
  const { settings, time, kinds, queue, events, breaks, stretches, runs, processes } = world;
  const { peek } = world.database;
  const drain = createDrain(world);

  /** The test's own line to the store, which is as good as the workers'. It takes no virtual time, which stands still. */
  async function reach<T>(call: StoreCall, arrive: () => Promise<T>): Promise<T> {
    const met = breaks.meets(call);
    if (met === 'away') throw new StoreUnavailable(`The store was away: ${call} did not arrive.`);
    const answer = await arrive();
    if (met === 'silent')
      throw new StoreUnavailable(`The store did not answer ${call}: it may have happened.`);
    return answer;
  }

  function ofKind<T extends { readonly kind: string }>(
    all: readonly T[],
    kind: Pick<JobKind, 'kind'> | undefined,
  ): T[] {
    if (kind !== undefined) kinds.require(kind);
    return all.filter((each) => kind === undefined || each.kind === kind.kind);
  }

  /** The runs since. */
  async function ran(run: () => Promise<void>): Promise<readonly JobRun[]> {
    const before = runs.all().length;
    await run();
    return runs.all().slice(before);
  }

  return {
    async enqueue(kind, data, options = {}) {
      kinds.require(kind);
      refuseUnknown<TestEnqueueOptions>('queue.enqueue', options, ENQUEUE_OPTIONS);
      const { transaction: _transaction, ...request } = options;
      return reach('enqueue', () => queue.enqueue({ ...request, kind: kind.kind, data }));
    },
    drain: (options) => ran(() => drain.empty(options)),
    advance: (duration) => ran(() => drain.advance(duration)),
    enqueued: (kind) => ofKind(peek.jobs(), kind).map((job) => enqueuedData(kind, job, runs.all())),
    jobs: (kind) => ofKind(peek.jobs(), kind).map((job) => viewOf(job, runs.all())),
    job(id) {
      const found = peek.jobs().find((job) => job.id === id);
      if (found === undefined)
        throw new TestQueueError('invalid_options', `There is no job "${id}" in this queue.`);
      return viewOf(found, runs.all());
    },
    runs: (kind) => ofKind(runs.all(), kind),
    explain: async (id) => (await queue.explain(id)).sentence,
    async cancel(id) {
      const { canceled, requested } = await reach('cancel', () => queue.cancel([id]));
      return canceled.length + requested.length > 0;
    },
    retry: async (id) => (await reach('retry', () => queue.retry([id]))).length > 0,
    break: breaks.order,
    repair: breaks.repair,
    crash: processes.crash,
    sleep(duration, { signal } = {}) {
      const clock = stretches.current()?.process.clock ?? time;
      return stretches.virtually(sleepOn(clock, toMs(duration), signal));
    },
    now: () => new Date(settings.start + Math.floor(time.now())),
    on: events.on,
  };
}

function sleepOn(
  clock: { after(ms: number, fire: () => void): () => void },
  ms: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancelTimer = ms === Infinity ? () => {} : clock.after(ms, resolve);
    const abort = (): void => {
      cancelTimer();
      reject(signal?.reason as Error);
    };
    if (signal?.aborted === true) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}
