import type {
  Count,
  FollowerPart,
  Inspection,
  Job,
  JobId,
  JobState,
  JobSummary,
  ListParams,
} from '@millrace/engine';
import { type Statement, numbers } from '../database.ts';
import type { Context } from './context.ts';
import { readCursor } from './cursor.ts';
import { LEASE_OF_RECORD, RECORD_OF, partsOf, selecting } from './filter.ts';
import {
  JOB_COLUMNS,
  type JobRow,
  SUMMARY_COLUMNS,
  type SummaryRow,
  jobOf,
  summaryOf,
} from './job-row.ts';
import { RANKS_IN_USE } from './scheduled.ts';

// $1 seq
const GET: Statement = {
  name: 'millrace_get',
  text: `SELECT ${JOB_COLUMNS} FROM millrace.jobs j ${LEASE_OF_RECORD} WHERE j.seq = $1`,
};

export async function get({ database, ids }: Context, { id }: { id: JobId }): Promise<Job | null> {
  const seq = ids.seq(id);
  if (seq === null) return null;
  const [row] = await database.query<JobRow>(GET, [seq]);
  return row === undefined ? null : jobOf(ids, row);
}

/** Newest first. */
export async function list(
  { database, ids }: Context,
  { filter, limit, cursor }: ListParams,
): Promise<{ jobs: JobSummary[]; next: string | null }> {
  const below = cursor === undefined ? {} : { below: readCursor(cursor) };
  const parts = await partsOf(database, ids, filter);
  const found = await Promise.all(
    parts.map(async (part) => {
      const { statement, params } = await selecting(database, {
        filter: part,
        columns: SUMMARY_COLUMNS,
        direction: 'DESC',
        limit: limit + 1,
        ...below,
      });
      return database.query<SummaryRow>(statement, params);
    }),
  );
  const rows = newestOf(found);
  const jobs = rows.slice(0, limit).map((row) => summaryOf(ids, row));
  return { jobs, next: rows.length > limit ? String(rows[limit - 1]?.seq) : null };
}

/** The pages of several looks as one. A job that was found twice, or moved between two looks, is there once. */
function newestOf(found: readonly SummaryRow[][]): SummaryRow[] {
  const [only, ...others] = found;
  if (others.length === 0) return only ?? [];
  const bySeq = new Map(found.flat().map((row) => [row.seq, row]));
  return [...bySeq.values()].toSorted((a, b) => b.seq - a.seq);
}

// The index on the correlation id finds the family: an index on the parents would be one more for every child.
// $1 correlation id $2 id of the parent $3 limit
const CHILDREN: Statement = {
  name: 'millrace_children',
  text: `
SELECT ${SUMMARY_COLUMNS} FROM millrace.jobs j ${LEASE_OF_RECORD}
 WHERE j.correlation_id = $1 AND EXISTS (SELECT FROM jsonb_each_text(j.parents) p WHERE p.value = $2)
 ORDER BY j.seq DESC LIMIT $3`,
};

export async function children(
  { database, ids }: Context,
  { of, limit }: Parameters<FollowerPart['children']>[0],
): Promise<JobSummary[]> {
  const params = [of.correlationId ?? of.id, of.id, limit];
  return (await database.query<SummaryRow>(CHILDREN, params)).map((row) => summaryOf(ids, row));
}

// $1 seq[]
const SUMMARIES: Statement = {
  name: 'millrace_summaries',
  text: `SELECT ${SUMMARY_COLUMNS} FROM unnest($1::text::bigint[]) AS u(seq) ${RECORD_OF('u')} ${LEASE_OF_RECORD}`,
};

export async function summaries(
  { database, ids }: Context,
  { ids: wanted }: { ids: readonly JobId[] },
): Promise<JobSummary[]> {
  const seqs = new Set(wanted.map(ids.seq).filter((seq) => seq !== null));
  if (seqs.size === 0) return [];
  const rows = await database.query<SummaryRow>(SUMMARIES, [numbers([...seqs])]);
  return rows.map((row) => summaryOf(ids, row));
}

