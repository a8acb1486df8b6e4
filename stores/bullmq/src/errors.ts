import { MillraceError, StoreTimedOut, StoreUnavailable } from '@millrace/engine';

/**
 * Answers of Redis while it is of no use and may be again: started (LOADING), a replica (READONLY, MASTERDOWN,
 * NOREPLICAS), a cluster that moves or lacks a part (CLUSTERDOWN, TRYAGAIN, MOVED, ASK), a disk that is full (MISCONF), a
 * script of somebody that does not end (BUSY, UNKILLABLE), a memory that is full (OOM), a password or right that was
 * changed. Older servers put these words into the middle of the message of a script.
 */
const PASSING =
  /\b(LOADING|READONLY|MASTERDOWN|NOREPLICAS|CLUSTERDOWN|TRYAGAIN|MOVED|ASK|MISCONF|BUSY|UNKILLABLE|OOM|NOAUTH|WRONGPASS|NOPERM)\b/;

/** Errors that an operator has to repair. */
const CONDITIONS: Readonly<Record<string, string>> = {
  READONLY: 'The Redis server is a replica and takes no writes',
  MISCONF: 'Redis cannot write to its disk',
  OOM: 'The memory of Redis is full: raise maxmemory, or keep ended jobs for a shorter time',
  NOREPLICAS: 'Redis has fewer replicas than it asks for',
  NOAUTH: 'Redis wants a password',
  WRONGPASS: 'Redis does not accept the user or the password',
  NOPERM: 'The user that Millrace has in Redis lacks a right',
};

/** The driver's words for a command that it did not even try to send. */
const NOT_CONNECTED = /^(Stream isn't writeable|Connection is closed)/;

/** Nothing came within the time: see `distrust` in connect.ts. */
export function isSilence(error: unknown): boolean {
  return error instanceof Error && error.message === 'Command timed out';
}

export function keyFault(fault: string, cause?: unknown): Error {
  return new Error(
    'A key of the queue is not what it should be: another program writes to the same keys, or an app gave a job the name of ' +
      `one of them as its jobId. Delete that key, or give Millrace a prefix of its own (${fault}).`,
    { cause },
  );
}

/** The error of a command as the engine knows it: Redis is away, was too slow, or the data is at fault. */
export function storeError(error: unknown): Error {
  if (error instanceof MillraceError) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (isSilence(error)) return new StoreTimedOut('Redis did not answer in time.', { cause: error });
  if (NOT_CONNECTED.test(message))
    return new StoreUnavailable('There is no connection to Redis.', { cause: error });
  if (!(error instanceof Error) || error.name !== 'ReplyError')
    return new StoreUnavailable(`Redis did not answer: ${message}`, { cause: error });
  const [word = ''] = PASSING.exec(message) ?? [];
  if (word !== '') {
    const condition = CONDITIONS[word] ?? 'Redis is of no use for now';
    return new StoreUnavailable(`${condition} (${message}).`, { cause: error });
  }
  if (message.includes('WRONGTYPE')) return keyFault(message, error);
  return error;
}
