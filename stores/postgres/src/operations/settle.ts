import type {
  FinishedJob,
  FinishedState,
  NewJob,
  SettleAnswer,
  SettledOutcome,
  Settlement,
} from '@millrace/engine';
import {
  type Param,
  type Session,
  type Statement,
  numbers,
  optionalTexts,
  texts,
} from '../database.ts';
import type { Context } from './context.ts';
import { type Following, follow } from './dependants.ts';
import { insertJobs } from './enqueue.ts';
import { notify, readyHint } from './notify.ts';

// Gives up the leases that still hold and writes the outcomes of exactly those.
// A job that was asked to cancel does not go back to the queue: the request is never lost. A suspect that is handed back
// stays one; nothing of an erased job is kept.
// $1 seq[] $2 epoch[] $3 claim[] $4 move[] $5 result or payload[] $6 error[] $7 stack[] $8 delay, ms[] $9 purge payload[]
const SETTLE: Statement = {
  name: 'millrace_settle',
  text: `
WITH held AS (
  DELETE FROM millrace.lease l
   USING unnest($1::text::bigint[], $2::text::bigint[], $3::text::bigint[], $4::text::text[], $5::text::text[],
                $6::text::text[], $7::text::text[], $8::text::float8[], $9::text::boolean[])
         AS u(seq, epoch, claim, move, data, error, stack, delay, purge)
   WHERE l.seq = ANY ($1::text::bigint[]) AND l.seq = u.seq AND l.epoch = u.epoch AND l.claim = u.claim
  RETURNING l.seq, l.claim, l.kind, l.tenant, l.rank, l.started_at, l.worker, l.nth, l.suspect,
            u.data, u.error::jsonb AS error, u.stack, u.delay, u.purge, u.move AS asked,
            CASE WHEN l.cancel AND u.move IN ('retry', 'defer', 'handBack') THEN 'cancel' ELSE u.move END AS move,
            CASE WHEN u.move IN ('defer', 'handBack') THEN greatest(l.attempt - 1, 0) ELSE l.attempt END AS attempt
), outcome AS MATERIALIZED (
  SELECT *, CASE move WHEN 'succeed' THEN 'SUCCEEDED' WHEN 'fail' THEN 'FAILED' WHEN 'cancel' THEN 'CANCELED' ELSE 'QUEUED' END AS state,
         move = 'handBack' AND suspect AS stays_suspect
    FROM held
), record AS (
  UPDATE millrace.jobs j
     SET state = o.state, attempt = o.attempt, settled_by = o.claim, started_at = o.started_at,
         finished_at = CASE WHEN o.state <> 'QUEUED' THEN millrace.clock() END,
         run_at = CASE WHEN o.state = 'QUEUED' THEN millrace.clock() + o.delay * interval '1 millisecond' ELSE j.run_at END,
         result = CASE WHEN o.move = 'succeed' AND j.erased IS NULL THEN o.data::jsonb END,
         payload = CASE WHEN o.purge OR j.erased THEN NULL WHEN o.move = 'defer' AND o.data IS NOT NULL THEN o.data::jsonb ELSE j.payload END,
         error = CASE WHEN j.erased THEN millrace.erased_error(o.error) ELSE o.error END,
         executions = CASE
           WHEN o.move IN ('fail', 'retry', 'cancel') OR (o.move = 'succeed' AND j.executions IS NOT NULL)
           THEN millrace.with_execution(j.executions, o.nth, o.worker, o.started_at,
                  CASE o.move WHEN 'succeed' THEN 'succeeded' WHEN 'fail' THEN 'failed' WHEN 'retry' THEN 'retried' ELSE 'canceled' END,
                  CASE WHEN j.erased THEN millrace.erased_error(o.error) ELSE o.error END, CASE WHEN j.erased IS NULL THEN o.stack END)
           ELSE j.executions END
    FROM outcome o WHERE j.seq = ANY ($1::text::bigint[]) AND j.seq = o.seq
  RETURNING j.seq, j.erased
), due AS (
  INSERT INTO millrace.ready (kind, tenant, rank, seq, attempt)
  SELECT kind, tenant, rank, seq, attempt FROM outcome WHERE state = 'QUEUED' AND delay <= 0 AND NOT stays_suspect
), alone AS (
  INSERT INTO millrace.suspect (kind, tenant, rank, seq, attempt)
  SELECT kind, tenant, rank, seq, attempt FROM outcome WHERE state = 'QUEUED' AND stays_suspect
), later AS (
  INSERT INTO millrace.scheduled (run_at, seq, kind, tenant, rank, attempt)
  SELECT millrace.clock() + delay * interval '1 millisecond', seq, kind, tenant, rank, attempt
    FROM outcome WHERE state = 'QUEUED' AND delay > 0
  RETURNING kind, tenant
), dead AS (
  INSERT INTO millrace.dead (seq, kind, state) SELECT seq, kind, state FROM outcome WHERE state IN ('FAILED', 'CANCELED')
), counted AS (
  INSERT INTO millrace.count_delta (kind, tenant, state, n)
  SELECT e.kind, e.tenant, s.state, s.n
    FROM (SELECT kind, tenant, state, count(*) AS n FROM outcome WHERE state <> 'QUEUED' GROUP BY kind, tenant, state) e
         CROSS JOIN LATERAL (VALUES (e.state, e.n), ('OPEN', -e.n)) AS s(state, n)
  UNION ALL
  SELECT kind, tenant, 'SCHEDULED', count(*) FROM later GROUP BY kind, tenant
)
SELECT o.seq, o.claim, o.state, o.move <> o.asked AS canceled, coalesce(r.erased, false) AS erased
  FROM outcome o JOIN record r ON r.seq = o.seq`,
};

