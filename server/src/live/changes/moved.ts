import { type Count, type Scope, type Store, hasTenant } from '@millrace/engine';

/** Tenants whose jobs have changed; `all` where that is not known. */
export type Tenants = ReadonlySet<string> | 'all';

/**
 * Whose jobs have changed when an announcement could not name them all. It names no tenants either, and a reader must not
 * learn from `more` that others are busy: the counts say who was. They show whatever makes or ends a job; a change that
 * leaves a tenant's counts as they were (progress; one job goes back to the queue as another starts) is sent with the next.
 */
export interface Moved {
  /** From here on. */
  begin(): void;
  /** The tenants whose counts have changed since the last call. */
  since(): Promise<Tenants>;
}

type ByTenant = ReadonlyMap<string, string>;

export function createMoved(store: Pick<Store, 'counts'>): Moved {
  let before: Promise<ByTenant | null> = Promise.resolve(null);

  const read = async (): Promise<ByTenant> => byTenant(await store.counts());

  return {
    begin() {
      before = read().catch(() => null);
    },
    async since() {
      const [was, now] = [await before, await read()];
      before = Promise.resolve(now);
      if (was === null) return 'all';
      const tenants = new Set([...was.keys(), ...now.keys()]);
      return new Set([...tenants].filter((tenant) => was.get(tenant) !== now.get(tenant)));
    },
  };
}

export function concerns(tenants: Tenants, scope: Scope): boolean {
  if (scope.tenants === 'all' || tenants === 'all') return true;
  return [...tenants].some((tenant) => hasTenant(scope, tenant));
}

function byTenant(counts: readonly Count[]): ByTenant {
  const lines = new Map<string, string[]>();
  for (const count of counts)
    lines.set(count.tenant, [...(lines.get(count.tenant) ?? []), JSON.stringify(count)]);
  return new Map([...lines].map(([tenant, of]) => [tenant, of.toSorted().join()]));
}
