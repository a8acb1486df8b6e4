import { type Access, type RouteName, allows, contracts } from '@millrace/api';
import { use } from 'react';
import { MeContext } from './client.ts';

/** Whether the person may call a route, and if not, a sentence for the control that stays disabled. */
export interface Permission {
  readonly allowed: boolean;
  /** Null where it is allowed. */
  readonly why: string | null;
}

export function useMay(route: RouteName): Permission {
  const me = use(MeContext);
  const { access } = contracts[route] as { access: Access };
  const roles = me?.roles ?? [];
  if (allows(access, roles)) return { allowed: true, why: null };
  return { allowed: false, why: `This needs the role ${access}; you are ${rolesInWords(roles)}.` };
}

export function rolesInWords(roles: readonly string[]): string {
  return roles.length === 0 ? 'without a role' : roles.join(' and ');
}
