import {
  type Database,
  type Param,
  type Row,
  type Session,
  type Statement,
  numbers,
} from '../database.ts';

// Jobs of a large claim share one lease (004-shared-leases.sql), and only succeeding knows of it. Everything else that
// happens to a job needs a lease of its own, and this gives it one.
//
// Two statements in one transaction: the shared lease is locked, and *then* it is read who holds it still. As one
// statement it would read the records as they were before it waited for the lock, and give a lease to a job that has
// succeeded meanwhile. Whoever succeeds holds the same lock.

/** A lease as a worker names it. */
export interface Named {
  readonly seq: number;
  readonly epoch: number;
  readonly claim: number;
}

/** seq[], epoch[] and claim[], with which every statement on leases begins. */
export function leaseColumns(leases: readonly Named[]): Param[] {
  return [
    numbers(leases.map(({ seq }) => seq)),
    numbers(leases.map(({ epoch }) => epoch)),
    numbers(leases.map(({ claim }) => claim)),
  ];
}

type Shared = { claim: number; epoch: number };

// In one order, so that two never wait for each other. $1 claim[] $2 epoch[]
const LOCK_NAMED: Statement = {
  name: 'millrace_lock_shared',
  text: `
SELECT s.claim, s.epoch FROM unnest($1::text::bigint[], $2::text::bigint[]) AS c(claim, epoch) CROSS JOIN LATERAL (
  SELECT claim, epoch FROM millrace.shared_lease WHERE claim = c.claim AND epoch = c.epoch FOR UPDATE OFFSET 0) s`,
};

// $1 seq[]
const LOCK_HOLDING: Statement = {
  name: 'millrace_lock_shared_holding',
  text: `
SELECT claim, epoch FROM millrace.shared_lease s
 WHERE EXISTS (SELECT FROM unnest($1::text::bigint[]) AS u(seq)
                WHERE u.seq BETWEEN s.first AND s.last AND u.seq = ANY (s.seqs) AND u.seq <> ALL (s.apart))
 ORDER BY claim, epoch FOR UPDATE`,
};

// Those that others have at this moment are not left behind.
const LOCK_EXPIRED: Statement = {
  name: 'millrace_lock_shared_expired',
  text: `
SELECT claim, epoch FROM millrace.shared_lease WHERE until < millrace.clock()
 ORDER BY claim, epoch LIMIT 4 FOR UPDATE SKIP LOCKED`,
};

// $1 claim[] $2 epoch[] of leases that are locked $3 seq[]
const moving = (isMeant: string, still: string): string => `
WITH shared AS MATERIALIZED (
  SELECT s.* FROM unnest($1::text::bigint[], $2::text::bigint[]) AS c(claim, epoch) CROSS JOIN LATERAL (
    SELECT * FROM millrace.shared_lease WHERE claim = c.claim AND epoch = c.epoch OFFSET 0) s
), leaving AS MATERIALIZED (
  SELECT m.seq, s.epoch, s.claim, s.until, s.started_at, s.worker, j.attempt + 1 AS attempt,
         coalesce(-j.priority, 32767) AS rank, j.kind, j.tenant
    FROM shared s
    CROSS JOIN LATERAL (SELECT m.seq FROM unnest(s.seqs) AS m(seq) WHERE ${isMeant} AND m.seq <> ALL (s.apart) OFFSET 0) m
    CROSS JOIN LATERAL (SELECT state, attempt, priority, kind, tenant FROM millrace.jobs WHERE seq = m.seq OFFSET 0) j
   WHERE j.state = 'QUEUED'
), own AS (
  INSERT INTO millrace.lease (seq, epoch, claim, until, started_at, kind, tenant, rank, attempt, nth, worker)
  SELECT seq, epoch, claim, until, started_at, kind, tenant, rank, attempt, attempt, worker FROM leaving
), left_by AS MATERIALIZED (
  SELECT s.claim, s.epoch, ${still} AS still, array_agg(l.seq) FILTER (WHERE l.seq IS NOT NULL) AS seqs
    FROM shared s LEFT JOIN leaving l ON l.claim = s.claim AND l.epoch = s.epoch GROUP BY s.claim, s.epoch, s.holding
), shrunk AS (
  UPDATE millrace.shared_lease s SET holding = b.still, apart = s.apart || b.seqs FROM left_by b
   WHERE b.still > 0 AND s.claim = ANY ($1::text::bigint[]) AND s.claim = b.claim AND s.epoch = b.epoch
), over AS (
  DELETE FROM millrace.shared_lease s USING left_by b
   WHERE b.still = 0 AND s.claim = ANY ($1::text::bigint[]) AND s.claim = b.claim AND s.epoch = b.epoch
)
SELECT count(*)::int AS n FROM leaving`;

