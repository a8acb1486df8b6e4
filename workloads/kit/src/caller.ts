import type { Role } from './contract/access.ts';

/** The caller, once it is known. */
export interface Caller {
  /** For people: in the audit log, on jobs, in "paused by". */
  readonly name: string;
  /** What stays the same when the name changes. */
  readonly subject: string;
  readonly roles: readonly Role[];
  /** As the claim names them, the first being where new things go; null where tenants are no boundary. */
  readonly tenants: readonly string[] | null;
  /** The claims of CALLER_CLAIMS that the token has, each as a list of texts. */
  readonly claims: Readonly<Record<string, readonly string[]>>;
  /** When the token ends, in milliseconds since 1970; null: never. */
  readonly expiresAt: number | null;
}
