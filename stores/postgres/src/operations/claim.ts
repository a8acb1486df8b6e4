import type { ClaimParams, Claimed, ClaimedJob, FailureRecord, Lost } from '@millrace/engine';
import { type Session, type Statement, numbers, texts } from '../database.ts';
import { type Context, NO_PRIORITY_RANK } from './context.ts';
import { finish } from './finish.ts';

// Brings what is due from `scheduled` to `ready`, and what its worker left from `lease`. It must be a statement
// before the claim's: rows moved by a CTE are invisible to the rest of the same statement.
// A lease with no attempts left, or one that was asked to cancel, is returned to be ended instead.
// $1 how many at the most
const TEND: Statement = {
  name: 'millrace_tend',
  text: `
WITH due AS (
  DELETE FROM millrace.scheduled WHERE (run_at, seq) IN (
    SELECT run_at, seq FROM millrace.scheduled WHERE run_at <= millrace.clock()
     ORDER BY run_at, seq LIMIT $1::int FOR UPDATE SKIP LOCKED)
  RETURNING kind, tenant, rank, seq, attempt
), expired AS (
  DELETE FROM millrace.lease WHERE seq IN (
    SELECT l.seq FROM millrace.lease l WHERE l.until < millrace.clock()
     ORDER BY l.seq LIMIT $1::int FOR UPDATE SKIP LOCKED)
  RETURNING kind, tenant, rank, seq, attempt, cancel, epoch
), taken AS MATERIALIZED (
  SELECT e.*, e.cancel OR e.attempt >= j.max_attempts AS over
    FROM expired e CROSS JOIN LATERAL (SELECT max_attempts FROM millrace.jobs WHERE seq = e.seq OFFSET 0) j
), moved AS (
  INSERT INTO millrace.ready (kind, tenant, rank, seq, attempt)
  SELECT kind, tenant, rank, seq, attempt FROM due
  UNION ALL
  SELECT kind, tenant, rank, seq, attempt FROM taken WHERE NOT over
), kept AS (
  UPDATE millrace.jobs j SET attempt = t.attempt FROM taken t WHERE j.seq = t.seq AND NOT t.over
)
SELECT seq, epoch, kind, attempt, cancel, over, (SELECT count(*) FROM due)::int AS promoted FROM taken
UNION ALL
SELECT NULL, NULL, NULL, NULL, NULL, NULL, (SELECT count(*) FROM due)::int`,
};

/** Evaluated once per statement: is there anything to tend, and when will there be? */
const LOOK_COLUMNS = `
  date_part('epoch', millrace.clock()) * 1000 AS now,
  date_part('epoch', (SELECT min(run_at) FROM millrace.scheduled) - millrace.clock()) * 1000 AS due_in,
  EXISTS (SELECT FROM millrace.lease WHERE until < millrace.clock()) AS expired`;

