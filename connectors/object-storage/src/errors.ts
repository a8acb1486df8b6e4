/** Everything the storage refuses, and everything that goes wrong on the way there. */
export type ErrorKind =
  /** The key, its signature or its rights. */
  | 'permission'
  /** Too many requests. */
  | 'limit'
  /** Down, out of reach, too slow, called off, or an answer that is none. */
  | 'unavailable'
  | 'notFound'
  /** What is there is not what the request says is there: an ETag, a part, a condition. */
  | 'conflict'
  /** The bucket is full. */
  | 'space'
  /** The clocks differ too much for a signature to hold. */
  | 'clock'
  /** The bucket is elsewhere: another region or another host. */
  | 'elsewhere'
  /** The storage does not have the operation. */
  | 'unsupported'
  /** The request itself is at fault; the message says how. */
  | 'data';

/**
 * What became of the request: the storage said no and did nothing, or nobody knows whether it was done, or it never left, so
 * that it cannot have been done.
 */
export type Outcome = 'refused' | 'unknown' | 'notSent';

export interface ErrorFacts {
  readonly code: string;
  readonly kind: ErrorKind;
  readonly outcome: Outcome;
  readonly status?: number | null;
  readonly retryable?: boolean;
  readonly retryAfterMs?: number | null;
}

/** Could the same request, sent later, come out well? */
const RETRYABLE: Record<ErrorKind, boolean> = {
  permission: false,
  limit: true,
  unavailable: true,
  notFound: false,
  conflict: false,
  // Somebody can make room, and a clock is set, while the job waits for its next try.
  space: true,
  clock: true,
  elsewhere: false,
  unsupported: false,
  data: false,
};

export class ObjectStorageError extends Error {
  override readonly name = 'ObjectStorageError';
  /** The Code of the storage's answer (`NoSuchUpload`), or one of ours (lower case). */
  readonly code: string;
  readonly kind: ErrorKind;
  readonly outcome: Outcome;
  readonly status: number | null;
  readonly retryable: boolean;
  /** How long the storage asked us to wait. */
  readonly retryAfterMs: number | null;

  constructor(message: string, facts: ErrorFacts) {
    super(message);
    this.code = facts.code;
    this.kind = facts.kind;
    this.outcome = facts.outcome;
    this.status = facts.status ?? null;
    this.retryable = facts.retryable ?? RETRYABLE[facts.kind];
    this.retryAfterMs = facts.retryAfterMs ?? null;
  }
}

/** The caller asked for something that cannot be sent. */
export function invalid(code: string, message: string): ObjectStorageError {
  return new ObjectStorageError(message, { code, kind: 'data', outcome: 'notSent' });
}

/** The storage answered with what cannot be understood, so nobody knows what it did. */
export function invalidAnswer(message: string, status: number | null = null): ObjectStorageError {
  return new ObjectStorageError(message, {
    code: 'invalid_answer',
    kind: 'unavailable',
    outcome: 'unknown',
    status,
  });
}
