/**
 * Everything Salesforce refuses, and everything that goes wrong on the way there. Salesforce's errorCode decides
 * first and the HTTP status second: an exceeded limit comes as 403, a row lock as 400.
 */
export type ErrorKind =
  /** No token, or Salesforce does not take the one we have. */
  | 'session'
  /** Too many calls. */
  | 'limit'
  /** Someone else held the row for too long. Nothing was done. */
  | 'lock'
  /** Down, out of reach, too slow, called off, or an answer that is none. */
  | 'unavailable'
  /**
   * The work took more than Salesforce gives one transaction: time, or a governor limit of a trigger. Nothing was done; less
   * work at once, or a quieter hour, may fit.
   */
  | 'overrun'
  | 'notFound'
  /** A unique value exists already. */
  | 'duplicate'
  /** The org's storage is full. */
  | 'storage'
  /** The request itself is at fault; the code says how. */
  | 'data';

/**
 * What became of the request: Salesforce said no and did nothing, or nobody knows whether it was done, or it
 * never left (or never left whole), so that it cannot have been done.
 */
export type Outcome = 'refused' | 'unknown' | 'notSent';

export interface ErrorFacts {
  readonly code: string;
  readonly kind: ErrorKind;
  readonly outcome: Outcome;
  readonly status?: number | null;
  readonly fields?: readonly string[];
  readonly retryable?: boolean;
  readonly referenceId?: string | null;
}

/** Could the same request, sent later, come out well? */
const RETRYABLE: Record<ErrorKind, boolean> = {
  session: true,
  limit: true,
  lock: true,
  unavailable: true,
  overrun: true,
  notFound: false,
  duplicate: false,
  // Only when somebody has made room.
  storage: false,
  data: false,
};

export class SalesforceError extends Error {
  override readonly name = 'SalesforceError';
  /** Salesforce's errorCode (upper case) or one of ours (lower case). */
  readonly code: string;
  readonly kind: ErrorKind;
  readonly outcome: Outcome;
  readonly status: number | null;
  readonly fields: readonly string[];
  readonly retryable: boolean;
  /** The subrequest that failed, in a composite or a graph. */
  readonly referenceId: string | null;

  constructor(message: string, facts: ErrorFacts) {
    super(message);
    this.code = facts.code;
    this.kind = facts.kind;
    this.outcome = facts.outcome;
    this.status = facts.status ?? null;
    this.fields = facts.fields ?? [];
    this.retryable = facts.retryable ?? RETRYABLE[facts.kind];
    this.referenceId = facts.referenceId ?? null;
  }
}

/** The same error with another outcome. */
export function withOutcome(error: SalesforceError, outcome: Outcome): SalesforceError {
  return new SalesforceError(error.message, {
    code: error.code,
    kind: error.kind,
    outcome,
    status: error.status,
    fields: error.fields,
    retryable: error.retryable,
    referenceId: error.referenceId,
  });
}
