import type { ClaimParams, Claimed, ClaimedJob } from '@millrace/engine';
import { type Session, type Statement, numbers, texts } from '../database.ts';
import { type Context, NO_PRIORITY_RANK } from './context.ts';
import { type TakenOver, promote, takeOver } from './tend.ts';

/** Evaluated once per statement: is there anything to tend, and when will there be? */
const LOOK_COLUMNS = `
  (date_part('epoch', millrace.clock()) * 1000)::bigint AS now,
  ceil(date_part('epoch', (SELECT min(run_at) FROM millrace.scheduled) - millrace.clock()) * 1000)::bigint AS due_in,
  ceil(date_part('epoch', (SELECT min(until) FROM millrace.lease) - millrace.clock()) * 1000)::bigint AS expires_in`;

// Lanes are (kind, tenant) pairs with work, found by hopping over the index, so that a paused, capped or busy one is
// never in another's way. Tenants take turns: each gives its share, and of too few slots the tenant with the
// least running comes first. Priority and age order the work of one tenant.
// Deleting by ctid is safe here, the rows are locked by this very statement, and saves an index look-up per job.
// The record is joined through LATERAL … OFFSET 0 so that no plan ever scans the history.
// $1 kind[] $2 limit[] $3 running jobs per tenant[] $4 limit $5 lease, ms $6 claim $7 highest rank $8 worker
// $9 false: take nothing while jobs that are due wait in `scheduled`, since their priority may be higher
const CLAIM: Statement = {
  name: 'millrace_claim',
  text: `
WITH RECURSIVE want AS (
  SELECT w.* FROM unnest($1::text::text[], $2::text::integer[], $3::text::integer[]) AS w(kind, lim, tenant_lim)
   WHERE NOT EXISTS (SELECT FROM millrace.paused p WHERE p.kind = w.kind)
     AND ($9::boolean OR NOT EXISTS (SELECT FROM millrace.scheduled WHERE run_at <= millrace.clock()))
), hop AS (
  SELECT w.kind, w.lim, w.tenant_lim,
         (SELECT r.tenant FROM millrace.ready r WHERE r.kind = w.kind ORDER BY r.tenant LIMIT 1) AS tenant
    FROM want w
  UNION ALL
  SELECT h.kind, h.lim, h.tenant_lim,
         (SELECT r.tenant FROM millrace.ready r WHERE r.kind = h.kind AND r.tenant > h.tenant ORDER BY r.tenant LIMIT 1)
    FROM hop h WHERE h.tenant IS NOT NULL
), lane AS MATERIALIZED (
  SELECT h.kind, h.tenant, h.lim, CASE WHEN h.tenant_lim IS NOT NULL THEN h.tenant_lim - (
           SELECT count(*) FROM millrace.lease l WHERE l.kind = h.kind AND l.tenant = h.tenant) END AS room
    FROM hop h WHERE h.tenant IS NOT NULL
), turn AS MATERIALIZED (
  SELECT count(DISTINCT tenant)::int AS tenants, ceil($4::float8 / nullif(count(DISTINCT tenant), 0))::int AS share
    FROM lane WHERE room IS NULL OR room > 0
), running AS MATERIALIZED (
  SELECT l.tenant, count(*) AS n FROM millrace.lease l JOIN want w ON w.kind = l.kind
   WHERE (SELECT tenants > 1 FROM turn) GROUP BY l.tenant
), locked AS MATERIALIZED (
  SELECT r.*, l.lim
    FROM turn CROSS JOIN lane l CROSS JOIN LATERAL (
      SELECT r.ctid AS place, r.kind, r.tenant, r.rank, r.seq, r.attempt
        FROM millrace.ready r
       WHERE r.kind = l.kind AND r.tenant = l.tenant AND r.rank <= $7::smallint
       ORDER BY r.kind, r.tenant, r.rank, r.seq LIMIT greatest(0, least(l.lim, turn.share, l.room)) FOR UPDATE SKIP LOCKED) r
), seated AS (
  SELECT *, row_number() OVER (PARTITION BY tenant ORDER BY rank, seq)
            + coalesce((SELECT n FROM running WHERE running.tenant = locked.tenant), 0) AS seat
    FROM locked WHERE (SELECT tenants > 1 FROM turn)
), chosen AS MATERIALIZED (
  (SELECT place, kind, tenant, rank, seq, attempt FROM locked WHERE (SELECT tenants = 1 FROM turn) ORDER BY rank, seq LIMIT $4::int)
  UNION ALL
  (SELECT place, kind, tenant, rank, seq, attempt
     FROM (SELECT *, row_number() OVER (PARTITION BY kind ORDER BY seat, rank, seq) AS nth FROM seated) s
    WHERE nth <= lim ORDER BY seat, rank, seq LIMIT $4::int)
), gone AS (
  DELETE FROM millrace.ready WHERE ctid = ANY (ARRAY(SELECT place FROM chosen))
), leased AS (
  INSERT INTO millrace.lease (seq, epoch, until, started_at, kind, tenant, rank, attempt, worker, claim)
  SELECT seq, nextval('millrace.epoch'), millrace.clock() + $5::float8 * interval '1 millisecond', millrace.clock(),
         kind, tenant, rank, attempt + 1, $8, $6
    FROM chosen
  RETURNING seq, epoch, kind, tenant, rank, attempt
)
SELECT l.seq, l.epoch, l.kind, l.tenant, l.attempt, j.*, (SELECT tenants FROM turn) AS tenants, ${LOOK_COLUMNS}
  FROM leased l CROSS JOIN LATERAL (
    SELECT max_attempts, priority, payload::text, cursor::text, correlation_id, submitter, webhook, parents::text,
           traceparent, (date_part('epoch', created_at) * 1000)::bigint AS created_at
      FROM millrace.jobs WHERE seq = l.seq OFFSET 0) j`,
};

