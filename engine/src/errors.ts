/**
 * What the engine refuses, by code. The API's error table gives each code its status; the sentence
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
  | 'invalid_cursor'
  | 'invalid_schedule'
  | 'quota_exceeded'
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

/** What is kept of a failed attempt. */
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

const CODE_LIMIT = 100;
const MESSAGE_LIMIT = 4_000;
const STACK_LIMIT = 16_000;
/** A cause may be its own cause. */
const CAUSES = 5;

/** What passes by itself. Every other refusal would be the same the next time. */
const PASSING: readonly EngineErrorCode[] = ['store_unavailable', 'quota_exceeded'];

/** Anything thrown becomes a record that every store can keep. Unknown errors are worth another try. */
export function classify(thrown: unknown): FailureRecord {
  if (thrown instanceof MillraceError) {
    return record(thrown.code, thrown.message, PASSING.includes(thrown.code));
  }
  if (isJobFailureLike(thrown)) {
    return record(thrown.code, thrown.message, thrown.retryable);
  }
  if (thrown instanceof Error) {
    return record('unknown', `${text(thrown.name)}: ${text(thrown.message)}`, true);
  }
  return record('unknown', `A handler threw ${describe(thrown)} instead of an Error.`, true);
}

/** A job file may carry its own copy of this module: recognise its failures by shape. */
function isJobFailureLike(thrown: unknown): thrown is JobFailure {
  return (
    thrown instanceof Error &&
    thrown.name === 'JobFailure' &&
    'code' in thrown &&
    'retryable' in thrown
  );
}

/** When the handler itself knows how long to wait. */
export function retryAfterMs(thrown: unknown): number | undefined {
  return isJobFailureLike(thrown) ? thrown.retryAfterMs : undefined;
}

/** Where it was thrown, and where its causes were. Null for what has no stack. */
export function stackOf(thrown: unknown): string | null {
  const stacks: string[] = [];
  let at: unknown = thrown;
  while (at instanceof Error && stacks.length <= CAUSES) {
    stacks.push(text(at.stack ?? `${text(at.name)}: ${text(at.message)}`));
    at = at.cause;
  }
  if (stacks.length === 0) return null;
  // What is no Error says little, but a cause such as 'ECONNRESET' says it all.
  if (at !== undefined && !(at instanceof Error)) stacks.push(describe(at));
  return storableText(stacks.join('\nCaused by: '), STACK_LIMIT);
}

/** Unknown types: a job file in JavaScript may give a number as the code. */
function record(code: unknown, message: unknown, retryable: boolean): FailureRecord {
  return {
    code: storableText(text(code), CODE_LIMIT),
    message: storableText(text(message), MESSAGE_LIMIT),
    retryable,
  };
}

/** NUL and lone surrogates cannot be stored by Postgres; a message loses them rather than the job its record. */
export function storableText(from: string, limit: number): string {
  return from.replaceAll('\u0000', '').slice(0, limit).toWellFormed();
}

export function text(value: unknown): string {
  try {
    return String(value);
  } catch {
    return 'a value without words';
  }
}

function describe(thrown: unknown): string {
  try {
    return typeof thrown === 'string'
      ? `the string ${JSON.stringify(thrown)}`
      : `a value of type ${typeof thrown}`;
  } catch {
    return 'a value';
  }
}
