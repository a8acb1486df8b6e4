import { type Statement, numbers, texts } from '../../database.ts';
import {
  BUCKETS,
  type Figures,
  LEVEL,
  type Rollup,
  SOURCES,
  type Summed,
  type Whose,
} from '../../figures.ts';
import type { Context } from '../context.ts';

// $1 level[] $2 tenant[] $3 minute, ms[] $4 kind[] $5 replica $6 version $7 enqueued[] $8 succeeded[] $9 failed[] $10 canceled[]
// $11 retried[] $12 ran[] $13 waited[]
const KEEP: Statement = {
  name: 'millrace_rollups_keep',
  text: `
INSERT INTO millrace.rollups AS r (level, tenant, minute, kind, replica, version, enqueued, succeeded, failed, canceled, retried, ran, waited)
SELECT u.level, u.tenant, to_timestamp(u.minute / 1000), u.kind, $5, $6::int, u.enqueued::bigint[], u.succeeded, u.failed, u.canceled,
       u.retried, u.ran::bigint[], u.waited::bigint[]
  FROM unnest($1::text::smallint[], $2::text::text[], $3::text::float8[], $4::text::text[], $7::text::text[], $8::text::bigint[],
              $9::text::bigint[], $10::text::bigint[], $11::text::bigint[], $12::text::text[], $13::text::text[])
       AS u(level, tenant, minute, kind, enqueued, succeeded, failed, canceled, retried, ran, waited)
ON CONFLICT (level, tenant, minute, kind, replica) DO UPDATE
   SET version = excluded.version, enqueued = excluded.enqueued, succeeded = excluded.succeeded, failed = excluded.failed,
       canceled = excluded.canceled, retried = excluded.retried, ran = excluded.ran, waited = excluded.waited
 WHERE r.version < excluded.version`,
};

/** One statement each: rows of a minute with 10,000 tenants are three megabytes. */
const BATCH = 1_000;

export async function keepRollups(
  { database }: Context,
  { replica, version, rollups }: Parameters<Figures['keep']>[0],
): Promise<void> {
  for (let from = 0; from < rollups.length; from += BATCH) {
    const some = rollups.slice(from, from + BATCH);
    const column = (of: (rollup: Rollup) => number): string => numbers(some.map(of));
    const lists = (of: (rollup: Rollup) => readonly number[]): string =>
      texts(some.map((rollup) => numbers(trimmed(of(rollup)))));
    await database.query(KEEP, [
      column(({ level }) => level),
      texts(some.map(({ tenant }) => tenant)),
      column(({ minute }) => minute),
      texts(some.map(({ kind }) => kind)),
      replica,
      version,
      lists(({ enqueued }) => enqueued),
      column(({ succeeded }) => succeeded),
      column(({ failed }) => failed),
      column(({ canceled }) => canceled),
      column(({ retried }) => retried),
      lists(({ ran }) => ran),
      lists(({ waited }) => waited),
    ]);
  }
}

/** Without the zeros at the end: a row of short jobs is half as large. */
function trimmed(list: readonly number[]): readonly number[] {
  return list.slice(0, list.findLastIndex((count) => count > 0) + 1);
}

const SCALARS = ['succeeded', 'failed', 'canceled', 'retried'] as const;
const LISTS = { enqueued: SOURCES.length, ran: BUCKETS, waited: BUCKETS } as const;

/** An array of sums, element by element: an aggregate of our own took ten times as long. */
function sums(column: string, length: number): string {
  const each = Array.from(
    { length },
    (_, index) => `coalesce(sum(${column}[${index + 1}]), 0)::bigint`,
  );
  return `ARRAY[${each.join(', ')}]`;
}

const SUMMED = [
  ...SCALARS.map((column) => `sum(${column})::bigint AS ${column}`),
  ...Object.entries(LISTS).map(([column, length]) => `${sums(column, length)} AS ${column}`),
].join(', ');

const READ = SUMMED.replaceAll(/\] AS (\w+)/g, ']::text AS $1').replaceAll(
  '::bigint AS',
  '::float8 AS',
);

// $1 level $2 tenants[] $3 from, ms $4 to, ms $5 bucket, ms $6 kinds[], or null for all
const SUM: Statement = {
  name: 'millrace_rollups_sum',
  text: `
SELECT floor((date_part('epoch', minute) * 1000 - $3::float8) / $5::float8)::int AS bucket, ${READ}
  FROM millrace.rollups
 WHERE level = $1::smallint AND tenant = ANY ($2::text::text[])
   AND minute >= to_timestamp($3::float8 / 1000) AND minute < to_timestamp($4::float8 / 1000)
   AND ($6::text IS NULL OR kind = ANY ($6::text::text[]))
 GROUP BY 1 ORDER BY 1`,
};

