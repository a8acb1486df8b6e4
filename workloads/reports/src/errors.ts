import type { Issue, WorkloadProblem } from '@millrace/workload-kit';
import type { errors } from './contract/errors.ts';

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

/** What reports refuse, as the caller is told. */
export function toProblem(thrown: unknown): WorkloadProblem | null {
  if (thrown instanceof ReportError) return { code: thrown.code, detail: thrown.message };
  return null;
}
