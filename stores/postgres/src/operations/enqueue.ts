import { type Enqueued, type NewJob, StoreUnavailable } from '@millrace/engine';
import {
  type Param,
  type Question,
  type Session,
  type Statement,
  numbers,
  optionalNumbers,
  optionalTexts,
  texts,
} from '../database.ts';
import { type Context, rankOf } from './context.ts';
import { readyHint } from './notify.ts';

// Everything in one statement and one round trip: record, place in the queue, count, notification.
// One unnest of columns was 1.4 times as fast as json_to_recordset of rows.
// $1 kind[] $2 tenant[] $3 rank[] $4 payload[] $5 max_attempts[] $6 run at, ms[] $7 delay, ms[] $8 key[]
// $9 correlation_id[] $10 submitter[] $11 subject[] $12 webhook[] $13 parents[] $14 schedule[] $15 key window, ms[]
// $16 traceparent[] $17 hint
const INPUT = `
input AS MATERIALIZED (
  SELECT nextval('millrace.jobs_seq_seq') AS seq, u.*,
         CASE WHEN u.at IS NOT NULL THEN to_timestamp(u.at / 1000)
              WHEN u.delay IS NOT NULL THEN millrace.clock() + u.delay * interval '1 millisecond'
              ELSE millrace.clock() END AS run_at
    FROM unnest($1::text::text[], $2::text::text[], $3::text::smallint[], $4::text::text[], $5::text::integer[],
                $6::text::float8[], $7::text::float8[], $8::text::text[], $9::text::text[], $10::text::text[],
                $11::text::text[], $12::text::text[], $13::text::text[], $14::text::text[], $15::text::float8[],
                $16::text::text[])
         WITH ORDINALITY
         AS u(kind, tenant, rank, payload, max_attempts, at, delay, key, correlation_id, submitter,
              subject, webhook, parents, schedule, key_window, traceparent, ord)
)`;

const insertFrom = (source: string): string => `
record AS (
  INSERT INTO millrace.jobs (seq, kind, tenant, state, priority, max_attempts, created_at, run_at, payload,
                             key, correlation_id, submitter, subject, webhook, parents, schedule, traceparent)
  SELECT seq, kind, tenant, 'QUEUED', CASE WHEN rank < 32767 THEN -rank END, max_attempts, millrace.clock(), run_at,
         payload::jsonb, key, correlation_id, submitter, subject, webhook, parents::jsonb, schedule, traceparent
    FROM ${source}
), due AS (
  INSERT INTO millrace.ready (kind, tenant, rank, seq, attempt)
  SELECT kind, tenant, rank, seq, 0 FROM ${source} WHERE run_at <= millrace.clock()
), later AS (
  INSERT INTO millrace.scheduled (run_at, seq, kind, tenant, rank, attempt)
  SELECT run_at, seq, kind, tenant, rank, 0 FROM ${source} WHERE run_at > millrace.clock()
  RETURNING kind, tenant
), counted AS (
  INSERT INTO millrace.count_delta (kind, tenant, state, n)
  SELECT kind, tenant, 'OPEN', count(*) FROM ${source} GROUP BY kind, tenant
  UNION ALL
  SELECT kind, tenant, 'SCHEDULED', count(*) FROM later GROUP BY kind, tenant
), notified AS MATERIALIZED (SELECT pg_notify('millrace', $17::text))`;

const INSERT: Statement = {
  name: 'millrace_enqueue',
  text: `WITH ${INPUT}, ${insertFrom('input')} SELECT i.seq FROM notified, input i ORDER BY i.ord`,
};

/** Notifies too, of nothing: an empty message is nobody's. */
export const ENQUEUE_NOTHING: Question = {
  statement: INSERT,
  params: [...Array.from({ length: 16 }, () => '{}'), ''],
};

