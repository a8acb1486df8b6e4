import type { Canceled, JobId, Selection } from '@millrace/engine';
import { phasesOf, statesBefore } from '@millrace/engine';
import { type Session, type Statement, numbers, texts } from '../database.ts';
import type { Context } from './context.ts';
import { type PartFilter, partsOf, selecting } from './filter.ts';
import { finish } from './finish.ts';
import { encode, notify, readyHint } from './notify.ts';
import { ownLeasesOf } from './own-leases.ts';

// One cancel or retry by hand at a time: a job that another one has just moved stays locked for whoever looked at it, although
// it is no longer what was looked for, and two that go on with what they have would wait for each other.
export const TAKE_TURNS: Statement = {
  name: 'millrace_take_turns_by_hand',
  text: `SELECT pg_advisory_xact_lock(hashtext('millrace.hand'))`,
};

// A claim that is under way holds the row's lock: this waits for it and then finds nothing, and the lease is
// found by the next statement. $1 seq[]
const TAKE_FROM_QUEUE: Statement = {
  name: 'millrace_take_from_queue',
  text: `
WITH wanted AS MATERIALIZED (
  SELECT j.seq, j.kind, j.tenant, coalesce(-j.priority, 32767)::smallint AS rank, j.run_at
    FROM unnest($1::text::bigint[]) AS u(seq) CROSS JOIN LATERAL (SELECT * FROM millrace.jobs WHERE seq = u.seq OFFSET 0) j
   WHERE j.state = 'QUEUED'
), due AS (
  DELETE FROM millrace.ready WHERE ctid = ANY (ARRAY(
    SELECT r.ctid FROM wanted w CROSS JOIN LATERAL (
      SELECT ctid FROM millrace.ready
       WHERE kind = w.kind AND tenant = w.tenant AND rank = w.rank AND seq = w.seq FOR UPDATE OFFSET 0) r))
  RETURNING seq
), later AS (
  DELETE FROM millrace.scheduled WHERE ctid = ANY (ARRAY(
    SELECT s.ctid FROM wanted w CROSS JOIN LATERAL (
      SELECT ctid FROM millrace.scheduled
       WHERE rank = w.rank AND run_at = w.run_at AND seq = w.seq FOR UPDATE OFFSET 0) s))
  RETURNING seq, kind, tenant
), alone AS (
  DELETE FROM millrace.suspect WHERE ctid = ANY (ARRAY(
    SELECT s.ctid FROM wanted w CROSS JOIN LATERAL (
      SELECT ctid FROM millrace.suspect WHERE kind = w.kind AND rank = w.rank AND seq = w.seq FOR UPDATE OFFSET 0) s))
  RETURNING seq
), counted AS (
  INSERT INTO millrace.count_delta (kind, tenant, state, n) SELECT kind, tenant, 'SCHEDULED', -count(*) FROM later GROUP BY kind, tenant
)
SELECT seq FROM due UNION ALL SELECT seq FROM later UNION ALL SELECT seq FROM alone`,
};

const REQUEST: Statement = {
  name: 'millrace_request_cancel',
  text: `UPDATE millrace.lease SET cancel = true WHERE seq = ANY ($1::text::bigint[]) RETURNING seq, epoch, claim`,
};

// Jobs that have ended and are moved by hand are locked first, by a statement of its own: the next one then sees it, and what stands
// about it in `dead`, as they are. $1 seq[] $2 state[]
export const LOCK_ENDED: Statement = {
  name: 'millrace_lock_ended',
  text: `SELECT seq FROM millrace.jobs WHERE seq = ANY ($1::text::bigint[]) AND state = ANY ($2::text::text[]) ORDER BY seq FOR UPDATE`,
};

