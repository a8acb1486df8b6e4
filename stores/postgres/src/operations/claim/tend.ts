import {
  type FailureRecord,
  type Lost,
  StoreTimedOut,
  TAKEN_TOLD,
  type TakenFrom,
} from '@millrace/engine';
import { type Statement, numbers, texts } from '../../database.ts';
import type { Context } from '../context.ts';
import { finish } from '../finish.ts';
import { ownLeasesOfExpired } from '../own-leases.ts';
import { RANKS_IN_USE } from '../scheduled.ts';

// The upkeep that a claim does where it is needed. These are statements of their own: rows that a CTE moves into
// `ready` are invisible to the rest of the same statement.

/** Is there anything to tend, and when will there be? */
export interface Look {
  /** Until the next scheduled job is due, and until the next lease ends, in milliseconds. */
  readonly dueIn: number | null;
  readonly expiresIn: number | null;
}

/**
 * The columns of a `Look`, after `ranks`. Leases have no index on `until` (every renewal would have to write it), so
 * this reads all of them: a claim asks for it only where the one before was not full, or a second ago.
 */
export const LOOK_COLUMNS = (isWanted: string): string => `
       CASE WHEN ${isWanted} THEN ceil(date_part('epoch', (
         SELECT min(s.run_at) FROM ranks r CROSS JOIN LATERAL (
           SELECT run_at FROM millrace.scheduled WHERE rank = r.rank ORDER BY run_at LIMIT 1) s) - millrace.clock()) * 1000)::bigint END AS due_in,
       CASE WHEN ${isWanted} THEN ceil(date_part('epoch', (
         SELECT least((SELECT min(until) FROM millrace.lease), (SELECT min(until) FROM millrace.shared_lease))) - millrace.clock()) * 1000)::bigint END AS expires_in`;

const LOOK: Statement = {
  name: 'millrace_look',
  text: `WITH RECURSIVE ${RANKS_IN_USE} SELECT ${LOOK_COLUMNS('true')}`,
};

export interface LookRow {
  readonly due_in: number | null;
  readonly expires_in: number | null;
}

export function lookOf(row: LookRow | undefined): Look {
  return { dueIn: row?.due_in ?? null, expiresIn: row?.expires_in ?? null };
}

export async function look({ database }: Context): Promise<Look> {
  const [row] = await database.query<{ due_in: number | null; expires_in: number | null }>(
    LOOK,
    [],
  );
  return lookOf(row);
}

// Highest priority first, so that one promotion brings what the next claim wants.
// $1 how many at the most
const PROMOTE: Statement = {
  name: 'millrace_promote',
  text: `
WITH RECURSIVE ${RANKS_IN_USE}, due AS (
  DELETE FROM millrace.scheduled WHERE ctid = ANY (ARRAY(
    SELECT s.ctid FROM ranks r CROSS JOIN LATERAL (
      SELECT ctid FROM millrace.scheduled WHERE rank = r.rank AND run_at <= millrace.clock()
       ORDER BY run_at, seq LIMIT $1::int FOR UPDATE SKIP LOCKED) s LIMIT $1::int))
  RETURNING kind, tenant, rank, seq, attempt
), moved AS (
  INSERT INTO millrace.ready (kind, tenant, rank, seq, attempt) SELECT kind, tenant, rank, seq, attempt FROM due
), counted AS (
  INSERT INTO millrace.count_delta (kind, tenant, state, n) SELECT kind, tenant, 'SCHEDULED', -count(*) FROM due GROUP BY kind, tenant
)
SELECT count(*)::int AS n FROM due`,
};

/** Brings what is due from `scheduled` to `ready`: the first so many by priority and time. */
export async function promote({ database }: Context, atMost: number): Promise<number> {
  const [row] = await database.query<{ n: number }>(PROMOTE, [atMost]);
  return row?.n ?? 0;
}

// A lease that was never renewed gives its attempt back: the job may not have been begun. Only a suspect, which had its
// worker for itself, ends when that was its last attempt; any other gets one more execution. See `Claimed` in the port.
// $1 how many at the most
const TAKE_OVER: Statement = {
  name: 'millrace_take_over',
  text: `
WITH expired AS (
  DELETE FROM millrace.lease WHERE seq = ANY (ARRAY(
    SELECT l.seq FROM millrace.lease l WHERE l.until < millrace.clock()
     ORDER BY l.seq LIMIT $1::int FOR UPDATE SKIP LOCKED))
  RETURNING kind, tenant, rank, seq, attempt, nth, cancel, suspect, renewed, worker, started_at
), taken AS MATERIALIZED (
  SELECT e.*, e.cancel OR (e.renewed AND e.suspect AND e.attempt >= j.max_attempts) AS over, j.correlation_id,
         CASE WHEN NOT e.renewed THEN greatest(e.attempt - 1, 0)
              WHEN e.attempt >= j.max_attempts AND NOT e.suspect THEN j.max_attempts - 1
              ELSE e.attempt END AS kept
    FROM expired e CROSS JOIN LATERAL (
      SELECT max_attempts, correlation_id FROM millrace.jobs WHERE seq = e.seq OFFSET 0) j
), moved AS (
  INSERT INTO millrace.suspect (kind, tenant, rank, seq, attempt)
  SELECT kind, tenant, rank, seq, kept FROM taken WHERE NOT over
)
SELECT seq, kind, attempt, nth, kept, cancel, over, worker, correlation_id, date_part('epoch', started_at) AS started FROM taken`,
};

