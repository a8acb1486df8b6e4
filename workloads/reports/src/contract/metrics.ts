import { type MetricTable, counter, gauge, histogram } from '@millrace/workload-kit/contract';

/** Milliseconds, from a small report to the hours of tens of millions of rows. */
const RUN_BUCKETS = [
  100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 300_000, 900_000, 1_800_000,
  3_600_000, 7_200_000,
];

export const metrics = {
  report_runs_total: counter('Runs that ended.', ['state']),
  report_duration_ms: histogram(
    'From the first start of a run to its file.',
    ['format'],
    RUN_BUCKETS,
  ),
  report_rows_total: counter('Rows that were written and saved.', ['format']),
  report_bytes_total: counter('Bytes that were written and saved.', ['format']),
  report_chunks_total: counter('Chunks that were written and saved.', ['format']),
  report_resumes_total: counter(
    'Executions that went on from a saved chunk, after a crash, a loss of the source or a retry.',
    [],
  ),
  report_restarts_total: counter(
    'Executions that began again, since the part that was written before is not here.',
    [],
  ),
  report_failures_total: counter('Executions that failed.', ['code']),
  report_downloads_total: counter('Downloads of files that were begun.', []),
  report_files_removed_total: counter('Files that were removed.', ['why']),
  report_live_runs: gauge('Runs that are not over.', ['state']),
  report_broken_files: gauge('Files of reports that are wrong.', []),
} as const satisfies MetricTable;
