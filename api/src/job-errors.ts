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
    help: 'The handler threw an error without a code. Read the message; throw a JobFailure to give it one.',
  },
  timeout: {
    retryable: true,
    help: 'It ran longer than its kind allows. Raise the timeout, or work in chunks.',
  },
  aborted: {
    retryable: true,
    help: 'It was asked to stop between two chunks. Its saved progress is kept.',
  },
  worker_lost: {
    retryable: false,
    help: 'Its worker died while no other job ran there, and it has no attempt left. Find out what it does to the process (memory, a crash), then retry it.',
  },
  validation_error: {
    retryable: false,
    help: 'Its data is not JSON, or no longer matches the schema of the kind. Correct the data or the schema and retry it, or enqueue it again.',
  },
  erased: {
    retryable: false,
    help: 'Its subject was erased before it ran, and its data with it. Enqueue it again if it is still needed.',
  },
  invalid_outcome: {
    retryable: false,
    help: 'The handler returned neither done(…) nor defer(…). Fix the job file.',
  },
  result_unstorable: {
    retryable: false,
    help: 'Its result is not plain JSON (NaN, undefined in a list, a Map, a class instance), is too large, or has text that cannot be stored. The message names the place; return plain values.',
  },
  webhook_unreachable: {
    retryable: true,
    help: 'The webhook’s receiver could not be reached. Delivery is retried for two hours.',
  },
  webhook_failed: {
    retryable: true,
    help: 'The webhook’s receiver answered with a temporary error. Delivery is retried for two hours.',
  },
  webhook_rejected: {
    retryable: false,
    help: 'The webhook’s receiver refused it with a 4xx status. Fix the receiver, then retry the job.',
  },
  webhook_refused: {
    retryable: false,
    help: 'This server may not call the webhook’s address. See MILLRACE_WEBHOOK_ALLOW.',
  },
  webhooks_off: {
    retryable: false,
    help: 'No key to sign webhooks with. Set MILLRACE_WEBHOOK_SECRET, then retry the job.',
  },
} as const satisfies Record<string, FailureEntry>;

/** Those of the service itself and of the workloads. */
export const JOB_ERRORS = { ...CORE, ...failures };
