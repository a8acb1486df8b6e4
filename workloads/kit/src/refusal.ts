/** What is wrong with one field of a request. */
export interface Issue {
  readonly path: string;
  readonly message: string;
}

/** What the edge refuses, by a code of the error table. The engine's refusals are `MillraceError`s, a workload's its own. */
export class Refusal<Code extends string = string> extends Error {
  override readonly name = 'Refusal';
  readonly code: Code;
  readonly issues: readonly Issue[] | undefined;
  /** Where it is known when trying again makes sense. */
  readonly retryAfterSeconds: number | undefined;
  /** What was tried to be reached, where the audit log keeps the refusal. */
  readonly auditTarget: string | undefined;
  constructor(
    code: Code,
    message: string,
    more: {
      readonly issues?: readonly Issue[];
      readonly retryAfterSeconds?: number;
      readonly auditTarget?: string;
    } = {},
  ) {
    super(message);
    this.code = code;
    this.issues = more.issues;
    this.retryAfterSeconds = more.retryAfterSeconds;
    this.auditTarget = more.auditTarget;
  }
}
