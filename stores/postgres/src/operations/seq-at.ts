import type { Session, Statement } from '../database.ts';

/**
 * Seqs grow with time, and no index has the moment that a job was made: a list of the last hour, or of a day in spring, would walk
 * over the whole history to find that there is no more. So the seq of a moment is looked for by halving, some 20 look-ups of the
 * primary key. A job is given its seq when it is inserted and its moment when its transaction began: one that was made
 * within a transaction of more than an hour may be missed at the edge of a time.
 */
const MARGIN_MS = 3_600_000;

// The lowest seq from which on jobs were made at or after a moment, as the halving meets them; one beyond the last where there is none.
// $1 moment, ms
const SEQ_AT: Statement = {
  name: 'millrace_seq_at',
  text: `
WITH RECURSIVE search (low, high, step) AS (
  SELECT (SELECT seq FROM millrace.jobs ORDER BY seq LIMIT 1), (SELECT seq FROM millrace.jobs ORDER BY seq DESC LIMIT 1) + 1, 0
  UNION ALL
  SELECT CASE WHEN m.is_before THEN m.seq + 1 ELSE s.low END, CASE WHEN m.is_before THEN s.high ELSE (s.low + s.high) / 2 END, s.step + 1
    FROM search s CROSS JOIN LATERAL (
      SELECT seq, created_at < to_timestamp($1::float8 / 1000) AS is_before FROM millrace.jobs
       WHERE seq >= (s.low + s.high) / 2 ORDER BY seq LIMIT 1) m
   WHERE s.low < s.high AND s.step < 64
)
SELECT low FROM search ORDER BY step DESC LIMIT 1`,
};

async function seqAt(session: Session, ms: number): Promise<number> {
  const [row] = await session.query<{ low: number | null }>(SEQ_AT, [ms]);
  return row?.low ?? 0;
}

/** Between which seqs the jobs of a time are: from the first on, up to but without the second. */
export async function seqsBetween(
  session: Session,
  { createdAfter, createdBefore }: { createdAfter?: number; createdBefore?: number },
): Promise<{ from?: number; below?: number }> {
  return {
    ...(createdAfter !== undefined && { from: await seqAt(session, createdAfter - MARGIN_MS) }),
    ...(createdBefore !== undefined && { below: await seqAt(session, createdBefore + MARGIN_MS) }),
  };
}
