import type { AccessTrace } from '@millrace/engine';
import type { Caller } from '../identity/caller.ts';

/** The things that one request has touched. */
export interface RequestAccess extends AccessTrace {
  /** The tenants of the items that the request touched; null: none. */
  tenants(): readonly string[] | 'all' | null;
  /** True: it asked for something that is there and is not the caller's. */
  wasDenied(): boolean;
}

export function createAccessTrace(): RequestAccess {
  const seen = new Set<string>();
  let isAll = false;
  let isDenied = false;
  return {
    touched(tenants) {
      if (tenants === 'all') isAll = true;
      else for (const tenant of tenants) seen.add(tenant);
    },
    denied() {
      isDenied = true;
    },
    tenants: () => (isAll ? 'all' : seen.size === 0 ? null : [...seen]),
    wasDenied: () => isDenied,
  };
}

/** True: an admin has touched what is not of their own tenants. */
export function hasCrossed({ tenants: own }: Caller, accessTrace: RequestAccess): boolean {
  const touched = accessTrace.tenants();
  if (own === null || touched === null) return false;
  return touched === 'all' || touched.some((tenant) => !own.includes(tenant));
}
