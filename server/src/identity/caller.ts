import type { Caller } from '@millrace/workload-kit';

export type { Caller } from '@millrace/workload-kit';

/** From the header `authorization`; throws a Refusal. */
export type Authenticate = (authorization: string | undefined) => Promise<Caller>;

/** With the bypass, everyone on this machine is this one. */
export const DEVELOPER: Caller = {
  name: 'development',
  subject: 'development',
  roles: ['admin'],
  tenants: null,
  claims: {},
  expiresAt: null,
};
