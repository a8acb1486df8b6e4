import { ObjectStorageError } from '../errors.ts';

/** A few lines say enough. */
const LONGEST_MESSAGE = 600;

/** The same error with a message without secrets, and not too long: a storage may quote what it was sent. */
export function scrubbed(
  error: ObjectStorageError,
  secrets: readonly string[],
): ObjectStorageError {
  let text = error.message;
  for (const secret of secrets) if (secret !== '') text = text.replaceAll(secret, '[secret]');
  if (text.length > LONGEST_MESSAGE) text = `${text.slice(0, LONGEST_MESSAGE)}…`;
  if (text === error.message) return error;
  const { code, kind, outcome, status, retryable, retryAfterMs } = error;
  return new ObjectStorageError(text, { code, kind, outcome, status, retryable, retryAfterMs });
}
