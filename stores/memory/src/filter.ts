import type { Filter } from '@millrace/engine';
import type { JobRow } from './data.ts';

/** Every part of the filter that is there must fit. Times: from `createdAfter` on, up to but without `createdBefore`. */
export function matches(row: JobRow, filter: Filter): boolean {
  const { createdAfter = -Infinity, createdBefore = Infinity } = filter;
  return (
    (filter.state === undefined || row.state === filter.state) &&
    (filter.kind === undefined || row.kind === filter.kind) &&
    (filter.tenant === undefined || row.tenant === filter.tenant) &&
    (filter.tenants === undefined || filter.tenants.includes(row.tenant)) &&
    (filter.submitter === undefined || row.submitter === filter.submitter) &&
    (filter.key === undefined || row.key === filter.key) &&
    (filter.correlationId === undefined || row.correlationId === filter.correlationId) &&
    (filter.errorCode === undefined || row.error?.code === filter.errorCode) &&
    row.createdAt >= createdAfter &&
    row.createdAt < createdBefore
  );
}
