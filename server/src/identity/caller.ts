import type { Role } from '@millrace/api';

/** Who asks, once it is known. */
export interface Caller {
  /** For people: in the audit log, on jobs, in "paused by". */
  readonly name: string;
  /** What stays the same when the name changes. */
  readonly subject: string;
  readonly roles: readonly Role[];
  /** When the token ends, in milliseconds since 1970; null: never. */
  readonly expiresAt: number | null;
}

/** From the header `authorization`; throws a Refusal. */
export type Authenticate = (authorization: string | undefined) => Promise<Caller>;

/** With the bypass, everyone on this machine is this one. */
export const DEVELOPER: Caller = {
  name: 'development',
  subject: 'development',
  roles: ['admin'],
  expiresAt: null,
};
