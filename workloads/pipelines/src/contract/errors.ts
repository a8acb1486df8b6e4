import type { ErrorEntry } from '@millrace/workload-kit/contract';

/** What a request for pipelines can be refused with. docs/errors.md lists it. */
export const errors = {
  pipeline_not_found: {
    status: 404,
    retryable: false,
    title: 'There is no such pipeline',
    help: 'GET /pipelines lists them, and the files that have problems.',
  },
  pipeline_run_not_found: {
    status: 404,
    retryable: false,
    title: 'There is no such run of a pipeline',
    help: 'It never was, it is not yours, or its time is over. List yours with GET /pipelines/runs.',
  },
  pipeline_run_finished: {
    status: 409,
    retryable: false,
    title: 'The run of the pipeline is over already',
    help: 'Nothing was changed.',
  },
  pipeline_run_not_resumable: {
    status: 409,
    retryable: false,
    title: 'The run of the pipeline has nothing to resume',
    help: 'Only a run that failed or was cancelled goes on. One that runs goes on by itself; one that succeeded is run again as a new one.',
  },
  pipeline_changed: {
    status: 409,
    retryable: false,
    title: 'The file of the pipeline does not fit the run any more',
    help: 'Steps that are over are no longer as they were. Resume with the file as it was (leave withFile out), or begin a new run.',
  },
  pipeline_unavailable: {
    status: 503,
    retryable: false,
    denied: true,
    title: 'The pipeline has a step that nobody does here',
    help: 'Its workload is switched off, or lacks its account: the sentence says which step. Switch it on, or remove the step.',
  },
  pipeline_file_missing: {
    status: 409,
    retryable: false,
    title: 'A file of the pipeline is missing',
    help: 'Put the file beside the pipeline, or correct its name there.',
  },
  invalid_pipeline_parameters: {
    status: 400,
    retryable: false,
    title: 'The parameters do not fit',
    help: 'The sentence says which and why; GET /pipelines/NAME shows what there is.',
  },
} as const satisfies Record<string, ErrorEntry>;
