import type { Issue, WorkloadProblem } from '@millrace/workload-kit';
import type { errors } from './contract/errors.ts';

export type PipelineErrorCode = keyof typeof errors;

/** A refusal with a sentence for the person who asked. */
export class PipelineError extends Error {
  override readonly name = 'PipelineError';
  readonly code: PipelineErrorCode;
  readonly issues: readonly Issue[];

  constructor(
    code: PipelineErrorCode,
    message: string,
    options: { readonly issues?: readonly Issue[]; readonly cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.issues = options.issues ?? [];
  }
}

export function toProblem(thrown: unknown): WorkloadProblem | null {
  if (!(thrown instanceof PipelineError)) return null;
  return { code: thrown.code, detail: thrown.message };
}
