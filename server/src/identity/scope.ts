import type { Access, Contract } from '@millrace/api';
import { EVERYTHING, type Scope, type AccessTrace, hasTenant, notAllowed } from '@millrace/engine';
import { Refusal } from '../http/refusal.ts';
import type { Caller } from './caller.ts';

/** Nothing: of whoever was asked nothing. */
export const NOTHING: Scope = { tenants: [], tenant: '', owner: null };

/**
 * What a caller may see and act on with one request. The only place where a caller becomes a scope: whatever lies below the
 * routes knows scopes and no callers.
 */
export function scopeOf(
  caller: Caller,
  { access, wide }: Pick<Contract, 'access' | 'wide'>,
  named: string | undefined,
  accessTrace: AccessTrace,
): Scope {
  const { tenants: own, name } = caller;
  const mayCross = own === null || caller.roles.includes('admin');
  if (!mayCross && own.length === 0)
    throw new Refusal(
      'tenant_missing',
      `The token of ${name} names no tenant, and this server requires one.`,
    );
  if (!mayCross && wide === true)
    throw new Refusal(
      'role_missing',
      `This concerns all tenants and needs the role admin, which ${name} does not have.`,
    );
  const whole: Scope = mayCross
    ? { ...EVERYTHING, tenant: own?.[0] ?? '' }
    : { ...EVERYTHING, tenants: own, tenant: own[0] ?? '' };
  if (named !== undefined && !hasTenant(whole, named)) throw notAllowed(named);
  return {
    ...whole,
    ...(named !== undefined && { tenants: [named], tenant: named }),
    owner: ownerOf(caller, access),
    accessTrace,
  };
}

/** Those with a role for all of a tenant's things have no owner. A viewer has one for looking, and for nothing else. */
function ownerOf({ roles, name }: Caller, access: Access): string | null {
  if (roles.includes('operator') || roles.includes('admin')) return null;
  return access === 'viewer' && roles.includes('viewer') ? null : name;
}
