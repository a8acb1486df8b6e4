/**
 * The engine's refusals, by code. The API's error table gives each code its status; the sentence
 * is written where the refusal happens, since only there it can name the offending value.
 */
export type EngineErrorCode =
  | 'unknown_kind'
  | 'kind_not_public'
  | 'invalid_payload'
  | 'payload_too_large'
  | 'invalid_text'
  | 'invalid_run_at'
  | 'invalid_priority'
  | 'invalid_key'
  | 'key_taken'
  | 'invalid_cursor'
  | 'invalid_schedule'
  | 'quota_exceeded'
  | 'tenant_not_allowed'
  | 'job_not_found'
  | 'illegal_transition'
  | 'store_unavailable'
  | 'unsupported_by_store'
  | 'invalid_definition';

export class MillraceError extends Error {
  override readonly name: string = 'MillraceError';
  readonly code: EngineErrorCode;
  constructor(code: EngineErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/**
 * The store could not be reached or did not answer: the write may or may not have happened.
 * Everything else a store throws is about the data it was given.
 */
export class StoreUnavailable extends MillraceError {
  override readonly name: string = 'StoreUnavailable';
  constructor(message: string, options?: ErrorOptions) {
    super('store_unavailable', message, options);
  }
}

/**
 * The store was reached but did not finish in time: whether the write happened is unknown, and a smaller
 * batch may pass where this one did not.
 */
export class StoreTimedOut extends StoreUnavailable {
  override readonly name: string = 'StoreTimedOut';
}

/** The store has ended within this process, and nothing but a restart brings it back. The message is for anyone to read. */
export class StoreStopped extends StoreUnavailable {
  override readonly name: string = 'StoreStopped';
}

/** The record of a failed attempt. */
export interface FailureRecord {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
}

/**
 * Thrown by a handler that knows what went wrong. `retryable: false` ends the job at once; `retryAfterMs`
 * overrides the policy's delay (a service that said when to come back).
 */
export class JobFailure extends Error {
  override readonly name = 'JobFailure';
  readonly code: string;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  constructor(
    code: string,
    message: string,
    options: { retryable?: boolean; retryAfterMs?: number; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable ?? true;
    this.retryAfterMs = options.retryAfterMs;
  }
}
