import { ERRORS, type ErrorCode, type Problem, isErrorCode, problemOf } from '@millrace/api';
import { type EngineErrorCode, MillraceError, StoreStopped } from '@millrace/engine';
import { Refusal, type WorkloadProblem } from '@millrace/workload-kit';

/** The compiler refuses an engine error that the API's table does not have. */
ERRORS satisfies Record<EngineErrorCode, unknown>;

/** Errors that Fastify throws before a handler is reached. */
const BY_STATUS: Readonly<Record<number, ErrorCode>> = {
  400: 'invalid_request',
  404: 'not_found',
  413: 'too_large',
  414: 'invalid_request',
  431: 'headers_too_large',
  415: 'unsupported_media_type',
};

/** Anything thrown, as the problem that is answered. */
export function toProblem(
  thrown: unknown,
  correlationId: string,
  ofWorkloads: (thrown: unknown) => WorkloadProblem | null = () => null,
): Problem {
  if (thrown instanceof Refusal && isErrorCode(thrown.code)) {
    return problemOf(thrown.code, thrown.message, correlationId, thrown.issues);
  }
  if (thrown instanceof MillraceError) {
    // Where the store is and why it fails is for the log. That it will not come back by itself is for everybody.
    const detail =
      thrown.code === 'store_unavailable' && !(thrown instanceof StoreStopped)
        ? 'The store does not answer. Try again in a moment.'
        : thrown.message;
    return problemOf(thrown.code, detail, correlationId);
  }
  const told = ofWorkloads(thrown);
  if (told !== null && isErrorCode(told.code)) {
    const { code, detail, retryable } = told;
    const problem = problemOf(code, detail, correlationId);
    return retryable === undefined ? problem : { ...problem, retryable };
  }
  if (thrown instanceof Error && 'statusCode' in thrown) {
    const code = BY_STATUS[Number(thrown.statusCode)];
    if (code !== undefined) return problemOf(code, thrown.message, correlationId);
  }
  // What went wrong inside is for the log; the correlation id leads there.
  const detail = `Internal error. The server’s log has the details under the correlation id ${correlationId}.`;
  return problemOf('internal', detail, correlationId);
}