const CANCEL_FAILED: Statement = {
  name: 'millrace_cancel_failed',
  text: `
WITH ended AS (
  UPDATE millrace.jobs SET state = 'CANCELED', finished_at = millrace.clock()
   WHERE seq = ANY ($1::text::bigint[]) AND state = 'FAILED' RETURNING seq, kind, tenant
), dead AS (
  UPDATE millrace.dead d SET state = 'CANCELED' FROM ended e WHERE d.seq = ANY ($1::text::bigint[]) AND d.seq = e.seq
), counted AS (
  INSERT INTO millrace.count_delta (kind, tenant, state, n)
  SELECT kind, tenant, s.state, sum(s.n) FROM ended, (VALUES ('FAILED', -1), ('CANCELED', 1)) AS s(state, n) GROUP BY kind, tenant, s.state
)
SELECT seq FROM ended`,
};

// A retried job lives again, and so does its key: whoever enqueues it at this moment waits for this row, and then sees it.
// A statement of its own before the retry: enqueueing, too, locks the key before the job. $1 seq[]
export const REVIVE_KEYS: Statement = {
  name: 'millrace_revive_keys',
  text: `
UPDATE millrace.keys
   SET revived_at = greatest(millrace.clock(), (SELECT finished_at FROM millrace.jobs WHERE seq = keys.seq))
 WHERE ctid = ANY (ARRAY(
  SELECT k.ctid FROM unnest($1::text::bigint[]) AS u(seq)
    CROSS JOIN LATERAL (
      SELECT key, kind, tenant FROM millrace.jobs WHERE seq = u.seq AND key IS NOT NULL AND state IN ('FAILED', 'CANCELED') OFFSET 0) j
    CROSS JOIN LATERAL (
      SELECT ctid FROM millrace.keys
       WHERE key = j.key AND kind = j.kind AND tenant = j.tenant AND seq = u.seq
       FOR UPDATE OFFSET 0) k ORDER BY j.key, j.kind, j.tenant))`,
};

// A key that found another owner meanwhile stays with it. A job that ended after its key was revived is left for the next
// retry: whoever enqueues could have the key by now. $1 seq[]
const RETRY: Statement = {
  name: 'millrace_retry',
  text: `
WITH revived AS (
  UPDATE millrace.jobs j
     SET state = 'QUEUED', attempt = 0, error = NULL, result = NULL, finished_at = NULL, run_at = millrace.clock(),
         key = (SELECT k.key FROM millrace.keys k WHERE k.key = j.key AND k.kind = j.kind AND k.tenant = j.tenant AND k.seq = j.seq)
    FROM millrace.dead d
   WHERE d.seq = ANY ($1::text::bigint[]) AND j.seq = ANY ($1::text::bigint[]) AND j.seq = d.seq AND j.state IN ('FAILED', 'CANCELED')
     AND (j.key IS NULL OR j.finished_at <= (
       SELECT coalesce(k.revived_at, '-infinity') FROM millrace.keys k
        WHERE k.key = j.key AND k.kind = j.kind AND k.tenant = j.tenant AND k.seq = j.seq)
       IS NOT FALSE)
  RETURNING j.seq, j.kind, j.tenant, coalesce(-j.priority, 32767)::smallint AS rank, d.state
), dead AS (
  DELETE FROM millrace.dead WHERE seq = ANY (ARRAY(SELECT seq FROM revived))
), due AS (
  INSERT INTO millrace.ready (kind, tenant, rank, seq, attempt) SELECT kind, tenant, rank, seq, 0 FROM revived
), counted AS (
  INSERT INTO millrace.count_delta (kind, tenant, state, n)
  SELECT kind, tenant, s.state, sum(s.n)
    FROM revived r CROSS JOIN LATERAL (VALUES (r.state, -1), ('OPEN', 1)) AS s(state, n) GROUP BY kind, tenant, s.state
)
SELECT seq, kind FROM revived`,
};

type Requested = { seq: number; epoch: number; claim: number };

/** Rounds for a job that moves between queue and lease while it is looked for. */
const ROUNDS = 20;

