/**
 * The turns of tenants over the claims of one handle: tenants follow each other in the order of their names, and a claim
 * begins after the tenant that the claim before it served last. Kept per kind, so that pools of one process, which claim
 * by turns themselves, do not skip each other's tenants.
 */
export interface Turns {
  /** The tenants in the order of their turns. */
  order(kinds: Iterable<string>, tenants: Iterable<string>): string[];
  served(kinds: Iterable<string>, tenant: string): void;
}

export function createTurns(): Turns {
  const last = new Map<string, { tenant: string; claim: number }>();
  let claims = 0;

  function lastOf(kinds: Iterable<string>): string | null {
    let newest: { tenant: string; claim: number } | null = null;
    for (const kind of kinds) {
      const served = last.get(kind);
      if (served !== undefined && served.claim > (newest?.claim ?? 0)) newest = served;
    }
    return newest?.tenant ?? null;
  }

  return {
    order(kinds, tenants) {
      const sorted = [...tenants].toSorted();
      const before = lastOf(kinds);
      if (before === null) return sorted;
      return [
        ...sorted.filter((tenant) => tenant > before),
        ...sorted.filter((tenant) => tenant <= before),
      ];
    },
    served(kinds, tenant) {
      claims += 1;
      for (const kind of kinds) last.set(kind, { tenant, claim: claims });
    },
  };
}
