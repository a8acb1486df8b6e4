import type { Recorder } from '@millrace/workload-kit';
import type { metrics } from './contract/metrics.ts';
import type { RunRecord } from './runs/record.ts';

export interface ReportMetrics {
  ended(run: RunRecord): void;
  chunk(format: string, chunk: { readonly rows: number; readonly bytes: Uint8Array }): void;
  resumed(): void;
  restarted(): void;
  failed(code: string): void;
  downloaded(): void;
  removed(why: 'expired' | 'erased' | 'asked'): void;
}

export function metricsOf({ count, record }: Recorder<typeof metrics>): ReportMetrics {
  return {
    ended({ end, format, begunAt, finishedAt }) {
      count('report_runs_total', 1, { state: end ?? 'CANCELED' });
      if (end === 'SUCCEEDED' && begunAt !== null && finishedAt !== null)
        record('report_duration_ms', Math.max(0, finishedAt - begunAt), { format });
    },
    chunk(format, { rows, bytes }) {
      count('report_chunks_total', 1, { format });
      count('report_rows_total', rows, { format });
      count('report_bytes_total', bytes.length, { format });
    },
    resumed: () => count('report_resumes_total', 1),
    restarted: () => count('report_restarts_total', 1),
    failed: (code) => count('report_failures_total', 1, { code }),
    downloaded: () => count('report_downloads_total', 1),
    removed: (why) => count('report_files_removed_total', 1, { why }),
  };
}
