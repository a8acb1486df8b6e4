import type { ErrorCode, Issue } from '@millrace/api';

/** What the edge refuses. The engine's refusals are `MillraceError`s; both become problems in one place. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: ErrorCode;
  readonly issues: readonly Issue[] | undefined;
  /** Where it is known when trying again makes sense. */
  readonly retryAfterSeconds: number | undefined;
  constructor(
    code: ErrorCode,
    message: string,
    more: { readonly issues?: readonly Issue[]; readonly retryAfterSeconds?: number } = {},
  ) {
    super(message);
    this.code = code;
    this.issues = more.issues;
    this.retryAfterSeconds = more.retryAfterSeconds;
  }
}
