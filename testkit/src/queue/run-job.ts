import {
  type ClaimedJob,
  type FieldTable,
  type JobKind,
  type SettledOutcome,
  TEN_YEARS_MS,
  toJsonText,
} from '@millrace/engine';
import type { MemoryStore } from '@millrace/store-memory';
import { TestQueueError } from './errors.ts';
import { type TestQueueOptions, refuseUnknown } from './options.ts';
import type { JobRun } from './runs.ts';
import { ENQUEUE_OPTIONS, type TestEnqueueOptions } from './test-queue.ts';
import { createTestWorld } from './world.ts';

export interface RunJobOptions<Service>
  extends
    Omit<TestEnqueueOptions, 'runAt' | 'delay' | 'transaction'>,
    Pick<TestQueueOptions, 'start' | 'patience'> {
  /** The kinds that it enqueues. */
  readonly jobs?: readonly JobKind[];
  /** The third argument of its handler. */
  readonly service?: Service;
  /** Where the last saved chunk ended. */
  readonly cursor?: unknown;
  /** The number of the attempt: those before have failed. */
  readonly attempt?: number;
}

const { runAt: _runAt, delay: _delay, transaction: _transaction, ...ENQUEUED } = ENQUEUE_OPTIONS;
const NAMES: FieldTable<RunJobOptions<unknown>> = {
  jobs: true,
  service: true,
  cursor: true,
  attempt: true,
  start: true,
  patience: true,
  ...ENQUEUED,
};

/** Runs the handler of a job once, as a worker would, and gives all that came of it. A job that fails is no error here. */
export async function runJob<Service, Given>(
  kind: JobKind<unknown, Service, Given>,
  data: NoInfer<Given>,
  options: RunJobOptions<Service> = {},
): Promise<JobRun> {
  refuseUnknown<RunJobOptions<unknown>>('runJob', options, NAMES);
  const { jobs = [], service, cursor, attempt = 1, start, patience, ...request } = options;
  if (!(Number.isInteger(attempt) && attempt >= 1 && attempt <= kind.maxAttempts))
    throw new TestQueueError(
      'invalid_options',
      `runJob: attempt is a whole number from 1 to ${kind.maxAttempts}, which is all that "${kind.kind}" has.`,
    );
  const world = createTestWorld({
    jobs: [kind, ...jobs.filter((other) => other.kind !== kind.kind)],
    ...(service !== undefined && { services: { [kind.kind]: service } }),
    ...(start !== undefined && { start }),
    ...(patience !== undefined && { patience }),
  });
  const { id } = await world.queue.enqueue({ ...request, kind: kind.kind, data });
  const before = earlierWorker(world.database.open(), kind.kind);
  if (cursor !== undefined) await before.savesChunk(cursor);
  for (let failed = 1; failed < attempt; failed += 1) await before.fails();
  const { runs, drive, processes, kinds } = world;
  const found = (): JobRun | undefined => runs.all().find((run) => run.id === id);
  await drive.until(() => {
    kinds.throwMistake();
    return (found()?.outcome ?? 'running') !== 'running' && processes.isQuiet();
  }, TEN_YEARS_MS);
  const run = found();
  if (run === undefined)
    throw new TestQueueError(
      'not_drained',
      `The job did not run: ${(await world.queue.explain(id)).sentence}`,
    );
  return run;
}

/** A worker that had the job before, so that it is where the test wants it by the store's own rules. */
function earlierWorker(
  store: MemoryStore,
  kind: string,
): { savesChunk(cursor: unknown): Promise<void>; fails(): Promise<void> } {
  const leaseMs = 60_000;
  let claims = 0;

  async function claimed(): Promise<ClaimedJob> {
    const { jobs } = await store.claim({
      worker: 'earlier',
      claim: (claims += 1),
      wants: [{ kind, limit: 1 }],
      limit: 1,
      leaseMs,
    });
    const [job] = jobs;
    if (job === undefined) throw new Error(`There is no "${kind}" to claim.`);
    return job;
  }

  async function settle(job: ClaimedJob, outcome: SettledOutcome): Promise<void> {
    await store.settle({ settlements: [{ job, outcome, children: [] }] });
  }

  return {
    async savesChunk(cursor) {
      const job = await claimed();
      const { id, epoch, claim } = job;
      const text = toJsonText(cursor, 'cursor');
      const checkpoint = { lease: { id, epoch, claim }, step: 1, cursor: text, children: [] };
      await store.chunks.checkpoint({ checkpoints: [checkpoint], leaseMs });
      await settle(job, { move: 'handBack' });
    },
    async fails() {
      const error = { code: 'unknown', message: 'An earlier attempt.', retryable: true };
      await settle(await claimed(), { move: 'retry', error, stack: null, delayMs: 0 });
    },
  };
}
