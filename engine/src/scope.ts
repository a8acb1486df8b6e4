import type { Filter } from './filter.ts';

/** Limits which jobs, files and templates a caller may see and act on. Handlers reach a store only within one. */
export interface Scope {
  readonly tenants: readonly string[] | 'all';
  /** Where new things go. */
  readonly tenant: string;
  /** Set for members, who see and act on what they have submitted and on nothing else. */
  readonly owner: string | null;
  /** Records what the caller touches, for the audit log. */
  readonly accessTrace?: AccessTrace;
}

export interface AccessTrace {
  /** Something of these tenants was shown or is changed; `all`: of any. */
  touched(tenants: readonly string[] | 'all'): void;
  /** Something exists and was hidden from the caller. */
  denied(): void;
}

/** The scope of the service itself, and of callers where tenants are no boundary. */
export const EVERYTHING: Scope = { tenants: 'all', tenant: '', owner: null };

/** The owner of a thing, which a scope is compared with. Tenant and submitter never change. */
export interface Belonging {
  readonly tenant: string;
  readonly submitter: string | null;
}

export function isWithin(scope: Scope, { tenant, submitter }: Belonging): boolean {
  return hasTenant(scope, tenant) && (scope.owner === null || scope.owner === submitter);
}

export function hasTenant({ tenants }: Scope, tenant: string): boolean {
  return tenants === 'all' || tenants.includes(tenant);
}

/** Null for what is outside, as if it were not there; the trace records both. */
export function admitted<T extends Belonging>(scope: Scope, found: T | null): T | null {
  if (found === null) return null;
  if (!isWithin(scope, found)) {
    scope.accessTrace?.denied();
    return null;
  }
  scope.accessTrace?.touched([found.tenant]);
  return found;
}

/** The members of a list that are within the scope. */
export function admittedOf<T extends Belonging>(scope: Scope, found: readonly T[]): T[] {
  const within = found.filter((each) => isWithin(scope, each));
  if (within.length > 0)
    scope.accessTrace?.touched([...new Set(within.map(({ tenant }) => tenant))]);
  return within;
}

/** The part of the filter that is within the scope. */
export function narrowed(scope: Scope, filter: Filter): Filter {
  const { tenants, owner } = scope;
  // A member who asks for somebody else's jobs finds none.
  if (owner !== null && (filter.submitter ?? owner) !== owner) return { ...filter, tenants: [] };
  return {
    ...filter,
    ...(tenants !== 'all' && { tenants: intersection(tenants, filter.tenants) }),
    ...(owner !== null && { submitter: owner }),
  };
}

/**
 * The tenants that the jobs of a narrowed filter can belong to: none, if the requested one is not within. A tenant must
 * not find the words of a stranger in its audit log because the stranger has named it.
 */
export function tenantsOf({ tenant, tenants }: Filter): readonly string[] | 'all' {
  if (tenant === undefined) return tenants ?? 'all';
  return intersection([tenant], tenants);
}

function intersection(own: readonly string[], asked: readonly string[] | undefined): string[] {
  return own.filter((tenant) => asked?.includes(tenant) ?? true);
}