// The same for a batch in which every job succeeded, as most do: a tenth less database time for the whole way of a job.
// It answers with a count, and with the jobs only where some were refused.
// $1 seq[] $2 epoch[] $3 claim[] $4 result[], NULL for JSON's null $5 how many
const SUCCEED: Statement = {
  name: 'millrace_succeed',
  text: `
WITH held AS (
  DELETE FROM millrace.lease l
   USING unnest($1::text::bigint[], $2::text::bigint[], $3::text::bigint[], $4::text::text[]) AS u(seq, epoch, claim, result)
   WHERE l.seq = ANY ($1::text::bigint[]) AND l.seq = u.seq AND l.epoch = u.epoch AND l.claim = u.claim
  RETURNING l.seq, l.claim, l.kind, l.tenant, l.attempt, l.nth, l.started_at, l.worker, u.result
), record AS (
  UPDATE millrace.jobs j
     SET state = 'SUCCEEDED', attempt = h.attempt, settled_by = h.claim, started_at = h.started_at,
         finished_at = millrace.clock(), error = NULL,
         result = CASE WHEN j.erased THEN NULL WHEN h.result IS NULL THEN 'null'::jsonb ELSE h.result::jsonb END,
         executions = CASE WHEN j.executions IS NOT NULL THEN
           millrace.with_execution(j.executions, h.nth, h.worker, h.started_at, 'succeeded', NULL, NULL) END
    FROM held h WHERE j.seq = ANY ($1::text::bigint[]) AND j.seq = h.seq
  RETURNING j.seq, j.settled_by, j.erased
), counted AS (
  INSERT INTO millrace.count_delta (kind, tenant, state, n)
  SELECT e.kind, e.tenant, s.state, s.n
    FROM (SELECT kind, tenant, count(*) AS n FROM held GROUP BY kind, tenant) e
         CROSS JOIN LATERAL (VALUES ('SUCCEEDED', e.n), ('OPEN', -e.n)) AS s(state, n)
)
SELECT count(*)::int AS n, (array_agg(seq) FILTER (WHERE erased))::text AS erased,
       CASE WHEN count(*) < $5::int THEN array_agg(seq)::text END AS seqs,
       CASE WHEN count(*) < $5::int THEN array_agg(settled_by)::text END AS claims
  FROM record`,
};

// $1 seq[]
const SETTLED_BY: Statement = {
  name: 'millrace_settled_by',
  text: `SELECT seq, settled_by FROM millrace.jobs WHERE seq = ANY ($1::text::bigint[])`,
};