// A key is taken if it is free or if its job gives it up: failed, cancelled, or succeeded before the window.
// (`keys` read in the same statement still shows the owner before.)
// A job that this statement cannot see yet was made by a racing caller: it lives. So does one that a racing retry has
// revived: the row of the key, which is locked and read as it is now, says so, where the job is read as it was.
const INSERT_KEYED: Statement = {
  name: 'millrace_enqueue_keyed',
  text: `
WITH ${INPUT},
taken AS (
  INSERT INTO millrace.keys AS k (key, kind, tenant, seq, window_ms)
  SELECT key, kind, tenant, seq, key_window FROM input WHERE key IS NOT NULL ORDER BY key COLLATE "C", kind COLLATE "C", tenant COLLATE "C"
  ON CONFLICT (key, kind, tenant) DO UPDATE SET seq = excluded.seq, window_ms = excluded.window_ms, revived_at = NULL
    WHERE coalesce((
      SELECT j.finished_at > coalesce(k.revived_at, '-infinity') AND (j.state IN ('FAILED', 'CANCELED')
          OR (j.state = 'SUCCEEDED' AND j.finished_at <= millrace.clock() - (
                SELECT i.key_window FROM input i WHERE i.seq = excluded.seq) * interval '1 millisecond'))
        FROM millrace.jobs j WHERE j.seq = k.seq), false)
  RETURNING seq
), given_up AS (
  UPDATE millrace.jobs SET key = NULL WHERE seq = ANY (ARRAY(
    SELECT k.seq FROM input i CROSS JOIN LATERAL (
      SELECT seq FROM millrace.keys WHERE key = i.key AND kind = i.kind AND tenant = i.tenant OFFSET 0) k
     WHERE i.seq IN (SELECT seq FROM taken)))
), made AS MATERIALIZED (
  SELECT * FROM input i WHERE i.key IS NULL OR i.seq IN (SELECT seq FROM taken)
), ${insertFrom('made')}
SELECT i.ord::int AS ord, m.seq FROM notified, input i LEFT JOIN made m USING (seq) ORDER BY i.ord`,
};

// $1 kind[] $2 tenant[] $3 key[]
const OWNERS: Statement = {
  name: 'millrace_key_owners',
  text: `
SELECT u.ord::int AS ord, k.seq
  FROM unnest($1::text::text[], $2::text::text[], $3::text::text[]) WITH ORDINALITY AS u(kind, tenant, key, ord)
  CROSS JOIN LATERAL (SELECT seq FROM millrace.keys WHERE key = u.key AND kind = u.kind AND tenant = u.tenant OFFSET 0) k`,
};

/** The drivers of joined transactions give a bigint as a text, a number or a bigint. */
type Numbered = { readonly seq: number | string | bigint };

export async function enqueue(
  { ids, tally }: Context,
  session: Session,
  { jobs }: { jobs: readonly NewJob[] },
): Promise<Enqueued[]> {
  if (jobs.length === 0) return [];
  if (!jobs.some((job) => job.key !== undefined)) {
    const rows = await session.query<Numbered>(INSERT, columns(jobs));
    tally.made(jobs);
    return rows.map(({ seq }) => ({ id: ids.of(Number(seq)), created: true }));
  }
  const made = await insertKeyed(session, jobs);
  tally.made(jobs.filter((_, index) => made[index]?.created === true));
  return made.map(({ seq, created }) => ({ id: ids.of(seq), created }));
}

/** For what is made inside another operation's transaction. */
export async function insertJobs(
  { tally }: Pick<Context, 'tally'>,
  session: Session,
  jobs: readonly NewJob[],
): Promise<number[]> {
  if (jobs.length === 0) return [];
  const made = await insertKeyed(session, jobs);
  tally.made(jobs.filter((_, index) => made[index]?.created === true));
  return made.map(({ seq }) => seq);
}

/** Tries at a key whose owner is pruned or erased each time it is looked for. */
const TRIES = 5;

