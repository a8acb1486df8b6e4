import { QueryError, notConfigured } from './errors.ts';

/** Which business units a tenant may use. */
export interface Mids {
  /** The one that is asked for, or the first that they may use. Throws for one that is not theirs. */
  pick(whose: Whose, asked?: string): string;
  of(whose: Whose): readonly string[];
  /** The enterprise that the business unit is of; null: nobody has said. */
  eid(mid: string): string | null;
  all(): readonly string[];
  /**
   * Whether queries may name tables of the parent by `Ent.`: a MID is the boundary of a tenant, and the parent's tables hold
   * what all business units share.
   */
  readonly enterpriseTables: boolean;
}

export interface Whose {
  readonly tenant: string;
  /** Null: someone who is for all of the tenant's things. */
  readonly user: string | null;
}

export interface MidOfTenant {
  readonly tenant: string;
  readonly mid: string;
  readonly eid?: string | null;
  /** Who alone may use it; left out, everyone of the tenant. */
  readonly users?: readonly string[];
}

export function createMids(
  entries: readonly MidOfTenant[],
  /** Also where there are tenants. */
  enterpriseTables = false,
): Mids {
  const of = ({ tenant, user }: Whose): string[] =>
    entries
      .filter((each) => each.tenant === tenant)
      .filter(({ users }) => users === undefined || user === null || users.includes(user))
      .map(({ mid }) => mid);
  return {
    pick(whose, asked) {
      if (entries.length === 0) throw notConfigured();
      const own = of(whose);
      const mid = asked ?? own[0];
      if (mid !== undefined && own.includes(mid)) return mid;
      throw new QueryError(
        'mid_not_allowed',
        asked === undefined
          ? 'There is no business unit of Marketing Cloud for you.'
          : `${asked} is not a business unit of your tenant, or not for you.`,
      );
    },
    of,
    eid: (asked) => entries.find(({ mid }) => mid === asked)?.eid ?? null,
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
