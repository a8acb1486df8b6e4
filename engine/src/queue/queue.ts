import { MillraceError } from '../errors.ts';
import type { EventMap, Events } from '../events.ts';
import { type Explanation, explain } from './explain.ts';
import type { Job, JobId, JobSummary } from '../job.ts';
import { checkText } from '../values/json.ts';
import type { Filter } from '../filter.ts';
import type { Canceled, Count, Enqueued, ListParams, Selection } from '../port.ts';
import type { AmendPart, RearrangePart } from '../port-parts.ts';
import type { Registry } from '../kinds/registry.ts';
import { type JobRequest, checkPriority } from '../request.ts';
import { hasDate, newJob } from './new-job.ts';
import { statesBefore } from '../states.ts';
import type { AskedStore } from '../within.ts';

/** The things that people do with jobs. The worker does the rest. */
export interface Queue {
  enqueue(request: JobRequest, options?: EnqueueOptions): Promise<Enqueued>;
  /** All or none: one bad request changes nothing. */
  enqueueAll(requests: readonly JobRequest[], options?: EnqueueOptions): Promise<Enqueued[]>;
  get(id: JobId): Promise<Job | null>;
  /** The newest children and dependants of a job, where the store knows them. */
  children(job: Pick<Job, 'id' | 'correlationId'>, limit: number): Promise<JobSummary[]>;
  list(params: ListParams): Promise<{ jobs: JobSummary[]; next: string | null }>;
  /** The summaries of those of these jobs that exist, in any order. */
  summaries(ids: readonly JobId[]): Promise<JobSummary[]>;
  counts(): Promise<Count[]>;
  cancel(ids: readonly JobId[]): Promise<Canceled>;
  cancelWhere(filter: Filter): Promise<Canceled>;
  retry(ids: readonly JobId[]): Promise<JobId[]>;
  retryWhere(filter: Filter): Promise<{ retried: number }>;
  /** With other data, which its kind has to take from outside. False: it cannot be retried as it is. */
  retryWith(id: JobId, data: unknown): Promise<boolean>;
  /** Removes a job that has ended. False: it is not there, or has not ended. */
  remove(id: JobId): Promise<boolean>;
  /** Gives the jobs that waited, with the priority that each had. */
  prioritize(
    ids: readonly JobId[],
    priority: number | null,
  ): Promise<{ id: JobId; before: number | null }[]>;
  /** Takes a cancel back. Those that wait again. */
  restore(ids: readonly JobId[]): Promise<JobId[]>;
  explain(id: JobId): Promise<Explanation>;
  erase(subject: string): Promise<number>;
}

export interface EnqueueOptions {
  /** Only kinds declared public, with the data that they take from outside, and no key of the process's own. */
  readonly fromOutside?: boolean;
  /** The caller's own transaction, where the store can join it. */
  readonly transaction?: unknown;
}

/** One statement each: a bulk action never holds locks for long. */
const BULK_BATCH = 1_000;

