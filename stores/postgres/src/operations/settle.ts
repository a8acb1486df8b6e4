import type {
  FinishedJob,
  FinishedState,
  NewJob,
  SettleAnswer,
  SettledOutcome,
  Settlement,
} from '@millrace/engine';
import { type Session, type Statement, numbers, texts } from '../database.ts';
import type { Context } from './context.ts';
import { type Following, follow } from './dependants.ts';
import { insertJobs } from './enqueue.ts';
import { notify, readyHint } from './notify.ts';

// Gives up the leases that still hold and writes the outcomes of exactly those.
// A job that was asked to cancel does not go back to the queue: the request is never lost.
// $1 seq[] $2 epoch[] $3 move[] $4 result or payload[] $5 error[] $6 delay, ms[] $7 purge payload[]
const SETTLE: Statement = {
  name: 'millrace_settle',
  text: `
WITH held AS (
  DELETE FROM millrace.lease l
   USING unnest($1::text::bigint[], $2::text::bigint[], $3::text::text[], $4::text::text[], $5::text::text[],
                $6::text::float8[], $7::text::boolean[]) AS u(seq, epoch, move, data, error, delay, purge)
   WHERE l.seq = ANY ($1::text::bigint[]) AND l.seq = u.seq AND l.epoch = u.epoch
  RETURNING l.seq, l.epoch, l.kind, l.tenant, l.rank, l.started_at, u.data, u.error, u.delay, u.purge,
            CASE WHEN l.cancel AND u.move IN ('retry', 'defer', 'handBack') THEN 'cancel' ELSE u.move END AS move,
            CASE WHEN u.move IN ('defer', 'handBack') THEN greatest(l.attempt - 1, 0) ELSE l.attempt END AS attempt
), outcome AS MATERIALIZED (
  SELECT *, CASE move WHEN 'succeed' THEN 'SUCCEEDED' WHEN 'fail' THEN 'FAILED' WHEN 'cancel' THEN 'CANCELED' ELSE 'QUEUED' END AS state
    FROM held
), record AS (
  UPDATE millrace.jobs j
     SET state = o.state, attempt = o.attempt, epoch = o.epoch, started_at = o.started_at,
         finished_at = CASE WHEN o.state <> 'QUEUED' THEN millrace.clock() END,
         run_at = CASE WHEN o.state = 'QUEUED' THEN millrace.clock() + o.delay * interval '1 millisecond' ELSE j.run_at END,
         result = CASE WHEN o.move = 'succeed' THEN o.data::jsonb END,
         payload = CASE WHEN o.purge THEN NULL WHEN o.move = 'defer' AND o.data IS NOT NULL THEN o.data::jsonb ELSE j.payload END,
         error = o.error::jsonb
    FROM outcome o WHERE j.seq = ANY ($1::text::bigint[]) AND j.seq = o.seq
), due AS (
  INSERT INTO millrace.ready (kind, tenant, rank, seq, attempt)
  SELECT kind, tenant, rank, seq, attempt FROM outcome WHERE state = 'QUEUED' AND delay <= 0
), later AS (
  INSERT INTO millrace.scheduled (run_at, seq, kind, tenant, rank, attempt)
  SELECT millrace.clock() + delay * interval '1 millisecond', seq, kind, tenant, rank, attempt
    FROM outcome WHERE state = 'QUEUED' AND delay > 0
), dead AS (
  INSERT INTO millrace.dead (seq, kind, state) SELECT seq, kind, state FROM outcome WHERE state IN ('FAILED', 'CANCELED')
), counted AS (
  INSERT INTO millrace.count_delta (kind, tenant, state, n)
  SELECT e.kind, e.tenant, s.state, s.n
    FROM (SELECT kind, tenant, state, count(*) AS n FROM outcome WHERE state <> 'QUEUED' GROUP BY kind, tenant, state) e
         CROSS JOIN LATERAL (VALUES (e.state, e.n), ('OPEN', -e.n)) AS s(state, n)
)
SELECT seq, epoch, state FROM outcome`,
};

// The same for a batch in which every job succeeded, as most do: a tenth less database time for the whole way of a job.
// $1 seq[] $2 epoch[] $3 result[]
const SUCCEED: Statement = {
  name: 'millrace_succeed',
  text: `
WITH held AS (
  DELETE FROM millrace.lease l
   USING unnest($1::text::bigint[], $2::text::bigint[], $3::text::text[]) AS u(seq, epoch, result)
   WHERE l.seq = ANY ($1::text::bigint[]) AND l.seq = u.seq AND l.epoch = u.epoch
  RETURNING l.seq, l.epoch, l.kind, l.tenant, l.attempt, l.started_at, u.result
), record AS (
  UPDATE millrace.jobs j
     SET state = 'SUCCEEDED', attempt = h.attempt, epoch = h.epoch, started_at = h.started_at,
         finished_at = millrace.clock(), result = h.result::jsonb, error = NULL
    FROM held h WHERE j.seq = ANY ($1::text::bigint[]) AND j.seq = h.seq
), counted AS (
  INSERT INTO millrace.count_delta (kind, tenant, state, n)
  SELECT e.kind, e.tenant, s.state, s.n
    FROM (SELECT kind, tenant, count(*) AS n FROM held GROUP BY kind, tenant) e
         CROSS JOIN LATERAL (VALUES ('SUCCEEDED', e.n), ('OPEN', -e.n)) AS s(state, n)
)
SELECT seq, epoch, 'SUCCEEDED' AS state FROM held`,
};

