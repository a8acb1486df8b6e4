import type { ErrorCode, Issue } from '@millrace/api';

/** What the edge refuses. The engine's refusals are `MillraceError`s; both become problems in one place. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: ErrorCode;
  readonly issues: readonly Issue[] | undefined;
  constructor(code: ErrorCode, message: string, issues?: readonly Issue[]) {
    super(message);
    this.code = code;
    this.issues = issues;
  }
}
