import type { Filter, JobState } from '@millrace/engine';
import type { Param, Session, Statement } from '../database.ts';

/** SQL put together from a filter: where the rows come from, what they must fulfil, and the parameters. */
export interface Selecting {
  readonly from: string;
  /** The seq that the driving table is ordered by. */
  readonly seq: string;
  readonly where: string[];
  readonly params: Param[];
}

// A queue up to this long is listed from the narrow tables; beyond, the newest records are mostly queued ones.
const NARROW_UP_TO = 50_000;

const OPEN_COUNT: Statement = {
  name: 'millrace_open_count',
  text: `SELECT coalesce(sum(n), 0)::float8 AS n FROM (
    SELECT n FROM millrace.counts WHERE state = 'OPEN' UNION ALL SELECT n FROM millrace.count_delta WHERE state = 'OPEN') c`,
};

type Direction = 'ASC' | 'DESC';

/** Starts from the smallest table that has the state, so that no list scans the history for a rare one. */
export async function selecting(
  session: Session,
  filter: Filter,
  direction: Direction,
): Promise<Selecting> {
  const params: Param[] = [];
  const where: string[] = [];
  const equals = (column: string, value: Param | undefined): void => {
    if (value === undefined) return;
    params.push(value);
    where.push(`${column} = $${params.length}`);
  };
  const { from, seq } = await sourceOf(session, filter.state, direction, where);
  equals('j.kind', filter.kind);
  equals('j.tenant', filter.tenant);
  equals('j.correlation_id', filter.correlationId);
  equals(`j.error->>'code'`, filter.errorCode);
  if (filter.key !== undefined) {
    params.push(filter.key);
    where.push(
      `j.key = $${params.length} AND j.seq IN (SELECT k.seq FROM millrace.keys k WHERE k.key = $${params.length})`,
    );
  }
  const instant = (operator: string, ms: number | undefined): void => {
    if (ms === undefined) return;
    params.push(ms);
    where.push(`j.created_at ${operator} to_timestamp($${params.length}::float8 / 1000)`);
  };
  instant('>=', filter.createdAfter);
  instant('<', filter.createdBefore);
  return { from, seq, where, params };
}

export const RECORD_OF = (driver: string): string =>
  `CROSS JOIN LATERAL (SELECT * FROM millrace.jobs WHERE seq = ${driver}.seq OFFSET 0) j`;
/** As `ready`, `scheduled` and `suspect` have it. */
export const RANK = 'coalesce(-j.priority, 32767)::smallint';
/** Whether the record's job waits: three look-ups by key. OFFSET 0, or a plan reads the whole queue into a hash table. */
const WAITS = `(
  EXISTS (SELECT FROM millrace.ready
           WHERE kind = j.kind AND tenant = j.tenant AND rank = ${RANK} AND seq = j.seq OFFSET 0)
  OR EXISTS (SELECT FROM millrace.scheduled WHERE rank = ${RANK} AND run_at = j.run_at AND seq = j.seq OFFSET 0)
  OR EXISTS (SELECT FROM millrace.suspect WHERE kind = j.kind AND rank = ${RANK} AND seq = j.seq OFFSET 0))`;
/**
 * Whether the record's job can have a shared lease at all. Their lists are long: with 95 claims of 2,000 jobs whose seqs overlap, a
 * list of 100 queued jobs that searched them for every record took 10 s.
 */
export const MAY_SHARE = `(
  j.state = 'QUEUED' AND NOT EXISTS (SELECT FROM millrace.lease WHERE seq = j.seq OFFSET 0) AND NOT ${WAITS})`;
/** Its own, or the one that it shares. */
export const LEASE_OF_RECORD = `
LEFT JOIN LATERAL (
  SELECT seq, until, started_at, attempt, cancel, suspect, worker FROM millrace.lease WHERE seq = j.seq
  UNION ALL
  SELECT j.seq, until, started_at, j.attempt + 1, false, false, worker FROM millrace.shared_lease
   WHERE ${MAY_SHARE}
     AND kind = j.kind AND tenant = j.tenant AND j.seq BETWEEN first AND last AND ${RANK} BETWEEN first_rank AND last_rank
     AND j.seq = ANY (seqs) AND j.seq <> ALL (apart)
  OFFSET 0) l ON true`;

// In order before the records are read, so that a page reads about as many as it shows. Of a shared lease these are all jobs
// that it ever held; those that have ended find no lease.
const RUNNING = (direction: Direction): string => `
(SELECT seq FROM (
   SELECT seq FROM millrace.lease
   UNION ALL SELECT m.seq FROM millrace.shared_lease s CROSS JOIN LATERAL (
     SELECT seq FROM unnest(s.seqs) AS m(seq) WHERE seq <> ALL (s.apart) OFFSET 0) m) either
  ORDER BY seq ${direction} OFFSET 0) r`;

const HISTORY = { seq: 'j.seq', from: `millrace.jobs j ${LEASE_OF_RECORD}` };

async function sourceOf(
  session: Session,
  state: JobState | undefined,
  direction: Direction,
  where: string[],
): Promise<{ from: string; seq: string }> {
  switch (state) {
    case 'PROCESSING':
      where.push('l.seq IS NOT NULL');
      return { seq: 'r.seq', from: `${RUNNING(direction)} ${RECORD_OF('r')} ${LEASE_OF_RECORD}` };
    case 'FAILED':
    case 'CANCELED':
      where.push(`d.state = '${state}'`);
      return { seq: 'd.seq', from: `millrace.dead d ${RECORD_OF('d')} ${LEASE_OF_RECORD}` };
    case 'QUEUED': {
      const [open] = await session.query<{ n: number }>(OPEN_COUNT, []);
      if ((open?.n ?? 0) > NARROW_UP_TO) {
        where.push(`j.state = 'QUEUED' AND ${WAITS}`);
        return HISTORY;
      }
      return {
        seq: 'q.seq',
        from: `(SELECT seq FROM millrace.ready UNION ALL SELECT seq FROM millrace.scheduled UNION ALL SELECT seq FROM millrace.suspect) q ${RECORD_OF('q')} ${LEASE_OF_RECORD}`,
      };
    }
    case 'SUCCEEDED':
      where.push(`j.state = 'SUCCEEDED'`);
      return HISTORY;
    case undefined:
      return HISTORY;
  }
}

/** Statements of varying text share no prepared name. */
export function unnamed(text: string): Statement {
  return { name: '', text };
}
