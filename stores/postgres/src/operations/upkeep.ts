import type { ClosedGate, JobId, KnownWorker, OpenGate, WorkerReport } from '@millrace/engine';
import { type Statement, texts } from '../database.ts';
import type { Context } from './context.ts';

// $1 limit
const CLOSE_GATES: Statement = {
  name: 'millrace_close_gates',
  text: `
DELETE FROM millrace.gates WHERE (rule, key) IN (
  SELECT rule, key FROM millrace.gates WHERE closes_at < millrace.clock() LIMIT $1::int FOR UPDATE SKIP LOCKED)
RETURNING rule, key, arrived::text`,
};

export async function closeGates(
  { database }: Context,
  { limit }: { limit: number },
): Promise<ClosedGate[]> {
  const rows = await database.query<{ rule: string; key: string; arrived: string }>(CLOSE_GATES, [
    limit,
  ]);
  return rows.map(({ rule, key, arrived }) => ({
    rule,
    key,
    arrived: JSON.parse(arrived) as Record<string, string>,
  }));
}

// Open gates are few. $1 job[] $2 limit
const OPEN_GATES: Statement = {
  name: 'millrace_open_gates',
  text: `
SELECT rule, key, arrived::text, date_part('epoch', closes_at) * 1000 AS closes_at FROM millrace.gates
 WHERE EXISTS (SELECT FROM jsonb_each_text(arrived) a WHERE a.value = ANY ($1::text::text[])) ORDER BY rule, key LIMIT $2::int`,
};

export async function openGates(
  { database }: Context,
  { arrived, limit }: { arrived: readonly JobId[]; limit: number },
): Promise<OpenGate[]> {
  const rows = await database.query<{
    rule: string;
    key: string;
    arrived: string;
    closes_at: number;
  }>(OPEN_GATES, [texts(arrived), limit]);
  return rows.map((row) => ({
    rule: row.rule,
    key: row.key,
    arrived: JSON.parse(row.arrived) as Record<string, string>,
    closesAt: Math.round(row.closes_at),
  }));
}

// A worker that is silent for an hour is forgotten, with what it was to do.
// $1 worker $2 kinds $3 stats
const REPORT: Statement = {
  name: 'millrace_report_worker',
  text: `
WITH gone AS (
  DELETE FROM millrace.workers w WHERE seen_at < millrace.clock() - interval '1 hour' AND worker <> $1 RETURNING worker
), forgotten AS (
  DELETE FROM millrace.steered WHERE worker IN (SELECT worker FROM gone)
)
INSERT INTO millrace.workers (worker, kinds, stats, seen_at) VALUES ($1, $2::text::text[], $3::text::jsonb, millrace.clock())
ON CONFLICT (worker) DO UPDATE SET kinds = excluded.kinds, stats = excluded.stats, seen_at = excluded.seen_at`,
};

export async function reportWorker(
  { database }: Context,
  { worker, kinds, stats }: WorkerReport,
): Promise<void> {
  await database.query(REPORT, [worker, texts(kinds), stats]);
}

const WORKERS: Statement = {
  name: 'millrace_workers',
  text: `
WITH held AS MATERIALIZED (
  SELECT worker, kind, sum(n) AS n FROM (
    SELECT worker, kind, count(*) AS n FROM millrace.lease GROUP BY worker, kind
    UNION ALL SELECT worker, kind, holding FROM millrace.shared_lease) l
   GROUP BY worker, kind HAVING sum(n) > 0)
SELECT worker, array_to_json(kinds)::text AS kinds, stats::text AS stats, date_part('epoch', seen_at) * 1000 AS seen_at,
       (SELECT coalesce(json_object_agg(kind, n), '{}')::text FROM held h WHERE h.worker = w.worker) AS running
  FROM millrace.workers w WHERE seen_at >= millrace.clock() - interval '1 hour' ORDER BY worker`,
};

export async function workers({ database }: Context): Promise<KnownWorker[]> {
  const rows = await database.query<{
    worker: string;
    kinds: string;
    stats: string;
    seen_at: number;
    running: string;
  }>(WORKERS, []);
  return rows.map((row) => ({
    worker: row.worker,
    kinds: JSON.parse(row.kinds) as string[],
    stats: row.stats,
    seenAt: Math.round(row.seen_at),
    running: JSON.parse(row.running) as KnownWorker['running'],
  }));
}
