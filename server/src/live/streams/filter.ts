import { TOPICS, type Topic, type contracts } from '@millrace/api';
import {
  type Belonging,
  type JobId,
  type JobSummary,
  type Scope,
  isWithin,
} from '@millrace/engine';
import type { z } from 'zod';

/** The filter of a stream: the parsed query, narrowed to the reader's scope. */
export type StreamFilter = z.output<(typeof contracts)['events']['query']> & {
  readonly scope: Scope;
};

/** The fields of a job, or of a workload's item, that a filter uses. */
export interface Traits extends Belonging {
  readonly topic: Topic;
  readonly id: string;
  /** Applies to jobs only, as do the next two. */
  readonly kind: string | null;
  readonly state: JobSummary['state'] | null;
  readonly correlationId: string | null;
}

/** Sent one by one as they change; the others are boards. */
export function hasChanges(topics: ReadonlySet<Topic>): boolean {
  return [...topics].some((topic) => topic !== 'queue' && topic !== 'worker');
}

export function topicsOf({ topics }: StreamFilter): ReadonlySet<Topic> {
  const asked = topics?.split(',');
  return new Set(TOPICS.filter((topic) => asked?.includes(topic) ?? true));
}

export function traitsOf(job: JobSummary): Traits {
  const { id, kind, tenant, submitter, state, correlationId } = job;
  return { topic: 'job', id, kind, tenant, submitter, state, correlationId };
}

export function matches(filter: StreamFilter, job: Traits): boolean {
  return (
    isWithin(filter.scope, job) &&
    (filter.id === undefined || filter.id === job.id) &&
    (filter.kind === undefined || filter.kind === job.kind) &&
    (filter.tenant === undefined || filter.tenant === job.tenant) &&
    (filter.state === undefined || filter.state === job.state) &&
    (filter.correlationId === undefined || filter.correlationId === job.correlationId)
  );
}

/** Streams with the same key are sent the same. */
export function keyOf(filter: StreamFilter): string {
  const { id, kind, tenant, state, correlationId, scope } = filter;
  const { tenants, owner } = scope;
  return JSON.stringify([
    [...topicsOf(filter)],
    id,
    kind,
    tenant,
    state,
    correlationId,
    tenants,
    owner,
  ]);
}

/** The jobs that are watched one by one. */
export function watchedOf(filters: Iterable<StreamFilter>): JobId[] {
  const ids = [...filters].flatMap(({ id }) => id ?? []);
  return [...new Set(ids)];
}
