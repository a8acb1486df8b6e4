import { MillraceError } from './errors.ts';
import type { JobId, NewJob } from './job.ts';
import type { Enqueued, Selection, Store } from './port.ts';
import type { ControlPart, FollowerPart, SchedulePart, ScheduleStatus } from './port-parts.ts';
import {
  type Scope,
  admitted,
  admittedOf,
  hasTenant,
  isWithin,
  narrowed,
  tenantsOf,
} from './scope.ts';
import { wrapped } from './wrap.ts';

/** The part of a store that serves people. Workers and housekeeping use the rest of the port, and have no scope. */
export interface AskedStore extends Pick<
  Store,
  | 'name'
  | 'now'
  | 'enqueue'
  | 'enqueueIn'
  | 'cancel'
  | 'retry'
  | 'erase'
  | 'get'
  | 'list'
  | 'summaries'
  | 'counts'
  | 'inspect'
  | 'amend'
  | 'rearrange'
> {
  readonly followers?: Pick<FollowerPart, 'children' | 'gates'>;
  readonly schedules?: Pick<SchedulePart, 'all' | 'fire' | 'pause' | 'resume' | 'remove'>;
  readonly control?: Pick<
    ControlPart,
    'pause' | 'resume' | 'paused' | 'workers' | 'steer' | 'steered'
  >;
}

/**
 * A store as a caller may see it. A job outside of the scope is one that does not exist: the same question is asked of the
 * store for both, and the same answer given. Lists, counts and bulk actions leave such jobs out before they are read
 * (docs/decisions/0018-tenants.md).
 */
export function within(store: Required<AskedStore>, scope: Scope): Required<AskedStore> {
  async function selected({ select }: Selection): Promise<Selection> {
    if ('filter' in select) {
      const filter = narrowed(scope, select.filter);
      scope.accessTrace?.touched(tenantsOf(filter));
      return { select: { ...select, filter } };
    }
    return { select: { ids: await admittedIds(select.ids) } };
  }

  async function admittedIds(ids: readonly JobId[]): Promise<JobId[]> {
    const found = await store.summaries({ ids });
    if (found.some((job) => !isWithin(scope, job))) scope.accessTrace?.denied();
    return admittedOf(scope, found).map(({ id }) => id);
  }

  /**
   * Whether a job is read at all, decided by its summary: to read megabytes of somebody else's data takes longer than to find
   * that there is no such job, and how long an answer takes would tell the two apart.
   */
  async function mayRead(id: JobId): Promise<boolean> {
    if (scope.tenants === 'all' && scope.owner === null) return true;
    return (await admittedIds([id])).length > 0;
  }

  /**
   * A key is the tenant's, and the job under it may be somebody else's. A member learns that the key is taken: the
   * id of a job that they may not see would look like a job of theirs that was made.
   */
  async function own(jobs: readonly NewJob[], enqueued: Enqueued[]): Promise<Enqueued[]> {
    const there = enqueued.filter(({ created }) => !created).map(({ id }) => id);
    if (scope.owner === null || there.length === 0) return enqueued;
    const found = await store.summaries({ ids: there });
    const others = new Set(found.filter((job) => !isWithin(scope, job)).map(({ id }) => id));
    const taken = jobs.find((_, index) => others.has(enqueued[index]?.id ?? ''));
    if (taken === undefined) return enqueued;
    scope.accessTrace?.denied();
    throw keyTaken(taken, enqueued.length);
  }

  return wrapped(store, ['name', 'now', 'control'], {
    async enqueue({ jobs }) {
      return own(jobs, await store.enqueue({ jobs: jobs.map((job) => allowed(scope, job)) }));
    },
    async enqueueIn(transaction, { jobs }) {
      const made = jobs.map((job) => allowed(scope, job));
      return own(jobs, await store.enqueueIn(transaction, { jobs: made }));
    },
    cancel: async (selection) => store.cancel(await selected(selection)),
    retry: async (selection) => store.retry(await selected(selection)),
    async erase(params) {
      if (scope.tenants !== 'all' || scope.owner !== null)
        throw new MillraceError(
          'tenant_not_allowed',
          'A person is erased in all tenants at once, by someone who may cross them.',
        );
      scope.accessTrace?.touched('all');
      return store.erase(params);
    },
    get: async (params) =>
      (await mayRead(params.id)) ? admitted(scope, await store.get(params)) : null,
    async list({ filter, ...page }) {
      const { jobs, next } = await store.list({ filter: narrowed(scope, filter), ...page });
      return { jobs: admittedOf(scope, jobs), next };
    },
    summaries: async (params) => admittedOf(scope, await store.summaries(params)),
    async counts() {
      const counts = (await store.counts()).filter(({ tenant }) => hasTenant(scope, tenant));
      if (counts.length > 0)
        scope.accessTrace?.touched([...new Set(counts.map(({ tenant }) => tenant))]);
      return counts;
    },
    async inspect(params) {
      if (!(await mayRead(params.id))) return null;
      const inspection = await store.inspect(params);
      return inspection !== null && admitted(scope, inspection.job) !== null ? inspection : null;
    },
    followers: {
      children: async (params) => admittedOf(scope, await store.followers.children(params)),
      async gates({ arrived, limit }) {
        const ids = await admittedIds(arrived);
        return ids.length === 0 ? [] : store.followers.gates({ arrived: ids, limit });
      },
    },
    schedules: {
      all: () => shownSchedules(store, scope),
      fire: (params) => store.schedules.fire(params),
      pause: (params) => store.schedules.pause(params),
      resume: (params) => store.schedules.resume(params),
      remove: (params) => store.schedules.remove(params),
    },
    amend: {
      async retryWith(params) {
        return (await admittedIds([params.id])).length > 0 && store.amend.retryWith(params);
      },
      async remove(params) {
        return (await admittedIds([params.id])).length > 0 && store.amend.remove(params);
      },
    },
    rearrange: {
      prioritize: async ({ ids, priority }) =>
        store.rearrange.prioritize({ ids: await admittedIds(ids), priority }),
      restore: async ({ ids }) => store.rearrange.restore({ ids: await admittedIds(ids) }),
    },
  });
}

