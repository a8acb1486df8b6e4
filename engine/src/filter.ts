import type { JobSummary } from './job.ts';
import type { Filter } from './port.ts';

/** What of a job a filter looks at. */
type Filtered = Pick<
  JobSummary,
  'state' | 'kind' | 'tenant' | 'submitter' | 'key' | 'correlationId' | 'error' | 'createdAt'
>;

/**
 * For stores that look at their jobs one by one: every part of the filter that is there must fit. Times: from `createdAfter`
 * on, up to but without `createdBefore`.
 */
export function fitsFilter(job: Filtered, filter: Filter): boolean {
  const { createdAfter = -Infinity, createdBefore = Infinity } = filter;
  return (
    (filter.state === undefined || job.state === filter.state) &&
    (filter.kind === undefined || job.kind === filter.kind) &&
    (filter.tenant === undefined || job.tenant === filter.tenant) &&
    (filter.tenants === undefined || filter.tenants.includes(job.tenant)) &&
    (filter.submitter === undefined || job.submitter === filter.submitter) &&
    (filter.key === undefined || job.key === filter.key) &&
    (filter.correlationId === undefined || job.correlationId === filter.correlationId) &&
    (filter.errorCode === undefined || job.error?.code === filter.errorCode) &&
    job.createdAt >= createdAfter &&
    job.createdAt < createdBefore
  );
}
