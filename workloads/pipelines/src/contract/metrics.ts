import { type MetricTable, counter, gauge, histogram } from '@millrace/workload-kit/contract';

/** Milliseconds, up to the hours that a step over many documents takes. */
const STEP_BUCKETS = [
  100, 500, 1_000, 5_000, 15_000, 60_000, 300_000, 900_000, 3_600_000, 14_400_000,
];

export const metrics = {
  pipeline_runs_total: counter('Runs of pipelines that ended.', ['state']),
  pipeline_steps_total: counter('Steps of pipelines that ended.', ['type', 'state']),
  pipeline_step_duration_ms: histogram(
    'From the beginning to the end of a step.',
    ['type'],
    STEP_BUCKETS,
  ),
  pipeline_jobs_restored_total: counter('Steps whose job had gone missing.', []),
  pipeline_live_runs: gauge('Runs of pipelines that are not over.', ['state']),
} as const satisfies MetricTable;
