import {
  type AuditEntry,
  type Client,
  type Job,
  type JobRequest,
  type Kind,
  type Replica,
  jobState,
} from '@millrace/api';
import { type Call, type Handlers, refusal } from './contract-server.ts';
import { NOW, aJob, aKind, aReplica, at } from './jobs.ts';

export type Schedule = Awaited<ReturnType<Client['listSchedules']>>['schedules'][number];

/** A service of a few jobs. Tests change `jobs` to let time pass. */
export interface Service {
  jobs: Job[];
  kinds: Kind[];
  replicas: Replica[];
  schedules: Schedule[];
  audit: AuditEntry[];
  /** Whether the replica that answers takes jobs. */
  takesJobs: boolean;
  hasWorker: boolean;
  readonly handlers: Handlers;
}

export function createService(jobs: Job[] = []): Service {
  const service: Service = {
    jobs,
    kinds: [aKind()],
    replicas: [aReplica()],
    schedules: [],
    audit: [],
    takesJobs: true,
    hasWorker: true,
    handlers: {
      listJobs: (call) => list(service.jobs, call),
      getJob: ({ params }) => find(service, params['id']),
      explainJob: ({ params }) => explain(find(service, params['id'])),
      enqueue: ({ body }) => enqueue(service, body as JobRequest),
      enqueueBatch: ({ body }) => ({ jobs: enqueueAll(service, body as JobRequest[]) }),
      retryJob: ({ params, body }) => {
        const job = find(service, params['id']);
        const answer = retry(job);
        if (body !== undefined) job.data = (body as { data: unknown }).data;
        return answer;
      },
      deleteJob: ({ params }) => {
        const { id } = find(service, params['id']);
        service.jobs = service.jobs.filter((job) => job.id !== id);
        return { id };
      },
      retryJobs: ({ body }) => ({
        retried: matching(service.jobs, body as object).filter(({ state }) => state === 'FAILED')
          .length,
      }),
      cancelJob: ({ params }) => cancel(find(service, params['id'])),
      cancelJobs: ({ body }) => {
        const found = matching(service.jobs, body as object);
        const count = (wanted: string) => found.filter(({ state }) => state === wanted).length;
        return { canceled: count('QUEUED') + count('FAILED'), requested: count('PROCESSING') };
      },
      eraseSubject: ({ params }) => ({
        erased: service.jobs.filter(({ subject }) => subject === params['subject']).length,
        files: 3,
        rows: 1,
      }),
      counts: () => ({ ...counts(service.jobs), next: null }),
      workerStats: () => stats(service),
      workerStatus: () => status(service),
      stopWorker: () => switchWorker(service, false),
      startWorker: () => switchWorker(service, true),
      listSchedules: () => ({ schedules: service.schedules, next: null }),
      runSchedule: ({ params }) => ({
        name: scheduleNamed(service, params['name']).name,
        id: 'pg-7',
      }),
      pauseSchedule: ({ params }) => {
        const schedule = scheduleNamed(service, params['name']);
        schedule.paused = { since: at(0), by: null, reason: null };
        return { name: schedule.name, paused: true };
      },
      resumeSchedule: ({ params }) => {
        const schedule = scheduleNamed(service, params['name']);
        schedule.paused = null;
        return { name: schedule.name, paused: false };
      },
      deleteSchedule: ({ params }) => {
        const { name } = scheduleNamed(service, params['name']);
        service.schedules = service.schedules.filter((each) => each.name !== name);
        return { name, deleted: true };
      },
      listAudit: (call) => auditPage(service.audit, call),
      listKinds: ({ query }) => ({
        kinds: service.kinds.filter((kind) => query['public'] !== 'true' || kind.public),
        next: null,
      }),
      pauseKind: ({ params }) => pause(service, params['kind'], true),
      resumeKind: ({ params }) => pause(service, params['kind'], false),
    },
  };
  return service;
}

function find({ jobs }: Service, id: string | undefined): Job {
  const found = jobs.find((job) => job.id === id);
  if (found === undefined) throw refusal('job_not_found', `There is no job "${id}".`);
  return found;
}

function scheduleNamed({ schedules }: Service, name: string | undefined): Schedule {
  const found = schedules.find((schedule) => schedule.name === name);
  if (found === undefined) throw refusal('schedule_not_found', `There is no schedule "${name}".`);
  return found;
}

function matching(jobs: readonly Job[], filter: object): Job[] {
  const wanted = new Map(Object.entries(filter));
  return jobs.filter(
    (job) =>
      ['state', 'kind', 'tenant', 'key', 'correlationId'].every(
        (name) => !wanted.has(name) || wanted.get(name) === job[name as keyof Job],
      ) &&
      (!wanted.has('errorCode') || wanted.get('errorCode') === job.error?.code) &&
      (!wanted.has('createdAfter') || job.createdAt > String(wanted.get('createdAfter'))) &&
      (!wanted.has('createdBefore') || job.createdAt < String(wanted.get('createdBefore'))),
  );
}

function list(jobs: readonly Job[], { query: { limit, cursor, ...filter } }: Call) {
  const first = Number(cursor ?? 0);
  const found = matching(jobs, filter);
  const next = first + Number(limit);
  return { jobs: found.slice(first, next), next: next < found.length ? String(next) : null };
}

