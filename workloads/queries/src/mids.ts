import { QueryError, notConfigured } from './errors.ts';

/** Which business units a tenant may use. */
export interface Mids {
  /** The one that is asked for, or the tenant's first. Throws for one that is not the tenant's. */
  pick(tenant: string, asked?: string): string;
  of(tenant: string): readonly string[];
  all(): readonly string[];
  /**
   * Whether queries may name tables of the parent by `Ent.`: a MID is the boundary of a tenant, and the parent's tables hold
   * what all business units share.
   */
  readonly enterpriseTables: boolean;
}

export interface MidOfTenant {
  readonly tenant: string;
  readonly mid: string;
}

export function createMids(
  entries: readonly MidOfTenant[],
  /** Also where there are tenants. */
  enterpriseTables = false,
): Mids {
  const of = (tenant: string): string[] =>
    entries.filter((each) => each.tenant === tenant).map(({ mid }) => mid);
  return {
    pick(tenant, asked) {
      if (entries.length === 0) throw notConfigured();
      const own = of(tenant);
      const mid = asked ?? own[0];
      if (mid !== undefined && own.includes(mid)) return mid;
      throw new QueryError(
        'mid_not_allowed',
        asked === undefined
          ? 'Your tenant has no business unit of Marketing Cloud.'
          : `${asked} is not a business unit of your tenant.`,
      );
    },
    of,
    all: () => [...new Set(entries.map(({ mid }) => mid))],
    enterpriseTables: enterpriseTables || entries.every(({ tenant }) => tenant === ''),
  };
}

/** `100001,acme=100002`: without a tenant, it is of those who have no tenants. Null where it cannot be read. */
export function parseMids(entries: readonly string[]): MidOfTenant[] | null {
  const parsed = entries.map((entry) => {
    const [, tenant = '', mid = ''] = /^(?:(.{1,100})=)?(\d{1,20})$/.exec(entry) ?? [];
    return { tenant: tenant.trim(), mid };
  });
  return parsed.every(({ mid }) => mid !== '') ? parsed : null;
}
