import { type MetricTable, counter, gauge, histogram } from '@millrace/workload-kit/contract';

export const metrics = {
  docgen_duration_ms: histogram(
    'How long a document took, from its template to the stored or uploaded file, without waiting for a conversion process.',
    ['templateId', 'outputFormat', 'mode'],
  ),
  docgen_failures_total: counter('Documents that failed for good, counted when that is written.', [
    'reason',
    'templateId',
    'outputFormat',
    'mode',
  ]),
  docgen_step_ms: histogram('What of it took how long, and the wait for a conversion process.', [
    'step',
    'mode',
  ]),
  template_cache_hit: counter('Templates found in memory.', ['templateId']),
  template_cache_miss: counter('Templates that had to be fetched.', ['templateId']),
  template_cache_evictions_total: counter('Templates that made room for others.', []),
  template_cache_entries: gauge('Templates in memory.', []),
  template_cache_bytes: gauge('Memory that they take.', []),
  conversions_total: counter('Conversions that ended.', ['outcome']),
  conversion_cleanup_failures_total: counter(
    'Times that the files of a conversion or of its process could not be removed.',
    [],
  ),
  conversion_pool_active: gauge('Conversions under way.', []),
  conversion_pool_queued: gauge('Conversions that wait for a slot.', []),
} as const satisfies MetricTable;
