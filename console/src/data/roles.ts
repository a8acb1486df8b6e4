import { type Access, type Me, type RouteName, allows, contracts } from '@millrace/api';
import { use } from 'react';
import { MeContext } from './client.ts';

/** Whether the person may call a route, and if not, a sentence for the control that stays disabled. */
export interface Permission {
  readonly allowed: boolean;
  /** Null where it is allowed. */
  readonly why: string | null;
}

export function useMay(route: RouteName): Permission {
  return mayCall(use(MeContext), route);
}

export function mayCall(me: Pick<Me, 'roles' | 'tenants'> | null, route: RouteName): Permission {
  const { access, wide = false } = contracts[route] as { access: Access; wide?: boolean };
  const { roles, tenants } = me ?? { roles: [], tenants: null };
  const are = `you are ${rolesInWords(roles)}.`;
  if (!allows(access, roles))
    return { allowed: false, why: `This needs the role ${access}; ${are}` };
  // Where tenants are a boundary, those who stay within theirs change nothing for the others.
  if (wide && tenants !== null && !allows('admin', roles))
    return { allowed: false, why: `This concerns all tenants and needs the role admin;  ${are}` };
  return { allowed: true, why: null };
}

export function rolesInWords(roles: readonly string[]): string {
  return roles.length === 0 ? 'without a role' : roles.join(' and ');
}
