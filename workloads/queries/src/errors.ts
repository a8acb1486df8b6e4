import { JobFailure } from '@millrace/engine';
import { MarketingCloudError } from '@millrace/marketing-cloud';
import type { Issue, WorkloadProblem } from '@millrace/workload-kit';
import type { errors } from './contract/errors.ts';
import type { failures } from './contract/failures.ts';

export type QueryErrorCode = keyof typeof errors;
export type FailureCode = keyof typeof failures;

/** A refusal with a sentence for the person who asked. */
export class QueryError extends Error {
  override readonly name = 'QueryError';
  readonly code: QueryErrorCode;
  /** What is wrong with the SQL, place by place. */
  readonly issues: readonly Issue[];

  constructor(
    code: QueryErrorCode,
    message: string,
    options: { readonly issues?: readonly Issue[]; readonly cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.issues = options.issues ?? [];
  }
}

/** Why a run ended `failed`; thrown inside execute, where it ends the run and not the job. */
export class RunFailure extends Error {
  override readonly name = 'RunFailure';
  readonly code: FailureCode;
  constructor(code: FailureCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

export function notConfigured(why = 'This service has no Marketing Cloud account.'): QueryError {
  return new QueryError('marketing_cloud_not_configured', why);
}

/** What queries refuse, and what Marketing Cloud does, as the caller is answered. */
export function toProblem(thrown: unknown): WorkloadProblem | null {
  if (thrown instanceof QueryError) return { code: thrown.code, detail: thrown.message };
  if (!(thrown instanceof MarketingCloudError)) return null;
  const code = thrown.retryable ? 'marketing_cloud_unavailable' : 'marketing_cloud_refused';
  return { code, detail: thrown.message };
}

/** What Marketing Cloud refuses, as the failure of a job: worth another try, or not. */
export function failureOf(error: MarketingCloudError): JobFailure {
  const { message, retryable, retryAfterMs } = error;
  return new JobFailure(
    retryable ? 'marketing_cloud_unavailable' : 'marketing_cloud_refused',
    message,
    { retryable, cause: error, ...(retryAfterMs !== null && { retryAfterMs }) },
  );
}

/** A job that names a run which this database does not have: made by another program, or for a run that was removed since. */
export function unknownRun(runId: string): JobFailure {
  return new JobFailure(
    'unknown_run',
    `There is no run "${runId}" here, and nothing was asked of Marketing Cloud. Runs are made by POST /runs; a job that another program made for a run of its own cannot be carried on.`,
    { retryable: false },
  );
}
