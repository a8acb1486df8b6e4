import type { errors } from './contract/errors.ts';
import type { failures } from './contract/failures.ts';

/** Why a document was not made, as dashboards and records know it. */
export type FailureReason = keyof typeof failures | 'validation_error' | 'unknown';

export type DocumentErrorCode = keyof typeof errors | FailureReason;

/** Where in a template, as far as it is known. */
export interface ErrorPlace {
  readonly part?: string | undefined;
  readonly paragraph?: number | undefined;
  readonly snippet?: string | undefined;
}

/** A refusal with a sentence for the person who asked. `detail` is the code of what lies beneath, if anything does. */
export class DocumentError extends Error {
  override readonly name = 'DocumentError';
  readonly code: DocumentErrorCode;
  readonly retryable: boolean;
  readonly detail: string | undefined;
  readonly place: ErrorPlace;
  /** What was tried to be reached, where the audit log keeps the refusal. */
  readonly auditTarget: string | undefined;

  constructor(
    code: DocumentErrorCode,
    message: string,
    options: {
      retryable?: boolean;
      detail?: string;
      place?: ErrorPlace;
      auditTarget?: string;
      cause?: unknown;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.detail = options.detail;
    this.place = options.place ?? {};
    this.auditTarget = options.auditTarget;
  }
}