// The leases that a claim was given whose answer never arrived. $1 worker $2 claim
const REPLAY: Statement = {
  name: 'millrace_claim_replay',
  text: `
SELECT l.seq, l.epoch, l.kind, l.tenant, l.attempt, j.max_attempts, j.priority, j.payload::text, j.cursor::text,
       j.correlation_id, j.submitter, j.webhook, j.parents::text, j.traceparent, 1 AS tenants,
       (date_part('epoch', j.created_at) * 1000)::bigint AS created_at, ${LOOK_COLUMNS}
  FROM millrace.lease l CROSS JOIN LATERAL (SELECT * FROM millrace.jobs WHERE seq = l.seq OFFSET 0) j
 WHERE l.worker = $1 AND l.claim = $2 AND l.until >= millrace.clock()
 ORDER BY l.rank, l.seq`,
};

// For a claim that found nothing at all.
const LOOK: Statement = { name: 'millrace_look', text: `SELECT ${LOOK_COLUMNS}` };

// Replicas that share a tenant's quota count its leases one after the other. $1 kind
const LOCK_QUOTA: Statement = {
  name: 'millrace_lock_quota',
  text: `SELECT pg_advisory_xact_lock(hashtext('millrace.quota'), hashtext($1))`,
};

type Look = { now: number; due_in: number | null; expires_in: number | null };
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
  traceparent: string | null;
  created_at: number;
  tenants: number;
};
export type Claim = (params: ClaimParams) => Promise<Claimed>;

export function createClaim(context: Context): Claim {
  const { database } = context;

  async function claim(params: ClaimParams): Promise<Claimed> {
    if (params.replay === true) return replay(params);
    const first = await claimRows(params, false);
    const look = await lookFrom(first);
    const tended = await tend(look);
    const isFull = first.length >= params.limit;
    if (isFull || tended === null) return result(first, tended, isFull || hasShares(first), look);
    const second = await claimRows({ ...params, limit: params.limit - first.length }, true);
    const rows = [...first, ...second];
    const more = rows.length >= params.limit || hasShares(second) || tended.promoted > 0;
    return result(rows, tended, more, await lookFrom(second));
  }

  async function lookFrom(rows: readonly ClaimRow[]): Promise<Look> {
    return (
      rows[0] ??
      (await database.query<Look>(LOOK, []))[0] ?? { now: 0, due_in: null, expires_in: null }
    );
  }

  /** Null when there was nothing to do. */
  async function tend(look: Look): Promise<Tended | null> {
    const isDue = (look.due_in ?? 1) <= 0;
    const isExpired = (look.expires_in ?? 0) < 0;
    if (!isDue && !isExpired) return null;
    const promoted = isDue ? await promote(context) : 0;
    return { ...(isExpired ? await takeOver(context) : NOTHING_LOST), promoted };
  }

  async function claimRows(params: ClaimParams, force: boolean): Promise<ClaimRow[]> {
    const limited = params.wants
      .filter((want) => want.tenantLimit !== undefined)
      .map((want) => want.kind);
    if (limited.length === 0) return take(database, params, force);
    return database.transaction(async (session) => {
      for (const kind of limited.toSorted()) await session.query(LOCK_QUOTA, [kind]);
      return take(session, params, force);
    });
  }

  async function replay(params: ClaimParams): Promise<Claimed> {
    const rows = await database.query<ClaimRow>(REPLAY, [params.worker, params.claimId]);
    return result(rows, null, true, await lookFrom(rows));
  }

  function result(rows: ClaimRow[], tended: Tended | null, more: boolean, look: Look): Claimed {
    const { lost, takenOver } = tended ?? NOTHING_LOST;
    return {
      jobs: (hasShares(rows) ? rows.toSorted(comesFirst) : rows).map((row) =>
        claimedJob(context, row),
      ),
      now: look.now,
      lost,
      takenOver,
      more,
      nextDueMs: nextDueMs(look),
    };
  }

  return claim;
}

/** A lease that its worker does not renew is due one millisecond after its end. */
function nextDueMs({ due_in: dueIn, expires_in: expiresIn }: Look): number | null {
  const next = Math.min(dueIn ?? Infinity, (expiresIn ?? Infinity) + 1);
  return next === Infinity ? null : Math.max(0, next);
}

type Tended = TakenOver & { promoted: number };
const NOTHING_LOST: TakenOver = { lost: [], takenOver: 0 };

/** One tenant's jobs come in their order; where several take turns, it is made here. */
function comesFirst(a: ClaimRow, b: ClaimRow): number {
  return (b.priority ?? -Infinity) - (a.priority ?? -Infinity) || a.seq - b.seq;
}

/** A tenant that gave its share may have more. */
function hasShares([first]: readonly ClaimRow[]): boolean {
  return (first?.tenants ?? 0) > 1;
}

function take(session: Session, params: ClaimParams, force: boolean): Promise<ClaimRow[]> {
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
    force,
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
    createdAt: row.created_at,
    cursor: row.cursor,
    correlationId: row.correlation_id,
    submitter: row.submitter,
    webhook: row.webhook,
    parents: row.parents === null ? null : (JSON.parse(row.parents) as Record<string, string>),
    traceparent: row.traceparent,
  };
}
