import { type Facts, HttpError, type Outcome, createPeer } from '@millrace/http';

export type { Outcome };

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

/** The same request, sent later, could come out well: somebody can make room, and a clock is set, while the job waits. */
const RETRYABLE: ReadonlySet<ErrorKind> = new Set(['limit', 'unavailable', 'space', 'clock']);

/** Its code is the Code of the storage's answer (`NoSuchUpload`), or one of ours (lower case). */
export class ObjectStorageError extends HttpError<ErrorKind> {
  override readonly name = 'ObjectStorageError';

  constructor(message: string, facts: Facts<ErrorKind>) {
    super(message, facts, RETRYABLE);
  }
}

export const peer = createPeer('the object storage', ObjectStorageError);
export const { invalid, invalidAnswer } = peer;
