import { type Contract, contracts } from '@millrace/api';
import { type Scope, hasTenant } from '@millrace/engine';
import type { AuditRecord } from '@millrace/store-postgres';
import { iso } from '@millrace/workload-kit';
import { defined } from '@millrace/workload-kit';
import { type RouteParts, type Handlers, ok } from '../http/handler.ts';

export function auditHandlers({ audit, scope }: RouteParts): Handlers<'listAudit'> {
  const { tenants } = scope;
  return {
    async listAudit({ query: { limit, cursor, after, before, ...filter } }) {
      const { entries, next } = await audit.list({
        filter: {
          ...defined({ ...filter, after: ms(after), before: ms(before) }),
          ...(tenants !== 'all' && { tenants }),
          // An entry found by a target that is hidden from the reader would reveal it, and so would a page without it.
          ...(tenants !== 'all' && filter.target !== undefined && { exceptActions: HASHED }),
        },
        limit,
        ...(cursor !== undefined && { cursor }),
      });
      if (entries.length > 0) scope.accessTrace?.touched(tenants);
      return ok({ entries: entries.map((entry) => shown(scope, entry)), next });
    },
  };
}

/** The parts of an entry that the reader may see. Names and counts of other tenants are removed. */
function shown(scope: Scope, { tenants: about, at, count, filter, target, ...entry }: AuditRecord) {
  const isWhole = scope.tenants === 'all' || isOwn(scope, about);
  const asked = filter === null ? null : (JSON.parse(filter) as Record<string, unknown>);
  return {
    ...entry,
    target: scope.tenants !== 'all' && HASHED.includes(entry.action) ? null : target,
    at: iso(at),
    tenants: Array.isArray(about) ? about.filter((tenant) => hasTenant(scope, tenant)) : null,
    allTenants: about === 'all',
    filter: isWhole ? asked : nameless(asked),
    count: isWhole ? count : null,
  };
}

/**
 * Actions about somebody who is to be forgotten: whose address the hash is of can be tried, so that only those who may see all
 * tenants are told it.
 */
const HASHED: readonly string[] = Object.entries<Contract>(contracts)
  .filter(([, { audit }]) => audit?.hashed === true)
  .map(([action]) => action);

function isOwn(scope: Scope, about: AuditRecord['tenants']): boolean {
  return about !== null && about !== 'all' && about.every((tenant) => hasTenant(scope, tenant));
}

/** All others can name somebody: a tenant, a key, a request, a batch, who has done something. */
const NAMELESS: ReadonlySet<string> = new Set([
  'all',
  'kind',
  'state',
  'phase',
  'priority',
  'errorCode',
  'createdAfter',
  'createdBefore',
  'action',
  'after',
  'before',
  'topics',
  'limit',
]);

function nameless(asked: Record<string, unknown> | null): Record<string, unknown> | null {
  const left = Object.entries(asked ?? {}).filter(([name]) => NAMELESS.has(name));
  return left.length === 0 ? null : Object.fromEntries(left);
}

function ms(moment: string | undefined): number | undefined {
  return moment === undefined ? undefined : Date.parse(moment);
}
