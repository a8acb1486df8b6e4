import type { FailureRecord, FinishedJob, FinishedState } from '@millrace/engine';
import { type Session, type Statement, numbers, texts } from '../database.ts';
import type { Context } from './context.ts';
import { follow } from './dependants.ts';

// Ends jobs outside of a worker's own settling: cancelled while queued, or lost with their worker.
// Leaves `settled_by` alone: a zombie's settling must find that its lease was not settled by it.
// $1 seq[] $2 state[] $3 error[] $4 attempt[]
const FINISH: Statement = {
  name: 'millrace_finish',
  text: `
WITH ended AS (
  UPDATE millrace.jobs j
     SET state = u.state, error = u.error::jsonb, attempt = coalesce(u.attempt, j.attempt), finished_at = millrace.clock()
    FROM unnest($1::text::bigint[], $2::text::text[], $3::text::text[], $4::text::integer[])
         AS u(seq, state, error, attempt)
   WHERE j.seq = ANY ($1::text::bigint[]) AND j.seq = u.seq AND j.state = 'QUEUED'
  RETURNING j.seq, j.kind, j.tenant, j.state, j.payload::text, j.correlation_id, j.submitter, j.subject,
            j.webhook, j.parents::text, j.traceparent
), dead AS (
  INSERT INTO millrace.dead (seq, kind, state) SELECT seq, kind, state FROM ended
), counted AS (
  INSERT INTO millrace.count_delta (kind, tenant, state, n)
  SELECT kind, tenant, state, count(*) FROM ended GROUP BY kind, tenant, state
  UNION ALL
  SELECT kind, tenant, 'OPEN', -count(*) FROM ended GROUP BY kind, tenant
)
SELECT * FROM ended`,
};

export interface Ending {
  readonly seq: number;
  readonly state: 'FAILED' | 'CANCELED';
  readonly error: FailureRecord | null;
  /** The new attempt; null leaves it as it is. */
  readonly attempt: number | null;
}

type FinishedRow = {
  seq: number;
  kind: string;
  tenant: string;
  state: FinishedState;
  payload: string | null;
  correlation_id: string | null;
  submitter: string | null;
  subject: string | null;
  webhook: string | null;
  parents: string | null;
  traceparent: string | null;
};

/** In the caller's transaction, which has already taken the jobs out of the queue's tables. */
export async function finish(
  context: Context,
  session: Session,
  endings: readonly Ending[],
): Promise<void> {
  if (endings.length === 0) return;
  const rows = await session.query<FinishedRow>(FINISH, [
    numbers(endings.map((ending) => ending.seq)),
    texts(endings.map((ending) => ending.state)),
    texts(endings.map((ending) => (ending.error === null ? null : JSON.stringify(ending.error)))),
    numbers(endings.map((ending) => ending.attempt)),
  ]);
  const finished = rows.map((row): FinishedJob => ({
    id: context.ids.of(row.seq),
    kind: row.kind,
    tenant: row.tenant,
    payload: row.payload,
    result: null,
    state: row.state,
    correlationId: row.correlation_id,
    submitter: row.submitter,
    subject: row.subject,
    webhook: row.webhook,
    parents: row.parents === null ? null : (JSON.parse(row.parents) as Record<string, string>),
    traceparent: row.traceparent,
  }));
  context.tally.ended(rows);
  await follow(
    context,
    session,
    finished.flatMap((job) =>
      [...context.dependants(job)].map((dependant) => ({ job, dependant })),
    ),
  );
}