const MOVE_ASKED: Statement = {
  name: 'millrace_own_leases',
  text: moving(
    'm.seq IN (SELECT u.seq FROM unnest($3::text::bigint[]) AS u(seq))',
    's.holding - count(l.seq)',
  ),
};
const MOVE_ALL: Statement = {
  name: 'millrace_own_leases_all',
  text: moving('true', '0'),
};

/** The claims that these leases are of, in the order in which everyone locks them. */
export function claimsOf(leases: readonly Shared[]): Shared[] {
  const distinct: Shared[] = [];
  for (const { claim, epoch } of leases) {
    // Nearly always that of the job before.
    const isKnown = distinct.findLastIndex((c) => c.claim === claim && c.epoch === epoch) >= 0;
    if (!isKnown) distinct.push({ claim, epoch });
  }
  return distinct.toSorted((a, b) => a.claim - b.claim || a.epoch - b.epoch);
}

/** The place of each lease's claim among these, counted from 1. */
export function placesOf(leases: readonly Shared[], claims: readonly Shared[]): number[] {
  let last = 0;
  return leases.map(({ claim, epoch }) => {
    const before = claims[last];
    if (before?.claim !== claim || before.epoch !== epoch)
      last = claims.findIndex((c) => c.claim === claim && c.epoch === epoch);
    return last + 1;
  });
}

/** claim[] and epoch[]. */
export function claimColumns(claims: readonly Shared[]): Param[] {
  return [numbers(claims.map(({ claim }) => claim)), numbers(claims.map(({ epoch }) => epoch))];
}

/** Locks the shared leases that these name, for the rest of the transaction. */
export async function lockShared(session: Session, leases: readonly Shared[]): Promise<Shared[]> {
  return session.query<Shared>(LOCK_NAMED, claimColumns(claimsOf(leases)));
}

/** Answers how many of these jobs were held by a shared lease, and have their own now. In a transaction. */
export async function ownLeases(
  session: Session,
  shared: readonly Shared[],
  seqs: readonly number[],
): Promise<number> {
  return move(session, MOVE_ASKED, shared, [numbers(seqs)]);
}

/** The same for those who know the job and not its lease. */
export async function ownLeasesOf(session: Session, seqs: readonly number[]): Promise<number> {
  const shared = await session.query<Shared>(LOCK_HOLDING, [numbers(seqs)]);
  return ownLeases(session, shared, seqs);
}

/** The same for all jobs of shared leases whose time is over. */
export async function ownLeasesOfExpired(session: Session): Promise<number> {
  return move(session, MOVE_ALL, await session.query<Shared>(LOCK_EXPIRED, []), []);
}

async function move(
  session: Session,
  statement: Statement,
  shared: readonly Shared[],
  more: readonly string[],
): Promise<number> {
  if (shared.length === 0) return 0;
  const [row] = await session.query<{ n: number }>(statement, [...claimColumns(shared), ...more]);
  return row?.n ?? 0;
}

/** Gives leases of their own to those of these that share one. In a transaction, before it locks anything else. */
export async function ownLeasesNamed(session: Session, leases: readonly Named[]): Promise<void> {
  const shared = await lockShared(session, leases);
  await ownLeases(
    session,
    shared,
    leases.map(({ seq }) => seq),
  );
}

/**
 * A statement on leases of their own. Jobs that it does not find may share one: they get their own, and it runs again for
 * them. It does so even where none was given here, since another caller may have been faster.
 */
export async function onOwnLeases<A extends Named, R extends Row & { seq: number; claim: number }>(
  database: Database,
  leases: readonly A[],
  run: (leases: readonly A[]) => Promise<R[]>,
): Promise<R[]> {
  const found = await run(leases);
  if (found.length >= leases.length) return found;
  const claims = new Map(found.map((row) => [row.seq, row.claim]));
  const missing = leases.filter(({ seq, claim }) => claims.get(seq) !== claim);
  await database.transaction((session) => ownLeasesNamed(session, missing));
  return [...found, ...(await run(missing))];
}
