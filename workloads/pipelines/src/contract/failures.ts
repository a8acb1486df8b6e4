import type { FailureEntry } from '@millrace/workload-kit/contract';

/** Why a step of a pipeline failed, beside the reasons of the workload that did it. */
export const failures = {
  invalid_step: {
    retryable: false,
    help: 'With the values of this run, the step got an input that it does not take. Correct the file, then resume the run with it.',
  },
  step_unavailable: {
    retryable: true,
    help: 'The process has no workload for the step. Switch it on where pipelines are worked on.',
  },
  rows_missing: {
    retryable: false,
    help: 'The step whose rows or file were asked for has made nothing. Its own end says why.',
  },
  service_missing: {
    retryable: true,
    help: 'The service identity of a schedule is not in services.yaml. Write it there.',
  },
  documents_failed: {
    retryable: false,
    help: 'Some documents of the batch could not be made. Correct their rows or the template, then resume the run; or let the step say failedRows: continue.',
  },
  mail_unavailable: {
    retryable: true,
    help: 'The mail server could not be reached, or asks to come back later. It is tried again.',
  },
  mail_refused: {
    retryable: false,
    help: 'The mail server refused the e-mail for good. Correct the recipient, MAIL_FROM or SMTP_URL, then resume the run.',
  },
} as const satisfies Record<string, FailureEntry>;
