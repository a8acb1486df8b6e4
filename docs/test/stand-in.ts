// Stands in for the package `millrace` until it has `createMillrace`: what the guides use of it, on the engine and the store.

import {
  type Clock,
  type Enqueued,
  type JobId,
  type JobKind,
  type JobRequest,
  createEvents,
  createQueue,
  createRegistry,
  createWorker,
  dependantsOf,
} from '@millrace/engine';
import { openPostgresStore } from '@millrace/store-postgres';

export { JobFailure, defer, defineJob, defineRule, defineSchedule, done } from '@millrace/engine';

type Options = Omit<JobRequest, 'kind' | 'data'>;
type Transacted = { readonly transaction?: unknown };

export interface Millrace {
  start(): Promise<void>;
  stop(): Promise<void>;
  enqueue<Input>(
    kind: JobKind<Input>,
    data: NoInfer<Input>,
    options?: Options & Transacted,
  ): Promise<Enqueued>;
  enqueueAll(
    jobs: readonly (Options & { readonly kind: JobKind; readonly data: unknown })[],
    options?: Transacted,
  ): Promise<Enqueued[]>;
  explain(id: JobId): Promise<{ readonly sentence: string }>;
}

const clock: Clock = {
  now: () => performance.now(),
  after(ms, fire) {
    const timer = setTimeout(fire, ms);
    return () => clearTimeout(timer);
  },
};

export async function createMillrace(params: {
  readonly database: { readonly options: { readonly connectionString?: string | undefined } };
  readonly jobs: readonly JobKind[];
}): Promise<Millrace> {
  const registry = createRegistry(params.jobs);
  const { connectionString: url = '' } = params.database.options;
  const store = await openPostgresStore({ url, dependants: dependantsOf(registry, []) });
  const events = createEvents();
  const queue = createQueue({ store, registry, events });
  const config = { id: `stand-in-${process.pid}` };
  const worker = createWorker({ config, store, registry, clock, random: Math.random, events });
  return {
    start: async () => worker.start(),
    async stop() {
      await worker.stop();
      await store.close();
    },
    enqueue: (kind, data, { transaction, ...options } = {}) =>
      queue.enqueue({ ...options, kind: kind.kind, data }, { transaction }),
    enqueueAll: (jobs, { transaction } = {}) =>
      queue.enqueueAll(
        jobs.map((job) => ({ ...job, kind: job.kind.kind })),
        { transaction },
      ),
    explain: (id) => queue.explain(id),
  };
}
