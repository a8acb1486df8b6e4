import {
  type Database,
  type Param,
  type Row,
  type Session,
  type Statement,
  numbers,
} from '../database.ts';
import { MAY_SHARE, RANK, RECORD_OF } from './filter.ts';

// Jobs of a large claim share one lease (001-queue.sql), and only succeeding knows of it. Everything else that
// happens to a job needs a lease of its own, and this gives it one.
//
// Two statements in one transaction: the shared lease is locked, and *then* it is read who holds it still. As one
// statement it would read the records as they were before it waited for the lock, and give a lease to a job that has
// succeeded meanwhile. Whoever succeeds holds the same lock. This and other traps: docs/decisions/0014-shared-leases.md.

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

// The leases that hold these jobs. The lists are read once for all jobs; for those that have ended, wait or have their own
// lease they are not. $1 seq[]
const HOLDING: Statement = {
  name: 'millrace_shared_holding',
  text: `
WITH sought AS MATERIALIZED (
  SELECT j.seq, ${RANK} AS rank FROM unnest($1::text::bigint[]) AS u(seq) ${RECORD_OF('u')}
   WHERE ${MAY_SHARE}
)
SELECT claim, epoch FROM millrace.shared_lease s
 WHERE s.first <= (SELECT max(seq) FROM sought) AND s.last >= (SELECT min(seq) FROM sought)
   AND s.first_rank <= (SELECT max(rank) FROM sought) AND s.last_rank >= (SELECT min(rank) FROM sought)
   AND EXISTS (SELECT FROM unnest(s.seqs) AS m(seq) WHERE m.seq IN (SELECT seq FROM sought) AND m.seq <> ALL (s.apart) OFFSET 0)`,
};

// Leases that others have at this moment are not left behind. $1 how many at the most, besides four
const LOCK_EXPIRED: Statement = {
  name: 'millrace_lock_shared_expired',
  text: `
SELECT claim, epoch FROM millrace.shared_lease WHERE until < millrace.clock()
 ORDER BY claim, epoch LIMIT least(4, $1::int) FOR UPDATE SKIP LOCKED`,
};

interface Moving {
  /** The jobs of the lease that are looked at, as a set of `m(seq)`. */
  readonly jobs: string;
  /** The jobs that the lease names from now on. */
  readonly rest: string;
}

// $1 claim[] $2 epoch[] of leases that are locked $3 as it says below
const moving = ({ jobs, rest }: Moving): string => `
WITH shared AS MATERIALIZED (
  SELECT s.* FROM unnest($1::text::bigint[], $2::text::bigint[]) AS c(claim, epoch) CROSS JOIN LATERAL (
    SELECT * FROM millrace.shared_lease WHERE claim = c.claim AND epoch = c.epoch OFFSET 0) s
), leaving AS MATERIALIZED (
  SELECT m.seq, s.epoch, s.claim, s.until, s.started_at, s.worker, j.attempt + 1 AS attempt,
         coalesce(-j.priority, 32767) AS rank, s.kind, s.tenant
    FROM shared s
    CROSS JOIN LATERAL (SELECT m.seq FROM ${jobs} AND m.seq <> ALL (s.apart) OFFSET 0) m
    CROSS JOIN LATERAL (SELECT state, attempt, priority FROM millrace.jobs WHERE seq = m.seq OFFSET 0) j
   WHERE j.state = 'QUEUED'
), own AS (
  INSERT INTO millrace.lease (seq, epoch, claim, until, started_at, kind, tenant, rank, attempt, nth, worker)
  SELECT seq, epoch, claim, until, started_at, kind, tenant, rank, attempt, attempt, worker FROM leaving
), left_by AS MATERIALIZED (
  SELECT s.claim, s.epoch, s.holding - count(l.seq) AS still, array_agg(l.seq) FILTER (WHERE l.seq IS NOT NULL) AS seqs
    FROM shared s LEFT JOIN leaving l ON l.claim = s.claim AND l.epoch = s.epoch GROUP BY s.claim, s.epoch, s.holding
), shrunk AS (
  UPDATE millrace.shared_lease s SET holding = b.still, apart = s.apart || b.seqs, seqs = ${rest} FROM left_by b
   WHERE b.still > 0 AND s.claim = ANY ($1::text::bigint[]) AND s.claim = b.claim AND s.epoch = b.epoch
), over AS (
  DELETE FROM millrace.shared_lease s USING left_by b
   WHERE b.still = 0 AND s.claim = ANY ($1::text::bigint[]) AND s.claim = b.claim AND s.epoch = b.epoch
)
SELECT`;

// $3 seq[]
const MOVE_ASKED: Statement = {
  name: 'millrace_own_leases',
  text: moving({
    jobs: 'unnest(s.seqs) AS m(seq) WHERE m.seq IN (SELECT u.seq FROM unnest($3::text::bigint[]) AS u(seq))',
    rest: 's.seqs',
  }),
};
// $3 how many of each lease
const MOVE_FIRST: Statement = {
  name: 'millrace_own_leases_first',
  text: moving({
    jobs: 'unnest(s.seqs[1:$3::int]) AS m(seq) WHERE true',
    rest: 's.seqs[$3::int + 1:]',
  }),
};

/** The claims that these leases are of, in the order in which everyone locks them. */
export function claimsOf(leases: readonly Shared[]): Shared[] {
  const distinct: Shared[] = [];
  for (const { claim, epoch } of leases) {
    // Searched from the end: nearly always it is the claim of the job before.
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

/** Gives these jobs leases of their own where one of these, which are locked, holds them. In a transaction. */
export async function ownLeases(
  session: Session,
  shared: readonly Shared[],
  seqs: readonly number[],
): Promise<void> {
  if (shared.length > 0) await session.query(MOVE_ASKED, [...claimColumns(shared), numbers(seqs)]);
}

/** As `ownLeases`, for callers that know the jobs and not their leases. */
export async function ownLeasesOf(session: Session, seqs: readonly number[]): Promise<void> {
  const holding = await session.query<Shared>(HOLDING, [numbers(seqs)]);
  if (holding.length > 0) await ownLeases(session, await lockShared(session, holding), seqs);
}

/**
 * As `ownLeases`, for jobs of shared leases that have expired, `atMost` so many: a claim may be of any size, and a
 * statement has to end within the database's `statement_timeout`.
 */
export async function ownLeasesOfExpired(session: Session, atMost: number): Promise<void> {
  const shared = await session.query<Shared>(LOCK_EXPIRED, [atMost]);
  if (shared.length === 0) return;
  await session.query(MOVE_FIRST, [...claimColumns(shared), Math.floor(atMost / shared.length)]);
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
