import type { FailureEntry } from '@millrace/workload-kit/contract';
import { failures } from '@millrace/workloads/contracts';

/**
 * The codes that failed jobs carry in `error.code`, beside those that handlers give to their own failures.
 * `retryable` says whether the job is tried again by itself while it has attempts left.
 * docs/errors.md is this table.
 */
const CORE = {
  unknown: {
    retryable: true,
    help: 'The handler threw something without a code. Read the message; throw a JobFailure to give it one.',
  },
  timeout: {
    retryable: true,
    help: 'It ran longer than its kind allows. Raise the timeout, or work in chunks.',
  },
  aborted: {
    retryable: true,
    help: 'It was asked to stop between two chunks. What it had saved is kept.',
  },
  worker_lost: {
    retryable: false,
    help: 'Its worker went away while it ran there alone, and it has no attempt left. Look into what it does to the process (memory, a crash), then retry it.',
  },
  validation_error: {
    retryable: false,
    help: 'Its data is no JSON, or no longer fits the schema of the kind. Correct the data or the schema and retry it, or enqueue it again.',
  },
  erased: {
    retryable: false,
    help: 'What it is about was erased before it ran, and its data with it. Enqueue it again if it is still wanted.',
  },
  invalid_outcome: {
    retryable: false,
    help: 'The handler returned neither done(…) nor defer(…). Fix the job file.',
  },
  result_unstorable: {
    retryable: false,
    help: 'Its result holds what JSON cannot carry (NaN, undefined in a list, a Map, an object of a class), is too large, or has text that no store can keep. The message names the place; give plain values back.',
  },
  webhook_unreachable: {
    retryable: true,
    help: 'The receiver of a webhook could not be reached. It is tried for two hours.',
  },
  webhook_failed: {
    retryable: true,
    help: 'The receiver of a webhook answered that it cannot now. It is tried for two hours.',
  },
  webhook_rejected: {
    retryable: false,
    help: 'The receiver of a webhook does not want it (a status of 4xx). Fix it there, then retry the job.',
  },
  webhook_refused: {
    retryable: false,
    help: 'The address of a webhook is not allowed from here. See MILLRACE_WEBHOOK_ALLOW.',
  },
  webhooks_off: {
    retryable: false,
    help: 'There is no key to sign webhooks with. Set MILLRACE_WEBHOOK_SECRET, then retry the job.',
  },
} as const satisfies Record<string, FailureEntry>;

/** Those of the service itself and of the workloads. */
export const JOB_ERRORS = { ...CORE, ...failures };