interface Asked {
  readonly seq: number;
  readonly settlement: Settlement;
}
type Written = { seq: number; state: string; canceled: boolean; erased: boolean };

export async function settle(
  context: Context,
  { settlements }: { settlements: readonly Settlement[] },
): Promise<SettleAnswer[]> {
  const { database, ids } = context;
  const asked = settlements.map((settlement) => ({
    seq: ids.seq(settlement.job.id) ?? -1,
    settlement,
  }));
  // Every batch locks its leases in the same order, so that two never wait for each other.
  const ordered = asked.toSorted((a, b) => a.seq - b.seq);
  const written = mayFollow(context, settlements)
    ? await database.transaction((session) => settleAndFollow(context, session, ordered))
    : await write(database, ordered);
  if (written === 'all succeeded') return settlements.map(() => 'settled');
  const refused = asked.filter((each) => !written.has(each.settlement));
  const already = await settledAlready(database, refused);
  return settlements.map((settlement) => {
    const row = written.get(settlement);
    if (row !== undefined) return row.canceled ? 'canceled' : 'settled';
    return already.has(settlement) ? 'already' : 'stale';
  });
}

async function settledAlready(
  session: Session,
  refused: readonly Asked[],
): Promise<ReadonlySet<Settlement>> {
  if (refused.length === 0) return new Set();
  const rows = await session.query<{ seq: number; settled_by: number | null }>(SETTLED_BY, [
    numbers(refused.map(({ seq }) => seq)),
  ]);
  const claims = new Map(rows.map((row) => [row.seq, row.settled_by]));
  return new Set(
    refused
      .filter(({ seq, settlement }) => claims.get(seq) === settlement.job.claim)
      .map(({ settlement }) => settlement),
  );
}

/** Outcomes alone are one statement; whatever follows from them needs a transaction around both. */
function mayFollow({ dependants }: Context, settlements: readonly Settlement[]): boolean {
  // One object for all: nearly always nothing follows, and a thousand would be made for nothing.
  const finished: { -readonly [K in keyof FinishedJob]: FinishedJob[K] } = { ...NOBODY };
  return settlements.some(({ job, outcome, children }) => {
    if (children.length > 0) return true;
    const state = stateOf(outcome);
    // What goes back to the queue is announced to the workers, and may turn out to be cancelled.
    if (state === null) return true;
    finished.id = job.id;
    finished.kind = job.kind;
    finished.tenant = job.tenant;
    finished.payload = job.payload;
    finished.state = state;
    finished.correlationId = job.correlationId;
    finished.submitter = job.submitter;
    finished.subject = job.subject;
    finished.webhook = job.webhook;
    finished.parents = job.parents;
    finished.traceparent = job.traceparent;
    return dependants(finished).length > 0;
  });
}

const NOBODY: FinishedJob = {
  id: '',
  kind: '',
  tenant: '',
  payload: null,
  state: 'SUCCEEDED',
  correlationId: null,
  submitter: null,
  subject: null,
  webhook: null,
  parents: null,
  traceparent: null,
};

async function settleAndFollow(
  context: Context,
  session: Session,
  asked: readonly Asked[],
): Promise<Writings> {
  const written = await write(session, asked);
  const followings: Following[] = [];
  const children: NewJob[] = [];
  const backInQueue: string[] = [];
  for (const { settlement } of asked) {
    const row = written === 'all succeeded' ? SUCCEEDED : written.get(settlement);
    if (row === undefined) continue;
    const { job } = settlement;
    // A job that ends CANCELED instead of going back has no wishes, and what was made of erased data is not kept.
    if (!row.canceled && !row.erased) children.push(...settlement.children);
    if (row.state === 'QUEUED') {
      backInQueue.push(job.kind);
      continue;
    }
    const ended: FinishedJob = {
      id: job.id,
      kind: job.kind,
      tenant: job.tenant,
      payload: row.erased ? null : job.payload,
      state: row.state as FinishedState,
      correlationId: job.correlationId,
      submitter: job.submitter,
      subject: job.subject,
      webhook: job.webhook,
      parents: job.parents,
      traceparent: job.traceparent,
    };
    for (const dependant of context.dependants(ended)) followings.push({ job: ended, dependant });
  }
  await insertJobs(session, children);
  await follow(session, followings);
  if (backInQueue.length > 0) await notify(session, readyHint(backInQueue));
  return written;
}

