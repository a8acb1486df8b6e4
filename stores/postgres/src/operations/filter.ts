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

/** Starts from the smallest table that has the state, so that no list scans the history for a rare one. */
export async function selecting(session: Session, filter: Filter): Promise<Selecting> {
  const params: Param[] = [];
  const where: string[] = [];
  const equals = (column: string, value: Param | undefined): void => {
    if (value === undefined) return;
    params.push(value);
    where.push(`${column} = $${params.length}`);
  };
  const { from, seq } = await sourceOf(session, filter.state, where);
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
/** Its own, or the one that it shares. */
export const LEASE_OF_RECORD = `
LEFT JOIN LATERAL (
  SELECT seq, until, started_at, attempt, cancel, suspect, worker FROM millrace.lease WHERE seq = j.seq
  UNION ALL
  SELECT j.seq, until, started_at, j.attempt + 1, false, false, worker FROM millrace.shared_lease
   WHERE j.state = 'QUEUED' AND j.seq BETWEEN first AND last AND j.seq = ANY (seqs) AND j.seq <> ALL (apart)
  OFFSET 0) l ON true`;

const HISTORY = { seq: 'j.seq', from: `millrace.jobs j ${LEASE_OF_RECORD}` };

async function sourceOf(
  session: Session,
  state: JobState | undefined,
  where: string[],
): Promise<{ from: string; seq: string }> {
  switch (state) {
    case 'PROCESSING':
      return { seq: 'l.seq', from: `millrace.running l ${RECORD_OF('l')}` };
    case 'FAILED':
    case 'CANCELED':
      where.push(`d.state = '${state}'`);
      return { seq: 'd.seq', from: `millrace.dead d ${RECORD_OF('d')} ${LEASE_OF_RECORD}` };
    case 'QUEUED': {
      where.push(`j.state = 'QUEUED' AND l.seq IS NULL`);
      const [open] = await session.query<{ n: number }>(OPEN_COUNT, []);
      return (open?.n ?? 0) > NARROW_UP_TO
        ? HISTORY
        : {
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
