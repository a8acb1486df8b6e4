import { JobFailure } from '@millrace/engine';

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

/** Why a file cannot be written, as the failure of a job. All but the last two are worth another try. */
export type OutputFailureCode =
  /** No room. */
  | 'output_full'
  /** The folder is missing rights, or is read-only. */
  | 'output_not_writable'
  /** The disk or the storage failed. */
  | 'output_failed'
  /** Another execution, or somebody, has removed or completed what this one was writing. */
  | 'output_taken'
  | 'output_refused'
  | 'output_too_large';

const FINAL: ReadonlySet<OutputFailureCode> = new Set(['output_refused', 'output_too_large']);

export function outputFailure(
  code: OutputFailureCode,
  message: string,
  options: { readonly cause?: unknown; readonly retryAfterMs?: number } = {},
): JobFailure {
  return new JobFailure(code, message, { ...options, retryable: !FINAL.has(code) });
}
