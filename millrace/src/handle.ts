import {
  type Canceled,
  type Clock,
  type Enqueued,
  type Events,
  type JobId,
  type JobKind,
  type JobRequest,
  type JobSummary,
  type ListParams,
  MillraceError,
  type Queue,
  REQUEST_FIELDS,
  type Registry,
  type Worker,
  type WorkerStatus,
  createQueue,
  fieldsOf,
} from '@millrace/engine';
import type { PostgresStore } from '@millrace/store-postgres';
import { checkBulkFilter, checkList } from './filter.ts';
import { type Finished, createFinished } from './finished.ts';
import { type FoundJob, foundJob } from './job.ts';
import { isKind } from './options.ts';
import { type Transaction, joinable } from './transactions.ts';

/** A job queue inside a program. */
export interface Millrace extends Pick<
  Queue,
  'counts' | 'cancelWhere' | 'retryWhere' | 'prioritize' | 'remove' | 'explain' | 'erase'
> {
  /** Begins to run jobs. A process that only enqueues leaves it out. */
  start(): Promise<void>;
  /**
   * No new job begins; those that run may end within `shutdownGrace`, then they are interrupted and handed back to the queue.
   * Then everything that Millrace has opened is closed, which is never the pool that it was given.
   */
  stop(): Promise<void>;
  enqueue<Given>(
    kind: JobKind<unknown, unknown, Given>,
    data: NoInfer<Given>,
    options?: EnqueueOptions,
  ): Promise<Enqueued>;
  /** In one statement, all or none. */
  enqueueAll<const Given extends readonly unknown[]>(
    jobs: { readonly [Nth in keyof Given]: NewJobOf<Given[Nth]> },
    options?: Pick<EnqueueOptions, 'transaction'>,
  ): Promise<Enqueued[]>;
  get(id: JobId): Promise<FoundJob | null>;
  /** When the job has ended, in whatever process, and however it has ended. */
  readonly finished: Finished;
  /** Newest first, 50 a page; `next` is the `cursor` of the next page. */
  list(params?: Partial<ListParams>): Promise<{ jobs: JobSummary[]; next: string | null }>;
  cancel(ids: JobId | readonly JobId[]): Promise<Canceled>;
  /** Gives those that wait again. */
  retry(ids: JobId | readonly JobId[]): Promise<JobId[]>;
  /** Pauses this process: no job starts until `resume`, running ones finish. False if it is already paused. */
  pause(): boolean;
  resume(): boolean;
  /** Pauses a kind in all processes until `resumeKind`. False if it is already paused. */
  pauseKind(kind: JobKind, held?: { by?: string; reason?: string }): Promise<boolean>;
  resumeKind(kind: JobKind): Promise<boolean>;
  /** Subscribes to events of this process. Returns the function that unsubscribes. */
  readonly on: Events['on'];
  readonly events: Events;
  status(): WorkerStatus;
}

/** How a job is to be made, beside its kind and data. */
export interface JobOptions extends Omit<JobRequest, 'kind' | 'data' | 'webhook'> {}

export interface EnqueueOptions extends JobOptions {
  /** The job is there with the commit of this transaction, and nobody sees it before. */
  readonly transaction?: Transaction;
}

export type NewJobOf<Given> = JobOptions & {
  readonly kind: JobKind<unknown, unknown, Given>;
  readonly data: NoInfer<Given>;
};

const { webhook: _webhook, ...NEW_JOB_FIELDS } = REQUEST_FIELDS;
const { kind: _kind, data: _data, ...JOB_FIELDS } = NEW_JOB_FIELDS;
const enqueueFields = fieldsOf('enqueue');
const enqueueAllFields = fieldsOf('enqueueAll');

const PAGE = 50;

export function createHandle(params: {
  readonly store: PostgresStore;
  readonly registry: Registry;
  readonly worker: Worker;
  readonly events: Events;
  readonly clock: Clock;
  readonly close: () => Promise<void>;
}): Millrace {
  const { store, worker, events, clock, close } = params;
  let stopping: Promise<void> | null = null;
  let isClosed = false;
  const queue = createQueue(params);

  /** The closed pool would only say that the database does not answer. */
  function whenOpen<Given extends unknown[], Answer>(
    call: (...given: Given) => Promise<Answer>,
  ): (...given: Given) => Promise<Answer> {
    return async (...given) => {
      if (isClosed) throw stopped();
      return call(...given);
    };
  }

  async function stop(): Promise<void> {
    await worker.stop();
    isClosed = true;
    await close();
  }

  const get = whenOpen(async (id: JobId): Promise<FoundJob | null> => {
    const job = await queue.get(id);
    return job === null ? null : foundJob(job);
  });
  const enqueueOne = whenOpen(queue.enqueue);
  const enqueueMany = whenOpen(queue.enqueueAll);

  return {
    async start() {
      if (stopping !== null) throw stopped();
      worker.start();
    },
    stop: () => (stopping ??= stop()),
    async enqueue(kind, data, { transaction, ...options } = {}) {
      enqueueFields.known<JobOptions>(options, JOB_FIELDS);
      return enqueueOne({ ...options, kind: nameOf(kind), data }, joining(transaction));
    },
    async enqueueAll(jobs, options = {}) {
      // A misspelt `transaction` would write the jobs outside of it.
      enqueueAllFields.known(options, { transaction: true });
      const requests = (jobs as readonly NewJobOf<unknown>[]).map((job) => {
        enqueueAllFields.known(job, NEW_JOB_FIELDS);
        return { ...job, kind: nameOf(job.kind) };
      });
      return enqueueMany(requests, joining(options.transaction));
    },
    get,
    finished: createFinished({ get, events, clock }),
    list: whenOpen(async (given: Partial<ListParams> = {}) => {
      checkList(given);
      const { filter = {}, limit = PAGE, ...page } = given;
      return queue.list({ filter, limit, ...page });
    }),
    counts: whenOpen(queue.counts),
    cancel: whenOpen((ids) => queue.cancel([ids].flat())),
    cancelWhere: whenOpen(async (filter) =>
      queue.cancelWhere(checkBulkFilter('cancelWhere', filter)),
    ),
    retry: whenOpen((ids) => queue.retry([ids].flat())),
    retryWhere: whenOpen(async (filter) => queue.retryWhere(checkBulkFilter('retryWhere', filter))),
    prioritize: whenOpen(queue.prioritize),
    remove: whenOpen(queue.remove),
    explain: whenOpen(queue.explain),
    erase: whenOpen(queue.erase),
    pause: worker.pause,
    resume: worker.resume,
    pauseKind: whenOpen(async (kind, { by = null, reason = null } = {}) =>
      store.control.pause({ kind: nameOf(kind), by, reason }),
    ),
    resumeKind: whenOpen(async (kind) => store.control.resume({ kind: nameOf(kind) })),
    on: events.on,
    events,
    status: worker.status,
  };
}

function stopped(): MillraceError {
  return new MillraceError(
    'illegal_transition',
    'Millrace was stopped, and its connections are closed. Make another one with createMillrace.',
  );
}

function joining(transaction: Transaction | undefined): { readonly transaction?: unknown } {
  return transaction === undefined ? {} : { transaction: joinable(transaction) };
}

/** Programs may be JavaScript, and other queues take a name here. */
function nameOf(kind: JobKind): string {
  if (isKind(kind)) return kind.kind;
  throw new MillraceError(
    'invalid_definition',
    'The kind comes first, as defineJob has made it: enqueue(greet, { name: "Ada" }).',
  );
}
