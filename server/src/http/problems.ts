import { ERRORS, type ErrorCode, type Problem, problemOf } from '@millrace/api';
import { DocumentError, reasonOf } from '@millrace/documents';
import { TemplateError } from '@millrace/docx';
import { type EngineErrorCode, MillraceError } from '@millrace/engine';
import { OfficeError } from '@millrace/office';
import { Refusal } from './refusal.ts';

/** The compiler refuses an engine error that the API's table does not have. */
ERRORS satisfies Record<EngineErrorCode, unknown>;

/** What Fastify refuses before a handler is reached. */
const BY_STATUS: Readonly<Record<number, ErrorCode>> = {
  400: 'invalid_request',
  404: 'not_found',
  413: 'too_large',
  414: 'invalid_request',
  431: 'headers_too_large',
  415: 'unsupported_media_type',
};

/** Anything thrown, as the problem that is told. */
export function toProblem(thrown: unknown, correlationId: string): Problem {
  if (thrown instanceof Refusal) {
    return problemOf(thrown.code, thrown.message, correlationId, thrown.issues);
  }
  if (thrown instanceof MillraceError) {
    // Where the store is and why it fails is for the log.
    const detail =
      thrown.code === 'store_unavailable'
        ? 'The store does not answer. Try again in a moment.'
        : thrown.message;
    return problemOf(thrown.code, detail, correlationId);
  }
  const document = documentProblem(thrown);
  if (document !== null) {
    const problem = problemOf(document.code, document.detail, correlationId);
    // The table says what is usual; this one may be worth another try, as when LibreOffice had no processor.
    return document.retryable ? { ...problem, retryable: true } : problem;
  }
  if (thrown instanceof Error && 'statusCode' in thrown) {
    const code = BY_STATUS[Number(thrown.statusCode)];
    if (code !== undefined) return problemOf(code, thrown.message, correlationId);
  }
  // What went wrong inside is for the log; the correlation id leads there.
  const detail = `Something went wrong in the service. Its log has more under the correlation id ${correlationId}.`;
  return problemOf('internal', detail, correlationId);
}

/** What the documents refuse, and what LibreOffice does. */
function documentProblem(
  thrown: unknown,
): { code: ErrorCode; detail: string; retryable: boolean } | null {
  if (thrown instanceof DocumentError && thrown.code !== 'unknown')
    return { code: thrown.code, detail: thrown.message, retryable: thrown.retryable };
  if (thrown instanceof OfficeError && thrown.code === 'office_missing')
    return { code: 'office_missing', detail: thrown.message, retryable: false };
  if (!(thrown instanceof OfficeError || thrown instanceof TemplateError)) return null;
  const { reason, retryable } = reasonOf(thrown);
  return reason === 'unknown' ? null : { code: reason, detail: thrown.message, retryable };
}