export function createQueue(params: {
  store: AskedStore;
  registry: Registry;
  events: Events;
}): Queue {
  const { store, registry, events } = params;

  async function enqueueAll(
    requests: readonly JobRequest[],
    options: EnqueueOptions = {},
  ): Promise<Enqueued[]> {
    if (requests.length === 0) return [];
    if (options.fromOutside === true)
      for (const { kind } of requests) requirePublic(registry, kind);
    const now = requests.some(hasDate) ? await store.now() : null;
    const jobs = requests.map((request) => newJob(registry, request, now, options));
    await checkQuotas(store, registry, jobs);
    const enqueued =
      options.transaction === undefined
        ? await store.enqueue({ jobs })
        : await joining(store)(options.transaction, { jobs });
    for (const [index, { id, created }] of enqueued.entries()) {
      const { kind = '', correlationId = id } = jobs[index] ?? {};
      events.emit('job.enqueued', { id, created, kind, correlationId });
    }
    return enqueued;
  }

  async function cancel(selection: Selection): Promise<Canceled> {
    const { canceled, requested } = await store.cancel(selection);
    moved([...canceled, ...requested], 'cancel');
    return { canceled, requested };
  }

  async function retry(selection: Selection): Promise<{ retried: number; ids: JobId[] }> {
    const answer = await store.retry(selection);
    moved(answer.ids, 'retry');
    return answer;
  }

  function moved(ids: readonly JobId[], by: EventMap['jobs.moved']['by']): void {
    if (ids.length > 0) events.emit('jobs.moved', { ids, by });
  }

  async function cancelWhere(filter: Filter): Promise<Canceled> {
    const all: Canceled = { canceled: [], requested: [] };
    for (;;) {
      const batch = await cancel({ select: { filter, limit: BULK_BATCH } });
      all.canceled.push(...batch.canceled);
      all.requested.push(...batch.requested);
      if (batch.canceled.length + batch.requested.length < BULK_BATCH) return all;
    }
  }

  /**
   * Jobs that fail again meanwhile match the filter again: no more are retried than matched at the beginning, or it
   * might never end.
   */
  async function retryWhere(filter: Filter): Promise<{ retried: number }> {
    const before = statesBefore('requeue');
    const most = (await store.counts()).reduce(
      (sum, { state, count }) => (before.includes(state) ? sum + count : sum),
      0,
    );
    let total = 0;
    while (total < most) {
      const { retried } = await retry({ select: { filter, limit: BULK_BATCH } });
      total += retried;
      if (retried < BULK_BATCH) break;
    }
    return { retried: total };
  }

  return {
    async enqueue(request, options) {
      const [enqueued] = await enqueueAll([request], options);
      if (enqueued === undefined)
        throw new MillraceError('store_unavailable', 'The store made no job and gave no reason.');
      return enqueued;
    },
    enqueueAll,
    get: (id) => store.get({ id }),
    children: async (of, limit) => (await store.followers?.children({ of, limit })) ?? [],
    list: (listParams) => store.list(listParams),
    summaries: async (ids) => (ids.length === 0 ? [] : store.summaries({ ids })),
    counts: () => store.counts(),
    cancel: (ids) => cancel(selectIds(ids)),
    cancelWhere,
    retry: async (ids) => (await retry(selectIds(ids))).ids,
    retryWhere,
    async retryWith(id, data) {
      const { kind } = (await store.get({ id })) ?? {};
      if (kind === undefined) return false;
      requirePublic(registry, kind);
      const { payload } = newJob(registry, { kind, data }, null, { fromOutside: true });
      const retried = await amending(store).retryWith({ id, payload });
      moved(retried ? [id] : [], 'retry');
      return retried;
    },
    remove: (id) => amending(store).remove({ id }),
    async prioritize(ids, priority) {
      const given = priority === null ? null : checkPriority(priority);
      const changed = await rearranging(store).prioritize({ ids, priority: given });
      moved(
        changed.map(({ id }) => id),
        'priority',
      );
      return changed;
    },
    async restore(ids) {
      const restored = await rearranging(store).restore({ ids });
      moved(restored, 'retry');
      return restored;
    },
    explain: (id) => explain(store, registry, id),
    erase: async (subject) => store.erase({ subject: checkText(subject, 'subject', 200) }),
  };
}

function joining(store: AskedStore): NonNullable<AskedStore['enqueueIn']> {
  if (store.enqueueIn !== undefined) return store.enqueueIn;
  throw new MillraceError(
    'unsupported_by_store',
    `The store "${store.name}" cannot join a transaction.`,
  );
}

function amending(store: AskedStore): AmendPart {
  if (store.amend !== undefined) return store.amend;
  throw new MillraceError(
    'unsupported_by_store',
    `The store "${store.name}" changes no job that has ended.`,
  );
}

function rearranging(store: AskedStore): RearrangePart {
  if (store.rearrange !== undefined) return store.rearrange;
  throw new MillraceError(
    'unsupported_by_store',
    `The store "${store.name}" keeps the order of what waits.`,
  );
}

function selectIds(ids: readonly JobId[]): Selection {
  return { select: { ids } };
}

function requirePublic(registry: Registry, kind: string): void {
  if (!registry.require(kind).public) {
    throw new MillraceError(
      'kind_not_public',
      `The kind "${kind}" cannot be enqueued from outside. Declare it with public: true to allow it.`,
    );
  }
}

/** Counts are read before the write, so racing callers can overshoot by what they add at the same moment. */
async function checkQuotas(
  store: AskedStore,
  registry: Registry,
  jobs: readonly { kind: string; tenant: string }[],
): Promise<void> {
  const limited = jobs.filter(({ kind }) => registry.require(kind).quota.queued !== null);
  if (limited.length === 0) return;
  const counts = await store.counts();
  const added = new Map<string, number>();
  for (const { kind, tenant } of limited) {
    const quota = registry.require(kind).quota.queued ?? Infinity;
    const subqueue = JSON.stringify([kind, tenant]);
    const there = counts
      .filter((count) => count.kind === kind && count.tenant === tenant && count.state === 'QUEUED')
      .reduce((sum, { count }) => sum + count, 0);
    added.set(subqueue, (added.get(subqueue) ?? 0) + 1);
    if (there + (added.get(subqueue) ?? 0) > quota) {
      throw new MillraceError(
        'quota_exceeded',
        `The tenant "${tenant}" has ${there} queued jobs of the kind "${kind}"; its quota is ${quota}. Try again when some are done.`,
      );
    }
  }
}