type SumRow = { bucket: number } & Record<(typeof SCALARS)[number], number> &
  Record<keyof typeof LISTS, string>;

export async function sumRollups(
  { database }: Context,
  { from, to, bucketMs, tenants, kinds }: Parameters<Figures['sum']>[0],
): Promise<Summed[]> {
  const { level, whose } = levelOf({ tenants, kinds });
  const rows = await database.query<SumRow>(SUM, [
    level,
    texts(whose),
    from,
    to,
    bucketMs,
    kinds === undefined ? null : texts(kinds),
  ]);
  return rows.map((row) => ({
    ...row,
    enqueued: listOf(row.enqueued),
    ran: listOf(row.ran),
    waited: listOf(row.waited),
  }));
}

function levelOf({ tenants, kinds }: Whose): { level: number; whose: readonly string[] } {
  if (tenants !== 'all') return { level: LEVEL.subqueue, whose: tenants };
  return { level: kinds === undefined ? LEVEL.all : LEVEL.kind, whose: [''] };
}

/** From `{1,2}`. */
function listOf(literal: string): number[] {
  return literal.slice(1, -1).split(',').map(Number);
}

// The oldest hour whose minutes are still apart. One replica at a time.
const MERGE: Statement = {
  name: 'millrace_rollups_merge',
  text: `
WITH turn AS MATERIALIZED (SELECT pg_try_advisory_xact_lock(hashtext('millrace.rollups')) AS mine),
oldest AS MATERIALIZED (
  SELECT date_bin('1 hour', minute, to_timestamp(0)) AS hour FROM millrace.rollups
   WHERE NOT merged AND minute < date_bin('1 hour', millrace.clock(), to_timestamp(0)) - interval '2 days'
   ORDER BY merged, minute LIMIT 1),
taken AS (
  DELETE FROM millrace.rollups
   WHERE NOT merged AND (SELECT mine FROM turn)
     AND minute >= (SELECT hour FROM oldest) AND minute < (SELECT hour FROM oldest) + interval '1 hour'
  RETURNING *),
written AS (
INSERT INTO millrace.rollups AS r (level, tenant, minute, kind, replica, merged, version, succeeded, failed, canceled, retried, enqueued, ran, waited)
SELECT level, tenant, (SELECT hour FROM oldest), kind, '', true, 0, ${SUMMED}
  FROM taken GROUP BY level, tenant, kind
ON CONFLICT (level, tenant, minute, kind, replica) DO UPDATE SET
  ${[
    ...SCALARS.map((column) => `${column} = r.${column} + excluded.${column}`),
    ...Object.entries(LISTS).map(([column, length]) => `${column} = ${added(column, length)}`),
  ].join(', ')}
RETURNING 1)
SELECT (SELECT count(*) FROM taken)::int AS taken, (SELECT count(*) FROM written)::int AS written`,
};

function added(column: string, length: number): string {
  const each = Array.from(
    { length },
    (_, index) => `coalesce(r.${column}[${index + 1}], 0) + excluded.${column}[${index + 1}]`,
  );
  return `ARRAY[${each.join(', ')}]`;
}

/** At most so many rows at once. */
const STRETCH = 5_000;

// $1 how many at most
const PRUNE: Statement = {
  name: 'millrace_rollups_prune',
  text: `
WITH gone AS (
  DELETE FROM millrace.rollups WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM millrace.rollups WHERE merged AND minute < millrace.clock() - interval '8 days' LIMIT $1::int)) RETURNING 1),
samples AS (
  DELETE FROM millrace.samples WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM millrace.samples WHERE minute < millrace.clock() - interval '8 days' LIMIT $1::int)) RETURNING 1)
SELECT (SELECT count(*) FROM gone)::int + (SELECT count(*) FROM samples)::int AS count`,
};

export async function tidyRollups({ database }: Context): Promise<{ more: boolean }> {
  const [merged] = await database.query<{ taken: number }>(MERGE, []);
  const [pruned] = await database.query<{ count: number }>(PRUNE, [STRETCH]);
  return { more: (merged?.taken ?? 0) > 0 || (pruned?.count ?? 0) >= STRETCH };
}
