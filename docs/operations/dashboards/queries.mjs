import { ALL, LIMITS, counted, quantile, rate } from './figures.mjs';
import { dashboard, lines } from './grafana.mjs';

/** How often, of all replicas chosen by installation. @param {string} metric @param {string} [by] */
const often = (metric, by = '') => counted(metric, by, ALL);

/** @param {string} metric */
const mean = (metric) => `${rate(`${metric}_sum`, '', ALL)} / ${rate(`${metric}_count`, '', ALL)}`;

export const queries = dashboard({
  name: 'queries',
  title: 'Millrace / Queries',
  description: 'How do queries on Marketing Cloud fare, and what do they cost?',
  panels: [
    lines({
      title: 'Runs that are not over',
      help: 'Over all replicas. A running one holds no slot here.',
      unit: 'short',
      stack: 'normal',
      queries: [[`max by (job, status) (shell_query_live_runs{${ALL}})`, '{{status}}']],
    }),
    lines({
      title: 'Runs that ended',
      help: 'By how they ended.',
      unit: 'short',
      stack: 'normal',
      queries: [[often('shell_query_runs_total', 'status'), '{{status}}']],
    }),
    lines({
      title: 'Why runs ended',
      help: 'The code of those that failed; docs/errors.md explains each.',
      unit: 'short',
      stack: 'normal',
      queries: [[often('shell_query_runs_total', 'reason'), '{{reason}}']],
    }),
    lines({
      title: 'Time of a run',
      help: 'From the request to the end. Marketing Cloud ends queries after 30 minutes.',
      unit: 's',
      queries: [
        [quantile(0.5, 'shell_query_run_duration_seconds', 'status', ALL), '{{status}} P50'],
        [quantile(0.95, 'shell_query_run_duration_seconds', 'status', ALL), '{{status}} P95'],
      ],
    }),
    lines({
      title: 'Polls, and what they asked further',
      help: 'Where the status says enough, the lower lines are flat.',
      unit: 'short',
      queries: [
        [often('shell_query_poll_iterations_total'), 'polls'],
        [often('shell_query_isrunning_checks_total'), 'does it run'],
        [often('shell_query_not_running_confirmations_total'), 'it does not run'],
        [often('shell_query_row_probes_total'), 'row probes'],
        [often('shell_query_rowset_readiness_retries_total'), 'looks for rows'],
      ],
    }),
    lines({
      title: 'Ways out of the ordinary',
      help: 'Ready by a row probe, timed out, tried again as text, and jobs that were lost and made again.',
      unit: 'short',
      steps: LIMITS.any,
      queries: [
        [often('shell_query_fast_path_completions_total'), 'fast path'],
        [often('shell_query_timeouts_total'), 'timed out'],
        [often('shell_query_text_reruns_total'), 'as text'],
        [often('shell_query_reconciler_reenqueues_total', 'kind'), 'made again: {{kind}}'],
      ],
    }),
    lines({
      title: 'Calls to Marketing Cloud',
      help: 'By operation, tokens left out.',
      unit: 'ops',
      stack: 'normal',
      queries: [[rate('shell_query_api_calls_total', 'operation', ALL), '{{operation}}']],
    }),
    lines({
      title: 'Calls that a run costs',
      help: 'When it ended. Calls for several runs count in parts.',
      unit: 'short',
      queries: [
        [quantile(0.5, 'shell_query_api_calls_per_run', '', ALL), 'P50'],
        [quantile(0.95, 'shell_query_api_calls_per_run', '', ALL), 'P95'],
      ],
    }),
    lines({
      title: 'Polls that one status call answers',
      help: 'The mean. 1 means that nothing was shared.',
      unit: 'short',
      queries: [[mean('shell_query_polls_per_status_call'), 'polls']],
    }),
    lines({
      title: 'Polls without an answer',
      help: 'By the call that failed: throttled, away, or refused.',
      unit: 'short',
      stack: 'normal',
      steps: LIMITS.any,
      queries: [[often('shell_query_poll_failures_total', 'call'), '{{call}}']],
    }),
    lines({
      title: 'Calls that failed',
      help: 'By the code of the error; invalid_client and token_refused are the credentials.',
      unit: 'short',
      stack: 'normal',
      queries: [[often('shell_query_call_failures_total', 'code'), '{{code}}']],
    }),
    lines({
      title: 'Leftovers that were deleted',
      help: 'Data extensions and queries whose run is over or lost.',
      unit: 'short',
      stack: 'normal',
      queries: [[often('shell_query_assets_swept_total', 'asset'), '{{asset}}']],
    }),
  ],
});
