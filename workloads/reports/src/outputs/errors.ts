import { JobFailure } from '@millrace/engine';
import { failures } from '../contract/failures.ts';

/** What the cursor names is not here, or not what it was: the run begins again from the start, and says so. */
export class LostOutput extends Error {
  override readonly name = 'LostOutput';
}

export type FileErrorCode =
  /** It was removed, or this machine does not have it. */
  | 'file_gone'
  /** It is not the file that the result describes. */
  | 'file_damaged'
  | 'storage_unavailable'
  | 'storage_refused';

/** Why a finished file cannot be read. */
export class FileError extends Error {
  override readonly name = 'FileError';
  readonly code: FileErrorCode;
  constructor(code: FileErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Why a file cannot be written: the entries of the table of failures that are about files. */
export type OutputFailureCode = Extract<keyof typeof failures, `output_${string}`>;

export function outputFailure(
  code: OutputFailureCode,
  message: string,
  options: { readonly cause?: unknown; readonly retryAfterMs?: number } = {},
): JobFailure {
  const { retryable } = failures[code];
  return new JobFailure(code, message, { ...options, retryable });
}
