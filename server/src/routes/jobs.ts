import { isoOrNull } from '@millrace/workload-kit';
import { type Job, type JobId, MillraceError, type Queue } from '@millrace/engine';
import { countsJson } from './json/counts.ts';
import { type RouteParts, type Handlers, ok } from '../http/handler.ts';
import { filterOf } from './json/filter.ts';
import { jobJson, seenBy, summaryJson } from './json/job.ts';

type Names =
  | 'listJobs'
  | 'getJob'
  | 'cancelJob'
  | 'retryJob'
  | 'deleteJob'
  | 'explainJob'
  | 'cancelJobs'
  | 'retryJobs'
  | 'counts'
  | 'eraseSubject';

/** `GET /jobs?correlationId=…` has them all. */
const CHILDREN_SHOWN = 100;

export function jobHandlers({
  queue,
  workloads,
  saved,
  away,
  worker,
}: RouteParts): Handlers<Names> {
  return {
    async listJobs({ caller, query: { limit, cursor, ...filter } }) {
      const me = caller?.name ?? null;
      const params = {
        filter: filterOf(filter, { me }),
        limit,
        ...(cursor !== undefined && { cursor }),
      };
      const { jobs, next } = await queue.list(params);
      const shown = jobs.map((job) => summaryJson(job, seenBy(caller)));
      return ok({ jobs: shown, next, ...missing(away.places(filter.kind?.split(','))) });
    },
    async getJob({ caller, params: { id } }) {
      const found = await requireJob(queue, id);
      const children = await queue.children(found, CHILDREN_SHOWN);
      return ok(jobJson(found, children, worker?.log(id) ?? null, seenBy(caller)));
    },
    async cancelJob({ params: { id } }) {
      const { canceled, requested } = await queue.cancel([id]);
      if (canceled.length > 0) return ok({ id, outcome: 'canceled' });
      if (requested.length > 0) return { status: 202, body: { id, outcome: 'requested' } };
      const { state } = await requireJob(queue, id);
      throw illegal(`The job is ${state}: it has ended and cannot be cancelled.`);
    },
    async retryJob({ params: { id }, body }) {
      const isRetried =
        body?.data === undefined
          ? (await queue.retry([id])).length > 0
          : await queue.retryWith(id, body.data);
      if (isRetried) return ok({ id, state: 'QUEUED' });
      throw illegal(whyNotRetried(await requireJob(queue, id)));
    },
    async deleteJob({ params: { id } }) {
      if (await queue.remove(id)) return ok({ id });
      const { state } = await requireJob(queue, id);
      throw illegal(`The job is ${state}: only a job that has ended can be deleted.`);
    },
    async explainJob({ params: { id } }) {
      const { state, reason, sentence, until } = await queue.explain(id);
      return ok({ id, state, reason, sentence, until: isoOrNull(until) });
    },
    async cancelJobs({ body, caller }) {
      const me = caller?.name ?? null;
      const { canceled, requested } = await queue.cancelWhere(filterOf(body, { me }));
      return ok({ canceled: canceled.length, requested: requested.length });
    },
    async retryJobs({ body, caller }) {
      return ok(await queue.retryWhere(filterOf(body, { me: caller?.name ?? null })));
    },
    async counts({ query }) {
      const counted = countsJson(await queue.counts(), query);
      return ok({
        ...counted,
        ...missing(away.places(query.kind === undefined ? undefined : [query.kind])),
      });
    },
    async eraseSubject({ params: { subject } }) {
      // Should one fail, the same request again does all: what is erased is erased.
      const ofWorkloads = await workloads.erase(subject);
      const ofPeople = await saved.erase({ subject });
      return ok({ ...ofWorkloads, saved: ofPeople, erased: await queue.erase(subject) });
    },
  };
}

/** Said only where something is missing. */
function missing(places: string[]): { missing?: string[] } {
  return places.length === 0 ? {} : { missing: places };
}

async function requireJob(queue: Queue, id: JobId): Promise<Job> {
  const job = await queue.get(id);
  if (job === null) throw new MillraceError('job_not_found', `There is no job "${id}".`);
  return job;
}

function whyNotRetried({ state, payload }: Job): string {
  if (state !== 'FAILED' && state !== 'CANCELED')
    return `The job is ${state}: only failed and cancelled jobs can be retried.`;
  return payload === null
    ? `The job is ${state}, and its data was erased: enqueue a new one.`
    : `The job ran in the meantime and is ${state} again: check it, and retry it if that is still what you want.`;
}

function illegal(sentence: string): MillraceError {
  return new MillraceError('illegal_transition', sentence);
}
