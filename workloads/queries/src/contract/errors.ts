import type { ErrorEntry } from '@millrace/workload-kit/contract';

/** What a request for queries can be refused with. docs/errors.md lists it. */
export const errors = {
  marketing_cloud_not_configured: {
    status: 503,
    retryable: false,
    denied: true,
    title: 'No Marketing Cloud account is connected',
    help: 'Set MCE_AUTH_URL, MCE_CLIENT_ID, MCE_CLIENT_SECRET and MCE_MIDS: docs/queries.md says where they come from.',
  },
  marketing_cloud_unavailable: {
    status: 503,
    retryable: true,
    title: 'Marketing Cloud does not answer',
    help: 'It is away, too slow or asks for fewer calls. Try again later; running queries go on by themselves.',
  },
  marketing_cloud_refused: {
    status: 502,
    retryable: false,
    title: 'Marketing Cloud refused',
    help: 'The sentence has its words. A missing scope is added to the installed package: docs/queries.md lists them.',
  },
  mid_not_allowed: {
    status: 403,
    retryable: false,
    title: 'The business unit is not one of yours',
    help: 'Leave mid out for the first of your tenant, or ask the operator to add it to MCE_MIDS.',
  },
  invalid_sql: {
    status: 400,
    retryable: false,
    title: 'The SQL cannot be run',
    help: 'The sentence says where and why; POST /sql/validate lists everything with line and column.',
  },
  run_not_found: {
    status: 404,
    retryable: false,
    title: 'There is no such run',
    help: 'It never was, it is not yours, or its time is over. List yours with GET /runs.',
  },
  run_not_ready: {
    status: 409,
    retryable: true,
    title: 'The run is not over',
    help: 'Marketing Cloud works on it. Wait for the status ready: GET /runs/ID/events reports it.',
  },
  run_not_successful: {
    status: 409,
    retryable: false,
    title: 'The run has no rows to give',
    help: 'It failed or was cancelled: `error` of GET /runs/ID says why. Run the query again.',
  },
  run_finished: {
    status: 409,
    retryable: false,
    title: 'The run is over already',
    help: 'Nothing was changed.',
  },
  results_expired: {
    status: 410,
    retryable: false,
    title: 'The rows are no longer there',
    help: 'Results are kept for a day unless set otherwise. Run the query again.',
  },
  results_changed: {
    status: 409,
    retryable: true,
    title: 'The rows are not those that were counted',
    help: 'Rows have gone from the data extension of the run, or reading them took too long. Read them once more; if that does not help, run the query again.',
  },
  /** Made by the client: an answer that has begun can only be broken off. */
  results_cut: {
    status: 502,
    retryable: true,
    title: 'The rows broke off before their end',
    help: 'Marketing Cloud failed on the way, the rows changed, or the service stopped: its log says which, under the correlation id. Read them once more.',
  },
  snippet_not_found: {
    status: 404,
    retryable: false,
    title: 'There is no such snippet',
    help: 'List yours and the shared ones with GET /snippets.',
  },
  snippet_name_taken: {
    status: 409,
    retryable: false,
    title: 'Somebody else shares a snippet of this name',
    help: 'Choose another name, or keep yours to yourself.',
  },
  data_extension_not_found: {
    status: 404,
    retryable: false,
    title: 'There is no such data extension',
    help: 'GET /catalog lists those of the business unit; with refresh=true it asks Marketing Cloud again.',
  },
} as const satisfies Record<string, ErrorEntry>;
