import type { Witness } from '@millrace/engine';
import type { Caller } from '../identity/caller.ts';

/** What one request has reached. */
export interface CallerTrace extends Witness {
  /** The tenants of the items that the request touched; null: none. */
  tenants(): readonly string[] | 'all' | null;
  /** True: it asked for something that is there and is not the caller's. */
  wasDenied(): boolean;
}

export function createAccessTrace(): CallerTrace {
  const seen = new Set<string>();
  let isAll = false;
  let isDenied = false;
  return {
    reached(tenants) {
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

/** True: an admin has reached what is not of their own tenants. */
export function hasCrossed({ tenants: own }: Caller, accessTrace: CallerTrace): boolean {
  const reached = accessTrace.tenants();
  if (own === null || reached === null) return false;
  return reached === 'all' || reached.some((tenant) => !own.includes(tenant));
}
