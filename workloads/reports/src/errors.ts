import { SourceUnavailable } from '@millrace/sql-source';
import type { Issue, WorkloadProblem } from '@millrace/workload-kit';
import type { errors } from './contract/errors.ts';
import { FileError, type FileErrorCode } from './outputs/errors.ts';

export type ReportErrorCode = keyof typeof errors | 'invalid_key';

/** A refusal with a sentence for the person who asked. */
export class ReportError extends Error {
  override readonly name = 'ReportError';
  readonly code: ReportErrorCode;
  /** What is wrong, parameter by parameter. */
  readonly issues: readonly Issue[];

  constructor(
    code: ReportErrorCode,
    message: string,
    options: { readonly issues?: readonly Issue[]; readonly cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.issues = options.issues ?? [];
  }
}

const FILES: Readonly<Record<FileErrorCode, ReportErrorCode>> = {
  file_gone: 'report_file_lost',
  file_damaged: 'report_file_lost',
  storage_unavailable: 'report_storage_unavailable',
  storage_refused: 'report_storage_refused',
};

/** What reports refuse, and what the source or the storage of files does, as the caller is answered. */
export function toProblem(thrown: unknown): WorkloadProblem | null {
  if (thrown instanceof ReportError) return { code: thrown.code, detail: thrown.message };
  if (thrown instanceof FileError) return { code: FILES[thrown.code], detail: thrown.message };
  if (thrown instanceof SourceUnavailable)
    return { code: 'source_unavailable', detail: thrown.message };
  return null;
}
