import { type Facts, HttpError, type Outcome, createPeer } from '@millrace/http';

export type { Outcome };

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

/** The same request, sent later, could come out well. */
const RETRYABLE: ReadonlySet<ErrorKind> = new Set(['session', 'limit', 'unavailable']);

/**
 * Its code is the ErrorCode of SOAP, the errorcode of REST, or one of ours (lower case). What tells refused from unknown:
 * docs/decisions/0022.
 */
export class MarketingCloudError extends HttpError<ErrorKind> {
  override readonly name = 'MarketingCloudError';

  constructor(message: string, facts: Facts<ErrorKind>) {
    super(message, facts, RETRYABLE);
  }
}

export const peer = createPeer('Marketing Cloud', MarketingCloudError);
export const { invalid, invalidAnswer } = peer;
