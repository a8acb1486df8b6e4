import type { AuditEnd, AuditEntry, AuditParams, AuditRecord } from '@millrace/engine';
import type { Transaction } from './data.ts';
import { readCursor } from './queries.ts';

export function audit({ data, now }: Transaction, entry: AuditEntry): string {
  const { actor, action, target, filter, correlationId } = entry;
  const id = String(data.nextAudit());
  data.audit.set(id, {
    id,
    at: now,
    actor,
    action,
    target,
    filter,
    correlationId,
    outcome: 'started',
    count: null,
  });
  return id;
}

/** What has ended stays as it ended, also when the answer was lost and the end is told again. */
export function auditEnd({ data }: Transaction, id: string, { outcome, count }: AuditEnd): void {
  const record = data.audit.get(id);
  if (record?.outcome === 'started') data.audit.set(id, { ...record, outcome, count });
}

export function auditLog(
  { data }: Transaction,
  { filter, limit, cursor }: AuditParams,
): { entries: AuditRecord[]; next: string | null } {
  const below = cursor === undefined ? Infinity : readCursor(cursor);
  const rest = [...data.audit.values()]
    .filter((record) => Number(record.id) < below && fits(record, filter))
    .toSorted((a, b) => Number(b.id) - Number(a.id));
  const entries = rest.slice(0, limit);
  return { entries, next: rest.length > limit ? (entries.at(-1)?.id ?? null) : null };
}

function fits(record: AuditRecord, filter: AuditParams['filter']): boolean {
  const { after = -Infinity, before = Infinity } = filter;
  return (
    (filter.actor === undefined || record.actor === filter.actor) &&
    (filter.action === undefined || record.action === filter.action) &&
    (filter.target === undefined || record.target === filter.target) &&
    record.at >= after &&
    record.at < before
  );
}
