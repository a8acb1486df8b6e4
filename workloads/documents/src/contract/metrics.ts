import { type MetricTable, counter, gauge, histogram } from '@millrace/workload-kit/contract';

export const metrics = {
  docgen_duration_ms: histogram('How long a document took, from request to stored file.', [
    'templateId',
    'outputFormat',
    'mode',
  ]),
  docgen_failures_total: counter('Documents that failed.', [
    'reason',
    'templateId',
    'outputFormat',
    'mode',
  ]),
  template_cache_hit: counter('Templates found in memory.', ['templateId']),
  template_cache_miss: counter('Templates that had to be fetched.', ['templateId']),
  conversion_pool_active: gauge('Conversions under way.', []),
  conversion_pool_queued: gauge('Conversions that wait for a slot.', []),
} as const satisfies MetricTable;
