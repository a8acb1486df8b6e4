import type { Figures, WaitingSubqueue } from '../../figures.ts';
import type { Context } from '../context.ts';
import { failures } from './failures.ts';
import { keepRollups, sumRollups, tidyRollups } from './rollups.ts';
import { keepSamples, readSamples, wantsSample } from './samples.ts';
import type { Statement } from '../../database.ts';
import { RANKS_IN_USE } from '../scheduled.ts';

export function figuresOf(context: Context, listen: Figures['listen']): Figures {
  return {
    keep: (request) => keepRollups(context, request),
    sum: (request) => sumRollups(context, request),
    wantsSample: (request) => wantsSample(context, request),
    sample: (request) => keepSamples(context, request),
    samples: (request) => readSamples(context, request),
    tidy: () => tidyRollups(context),
    waiting: () => waiting(context),
    failures: (request) => failures(context, request),
    listen,
  };
}

/** Subqueues and ranks that are looked at for the oldest job that is due. */
const MOST_SUBQUEUES = 20_000;
/** Rows that are read of each rank in `scheduled`, where much is due only when no worker is left to move it. */
const MOST_DUE = 100;

// The lowest seq of each subqueue and rank is found by hopping over the index of `ready`; a million jobs in one subqueue are one look-up.
// It was made first; one that came back after a retry or a defer may have been due for less long, as its record says.
const WAITING: Statement = {
  name: 'millrace_waiting',
  text: `
WITH RECURSIVE ${RANKS_IN_USE},
subqueues AS (
  (SELECT kind, tenant, rank, seq FROM millrace.ready ORDER BY kind, tenant, rank, seq LIMIT 1)
  UNION ALL
  SELECT n.kind, n.tenant, n.rank, n.seq FROM subqueues l CROSS JOIN LATERAL (
    SELECT kind, tenant, rank, seq FROM millrace.ready
     WHERE (kind, tenant, rank) > (l.kind, l.tenant, l.rank) ORDER BY kind, tenant, rank, seq LIMIT 1) n
),
firsts AS MATERIALIZED (
  (SELECT kind, tenant, seq FROM subqueues LIMIT ${MOST_SUBQUEUES})
  UNION ALL
  (SELECT kind, tenant, seq FROM millrace.suspect LIMIT ${MOST_DUE})
),
due AS (
  SELECT f.kind, f.tenant, j.run_at FROM firsts f CROSS JOIN LATERAL (
    SELECT run_at FROM millrace.jobs WHERE seq = f.seq OFFSET 0) j
  UNION ALL
  SELECT s.kind, s.tenant, s.run_at FROM ranks r CROSS JOIN LATERAL (
    SELECT kind, tenant, run_at FROM millrace.scheduled
     WHERE rank = r.rank AND run_at <= millrace.clock() ORDER BY run_at LIMIT ${MOST_DUE}) s
),
known AS (
  SELECT kind, tenant, 0 AS retrying, run_at FROM due
  UNION ALL
  SELECT kind, tenant, count(*) AS retrying, NULL FROM millrace.scheduled
   WHERE attempt > 0 AND run_at > millrace.clock() GROUP BY kind, tenant
)
SELECT kind, tenant, sum(retrying)::float8 AS retrying, date_part('epoch', min(run_at)) * 1000 AS oldest
  FROM known GROUP BY kind, tenant`,
};

type WaitingRow = { kind: string; tenant: string; retrying: number; oldest: number | null };

async function waiting({ database }: Context): Promise<WaitingSubqueue[]> {
  const rows = await database.query<WaitingRow>(WAITING, []);
  return rows.map(({ kind, tenant, retrying, oldest }) => ({
    kind,
    tenant,
    retrying,
    oldestDueAt: oldest === null ? null : Math.round(oldest),
  }));
}