// OPEN counts queued and running jobs together; leases are few and counted as they are. SCHEDULED counts what stands in
// `scheduled`, less what is due there and waits to be promoted: much only where no worker is left to do it.
const COUNTS: Statement = {
  name: 'millrace_counts',
  text: `
WITH RECURSIVE ${RANKS_IN_USE},
running AS (SELECT kind, tenant, sum(n) AS n FROM millrace.running_count GROUP BY kind, tenant),
due AS (
  SELECT s.kind, s.tenant, count(*) AS n FROM ranks r CROSS JOIN LATERAL (
    SELECT kind, tenant FROM millrace.scheduled WHERE rank = r.rank AND run_at <= millrace.clock()) s GROUP BY s.kind, s.tenant),
total AS (
  SELECT kind, tenant, state, n FROM millrace.counts
  UNION ALL SELECT kind, tenant, state, n FROM millrace.count_delta
  UNION ALL SELECT kind, tenant, 'OPEN', -n FROM running
  UNION ALL SELECT kind, tenant, 'PROCESSING', n FROM running
  UNION ALL SELECT kind, tenant, 'SCHEDULED', -n FROM due
)
SELECT kind, tenant, CASE state WHEN 'OPEN' THEN 'QUEUED' ELSE state END AS state, sum(n)::float8 AS count
  FROM total GROUP BY kind, tenant, state HAVING sum(n) <> 0 ORDER BY kind, tenant, state`,
};

export async function counts({ database }: Context): Promise<Count[]> {
  const rows = await database.query<CountRow>(COUNTS, []);
  const scheduled = new Map(
    rows
      .filter(({ state }) => state === 'SCHEDULED')
      .map((row) => [JSON.stringify([row.kind, row.tenant]), row.count]),
  );
  return rows.flatMap(({ kind, tenant, state, count }) => {
    if (state === 'SCHEDULED') return [];
    const later = state === 'QUEUED' ? scheduled.get(JSON.stringify([kind, tenant])) : undefined;
    return [{ kind, tenant, state, count, scheduled: later ?? 0 }];
  });
}

type CountRow = { kind: string; tenant: string; state: JobState | 'SCHEDULED'; count: number };

// $1 seq
const INSPECT: Statement = {
  name: 'millrace_inspect',
  text: `
SELECT ${JOB_COLUMNS}, date_part('epoch', millrace.clock()) * 1000 AS now,
       EXISTS (SELECT FROM millrace.paused p WHERE p.kind = j.kind) AS kind_paused,
       (SELECT count(*) FROM (
          SELECT FROM millrace.ready r
           WHERE r.kind = j.kind AND r.tenant = j.tenant AND (r.rank, r.seq) < (coalesce(-j.priority, 32767), j.seq) LIMIT 1000) a)::int AS ahead,
       coalesce(l.suspect, false) OR EXISTS (SELECT FROM millrace.suspect s
                WHERE s.kind = j.kind AND s.rank = coalesce(-j.priority, 32767) AND s.seq = j.seq) AS suspect,
       (SELECT coalesce(sum(n), 0) FROM millrace.running_count r WHERE r.kind = j.kind AND r.tenant = j.tenant)::int AS running_of_tenant
  FROM millrace.jobs j ${LEASE_OF_RECORD} WHERE j.seq = $1`,
};

export async function inspect(
  { database, ids }: Context,
  { id }: { id: JobId },
): Promise<Inspection | null> {
  const seq = ids.seq(id);
  if (seq === null) return null;
  const [row] = await database.query<
    JobRow & {
      now: number;
      kind_paused: boolean;
      ahead: number;
      suspect: boolean;
      running_of_tenant: number;
    }
  >(INSPECT, [seq]);
  if (row === undefined) return null;
  return {
    job: jobOf(ids, row),
    now: Math.round(row.now),
    kindPaused: row.kind_paused,
    ahead: row.ahead,
    suspect: row.suspect,
    runningOfTenant: row.running_of_tenant,
  };
}