/** What became of each; those that are missing were refused. */
type Writings = 'all succeeded' | ReadonlyMap<Settlement, Omit<Written, 'seq'>>;
const SUCCEEDED: Omit<Written, 'seq'> = { state: 'SUCCEEDED', canceled: false, erased: false };

async function write(session: Session, asked: readonly Asked[]): Promise<Writings> {
  const leases: Param[] = [
    numbers(asked.map(({ seq }) => seq)),
    numbers(asked.map(({ settlement }) => settlement.job.epoch)),
    numbers(asked.map(({ settlement }) => settlement.job.claim)),
  ];
  const outcomes = asked.map(({ settlement }) => settlement.outcome);
  if (!outcomes.every(isPlainSuccess)) {
    const rows = await session.query<Written & { claim: number }>(SETTLE, [
      ...leases,
      ...outcomeColumns(outcomes),
    ]);
    return byLease(asked, rows);
  }
  const results = outcomes.map(({ result }) => (result === 'null' ? null : result));
  const [row] = await session.query<SucceedRow>(SUCCEED, [
    ...leases,
    optionalTexts(results),
    asked.length,
  ]);
  if (row?.n === asked.length && row.erased === null) return 'all succeeded';
  const erased = new Set(listed(row?.erased));
  const isWhole = row?.n === asked.length;
  const seqs = isWhole ? asked.map(({ seq }) => seq) : listed(row?.seqs);
  const claims = isWhole
    ? asked.map(({ settlement }) => settlement.job.claim)
    : listed(row?.claims);
  return byLease(
    asked,
    seqs.map((seq, index) => ({
      ...SUCCEEDED,
      seq,
      claim: claims[index] ?? -1,
      erased: erased.has(seq),
    })),
  );
}

type SucceedRow = {
  n: number;
  erased: string | null;
  seqs: string | null;
  claims: string | null;
};

/** One settlement of a job in a batch may be stale and another not: both numbers must match. */
function byLease(
  asked: readonly Asked[],
  rows: readonly (Written & { claim: number })[],
): ReadonlyMap<Settlement, Omit<Written, 'seq'>> {
  const left = new Map(rows.map((row) => [row.seq, row]));
  const written = new Map<Settlement, Omit<Written, 'seq'>>();
  for (const { seq, settlement } of asked) {
    const row = left.get(seq);
    if (row?.claim !== settlement.job.claim) continue;
    left.delete(seq);
    written.set(settlement, row);
  }
  return written;
}

/** Of an array literal such as `{1,2}`. */
function listed(literal: string | null | undefined): number[] {
  return literal == null || literal === '{}' ? [] : literal.slice(1, -1).split(',').map(Number);
}

function isPlainSuccess(
  outcome: SettledOutcome,
): outcome is Extract<SettledOutcome, { move: 'succeed' }> {
  return outcome.move === 'succeed' && !outcome.purgePayload;
}

function outcomeColumns(outcomes: readonly SettledOutcome[]): Param[] {
  const failure = (outcome: SettledOutcome): Extract<SettledOutcome, { move: 'fail' }> | null =>
    outcome.move === 'fail' || outcome.move === 'retry' ? { ...outcome, move: 'fail' } : null;
  return [
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
      outcomes.map((outcome) => {
        const failed = failure(outcome);
        return failed === null ? null : JSON.stringify(failed.error);
      }),
    ),
    texts(outcomes.map((outcome) => failure(outcome)?.stack)),
    numbers(
      outcomes.map((outcome) =>
        outcome.move === 'retry' || outcome.move === 'defer' ? outcome.delayMs : 0,
      ),
    ),
    `{${outcomes.map((outcome) => (outcome.move === 'succeed' && outcome.purgePayload ? 't' : 'f')).join()}}`,
  ];
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