// Lanes are (kind, tenant) pairs with work, found by hopping over the index; each gives its share, so tenants
// take turns, and a paused, capped or busy lane is never in another's way.
// Deleting by ctid is safe here, the rows are locked by this very statement, and saves an index look-up per job.
// The record is joined through LATERAL … OFFSET 0 so that no plan ever scans the history.
// $1 kind[] $2 limit[] $3 running jobs per tenant[] $4 limit $5 lease, ms $6 claim $7 highest rank $8 worker
const CLAIM: Statement = {
  name: 'millrace_claim',
  text: `
WITH RECURSIVE want AS (
  SELECT w.* FROM unnest($1::text::text[], $2::text::integer[], $3::text::integer[]) AS w(kind, lim, tenant_lim)
   WHERE NOT EXISTS (SELECT FROM millrace.paused p WHERE p.kind = w.kind)
), hop AS (
  SELECT w.kind, w.lim, w.tenant_lim,
         (SELECT r.tenant FROM millrace.ready r WHERE r.kind = w.kind ORDER BY r.tenant LIMIT 1) AS tenant
    FROM want w
  UNION ALL
  SELECT h.kind, h.lim, h.tenant_lim,
         (SELECT r.tenant FROM millrace.ready r WHERE r.kind = h.kind AND r.tenant > h.tenant ORDER BY r.tenant LIMIT 1)
    FROM hop h WHERE h.tenant IS NOT NULL
), lane AS MATERIALIZED (
  SELECT h.kind, h.tenant, h.lim, count(*) OVER () AS lanes,
         least(h.lim, ceil($4::float8 / count(*) OVER ())::int,
               CASE WHEN h.tenant_lim IS NOT NULL THEN greatest(0, h.tenant_lim - (
                 SELECT count(*) FROM millrace.lease l WHERE l.kind = h.kind AND l.tenant = h.tenant)) END) AS share
    FROM hop h WHERE h.tenant IS NOT NULL
), locked AS (
  SELECT r.*, l.lim, l.lanes, row_number() OVER (PARTITION BY r.kind ORDER BY r.rank, r.seq) AS nth
    FROM lane l CROSS JOIN LATERAL (
      SELECT r.ctid AS place, r.kind, r.tenant, r.rank, r.seq, r.attempt
        FROM millrace.ready r
       WHERE r.kind = l.kind AND r.tenant = l.tenant AND r.rank <= $7::smallint
       ORDER BY r.kind, r.tenant, r.rank, r.seq LIMIT l.share FOR UPDATE SKIP LOCKED) r
), chosen AS MATERIALIZED (
  SELECT * FROM locked WHERE nth <= lim ORDER BY rank, seq LIMIT $4::int
), gone AS (
  DELETE FROM millrace.ready WHERE ctid = ANY (ARRAY(SELECT place FROM chosen))
), leased AS (
  INSERT INTO millrace.lease (seq, epoch, until, started_at, kind, tenant, rank, attempt, worker, claim)
  SELECT seq, nextval('millrace.epoch'), millrace.clock() + $5::float8 * interval '1 millisecond', millrace.clock(),
         kind, tenant, rank, attempt + 1, $8, $6
    FROM chosen
  RETURNING seq, epoch, kind, tenant, rank, attempt
)
SELECT l.seq, l.epoch, l.kind, l.tenant, l.attempt, j.*, (SELECT lanes FROM lane LIMIT 1)::int AS lanes, ${LOOK_COLUMNS}
  FROM leased l CROSS JOIN LATERAL (
    SELECT max_attempts, priority, payload::text, cursor::text, correlation_id, submitter, webhook, parents::text,
           date_part('epoch', created_at) * 1000 AS created_at
      FROM millrace.jobs WHERE seq = l.seq OFFSET 0) j
 ORDER BY l.rank, l.seq`,
};

// The leases that a claim was given whose answer never arrived. $1 worker $2 claim
const REPLAY: Statement = {
  name: 'millrace_claim_replay',
  text: `
SELECT l.seq, l.epoch, l.kind, l.tenant, l.attempt, j.max_attempts, j.priority, j.payload::text, j.cursor::text,
       j.correlation_id, j.submitter, j.webhook, j.parents::text, 1 AS lanes,
       date_part('epoch', j.created_at) * 1000 AS created_at, ${LOOK_COLUMNS}
  FROM millrace.lease l JOIN millrace.jobs j USING (seq)
 WHERE l.worker = $1 AND l.claim = $2 AND l.until >= millrace.clock()
 ORDER BY l.rank, l.seq`,
};

// For a claim that found nothing at all.
const LOOK: Statement = { name: 'millrace_look', text: `SELECT ${LOOK_COLUMNS}` };

// Replicas that share a tenant's quota count its leases one after the other. $1 kind
const LOCK_QUOTA: Statement = { name: 'millrace_lock_quota', text: `SELECT pg_advisory_xact_lock(hashtext('millrace.quota'), hashtext($1))` };

type Look = { now: number; due_in: number | null; expired: boolean };
type ClaimRow = Look & {
  seq: number;
  epoch: number;
  kind: string;
  tenant: string;
  attempt: number;
  max_attempts: number;
  priority: number | null;
  payload: string;
  cursor: string | null;
  correlation_id: string | null;
  submitter: string | null;
  webhook: string | null;
  parents: string | null;
  created_at: number;
  lanes: number;
};
type TendRow = { seq: number | null; epoch: number; kind: string; attempt: number; cancel: boolean; over: boolean; promoted: number };

const TEND_BATCH = 1_000;
/** While claims come back full, what is due or abandoned is looked for this often. */
const TEND_EVERY_MS = 250;

export type Claim = (params: ClaimParams) => Promise<Claimed>;

