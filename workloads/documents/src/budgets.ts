import type { OfficeStats } from '@millrace/office';
import type { WorkloadBudget } from '@millrace/workload-kit';
import { TEMPLATE_CACHE_BYTES, type TemplateCacheStats } from './templates/cache.ts';

const LEAST_ASKED = 100;

/** What conversions share, in this process: the office's slots, and the room for compiled templates. */
export function documentBudgets(
  { activeJobs, queuedJobs, slots }: Pick<OfficeStats, 'activeJobs' | 'queuedJobs' | 'slots'>,
  { hits, misses, currentSize }: TemplateCacheStats,
): WorkloadBudget[] {
  const asked = hits + misses;
  // The first look-up of each template misses: of a few, the rate says nothing.
  const isTelling = asked >= LEAST_ASKED;
  return [
    {
      id: 'documents:slots',
      name: 'Conversion slots',
      used: activeJobs,
      limit: slots,
      waiting: queuedJobs,
      unit: 'slots',
      detail: 'Of the replica that answers.',
    },
    {
      id: 'documents:template-cache',
      name: 'Template cache',
      used: currentSize,
      limit: TEMPLATE_CACHE_BYTES,
      unit: 'bytes',
      ...(isTelling && { hitRate: hits / asked }),
      detail: 'Of the replica that answers, since it started.',
    },
  ];
}