function explain({ id, state }: Job) {
  const until = state === 'QUEUED' ? at(5 * 60_000) : null;
  return { id, state, reason: 'kind_paused', sentence: 'The kind "hello" is paused.', until };
}

function enqueue(service: Service, request: JobRequest) {
  if (!service.kinds.some(({ name }) => name === request.kind)) {
    throw refusal('unknown_kind', `Unknown kind "${request.kind}".`);
  }
  const { data, key } = request;
  if (typeof (data as { name?: unknown }).name === 'number') {
    throw refusal('invalid_payload', 'The data does not fit the kind "hello": name: not a text.');
  }
  const same = service.jobs.find((job) => key !== undefined && job.key === key);
  if (same !== undefined) return { id: same.id, created: false };
  const id = `pg-${service.jobs.length + 1}`;
  const { kind, tenant = '', priority = null } = request;
  service.jobs.push(aJob({ id, kind, tenant, priority, data, key: key ?? null }));
  return { id, created: true };
}

/** All or none. */
function enqueueAll(service: Service, requests: readonly JobRequest[]) {
  const before = [...service.jobs];
  try {
    return requests.map((request) => enqueue(service, request));
  } catch (thrown) {
    service.jobs = before;
    throw thrown;
  }
}

function retry({ id, state }: Job) {
  if (state === 'FAILED' || state === 'CANCELED') return { id, state: 'QUEUED' as const };
  throw refusal('illegal_transition', `The job is ${state}: only failed jobs can be retried.`);
}

function cancel({ id, state }: Job) {
  if (state === 'PROCESSING') return { id, outcome: 'requested' as const };
  if (state === 'SUCCEEDED') throw refusal('illegal_transition', 'The job has ended.');
  return { id, outcome: 'canceled' as const };
}

function counts(jobs: readonly Job[]) {
  const groups = new Map<string, { job: Job; count: number; scheduled: number }>();
  for (const job of jobs) {
    const group = JSON.stringify([job.kind, job.tenant, job.state]);
    const { count, scheduled } = groups.get(group) ?? { count: 0, scheduled: 0 };
    groups.set(group, { job, count: count + 1, scheduled: scheduled + (isLater(job) ? 1 : 0) });
  }
  const entry = (state: string) => [state, jobs.filter((job) => job.state === state).length];
  return {
    states: Object.fromEntries(jobState.options.map(entry)) as Record<Job['state'], number>,
    scheduled: jobs.filter(isLater).length,
    counts: [...groups.values()].map(({ job: { kind, tenant, state }, count, scheduled }) => {
      return { kind, tenant, state, count, scheduled };
    }),
  };
}

function isLater({ state, runAt }: Job): boolean {
  return state === 'QUEUED' && Date.parse(runAt) > NOW;
}

function status({ jobs, takesJobs, hasWorker }: Service) {
  return {
    hasWorker,
    isRunning: takesJobs,
    currentQueueDepth: jobs.filter((job) => job.state === 'QUEUED' && !isLater(job)).length,
    currentScheduled: jobs.filter(isLater).length,
    lastPollTime: new Date(NOW).toISOString(),
    correlationId: 'fake',
  };
}

function switchWorker(service: Service, takesJobs: boolean) {
  if (!service.hasWorker) throw refusal('conflict', 'This replica has no worker.');
  if (service.takesJobs === takesJobs)
    throw refusal(
      'conflict',
      takesJobs
        ? 'Nothing to change: this replica is already running.'
        : 'Nothing to change: this replica is already stopped.',
    );
  service.takesJobs = takesJobs;
  return { isRunning: takesJobs, correlationId: 'fake' };
}

function auditPage(entries: readonly AuditEntry[], { query }: Call) {
  const { limit, cursor, after, before, ...wanted } = query;
  const found = entries.filter(
    (entry) =>
      Object.entries(wanted).every(([name, value]) => entry[name as keyof AuditEntry] === value) &&
      (after === undefined || entry.at > String(after)) &&
      (before === undefined || entry.at < String(before)),
  );
  const first = Number(cursor ?? 0);
  const next = first + Number(limit);
  return { entries: found.slice(first, next), next: next < found.length ? String(next) : null };
}

function stats(service: Service) {
  const { replicas } = service;
  const [replica = aReplica()] = replicas;
  return {
    ...status(service),
    totalProcessed: replica.totalProcessed,
    totalSucceeded: replica.totalSucceeded,
    totalFailed: replica.totalFailed,
    totalRetries: replica.totalRetries,
    uptimeSeconds: replica.uptimeSeconds,
    inFlight: replica.inFlight,
    pools: [
      {
        name: 'default',
        kinds: ['hello', 'report'],
        concurrency: 20,
        inFlight: replica.inFlight,
        minPriority: null,
        heldUntil: null,
      },
    ],
    replicas,
  };
}

function pause(service: Service, name: string | undefined, paused: boolean) {
  const kind = service.kinds.find((each) => each.name === name);
  if (kind === undefined) throw refusal('unknown_kind', `Unknown kind "${name}".`);
  if ((kind.paused !== null) === paused) {
    throw refusal('conflict', `The kind "${name}" is ${paused ? 'already ' : 'not '}paused.`);
  }
  kind.paused = paused ? { since: at(0), by: null, reason: null } : null;
  return { kind: kind.name, paused };
}
