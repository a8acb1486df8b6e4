import type { FailureRecord, Lost } from '@millrace/engine';
import type { Statement } from '../database.ts';
import type { Context } from './context.ts';
import { finish } from './finish.ts';

// What a claim does first where it is needed. These are statements of their own: rows that a CTE moves into `ready`
// are invisible to the rest of the same statement.

const BATCH = 1_000;

// $1 how many at the most
const PROMOTE: Statement = {
  name: 'millrace_promote',
  text: `
WITH due AS (
  DELETE FROM millrace.scheduled WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM millrace.scheduled WHERE run_at <= millrace.clock()
     ORDER BY run_at, seq LIMIT $1::int FOR UPDATE SKIP LOCKED))
  RETURNING kind, tenant, rank, seq, attempt
), moved AS (
  INSERT INTO millrace.ready (kind, tenant, rank, seq, attempt) SELECT kind, tenant, rank, seq, attempt FROM due
)
SELECT count(*)::int AS n FROM due`,
};

/** Brings what is due from `scheduled` to `ready`. */
export async function promote({ database }: Context): Promise<number> {
  const [row] = await database.query<{ n: number }>(PROMOTE, [BATCH]);
  return row?.n ?? 0;
}

// Attempts are kept. A lease with none left, or one that was asked to cancel, is over: the job ends instead.
// $1 how many at the most
const TAKE_OVER: Statement = {
  name: 'millrace_take_over',
  text: `
WITH expired AS (
  DELETE FROM millrace.lease WHERE seq = ANY (ARRAY(
    SELECT l.seq FROM millrace.lease l WHERE l.until < millrace.clock()
     ORDER BY l.seq LIMIT $1::int FOR UPDATE SKIP LOCKED))
  RETURNING kind, tenant, rank, seq, attempt, cancel, epoch
), taken AS MATERIALIZED (
  SELECT e.*, e.cancel OR e.attempt >= j.max_attempts AS over, j.correlation_id
    FROM expired e CROSS JOIN LATERAL (
      SELECT max_attempts, correlation_id FROM millrace.jobs WHERE seq = e.seq OFFSET 0) j
), moved AS (
  INSERT INTO millrace.ready (kind, tenant, rank, seq, attempt)
  SELECT kind, tenant, rank, seq, attempt FROM taken WHERE NOT over
), kept AS (
  UPDATE millrace.jobs j SET attempt = t.attempt FROM taken t
   WHERE j.seq = ANY (ARRAY(SELECT seq FROM taken)) AND j.seq = t.seq AND NOT t.over
)
SELECT seq, epoch, kind, attempt, cancel, over, correlation_id FROM taken`,
};

export interface TakenOver {
  readonly lost: Lost[];
  readonly takenOver: number;
}

type TakenRow = {
  seq: number;
  epoch: number;
  kind: string;
  attempt: number;
  cancel: boolean;
  over: boolean;
  correlation_id: string | null;
};

/** Takes the leases of workers that went away. */
export async function takeOver(context: Context): Promise<TakenOver> {
  const { database, ids } = context;
  return database.transaction(async (session) => {
    const taken = await session.query<TakenRow>(TAKE_OVER, [BATCH]);
    const over = taken.filter((row) => row.over);
    await finish(
      context,
      session,
      over.map(({ seq, attempt, cancel, epoch }) => ({
        seq,
        attempt,
        epoch,
        state: cancel ? 'CANCELED' : 'FAILED',
        error: cancel ? null : WORKER_LOST,
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
    };
  });
}

const WORKER_LOST: FailureRecord = {
  code: 'worker_lost',
  message:
    'Every execution of this job ended with its worker gone. Look into what it does to the process, then retry it.',
  retryable: false,
};
