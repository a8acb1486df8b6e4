import { type MetricTable, counter, gauge, histogram } from '@millrace/workload-kit/contract';

/** Milliseconds, up to the half hour after which Marketing Cloud ends a query. */
const RUN_BUCKETS = [
  1_000, 2_500, 5_000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_200_000,
  1_800_000,
];

export const metrics = {
  shell_query_runs_total: counter('Runs that ended.', ['status', 'reason']),
  shell_query_run_duration_ms: histogram(
    'From the request to the end of a run.',
    ['status'],
    RUN_BUCKETS,
  ),
  shell_query_poll_iterations_total: counter('Polls of runs.', []),
  shell_query_poll_failures_total: counter('Polls whose question was not answered.', ['call']),
  shell_query_isrunning_checks_total: counter(
    'Times that Marketing Cloud was asked whether a query runs, since its status said nothing.',
    [],
  ),
  shell_query_not_running_confirmations_total: counter(
    'Answers that counted as a confirmation that a query no longer runs.',
    [],
  ),
  shell_query_rowset_readiness_retries_total: counter(
    'Looks for the rows of a query that was over, after the first.',
    [],
  ),
  shell_query_row_probes_total: counter('Looks for rows before a query was known to be over.', []),
  shell_query_fast_path_completions_total: counter(
    'Runs that were ready because a probe saw rows.',
    [],
  ),
  shell_query_timeouts_total: counter('Runs that used up their time or their polls.', []),
  shell_query_text_reruns_total: counter(
    'Runs tried again with every column as text, after a failure without a reason.',
    [],
  ),
  shell_query_reconciler_reenqueues_total: counter('Jobs of runs that were made again.', ['kind']),
  shell_query_assets_swept_total: counter('Leftovers in Marketing Cloud that were deleted.', [
    'asset',
  ]),
  shell_query_api_calls_total: counter('Calls to Marketing Cloud, tokens left out.', ['operation']),
  shell_query_call_failures_total: counter(
    'Calls to Marketing Cloud that failed, those among them that got no token and were never sent.',
    ['code'],
  ),
  shell_query_api_calls_per_run: histogram(
    'Calls that a run cost when it ended.',
    [],
    [2, 4, 6, 8, 10, 15, 20, 30, 50, 100, 200, 1_000],
  ),
  shell_query_polls_per_status_call: histogram(
    'How many polls one question about statuses answered.',
    [],
    [1, 2, 5, 10, 20, 50, 100],
  ),
  shell_query_live_runs: gauge('Runs that are not over.', ['status']),
} as const satisfies MetricTable;