/** A schedule is the service's; the job of its last tick is somebody's. */
async function shownSchedules(
  store: Required<AskedStore>,
  scope: Scope,
): Promise<ScheduleStatus[]> {
  const all = await store.schedules.all();
  if (scope.tenants === 'all' && scope.owner === null) return all;
  const jobs = await store.summaries({ ids: all.flatMap(({ lastJob }) => lastJob ?? []) });
  const shown = new Set(admittedOf(scope, jobs).map(({ id }) => id));
  return all.map((schedule) => ({
    ...schedule,
    lastJob: schedule.lastJob !== null && shown.has(schedule.lastJob) ? schedule.lastJob : null,
  }));
}

function allowed(scope: Scope, job: NewJob): NewJob {
  if (!hasTenant(scope, job.tenant)) throw notAllowed(job.tenant);
  scope.accessTrace?.touched([job.tenant]);
  return scope.owner === null ? job : { ...job, submitter: scope.owner };
}

function keyTaken({ kind, key }: NewJob, asked: number): MillraceError {
  const rest = asked > 1 ? ' The other jobs of the request were made, or were there.' : '';
  return new MillraceError(
    'key_taken',
    `Somebody else has a job of the kind "${kind}" with the key "${key?.value}". Choose another key.${rest}`,
  );
}

/** The same sentence for a tenant that exists and for one that does not. */
export function notAllowed(tenant: string): MillraceError {
  return new MillraceError(
    'tenant_not_allowed',
    `You do not belong to the tenant "${tenant}". Name one of yours, or none; "millrace whoami" lists them.`,
  );
}
