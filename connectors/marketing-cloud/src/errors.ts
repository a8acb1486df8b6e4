/** Everything Marketing Cloud refuses, and everything that goes wrong on the way there. */
export type ErrorKind =
  /** No token, or Marketing Cloud does not take the one we have. */
  | 'session'
  /** The installed package lacks a scope, or its user a permission. */
  | 'permission'
  /** Too many calls. */
  | 'limit'
  /** Down, out of reach, too slow, called off, or an answer that is none. */
  | 'unavailable'
  | 'notFound'
  /** A name or key exists already. */
  | 'duplicate'
  /** The request itself is at fault; the message says how. */
  | 'data';

/**
 * What became of the request: Marketing Cloud said no and did nothing, or nobody knows whether it was done, or it
 * never left (or never left whole), so that it cannot have been done.
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
  session: true,
  permission: false,
  limit: true,
  unavailable: true,
  notFound: false,
  duplicate: false,
  data: false,
};

export class MarketingCloudError extends Error {
  override readonly name = 'MarketingCloudError';
  /** The ErrorCode of SOAP, the errorcode of REST, or one of ours (lower case). */
  readonly code: string;
  readonly kind: ErrorKind;
  readonly outcome: Outcome;
  readonly status: number | null;
  readonly retryable: boolean;
  /** How long Marketing Cloud asked us to wait. */
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

/** The same error with other words. */
export function withMessage(error: MarketingCloudError, message: string): MarketingCloudError {
  const { code, kind, outcome, status, retryable, retryAfterMs } = error;
  return new MarketingCloudError(message, { code, kind, outcome, status, retryable, retryAfterMs });
}

/** The caller asked for something that cannot be sent. */
export function invalid(code: string, message: string): MarketingCloudError {
  return new MarketingCloudError(message, { code, kind: 'data', outcome: 'notSent' });
}

/** Marketing Cloud answered with what cannot be understood, so nobody knows what it did. */
export function invalidAnswer(message: string, status: number | null = null): MarketingCloudError {
  return new MarketingCloudError(message, {
    code: 'invalid_answer',
    kind: 'unavailable',
    outcome: 'unknown',
    status,
  });
}