export function createClaim(context: Context): Claim {
  const { database } = context;
  let tendedAt = -Infinity;

  async function claim(params: ClaimParams): Promise<Claimed> {
    if (params.replay === true) return replay(params);
    const tended: Tended = { lost: [], takenOver: 0 };
    const rows: ClaimRow[] = [];
    if (performance.now() - tendedAt > TEND_EVERY_MS) await tendInto(tended);
    for (;;) {
      const got = await claimRows({ ...params, limit: params.limit - rows.length });
      rows.push(...got);
      // A lane that gave its share may have more, like a claim that was filled.
      if (rows.length >= params.limit || (got[0]?.lanes ?? 0) > 1) return result(rows, tended, true, got[0] ?? null);
      const look = got[0] ?? (await database.query<Look>(LOOK, []))[0] ?? null;
      const isTidy = look === null || !(look.expired || (look.due_in ?? 1) <= 0);
      if (isTidy || !(await tendInto(tended))) return result(rows, tended, false, look);
    }
  }

  async function claimRows(params: ClaimParams): Promise<ClaimRow[]> {
    const limited = params.wants.filter((want) => want.tenantLimit !== undefined).map((want) => want.kind);
    if (limited.length === 0) return take(database, params);
    return database.transaction(async (session) => {
      for (const kind of limited.sort()) await session.query(LOCK_QUOTA, [kind]);
      return take(session, params);
    });
  }

  /** False when there was nothing to do: another worker did it. */
  async function tendInto(tended: Tended): Promise<boolean> {
    const { lost, takenOver, promoted } = await tend(context);
    tendedAt = performance.now();
    tended.lost.push(...lost);
    tended.takenOver += takenOver;
    return takenOver + promoted > 0;
  }

  async function replay(params: ClaimParams): Promise<Claimed> {
    const rows = await database.query<ClaimRow>(REPLAY, [params.worker, params.claimId]);
    return result(rows, { lost: [], takenOver: 0 }, true, rows[0] ?? null);
  }

  function result(rows: ClaimRow[], tended: Tended, more: boolean, look: Look | null): Claimed {
    return {
      jobs: rows.map((row) => claimedJob(context, row)),
      now: Math.round(look?.now ?? 0),
      ...tended,
      more,
      nextDueMs: look?.due_in == null ? null : Math.max(0, look.due_in),
    };
  }

  return claim;
}

type Tended = { lost: Lost[]; takenOver: number };

async function tend(context: Context): Promise<Tended & { promoted: number }> {
  const { database, ids } = context;
  return database.transaction(async (session) => {
    const rows = await session.query<TendRow>(TEND, [TEND_BATCH]);
    const leases = rows.flatMap((row) => (row.seq === null ? [] : [{ ...row, seq: row.seq }]));
    const over = leases.filter((row) => row.over);
    await finish(context, session, over.map(({ seq, attempt, cancel, epoch }) => ({
      seq,
      attempt,
      epoch,
      state: cancel ? 'CANCELED' : 'FAILED',
      error: cancel ? null : WORKER_LOST,
    })));
    return {
      lost: over.filter((row) => !row.cancel).map((row) => ({ id: ids.of(row.seq), kind: row.kind, attempt: row.attempt })),
      takenOver: leases.length,
      promoted: rows[0]?.promoted ?? 0,
    };
  });
}

const WORKER_LOST: FailureRecord = {
  code: 'worker_lost',
  message: 'Every execution of this job ended with its worker gone. Look into what it does to the process, then retry it.',
  retryable: false,
};

function take(session: Session, params: ClaimParams): Promise<ClaimRow[]> {
  const { wants } = params;
  return session.query<ClaimRow>(CLAIM, [
    texts(wants.map((want) => want.kind)),
    numbers(wants.map((want) => want.limit)),
    numbers(wants.map((want) => want.tenantLimit ?? null)),
    params.limit,
    params.leaseMs,
    params.claimId,
    params.minPriority === undefined ? NO_PRIORITY_RANK : -params.minPriority,
    params.worker,
  ]);
}

function claimedJob({ ids }: Context, row: ClaimRow): ClaimedJob {
  return {
    id: ids.of(row.seq),
    epoch: row.epoch,
    kind: row.kind,
    tenant: row.tenant,
    payload: row.payload ?? 'null',
    attempt: row.attempt,
    maxAttempts: row.max_attempts,
    priority: row.priority,
    createdAt: Math.round(row.created_at),
    cursor: row.cursor,
    correlationId: row.correlation_id,
    submitter: row.submitter,
    webhook: row.webhook,
    parents: row.parents === null ? null : (JSON.parse(row.parents) as Record<string, string>),
  };
}