export async function cancel(context: Context, { select }: Selection): Promise<Canceled> {
  const { database, ids } = context;
  return database.transaction(async (session) => {
    await session.query(TAKE_TURNS, []);
    const wanted = await selected(context, session, select, 'cancel');
    const canceled: number[] = [];
    const requested: Requested[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const found = new Set([...canceled, ...requested.map(({ seq }) => seq)]);
      const remaining = wanted.filter((seq) => !found.has(seq));
      if (remaining.length === 0) break;
      // Shared leases are locked before anything else, as settling does it: two that lock in different orders would
      // wait for each other.
      await ownLeasesOf(session, remaining);
      const left = numbers(remaining);
      const queued = (await session.query<{ seq: number }>(TAKE_FROM_QUEUE, [left])).map(
        ({ seq }) => seq,
      );
      await finish(
        context,
        session,
        queued.map((seq) => ({ seq, state: 'CANCELED', error: null, attempt: null })),
      );
      await session.query(LOCK_ENDED, [left, texts(['FAILED'])]);
      const failed = await session.query<{ seq: number }>(CANCEL_FAILED, [left]);
      canceled.push(...queued, ...failed.map(({ seq }) => seq));
      requested.push(...(await session.query<Requested>(REQUEST, [left])));
    }
    const leases = requested.map(({ seq, epoch, claim }) => ({ id: ids.of(seq), epoch, claim }));
    if (leases.length > 0) await notify(session, encode({ type: 'cancel', leases }));
    return { canceled: canceled.map(ids.of), requested: leases.map(({ id }) => id) };
  });
}

export async function retry(
  context: Context,
  { select }: Selection,
): Promise<{ retried: number; ids: JobId[] }> {
  const { database, ids } = context;
  return database.transaction(async (session) => {
    await session.query(TAKE_TURNS, []);
    const wanted = await selected(context, session, select, 'requeue');
    if (wanted.length === 0) return { retried: 0, ids: [] };
    const seqs = await requeue(session, wanted);
    return { retried: seqs.length, ids: seqs.map(ids.of) };
  });
}

/** The jobs among them that failed or were cancelled; it is the caller's turn. */
export async function requeue(session: Session, wanted: readonly number[]): Promise<number[]> {
  await session.query(REVIVE_KEYS, [numbers(wanted)]);
  await session.query(LOCK_ENDED, [numbers(wanted), texts(statesBefore('requeue'))]);
  const rows = await session.query<{ seq: number; kind: string }>(RETRY, [numbers(wanted)]);
  if (rows.length > 0) await notify(session, readyHint(rows.map(({ kind }) => kind)));
  return rows.map(({ seq }) => seq);
}

/** The jobs meant, oldest first. By filter, only those that the move can still change. */
async function selected(
  { ids }: Context,
  session: Session,
  select: Selection['select'],
  move: 'cancel' | 'requeue',
): Promise<number[]> {
  if ('ids' in select) return select.ids.map(ids.seq).filter((seq) => seq !== null);
  const movable = phasesOf(statesBefore(move));
  const phases = (select.filter.phases ?? movable).filter((phase) => movable.includes(phase));
  const seqs: number[] = [];
  for (const part of await partsOf(session, ids, { ...select.filter, phases })) {
    if (seqs.length < select.limit)
      seqs.push(...(await selectPart(session, part, select.limit - seqs.length)));
  }
  return [...new Set(seqs)];
}

async function selectPart(session: Session, filter: PartFilter, limit: number): Promise<number[]> {
  const { statement, params } = await selecting(session, {
    filter,
    columns: 'j.seq',
    direction: 'ASC',
    limit,
    // Asking a running job to stop once is enough. What does not run has no lease.
    also: 'l.cancel IS NOT TRUE',
  });
  const rows = await session.query<{ seq: number }>(statement, params);
  return rows.map(({ seq }) => seq);
}
