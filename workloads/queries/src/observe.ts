import type { CallReport } from '@millrace/marketing-cloud';
import type { Recorder } from '@millrace/workload-kit';
import type { metrics } from './contract/metrics.ts';
import { STATUS_OF } from './contract/runs.ts';
import type { QueryRunRecord } from './runs/query-run.ts';

export interface QueryMetrics {
  ended(run: QueryRunRecord): void;
  polled(): void;
  unanswered(call: 'status' | 'probe' | 'isRunning' | 'rowset'): void;
  isRunningChecked(): void;
  notRunningConfirmed(): void;
  readinessRetried(): void;
  probed(): void;
  fastPath(): void;
  timedOut(): void;
  rerunAsText(): void;
  reenqueued(kind: string): void;
  swept(asset: 'query' | 'data_extension', count: number): void;
  called(call: CallReport): void;
  statusCall(polls: number): void;
}

type Telemetry = Recorder<typeof metrics>;

export function metricsOf({ count, record }: Telemetry): QueryMetrics {
  return {
    ended({ state, error, createdAt, finishedAt, apiCalls }) {
      const status = STATUS_OF[state];
      count('shell_query_runs_total', 1, { status, reason: error?.code ?? 'none' });
      if (finishedAt !== null)
        record('shell_query_run_duration_ms', finishedAt - createdAt, { status });
      record('shell_query_api_calls_per_run', apiCalls);
    },
    polled: () => count('shell_query_poll_iterations_total', 1),
    unanswered: (call) => count('shell_query_poll_failures_total', 1, { call }),
    isRunningChecked: () => count('shell_query_isrunning_checks_total', 1),
    notRunningConfirmed: () => count('shell_query_not_running_confirmations_total', 1),
    readinessRetried: () => count('shell_query_rowset_readiness_retries_total', 1),
    probed: () => count('shell_query_row_probes_total', 1),
    fastPath: () => count('shell_query_fast_path_completions_total', 1),
    timedOut: () => count('shell_query_timeouts_total', 1),
    rerunAsText: () => count('shell_query_text_reruns_total', 1),
    reenqueued: (kind) => count('shell_query_reconciler_reenqueues_total', 1, { kind }),
    swept: (asset, number) => count('shell_query_assets_swept_total', number, { asset }),
    called({ operation, requests, errorCode }) {
      count('shell_query_api_calls_total', requests, { operation });
      if (errorCode !== null) count('shell_query_call_failures_total', 1, { code: errorCode });
    },
    statusCall: (polls) => record('shell_query_polls_per_status_call', polls),
  };
}
