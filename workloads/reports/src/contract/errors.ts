import type { ErrorEntry } from '@millrace/workload-kit/contract';

/** What a request for reports can be refused with. docs/errors.md lists it. */
export const errors = {
  report_not_found: {
    status: 404,
    retryable: false,
    title: 'There is no such report',
    help: 'GET /reports lists those there are, and what is wrong with files that give none.',
  },
  invalid_parameters: {
    status: 400,
    retryable: false,
    title: 'The parameters do not fit the report',
    help: 'The sentence says which and why; GET /reports/NAME lists what the report takes.',
  },
  invalid_format: {
    status: 400,
    retryable: false,
    title: 'The report does not come in this format',
    help: 'Take one of `formats` and `compressions` of GET /reports/NAME.',
  },
  claim_missing: {
    status: 403,
    retryable: false,
    title: 'Your token lacks a claim that the report needs',
    help: 'The report shows rows by claims, such as the county. Ask whoever gives out the tokens for the claim that the sentence names, and the operator for CALLER_CLAIMS.',
  },
  report_run_not_found: {
    status: 404,
    retryable: false,
    title: 'There is no such run of a report',
    help: 'It never was, it is not yours, or its time is over. List yours with GET /reports/runs.',
  },
  report_run_not_ready: {
    status: 409,
    retryable: true,
    title: 'The run is not over',
    help: 'Its file comes with its end: GET /reports/runs/ID/events reports it.',
  },
  report_run_not_successful: {
    status: 409,
    retryable: false,
    title: 'The run has no file to give',
    help: 'It failed or was cancelled: `error` of GET /reports/runs/ID says why. POST …/retry lets it go on from its last saved chunk.',
  },
  report_run_finished: {
    status: 409,
    retryable: false,
    title: 'The run is over already',
    help: 'Nothing was changed.',
  },
  report_run_not_retryable: {
    status: 409,
    retryable: false,
    title: 'The run cannot go on',
    help: 'Only a failed or cancelled run can, as long as its job is kept. Run the report again.',
  },
  report_file_expired: {
    status: 410,
    retryable: false,
    title: 'The file is no longer there',
    help: 'Files are kept for REPORTS_KEEP, or somebody has removed this one. Run the report again.',
  },
  report_file_lost: {
    status: 410,
    retryable: false,
    title: 'The file cannot be found',
    help: 'It is gone, or in the REPORTS_OUTPUT_FOLDER of another server: leave that out, and files are in the database, or give all servers one folder or object storage. Run the report again.',
  },
  report_storage_unavailable: {
    status: 503,
    retryable: true,
    title: 'The storage of files does not answer',
    help: 'Try again later. The operator finds why in the log, under the correlation id.',
  },
  report_storage_refused: {
    status: 502,
    retryable: false,
    title: 'The storage of files refuses',
    help: 'The sentence has its words. The operator checks REPORTS_S3_* and the rights of the key.',
  },
  source_unavailable: {
    status: 503,
    retryable: true,
    title: 'The database of the reports does not answer',
    help: 'Try again later; runs wait for it by themselves. The operator checks REPORTS_DATABASE_URL.',
  },
  suggestions_refused: {
    status: 502,
    retryable: false,
    title: 'The database refuses to suggest values',
    help: 'The sentence has its words. Correct `suggest` in the file of the report; any value can be given without.',
  },
  token_key_missing: {
    status: 503,
    retryable: false,
    denied: true,
    title: 'The report keeps tokens, and there is no key for them',
    help: 'The operator sets REPORTS_TOKEN_KEYS.',
  },
  sample_not_embedded: {
    status: 409,
    retryable: false,
    title: 'There is no sample to fill',
    help: 'REPORTS_DATABASE_URL names a database of yours, which Millrace only reads.',
  },
  sample_busy: {
    status: 409,
    retryable: true,
    title: 'The sample is being filled already',
    help: 'GET /reports/sample says how far it is. Try again when it is ready.',
  },
  /** Made by the client: what it saved is not the file that the run has written. */
  report_file_changed: {
    status: 502,
    retryable: true,
    title: 'What arrived is not the file',
    help: 'Its SHA-256 is another one than that of the run. Download it once more.',
  },
} as const satisfies Record<string, ErrorEntry>;
