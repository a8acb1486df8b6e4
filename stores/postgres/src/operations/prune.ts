import type { Keep, Pruned, PruneParams } from '@millrace/engine';
import { numbers, type Statement, texts } from '../database.ts';
import type { Context } from './context.ts';

/**
 * Everything that is removed with jobs that have ended: their place among the dead, their keys and their counts. Follows a CTE
 * `gone (seq, kind, tenant, state, key)`. Keys are deleted by their values: by ctid, one that a retry has just revived
 * would stay for good.
 */
export const WITH_GONE = `dead AS (
  DELETE FROM millrace.dead WHERE seq = ANY (ARRAY(SELECT seq FROM gone))
), keys AS (
  DELETE FROM millrace.keys
   WHERE key = ANY (ARRAY(SELECT key FROM gone WHERE key IS NOT NULL)) AND seq = ANY (ARRAY(SELECT seq FROM gone))
), counted AS (
  INSERT INTO millrace.count_delta (kind, tenant, state, n) SELECT kind, tenant, state, -count(*) FROM gone GROUP BY kind, tenant, state
)`;

// One stretch of the history, oldest first, along the primary key. Jobs are made in that order, so the sweep may
// stop where the youngest of a stretch is younger than the shortest time anything is kept. A job that succeeded is kept
// for as long as its key must find it.
// A job that got a new life and a new end meanwhile is another one: its end is compared.
// $1 after seq $2 kind[] $3 succeeded, ms[] $4 failed, ms[] $5 cancelled, ms[] (kind NULL: all others) $6 stretch $7 shortest, ms
const PRUNE: Statement = {
  name: 'millrace_prune',
  text: `
WITH keep AS MATERIALIZED (
  SELECT u.kind, s.state, s.ms * interval '1 millisecond' AS for_time
    FROM unnest($2::text::text[], $3::text::float8[], $4::text::float8[], $5::text::float8[]) AS u(kind, succeeded, failed, canceled),
         LATERAL (VALUES ('SUCCEEDED', u.succeeded), ('FAILED', u.failed), ('CANCELED', u.canceled)) AS s(state, ms)
), stretch AS MATERIALIZED (
  SELECT seq, kind, tenant, state, key, finished_at, created_at FROM millrace.jobs WHERE seq > $1 ORDER BY seq LIMIT $6::int
), over AS MATERIALIZED (
  SELECT t.seq, t.finished_at FROM stretch t
    LEFT JOIN keep k ON k.kind = t.kind AND k.state = t.state
    LEFT JOIN keep o ON o.kind IS NULL AND o.state = t.state
   WHERE t.finished_at < millrace.clock() - coalesce(k.for_time, o.for_time)
     AND (t.key IS NULL OR t.state <> 'SUCCEEDED' OR t.finished_at < millrace.clock() - interval '1 millisecond' * coalesce((
       SELECT y.window_ms FROM millrace.keys y
        WHERE y.key = t.key AND y.kind = t.kind AND y.tenant = t.tenant AND y.seq = t.seq), 0))
), gone AS (
  DELETE FROM millrace.jobs j USING over o
   WHERE j.seq = ANY (ARRAY(SELECT seq FROM over)) AND j.seq = o.seq AND j.finished_at = o.finished_at
  RETURNING j.seq, j.kind, j.tenant, j.state, j.key
), ${WITH_GONE}
SELECT (SELECT count(*) FROM gone)::int AS count, max(seq) AS last,
       count(*) = $6::int AND max(created_at) < millrace.clock() - $7::float8 * interval '1 millisecond' AS more
  FROM stretch`,
};

const STRETCH = 5_000;

/** Remembers where the sweep stands; every replica sweeps for itself, and what is gone is gone. */
export function createPrune({ database }: Context): (params: PruneParams) => Promise<Pruned> {
  let after = 0;
  return async ({ keep, otherwise }) => {
    const kinds = Object.entries(keep);
    const all: [string | null, Keep][] = [...kinds, [null, otherwise]];
    const shortest = Math.min(
      ...all.flatMap(([, { SUCCEEDED, FAILED, CANCELED }]) => [SUCCEEDED, FAILED, CANCELED]),
    );
    const [row] = await database.query<{ count: number; last: number | null; more: boolean }>(
      PRUNE,
      [
        after,
        texts(all.map(([kind]) => kind)),
        numbers(all.map(([, each]) => each.SUCCEEDED)),
        numbers(all.map(([, each]) => each.FAILED)),
        numbers(all.map(([, each]) => each.CANCELED)),
        STRETCH,
        shortest,
      ],
    );
    after = row?.more === true ? (row.last ?? 0) : 0;
    return { count: row?.count ?? 0, more: row?.more === true };
  };
}
