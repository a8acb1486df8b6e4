import type {
  FinishedJob,
  FinishedState,
  NewJob,
  SettleAnswer,
  SettledOutcome,
  Settlement,
} from '@millrace/engine';
import { type Param, type Session, type Statement, numbers, texts } from '../database.ts';
import type { Context } from './context.ts';
import { type Following, follow } from './dependants.ts';
import { insertJobs } from './enqueue.ts';
import { notify, readyHint } from './notify.ts';
import { leaseColumns, lockShared, ownLeases } from './own-leases.ts';
import {
  type Asked,
  SUCCEEDED,
  type Writings,
  type WrittenRow,
  byLease,
  hasSucceeded,
  succeed,
} from './succeed.ts';

// Outcomes other than success: gives up the leases that still hold and writes the outcomes of exactly those. Each job has a lease of
// its own here.
// A job that was asked to cancel does not go back to the queue: the request is never lost. A suspect that is handed back
// stays one; nothing of an erased job is kept.
// $1 seq[] $2 epoch[] $3 claim[] $4 move[] $5 payload[] $6 error[] $7 stack[] $8 delay, ms[] $9 log[]
const SETTLE: Statement = {
  name: 'millrace_settle',
  text: `
WITH held AS (
  DELETE FROM millrace.lease l
   USING unnest($1::text::bigint[], $2::text::bigint[], $3::text::bigint[], $4::text::text[], $5::text::text[],
                $6::text::text[], $7::text::text[], $8::text::float8[], $9::text::text[])
         AS u(seq, epoch, claim, move, payload, error, stack, delay, log)
   WHERE l.seq = ANY ($1::text::bigint[]) AND l.seq = u.seq AND l.epoch = u.epoch AND l.claim = u.claim
  RETURNING l.seq, l.epoch, l.claim, l.kind, l.tenant, l.rank, l.started_at, l.worker, l.nth, l.suspect,
            u.payload, u.error::jsonb AS error, u.stack, u.delay, u.log::jsonb AS log, u.move AS asked,
            CASE WHEN l.cancel AND u.move IN ('retry', 'defer', 'handBack') THEN 'cancel' ELSE u.move END AS move,
            CASE WHEN u.move IN ('defer', 'handBack') THEN greatest(l.attempt - 1, 0) ELSE l.attempt END AS attempt
), outcome AS MATERIALIZED (
  SELECT *, CASE move WHEN 'fail' THEN 'FAILED' WHEN 'cancel' THEN 'CANCELED' ELSE 'QUEUED' END AS state,
         move = 'handBack' AND suspect AS stays_suspect
    FROM held
), record AS (
  UPDATE millrace.jobs j
     SET state = o.state, attempt = o.attempt, settled_by = o.claim, started_at = o.started_at,
         finished_at = CASE WHEN o.state <> 'QUEUED' THEN millrace.clock() END,
         run_at = CASE WHEN o.state = 'QUEUED' THEN millrace.clock() + o.delay * interval '1 millisecond' ELSE j.run_at END,
         result = NULL,
         payload = CASE WHEN j.erased THEN NULL WHEN o.move = 'defer' AND o.payload IS NOT NULL THEN o.payload::jsonb ELSE j.payload END,
         error = CASE WHEN j.erased THEN millrace.erased_error(o.error) ELSE o.error END,
         executions = CASE WHEN o.move IN ('fail', 'retry', 'cancel')
           THEN millrace.with_execution(j.executions, o.nth, o.worker, o.started_at,
                  CASE o.move WHEN 'fail' THEN 'failed' WHEN 'retry' THEN 'retried' ELSE 'canceled' END,
                  CASE WHEN j.erased THEN millrace.erased_error(o.error) ELSE o.error END, CASE WHEN j.erased IS NULL THEN o.stack END,
                  o.epoch, CASE WHEN j.erased IS NULL THEN o.log END)
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

// $1 seq[]
const SETTLED_BY: Statement = {
  name: 'millrace_settled_by',
  text: `SELECT seq, settled_by FROM millrace.jobs WHERE seq = ANY ($1::text::bigint[])`,
};

export async function settle(
  context: Context,
  { settlements }: { settlements: readonly Settlement[] },
): Promise<SettleAnswer[]> {
  const { database, ids } = context;
  const asked = settlements.map((settlement) => ({
    seq: ids.seq(settlement.job.id) ?? -1,
    epoch: settlement.job.epoch,
    claim: settlement.job.claim,
    settlement,
  }));
  // Every batch locks its leases in the same order, so that two never wait for each other.
  const ordered = asked.toSorted((a, b) => a.seq - b.seq);
  const written = isStatement(context, settlements)
    ? await succeed(database, ordered)
    : await database.transaction((session) => settleAndFollow(context, session, ordered));
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

/** Successes alone are one statement; other outcomes, and whatever follows from them, need a transaction. */
function isStatement({ dependants }: Context, settlements: readonly Settlement[]): boolean {
  // One object for all: nearly always nothing follows, and a thousand would be made for nothing.
  const finished: { -readonly [K in keyof FinishedJob]: FinishedJob[K] } = { ...NOBODY };
  return settlements.every(({ job, outcome, children }) => {
    if (children.length > 0 || outcome.move !== 'succeed') return false;
    finished.id = job.id;
    finished.kind = job.kind;
    finished.tenant = job.tenant;
    finished.payload = job.payload;
    finished.result = outcome.result;
    finished.correlationId = job.correlationId;
    finished.submitter = job.submitter;
    finished.subject = job.subject;
    finished.webhook = job.webhook;
    finished.parents = job.parents;
    finished.traceparent = job.traceparent;
    return dependants(finished).length === 0;
  });
}

const NOBODY: FinishedJob = {
  id: '',
  kind: '',
  tenant: '',
  payload: null,
  result: null,
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
    const { job, outcome } = settlement;
    // No children for a job that ends CANCELED instead of going back, nor for one whose subject was erased.
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
      result: row.erased || outcome.move !== 'succeed' ? null : outcome.result,
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
  await insertJobs(context, session, children);
  await follow(context, session, followings);
  if (backInQueue.length > 0) await notify(session, readyHint(backInQueue));
  return written;
}

/**
 * In a transaction. Jobs that did not succeed get leases of their own first. All shared leases of the batch are locked
 * together and before any own one, as cancel does it: two that lock some now and some later would wait for each other.
 */
async function write(session: Session, asked: readonly Asked[]): Promise<Writings> {
  const succeeded = asked.filter(hasSucceeded);
  const others = asked.filter((each) => !hasSucceeded(each));
  const shared = await lockShared(session, asked);
  if (others.length === 0) return succeed(session, asked);
  await ownLeases(
    session,
    shared,
    others.map(({ seq }) => seq),
  );
  const rows = await session.query<WrittenRow>(SETTLE, [
    ...leaseColumns(others),
    ...outcomeColumns(others.map(({ settlement }) => settlement.outcome)),
  ]);
  const written = byLease(others, rows);
  if (succeeded.length === 0) return written;
  const successes = await succeed(session, succeeded);
  for (const { settlement } of succeeded) {
    const row = successes === 'all succeeded' ? SUCCEEDED : successes.get(settlement);
    if (row !== undefined) written.set(settlement, row);
  }
  return written;
}

function outcomeColumns(outcomes: readonly SettledOutcome[]): Param[] {
  const failure = (outcome: SettledOutcome): Extract<SettledOutcome, { move: 'fail' }> | null =>
    outcome.move === 'fail' || outcome.move === 'retry' ? { ...outcome, move: 'fail' } : null;
  return [
    texts(outcomes.map(({ move }) => move)),
    texts(outcomes.map((outcome) => (outcome.move === 'defer' ? outcome.payload : null))),
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
    texts(
      outcomes.map((outcome) =>
        'log' in outcome && outcome.log !== undefined ? JSON.stringify(outcome.log) : null,
      ),
    ),
  ];
}
