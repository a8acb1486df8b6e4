import { ObjectStorageError } from '@millrace/object-storage';
import { FileError, outputFailure } from '../errors.ts';

/** What the storage says while a file is written, as the failure of a job; anything else as it is. */
export async function inStorage<T>(
  place: string,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // Why the run was called off is known to whoever did it.
    signal.throwIfAborted();
    throw error instanceof ObjectStorageError ? failureOf(error, place) : error;
  }
}

function failureOf(error: ObjectStorageError, place: string): Error {
  const { kind, code, message, retryable, retryAfterMs } = error;
  const cause = error;
  if (kind === 'space')
    return outputFailure('output_full', `There is no room left in ${place}. ${message}`, { cause });
  if (kind === 'conflict' || code === 'NoSuchUpload')
    return outputFailure(
      'output_taken',
      `What was being written to ${place} was changed by somebody else. ${message} The next try begins from the last chunk, or from the start.`,
      { cause },
    );
  if (!retryable) return outputFailure('output_refused', `${place}: ${message}`, { cause });
  const wait = retryAfterMs === null ? {} : { retryAfterMs };
  return outputFailure('output_failed', `${place}: ${message}`, { cause, ...wait });
}

/** The same for who reads a finished file. */
export function fileErrorOf(error: unknown, place: string): unknown {
  if (!(error instanceof ObjectStorageError) || error.code === 'canceled') return error;
  const { code, kind, message, retryable } = error;
  const options = { cause: error };
  if (code === 'NoSuchKey')
    return new FileError(
      'file_gone',
      `The file is not in ${place} any more: run the report again.`,
      options,
    );
  if (kind === 'conflict')
    return new FileError(
      'file_damaged',
      `The file in ${place} is not the one that was written: run the report again.`,
      options,
    );
  return new FileError(
    retryable ? 'storage_unavailable' : 'storage_refused',
    `The file in ${place} cannot be read. ${message}`,
    options,
  );
}
