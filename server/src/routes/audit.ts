import { iso } from '@millrace/workload-kit';
import { defined } from '@millrace/workload-kit';
import { type RouteParts, type Handlers, ok } from '../http/handler.ts';

export function auditHandlers({ audit, scope: { tenants } }: RouteParts): Handlers<'listAudit'> {
  return {
    async listAudit({ query: { limit, cursor, after, before, ...filter } }) {
      const { entries, next } = await audit.list({
        filter: {
          ...defined({ ...filter, after: ms(after), before: ms(before) }),
          ...(tenants !== 'all' && { tenants }),
        },
        limit,
        ...(cursor !== undefined && { cursor }),
      });
      const shown = entries.map((entry) => ({
        ...entry,
        tenants: entry.tenants === null ? null : [...entry.tenants],
        at: iso(entry.at),
        filter:
          entry.filter === null ? null : (JSON.parse(entry.filter) as Record<string, unknown>),
      }));
      return ok({ entries: shown, next });
    },
  };
}

function ms(moment: string | undefined): number | undefined {
  return moment === undefined ? undefined : Date.parse(moment);
}