async function insertKeyed(
  session: Session,
  jobs: readonly NewJob[],
  tries = TRIES,
): Promise<{ seq: number; created: boolean }[]> {
  // One statement may touch a key once: the first of a batch stands for the others.
  const firsts = new Map<string, number>();
  const placeOf = jobs.map((job, index) => {
    if (job.key === undefined) return index;
    const identity = JSON.stringify([job.kind, job.tenant, job.key.value]);
    if (!firsts.has(identity)) firsts.set(identity, index);
    return firsts.get(identity) ?? index;
  });
  const places = [...new Set(placeOf)];
  const distinct = places.map((place) => jobs[place]).filter((job) => job !== undefined);
  const rows = await session.query<Numbered | { seq: null }>(INSERT_KEYED, columns(distinct));
  const seqs = rows.map(({ seq }) => (seq === null ? null : Number(seq)));
  const owned = distinct.flatMap((job, index) =>
    seqs[index] == null && job.key !== undefined ? [{ job, index, key: job.key.value }] : [],
  );
  if (owned.length > 0) {
    const owners = await session.query<Numbered & { ord: number }>(OWNERS, [
      texts(owned.map(({ job }) => job.kind)),
      texts(owned.map(({ job }) => job.tenant)),
      texts(owned.map(({ key }) => key)),
    ]);
    const bySeq = new Map(owners.map(({ ord, seq }) => [owned[ord - 1]?.index, Number(seq)]));
    // An owner that went between the two statements has left the key free: only those are asked for again, since the
    // others of the batch are made.
    const ownerless = owned.filter(({ index }) => !bySeq.has(index));
    if (ownerless.length > 0 && tries > 1) {
      const again = ownerless.map(({ job }) => job);
      for (const [nth, { seq, created }] of (
        await insertKeyed(session, again, tries - 1)
      ).entries()) {
        const index = ownerless[nth]?.index ?? -1;
        if (created) seqs[index] = seq;
        else bySeq.set(index, seq);
      }
    }
    return answer(placeOf, places, seqs, bySeq);
  }
  return answer(placeOf, places, seqs, new Map());
}

function answer(
  placeOf: number[],
  places: number[],
  seqs: (number | null)[],
  owners: Map<number | undefined, number>,
): { seq: number; created: boolean }[] {
  const indexOf = new Map(places.map((place, index) => [place, index]));
  return placeOf.map((place, position) => {
    const index = indexOf.get(place) ?? -1;
    const made = seqs[index] ?? null;
    const seq = made ?? owners.get(index);
    if (seq === undefined)
      throw new StoreUnavailable(
        'An idempotency key changed hands again and again. Enqueue it again.',
      );
    return { seq, created: made !== null && place === position };
  });
}

function columns(jobs: readonly NewJob[]): Param[] {
  return [
    texts(jobs.map((job) => job.kind)),
    texts(jobs.map((job) => job.tenant)),
    numbers(jobs.map((job) => rankOf(job.priority))),
    texts(jobs.map((job) => job.payload)),
    numbers(jobs.map((job) => job.maxAttempts)),
    optionalNumbers(
      jobs.map((job) => (job.due !== undefined && 'at' in job.due ? job.due.at : null)),
    ),
    optionalNumbers(
      jobs.map((job) => (job.due !== undefined && 'afterMs' in job.due ? job.due.afterMs : null)),
    ),
    optionalTexts(jobs.map((job) => job.key?.value)),
    optionalTexts(jobs.map((job) => job.correlationId)),
    optionalTexts(jobs.map((job) => job.submitter)),
    optionalTexts(jobs.map((job) => job.subject)),
    optionalTexts(jobs.map((job) => job.webhook)),
    optionalTexts(
      jobs.map((job) => (job.parents === undefined ? null : JSON.stringify(job.parents))),
    ),
    optionalTexts(jobs.map((job) => job.schedule)),
    optionalNumbers(jobs.map((job) => job.key?.windowMs ?? null)),
    optionalTexts(jobs.map((job) => job.traceparent)),
    readyHint(jobs.map((job) => job.kind)),
  ];
}
