import { type Param, type Statement, texts } from '../database.ts';
import type { AuditEnd, AuditEntry, AuditParams, AuditRecord } from '../service.ts';
import type { Context } from './context.ts';
import { readCursor, rowNumber } from './cursor.ts';
import { unnamed } from './filter.ts';

// $1 actor $2 action $3 target $4 filter $5 correlation_id $6 subject $7 tenants[] $8 outcome
const BEGIN: Statement = {
  name: 'millrace_audit',
  text: `
INSERT INTO millrace.audit (at, actor, action, target, filter, correlation_id, subject, tenants, outcome)
VALUES (millrace.clock(), $1, $2, $3, $4::text::jsonb, $5, $6, $7::text::text[], $8) RETURNING id`,
};

// An entry that has ended stays as it ended, also when the answer was lost and the end is sent again. $1 id $2 outcome $3 count
// $4 tenants[], or null to leave them
const END: Statement = {
  name: 'millrace_audit_end',
  text: `UPDATE millrace.audit SET outcome = $2, count = $3, tenants = coalesce($4::text::text[], tenants) WHERE id = $1 AND outcome = 'started'`,
};

// Along the primary key, in whose order entries are made: it ends with the first stretch that has a younger one, and no index on
// the time is needed.
// $1 keep, ms $2 stretch
const PRUNE: Statement = {
  name: 'millrace_audit_prune',
  text: `
WITH stretch AS MATERIALIZED (
  SELECT id, at FROM millrace.audit ORDER BY id LIMIT $2::int
), gone AS (
  DELETE FROM millrace.audit WHERE id = ANY (ARRAY(
    SELECT id FROM stretch WHERE at < millrace.clock() - $1::float8 * interval '1 millisecond')) RETURNING id
)
SELECT count(*)::int AS count FROM gone`,
};
const STRETCH = 2_000;

export async function auditPrune(
  { database }: Context,
  { keepMs }: { keepMs: number },
): Promise<{ count: number; more: boolean }> {
  const [row] = await database.query<{ count: number }>(PRUNE, [keepMs, STRETCH]);
  const count = row?.count ?? 0;
  return { count, more: count === STRETCH };
}

export async function auditBegin(
  context: Context,
  { entry }: { entry: AuditEntry },
): Promise<string> {
  return write(context, entry, 'started');
}

export async function auditNote(
  context: Context,
  { entry, outcome }: { entry: AuditEntry; outcome: AuditEnd['outcome'] },
): Promise<void> {
  await write(context, entry, outcome);
}

async function write(
  { database }: Context,
  { actor, action, target, filter, correlationId, subject, tenants }: AuditEntry,
  outcome: AuditRecord['outcome'],
): Promise<string> {
  const params = [actor, action, target, filter, correlationId, subject, listOf(tenants), outcome];
  const [row] = await database.query<{ id: number }>(BEGIN, params);
  if (row === undefined) throw new Error('The audit entry was written, but its id is missing.');
  return String(row.id);
}

export async function auditEnd(
  { database }: Context,
  { id, end: { outcome, count, tenants } }: { id: string; end: AuditEnd },
): Promise<void> {
  const number = rowNumber(id);
  if (number !== null) await database.query(END, [number, outcome, count, listOf(tenants ?? null)]);
}

/** All tenants are the empty list, which no entry has otherwise: any text may be the name of a tenant. */
const ALL: readonly string[] = [];

function listOf(tenants: AuditEntry['tenants']): string | null {
  return tenants === null ? null : texts(tenants === 'all' ? ALL : tenants);
}

function tenantsOf(list: string | null): AuditEntry['tenants'] {
  if (list === null) return null;
  const tenants = JSON.parse(list) as string[];
  return tenants.length === 0 ? 'all' : tenants;
}

type AuditRow = {
  id: number;
  at: number;
  actor: string;
  subject: string | null;
  tenants: string | null;
  action: string;
  target: string | null;
  filter: string | null;
  correlation_id: string;
  outcome: AuditRecord['outcome'];
  count: number | null;
};

export async function auditLog(
  { database }: Context,
  { filter, limit, cursor }: AuditParams,
): Promise<{ entries: AuditRecord[]; next: string | null }> {
  const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : readCursor(cursor);
  const { text, params } = select(filter, before, limit + 1);
  const rows = await database.query<AuditRow>(unnamed(text), params);
  const entries = rows.slice(0, limit).map(recordOf);
  return { entries, next: rows.length > limit ? (entries.at(-1)?.id ?? null) : null };
}

/**
 * Newest first along the narrowest index. The planner would take `actor = $1` for a reason to walk down the primary key
 * until enough are found, which for someone who does little is the whole log; asked for the order of the index on the
 * actor, it has no other way. An action or a time alone does walk down the log: 0.3 s for a million entries.
 */
function select(
  filter: AuditParams['filter'],
  before: number,
  limit: number,
): { text: string; params: Param[] } {
  const params: Param[] = [before];
  const param = (value: Param): string => `$${params.push(value)}`;
  const where: string[] = [];
  const lead = filter.target !== undefined ? 'target' : 'actor';
  const leader = filter[lead];
  if (leader === undefined) where.push('id < $1::bigint');
  else {
    const value = `${param(leader)}::text`;
    where.push(`(${lead}, id) < (${value}, $1::bigint)`, `${lead} >= ${value}`);
  }
  if (lead === 'target' && filter.actor !== undefined) where.push(`actor = ${param(filter.actor)}`);
  if (filter.tenants !== undefined)
    where.push(`(tenants && ${param(texts(filter.tenants))}::text::text[] OR tenants = '{}')`);
  if (filter.action !== undefined) where.push(`action = ${param(filter.action)}`);
  if (filter.exceptActions !== undefined)
    where.push(`action <> ALL (${param(texts(filter.exceptActions))}::text::text[])`);
  if (filter.after !== undefined) where.push(`at >= ${moment(param(filter.after))}`);
  if (filter.before !== undefined) where.push(`at < ${moment(param(filter.before))}`);
  const order = leader === undefined ? 'id DESC' : `${lead} DESC, id DESC`;
  const text = `
SELECT id, date_part('epoch', at) * 1000 AS at, actor, subject, array_to_json(tenants)::text AS tenants, action, target, filter::text, correlation_id, outcome, count
  FROM millrace.audit WHERE ${where.join(' AND ')} ORDER BY ${order} LIMIT ${param(limit)}`;
  return { text, params };
}

function moment(ms: string): string {
  return `to_timestamp(${ms}::float8 / 1000)`;
}

function recordOf(row: AuditRow): AuditRecord {
  return {
    id: String(row.id),
    at: Math.round(row.at),
    actor: row.actor,
    subject: row.subject,
    tenants: tenantsOf(row.tenants),
    action: row.action,
    target: row.target,
    filter: row.filter,
    correlationId: row.correlation_id,
    outcome: row.outcome,
    count: row.count,
  };
}