// $1 seq[] $2 attempts that are kept[] $3 attempt[] $4 worker[] $5 started at, seconds since 1970[] $6 error[]
const RECORD_LOSS: Statement = {
  name: 'millrace_record_loss',
  text: `
UPDATE millrace.jobs j
   SET attempt = u.kept, executions = millrace.with_execution(j.executions, u.nth, u.worker, to_timestamp(u.started), 'lost', u.error, NULL)
  FROM unnest($1::text::bigint[], $2::text::integer[], $3::text::integer[], $4::text::text[], $5::text::float8[], $6::text::jsonb[])
       AS u(seq, kept, nth, worker, started, error)
 WHERE j.seq = ANY ($1::text::bigint[]) AND j.seq = u.seq`,
};

export interface TakenOver {
  readonly lost: Lost[];
  readonly takenOver: number;
  readonly takenFrom: readonly TakenFrom[];
  /** The number of jobs that wait to run alone now. */
  readonly suspectKinds: ReadonlySet<string>;
}

type TakenRow = {
  seq: number;
  kind: string;
  attempt: number;
  nth: number;
  kept: number;
  cancel: boolean;
  over: boolean;
  worker: string;
  correlation_id: string | null;
  started: number;
};

const AT_ONCE = 1_000;

/**
 * Takes the leases of workers that went away, a part at a time. Half as many after a part that took too long: with a short
 * `statement_timeout` they would never be taken otherwise.
 */
export function createTakeOver(context: Context): () => Promise<TakenOver> {
  let atMost = AT_ONCE;
  return async () => {
    try {
      const taken = await takeOver(context, atMost);
      atMost = Math.min(atMost * 2, AT_ONCE);
      return taken;
    } catch (error) {
      if (error instanceof StoreTimedOut) atMost = Math.ceil(atMost / 2);
      throw error;
    }
  };
}

async function takeOver(context: Context, atMost: number): Promise<TakenOver> {
  const { database, ids } = context;
  return database.transaction(async (session) => {
    await ownLeasesOfExpired(session, atMost);
    const taken = await session.query<TakenRow>(TAKE_OVER, [atMost]);
    if (taken.length > 0)
      await session.query(RECORD_LOSS, [
        numbers(taken.map((row) => row.seq)),
        numbers(taken.map((row) => row.kept)),
        numbers(taken.map((row) => row.nth)),
        texts(taken.map((row) => row.worker)),
        numbers(taken.map((row) => row.started)),
        texts(taken.map((row) => JSON.stringify(workerLost(row)))),
      ]);
    const over = taken.filter((row) => row.over);
    await finish(
      context,
      session,
      over.map((row) => ({
        seq: row.seq,
        attempt: row.attempt,
        state: row.cancel ? 'CANCELED' : 'FAILED',
        error: row.cancel ? null : workerLost(row),
      })),
    );
    const lost = over.filter((row) => !row.cancel);
    return {
      lost: lost.map(({ seq, kind, attempt, correlation_id: correlationId }) => ({
        id: ids.of(seq),
        kind,
        attempt,
        correlationId,
      })),
      takenOver: taken.length,
      takenFrom: taken.slice(0, TAKEN_TOLD).map(({ seq, worker }) => ({ id: ids.of(seq), worker })),
      suspectKinds: new Set(taken.filter((row) => !row.over).map((row) => row.kind)),
    };
  });
}

/** Says no more than is known: the lease was not renewed. */
function workerLost({ worker, nth, over, cancel }: TakenRow): FailureRecord {
  const isLast = over && !cancel;
  return {
    code: 'worker_lost',
    message: `The worker ${worker} stopped renewing its lease during attempt ${nth}: it died, froze or was cut off.${isLast ? ' No other job ran beside this one, and no attempt is left. Look at the log of the worker for what the job does to it, then retry the job.' : ''}`,
    retryable: !isLast,
  };
}
