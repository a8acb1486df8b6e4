import { JobFailure, StoreUnavailable } from '@millrace/engine';
import { TemplateError, ThreadsBusy } from '@millrace/docx';
import { OfficeError } from '@millrace/office';
import { failures } from './contract/failures.ts';
import { DocumentError, type FailureReason } from './document-error.ts';

// In a file of its own for threads, which need nothing else of what is imported here.
export {
  DocumentError,
  type DocumentErrorCode,
  type ErrorPlace,
  type FailureReason,
} from './document-error.ts';

export function fromTemplateError(
  error: TemplateError,
  code: 'template_invalid' | 'validation_error',
): DocumentError {
  const { message, part, paragraph, snippet } = error;
  return new DocumentError(code, message, {
    detail: error.code,
    place: { part, paragraph, snippet },
    cause: error,
  });
}

/** What is thrown while a template is read or filled in; what is not the template's doing stays as it is. */
export function refusalOf(error: unknown, code: 'template_invalid' | 'validation_error'): unknown {
  if (error instanceof TemplateError) return fromTemplateError(error, code);
  if (!(error instanceof ThreadsBusy)) return error;
  return new DocumentError(
    'busy',
    'Too many templates are being worked through. Try again in a moment.',
    { retryable: true, cause: error },
  );
}

/** `detail` is the office's own code: `office_missing`, say. */
export function fromOfficeError(error: OfficeError): DocumentError {
  const { reason, retryable } = officeReason(error);
  return new DocumentError(reason, error.message, { retryable, detail: error.code, cause: error });
}

const REASONS: readonly string[] = [...Object.keys(failures), 'validation_error'];

/**
 * What went wrong while a document was made, by reason. Bad data and missing templates stay so; a database that is
 * away, a network and a timeout pass.
 */
export function failureOf(thrown: unknown): JobFailure {
  if (thrown instanceof JobFailure) return thrown;
  const { reason, retryable } = reasonOf(thrown);
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new JobFailure(reason, message, { retryable, cause: thrown });
}

export function reasonOf(thrown: unknown): { reason: FailureReason; retryable: boolean } {
  if (thrown instanceof JobFailure)
    return { reason: asReason(thrown.code), retryable: thrown.retryable };
  if (thrown instanceof TemplateError) return { reason: 'validation_error', retryable: false };
  if (thrown instanceof OfficeError) return officeReason(thrown);
  if (thrown instanceof DocumentError)
    return { reason: asReason(thrown.code), retryable: thrown.retryable };
  return { reason: 'unknown', retryable: true };
}

function officeReason({ code, retryable }: OfficeError): {
  reason: FailureReason;
  retryable: boolean;
} {
  switch (code) {
    case 'conversion_timeout':
      return { reason: 'conversion_timeout', retryable };
    case 'unsupported_option':
    case 'invalid_document':
      return { reason: 'validation_error', retryable: false };
    default:
      return { reason: 'conversion_failed', retryable };
  }
}

function asReason(code: string): FailureReason {
  return REASONS.includes(code) ? (code as FailureReason) : 'unknown';
}

/** What fails while bytes are stored: the database is away, or the bytes they point at have just been removed. */
export function storing(error: unknown): unknown {
  if (error instanceof DocumentError) return error;
  const isGone = error instanceof Error && 'code' in error && error.code === FOREIGN_KEY_VIOLATION;
  if (!(error instanceof StoreUnavailable) && !isGone) return error;
  return new DocumentError('upload_failed', 'The document could not be stored. Try again.', {
    retryable: true,
    cause: error,
  });
}

const FOREIGN_KEY_VIOLATION = '23503';
