import { type Facts, HttpError, type Outcome, createPeer } from '@millrace/http';

export type { Outcome };

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

export interface ErrorFacts extends Facts<ErrorKind> {
  readonly fields?: readonly string[];
  readonly referenceId?: string | null;
}

/** The same request, sent later, could come out well. (Of a full storage only when somebody has made room.) */
const RETRYABLE: ReadonlySet<ErrorKind> = new Set([
  'session',
  'limit',
  'lock',
  'unavailable',
  'overrun',
]);

/** Its code is Salesforce's errorCode (upper case) or one of ours (lower case). */
export class SalesforceError extends HttpError<ErrorKind> {
  override readonly name = 'SalesforceError';
  readonly fields: readonly string[];
  /** The subrequest that failed, in a composite or a graph. */
  readonly referenceId: string | null;

  constructor(message: string, facts: ErrorFacts) {
    super(message, facts, RETRYABLE);
    this.fields = facts.fields ?? [];
    this.referenceId = facts.referenceId ?? null;
  }
}

export const peer = createPeer('Salesforce', SalesforceError);