// $1 seq[] $2 epoch[]
const ALREADY: Statement = {
  name: 'millrace_settled_already',
  text: `
SELECT j.seq, j.epoch FROM unnest($1::text::bigint[], $2::text::bigint[]) AS u(seq, epoch)
  JOIN millrace.jobs j ON j.seq = ANY ($1::text::bigint[]) AND j.seq = u.seq AND j.epoch = u.epoch`,
};

interface Asked {
  readonly seq: number;
  readonly epoch: number;
  readonly settlement: Settlement;
}
type Written = { seq: number; epoch: number; state: string };

export async function settle(
  context: Context,
  { settlements }: { settlements: readonly Settlement[] },
): Promise<SettleAnswer[]> {
  const { database, ids } = context;
  const asked = settlements.map((settlement) => ({
    seq: ids.seq(settlement.job.id) ?? -1,
    epoch: settlement.job.epoch,
    settlement,
  }));
  // Every batch locks its leases in the same order, so that two never wait for each other.
  const ordered = asked.toSorted((a, b) => a.seq - b.seq);
  const written = mayFollow(context, settlements)
    ? await database.transaction((session) => settleAndFollow(context, session, ordered))
    : await write(database, ordered);
  const settled = finder(written);
  const refused = asked.filter((each) => settled(each) === undefined);
  if (refused.length === 0) return settlements.map(() => 'settled');
  const already = finder(
    await database.query<Omit<Written, 'state'>>(ALREADY, [
      numbers(refused.map(({ seq }) => seq)),
      numbers(refused.map(({ epoch }) => epoch)),
    ]),
  );
  return asked.map((each) => (settled(each) ? 'settled' : already(each) ? 'already' : 'stale'));
}

/** One settlement in a batch may be stale and another of the same job not: both numbers must match. */
function finder<R extends { seq: number; epoch: number }>(
  rows: readonly R[],
): (asked: Asked) => R | undefined {
  const bySeq = new Map(rows.map((row) => [row.seq, row]));
  return ({ seq, epoch }) => {
    const row = bySeq.get(seq);
    return row?.epoch === epoch ? row : undefined;
  };
}

/** Outcomes alone are one statement; whatever follows from them needs a transaction around both. */
function mayFollow({ dependants }: Context, settlements: readonly Settlement[]): boolean {
  return settlements.some(({ job, outcome, children }) => {
    if (children.length > 0) return true;
    const state = stateOf(outcome);
    // What goes back to the queue must be told to it, and may turn out to be cancelled.
    if (state === null) return true;
    return dependants(finished(job, state)).length > 0;
  });
}

async function settleAndFollow(
  context: Context,
  session: Session,
  asked: readonly Asked[],
): Promise<Written[]> {
  const written = await write(session, asked);
  const settled = finder(written);
  const followings: Following[] = [];
  const children: NewJob[] = [];
  const backInQueue: string[] = [];
  for (const each of asked) {
    const state = settled(each)?.state;
    if (state === undefined) continue;
    const { job } = each.settlement;
    children.push(...each.settlement.children);
    if (state === 'QUEUED') {
      backInQueue.push(job.kind);
      continue;
    }
    const ended = finished(job, state as FinishedState);
    for (const dependant of context.dependants(ended)) followings.push({ job: ended, dependant });
  }
  await insertJobs(session, children);
  await follow(session, followings);
  if (backInQueue.length > 0) await notify(session, readyHint(backInQueue));
  return written;
}

function write(session: Session, asked: readonly Asked[]): Promise<Written[]> {
  const outcomes = asked.map(({ settlement }) => settlement.outcome);
  const results = outcomes.flatMap((outcome) =>
    outcome.move === 'succeed' && !outcome.purgePayload ? [outcome.result] : [],
  );
  if (results.length === asked.length) {
    return session.query<Written>(SUCCEED, [
      numbers(asked.map(({ seq }) => seq)),
      numbers(asked.map(({ epoch }) => epoch)),
      texts(results),
    ]);
  }
  return session.query<Written>(SETTLE, [
    numbers(asked.map(({ seq }) => seq)),
    numbers(asked.map(({ epoch }) => epoch)),
    texts(outcomes.map(({ move }) => move)),
    texts(
      outcomes.map((outcome) =>
        outcome.move === 'succeed'
          ? outcome.result
          : outcome.move === 'defer'
            ? outcome.payload
            : null,
      ),
    ),
    texts(
      outcomes.map((outcome) =>
        outcome.move === 'fail' || outcome.move === 'retry' ? JSON.stringify(outcome.error) : null,
      ),
    ),
    numbers(
      outcomes.map((outcome) =>
        outcome.move === 'retry' || outcome.move === 'defer' ? outcome.delayMs : 0,
      ),
    ),
    `{${outcomes.map((outcome) => (outcome.move === 'succeed' && outcome.purgePayload ? 't' : 'f')).join()}}`,
  ]);
}

function stateOf(outcome: SettledOutcome): FinishedState | null {
  switch (outcome.move) {
    case 'succeed':
      return 'SUCCEEDED';
    case 'fail':
      return 'FAILED';
    case 'cancel':
      return 'CANCELED';
    default:
      return null;
  }
}

function finished(job: Settlement['job'], state: FinishedState): FinishedJob {
  const { id, kind, tenant, payload, correlationId, submitter, webhook, parents, traceparent } =
    job;
  return {
    id,
    kind,
    tenant,
    payload,
    state,
    correlationId,
    submitter,
    webhook,
    parents,
    traceparent,
  };
}
