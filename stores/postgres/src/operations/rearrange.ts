import type { JobId, RearrangePart } from '@millrace/engine';
import { type Statement, numbers, texts } from '../database.ts';
import { type Context, rankOf } from './context.ts';
import { LOCK_ENDED, REVIVE_KEYS, TAKE_TURNS } from './hand.ts';
import { notify, readyHint } from './notify.ts';

// Gives what waits another place in the queue. A claim that is under way holds the row's lock: this waits for it and then finds
// nothing. Whoever promotes or claims it later finds it by the rank of its record, which is changed with it.
// Rows are removed and made again, never updated: a claim whose snapshot is older would follow an update to the row's new place,
// lease the job, and remove nothing there, since its snapshot does not see that place. The job would be claimed twice.
// $1 seq[] $2 priority $3 rank
const PRIORITIZE: Statement = {
  name: 'millrace_prioritize',
  text: `
WITH wanted AS MATERIALIZED (
  SELECT j.seq, j.kind, j.tenant, coalesce(-j.priority, 32767)::smallint AS rank, j.run_at, j.priority
    FROM unnest($1::text::bigint[]) AS u(seq) CROSS JOIN LATERAL (SELECT * FROM millrace.jobs WHERE seq = u.seq OFFSET 0) j
   WHERE j.state = 'QUEUED' AND j.priority IS DISTINCT FROM $2::smallint
), due_gone AS (
  DELETE FROM millrace.ready WHERE ctid = ANY (ARRAY(
    SELECT r.ctid FROM wanted w CROSS JOIN LATERAL (
      SELECT ctid FROM millrace.ready
       WHERE kind = w.kind AND tenant = w.tenant AND rank = w.rank AND seq = w.seq FOR UPDATE OFFSET 0) r))
  RETURNING kind, tenant, seq, attempt
), due AS (
  INSERT INTO millrace.ready (kind, tenant, seq, attempt, rank) SELECT kind, tenant, seq, attempt, $3::smallint FROM due_gone RETURNING seq
), later_gone AS (
  DELETE FROM millrace.scheduled WHERE ctid = ANY (ARRAY(
    SELECT s.ctid FROM wanted w CROSS JOIN LATERAL (
      SELECT ctid FROM millrace.scheduled
       WHERE rank = w.rank AND run_at = w.run_at AND seq = w.seq FOR UPDATE OFFSET 0) s))
  RETURNING run_at, kind, tenant, seq, attempt
), later AS (
  INSERT INTO millrace.scheduled (run_at, kind, tenant, seq, attempt, rank) SELECT run_at, kind, tenant, seq, attempt, $3::smallint FROM later_gone RETURNING seq
), alone_gone AS (
  DELETE FROM millrace.suspect WHERE ctid = ANY (ARRAY(
    SELECT s.ctid FROM wanted w CROSS JOIN LATERAL (
      SELECT ctid FROM millrace.suspect WHERE kind = w.kind AND rank = w.rank AND seq = w.seq FOR UPDATE OFFSET 0) s))
  RETURNING kind, tenant, seq, attempt
), alone AS (
  INSERT INTO millrace.suspect (kind, tenant, seq, attempt, rank) SELECT kind, tenant, seq, attempt, $3::smallint FROM alone_gone RETURNING seq
), moved AS (SELECT seq FROM due UNION ALL SELECT seq FROM later UNION ALL SELECT seq FROM alone),
record AS (
  UPDATE millrace.jobs SET priority = $2::smallint WHERE seq = ANY (ARRAY(SELECT seq FROM moved)) RETURNING seq
)
SELECT w.seq, w.kind, w.priority AS before FROM wanted w JOIN record r ON r.seq = w.seq ORDER BY w.seq`,
};

// As it waited before it was cancelled: its record still has the moment that it was to run at. $1 seq[]
const RESTORE: Statement = {
  name: 'millrace_restore',
  text: `
WITH revived AS (
  UPDATE millrace.jobs j
     SET state = 'QUEUED', attempt = least(j.attempt, j.max_attempts - 1), finished_at = NULL,
         key = (SELECT k.key FROM millrace.keys k WHERE k.key = j.key AND k.kind = j.kind AND k.tenant = j.tenant AND k.seq = j.seq)
    FROM millrace.dead d
   WHERE d.seq = ANY ($1::text::bigint[]) AND j.seq = ANY ($1::text::bigint[]) AND j.seq = d.seq AND j.state = 'CANCELED'
     AND (j.key IS NULL OR j.finished_at <= (
       SELECT coalesce(k.revived_at, '-infinity') FROM millrace.keys k
        WHERE k.key = j.key AND k.kind = j.kind AND k.tenant = j.tenant AND k.seq = j.seq)
       IS NOT FALSE)
  RETURNING j.seq, j.kind, j.tenant, coalesce(-j.priority, 32767)::smallint AS rank, j.run_at, j.attempt
), dead AS (
  DELETE FROM millrace.dead WHERE seq = ANY (ARRAY(SELECT seq FROM revived))
), due AS (
  INSERT INTO millrace.ready (kind, tenant, rank, seq, attempt)
  SELECT kind, tenant, rank, seq, attempt FROM revived WHERE run_at <= millrace.clock()
), later AS (
  INSERT INTO millrace.scheduled (run_at, seq, kind, tenant, rank, attempt)
  SELECT run_at, seq, kind, tenant, rank, attempt FROM revived WHERE run_at > millrace.clock()
  RETURNING kind, tenant
), counted AS (
  INSERT INTO millrace.count_delta (kind, tenant, state, n)
  SELECT kind, tenant, s.state, sum(s.n)
    FROM revived, (VALUES ('CANCELED', -1), ('OPEN', 1)) AS s(state, n) GROUP BY kind, tenant, s.state
  UNION ALL
  SELECT kind, tenant, 'SCHEDULED', count(*) FROM later GROUP BY kind, tenant
)
SELECT seq, kind FROM revived ORDER BY seq`,
};

export function createRearrange({ database, ids }: Context): RearrangePart {
  const seqsOf = (some: readonly JobId[]): number[] => [
    ...new Set(some.map(ids.seq).filter((seq) => seq !== null)),
  ];
  return {
    prioritize: ({ ids: wanted, priority }) =>
      database.transaction(async (session) => {
        await session.query(TAKE_TURNS, []);
        const rows = await session.query<{ seq: number; kind: string; before: number | null }>(
          PRIORITIZE,
          [numbers(seqsOf(wanted)), priority, rankOf(priority)],
        );
        if (rows.length > 0) await notify(session, readyHint(rows.map(({ kind }) => kind)));
        return rows.map(({ seq, before }) => ({ id: ids.of(seq), before }));
      }),
    restore: ({ ids: wanted }) =>
      database.transaction(async (session) => {
        const seqs = numbers(seqsOf(wanted));
        await session.query(TAKE_TURNS, []);
        await session.query(REVIVE_KEYS, [seqs]);
        await session.query(LOCK_ENDED, [seqs, texts(['CANCELED'])]);
        const rows = await session.query<{ seq: number; kind: string }>(RESTORE, [seqs]);
        if (rows.length > 0) await notify(session, readyHint(rows.map(({ kind }) => kind)));
        return rows.map(({ seq }) => ids.of(seq));
      }),
  };
}
