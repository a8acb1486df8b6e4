import type { FailureEntry } from '@millrace/workload-kit/contract';

/** Why a run failed: `error.code` of the run, and of its jobs where they failed too. */
export const failures = {
  invalid_sql: {
    retryable: false,
    help: 'The SQL cannot be run. POST /sql/validate says where and why.',
  },
  query_failed: {
    retryable: false,
    help: 'Marketing Cloud ended the query with an error. The sentence has its words, where it gave any; where it gave none, the query was also tried with every column as text.',
  },
  query_timeout: {
    retryable: false,
    help: 'The query took longer than SHELL_QUERY_MAX_DURATION, or Marketing Cloud never said that it was over. It ends queries after 30 minutes itself: narrow the query.',
  },
  rowset_unavailable: {
    retryable: false,
    help: 'The query went well, and its rows could not be read. Run it again; docs/operations/runbook.md says what to look at.',
  },
  start_unknown: {
    retryable: false,
    help: 'The answer to the start of the query was lost, and nothing shows that the query runs. It was not started a second time: run it again.',
  },
  run_lost: {
    retryable: false,
    help: 'The job that starts the query failed or was removed before Marketing Cloud had the query. Run it again.',
  },
  unknown_run: {
    retryable: false,
    help: 'The job names a run that this installation does not have: another program made it, or the run was removed. Submit the SQL with POST /runs.',
  },
  marketing_cloud_unavailable: {
    retryable: true,
    help: 'Marketing Cloud was away, too slow or asked for fewer calls, for as long as the query was tried. Run it again later.',
  },
  marketing_cloud_refused: {
    retryable: false,
    help: 'The sentence has the words of Marketing Cloud. A missing scope is added to the installed package.',
  },
  marketing_cloud_not_configured: {
    retryable: false,
    help: 'The business unit of the run is no longer in MCE_MIDS.',
  },
} as const satisfies Record<string, FailureEntry>;
