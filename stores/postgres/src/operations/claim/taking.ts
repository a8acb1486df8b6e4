import type { ClaimParams, ClaimedJob } from '@millrace/engine';
import { type Param, type Row, numbers, texts } from '../../database.ts';
import { type Context, NO_PRIORITY_RANK } from '../context.ts';
import { RANKS_IN_USE } from '../scheduled.ts';

// The common part of all ways of claiming: the wants at the top of the statement, the rows that are moved from
// the queue to leases, and the answer.
//
// $1 kind[] $2 limit[] $3 running jobs per tenant[] $4 limit $5 lease, ms $6 claim $7 highest rank $8 worker

/** Kinds that are not paused. */
export const WANT = `
want AS MATERIALIZED (
  SELECT w.kind, w.lim, w.tenant_lim, w.ord
    FROM unnest($1::text::text[], $2::text::integer[], $3::text::integer[]) WITH ORDINALITY AS w(kind, lim, tenant_lim, ord)
   WHERE w.lim > 0 AND NOT EXISTS (SELECT FROM millrace.paused p WHERE p.kind = w.kind)
)`;

/**
 * Takes nothing while jobs that are due stand in `scheduled`, since their priority may be higher: they are promoted
 * first. With `$9` true, they were.
 */
export const OPEN = `
${RANKS_IN_USE}, open AS MATERIALIZED (
  SELECT $9::boolean OR NOT EXISTS (SELECT FROM ranks r CROSS JOIN LATERAL (
    SELECT FROM millrace.scheduled WHERE rank = r.rank AND run_at <= millrace.clock() LIMIT 1) s) AS yes
)`;

/** Whether suspects of these kinds wait to be claimed alone. */
export const SUSPECTS = `
       EXISTS (SELECT FROM want w CROSS JOIN LATERAL (
         SELECT FROM millrace.suspect WHERE kind = w.kind AND rank <= $7::smallint LIMIT 1) s) AS suspects`;

/** How many running jobs of a kind and tenant there are, counted up to the limit. */
export const runningOf = (subqueue: string): string => `
  (SELECT count(*) FROM (SELECT FROM millrace.lease l
     WHERE l.limited AND l.kind = ${subqueue}.kind AND l.tenant = ${subqueue}.tenant LIMIT ${subqueue}.tenant_lim) r)`;

/**
 * An epoch is the clock in microseconds since 1970, so that it grows across a fail-over that lost commits, and at least one more than
 * the highest so far, which the sequence remembers: it grows where the clock is set back, too. Two claims at one moment may have the
 * same, since a lease is named by its claim as well. Asked of each claim, since a client cannot know on which server it
 * is. In place of `nextval`, that costs a claim 100 bytes of WAL and no time that could be measured (docs/decisions/0010-claims.md).
 */
const NEXT_EPOCH = `
setval('millrace.epoch', greatest(pg_sequence_last_value('millrace.epoch') + 1, (date_part('epoch', millrace.clock()) * 1000000)::bigint))`;

/**
 * Moves the rows of `chosen` (place, kind, tenant, rank, seq, attempt, limited) from `table` to a lease, and answers
 * with one row, a list per column: as a row per job, reading them was a third of the worker's time. jsonb as text has no
 * line break, so payloads are joined by one; what few jobs have travels as a JSON object of those that have any. A job with
 * much data has a row of its own, since a column ends at 1 GB.
 *
 * `shareFrom` (a parameter) jobs or more of one subqueue have one lease together (001-queue.sql). Null where each has its
 * own: for several subqueues, for kinds with a quota, whose leases are counted, and for suspects.
 *
 * Deleting by ctid is safe, since the rows are locked by this very statement, and saves an index look-up per job. The
 * record is joined through LATERAL … OFFSET 0, so that no plan ever scans the history. Always one row at least, with
 * `columns`.
 */
export const taking = (params: {
  readonly table: 'ready' | 'suspect';
  readonly subqueues: Subqueues;
  readonly shareFrom: string | null;
  readonly columns: string;
}): string => {
  const { table, subqueues, shareFrom, columns } = params;
  return `
gone AS (
  DELETE FROM millrace.${table} WHERE ctid = ANY (ARRAY(SELECT place FROM chosen))
), claimed AS MATERIALIZED (
  SELECT ${NEXT_EPOCH} AS epoch, millrace.clock() + $5::float8 * interval '1 millisecond' AS until
), ${shareFrom === null ? '' : shared(shareFrom)} own AS (
  INSERT INTO millrace.lease (seq, epoch, claim, until, started_at, kind, tenant, rank, attempt, nth, limited, suspect, worker)
  SELECT seq, epoch, $6::bigint, until, millrace.clock(), kind, tenant, rank, attempt + 1, attempt + 1, limited, ${table === 'suspect'}, $8
    FROM chosen CROSS JOIN claimed ${shareFrom === null ? '' : 'WHERE NOT EXISTS (SELECT FROM together)'}
), leased AS (
  SELECT seq, (SELECT epoch FROM claimed) AS epoch, kind, tenant, rank, attempt + 1 AS attempt FROM chosen
), ${answerOf('leased', subqueues)}
SELECT a.*, ${table === 'suspect'} AS suspect, (date_part('epoch', millrace.clock()) * 1000)::bigint AS now, ${columns}
  FROM (SELECT) AS always LEFT JOIN answer a ON true`;
};

const shared = (shareFrom: string): string => `
together AS (
  INSERT INTO millrace.shared_lease (claim, epoch, until, started_at, first, last, first_rank, last_rank, holding, kind, tenant, worker, seqs)
  SELECT $6::bigint, min(epoch), min(until), millrace.clock(), min(seq), max(seq), min(rank), max(rank), count(*),
         min(kind), min(tenant), $8, array_agg(seq)
    FROM chosen CROSS JOIN claimed HAVING count(*) >= ${shareFrom}
  RETURNING claim
),`;

/** Jobs of one subqueue have the same kind and tenant, which are sent once. */
type Subqueues = 'one' | 'several';
const NAMES = {
  one: (name: string): string => `json_build_array(min(${name}))`,
  several: (name: string): string => `json_agg(${name})`,
};

function answerOf(leased: string, subqueues: Subqueues): string {
  const names = NAMES[subqueues];
  return `
answer AS (
  SELECT ${names('l.kind')}::text AS kinds, ${names('l.tenant')}::text AS tenants, l.epoch,
         array_agg(l.seq)::text AS seqs, array_agg(l.rank)::text AS ranks, array_agg(l.attempt)::text AS attempts,
         array_agg(j.max_attempts)::text AS max_attempts, array_agg(j.created)::text AS created,
         string_agg(coalesce(j.payload, ''), E'\\n') AS payloads,
         CASE WHEN bool_or(j.rare <> '') THEN string_agg(j.rare, E'\\n') END AS rare
    FROM ${leased} l CROSS JOIN LATERAL (
      SELECT max_attempts, payload::text, (date_part('epoch', created_at) * 1000)::bigint AS created,
             CASE WHEN coalesce(correlation_id, submitter, subject, webhook, traceparent) IS NULL
                       AND cursor IS NULL AND parents IS NULL AND run_at = created_at THEN ''
                  ELSE jsonb_build_object('correlationId', correlation_id, 'submitter', submitter, 'subject', subject,
                         'webhook', webhook, 'traceparent', traceparent, 'cursor', cursor::text, 'parents', parents,
                         'dueAt', (date_part('epoch', run_at) * 1000)::bigint)::text END AS rare
        FROM millrace.jobs WHERE seq = l.seq OFFSET 0) j
   GROUP BY l.epoch, CASE WHEN length(j.payload) + length(j.rare) > 50000 THEN l.seq END
)`;
}

/** The leases that a claim was given whose answer never arrived. $1 worker $2 claim */
export const REPLAY = `
WITH leased AS MATERIALIZED (
  SELECT seq, epoch, kind, tenant, rank, attempt, suspect FROM millrace.running
   WHERE worker = $1 AND claim = $2::bigint AND until >= millrace.clock() ORDER BY rank, seq
), ${answerOf('leased', 'several')}
SELECT a.*, (SELECT bool_or(suspect) FROM leased) AS suspect, (date_part('epoch', millrace.clock()) * 1000)::bigint AS now
  FROM (SELECT) AS always LEFT JOIN answer a ON true`;

/** Jobs, or none: `seqs` is null. */
export type TakenRow = Row & {
  kinds: string;
  tenants: string;
  epoch: number;
  seqs: string | null;
  ranks: string;
  attempts: string;
  max_attempts: string;
  created: string;
  payloads: string;
  rare: string | null;
  suspect: boolean;
  now: number;
};

type Rare = Pick<
  ClaimedJob,
  'correlationId' | 'submitter' | 'subject' | 'webhook' | 'traceparent' | 'cursor' | 'parents'
> & { readonly dueAt: number | null };
const NOTHING_RARE: Rare = {
  correlationId: null,
  submitter: null,
  subject: null,
  webhook: null,
  traceparent: null,
  cursor: null,
  parents: null,
  dueAt: null,
};

export function paramsOf(
  { wants, limit, leaseMs, claim, minPriority, worker }: ClaimParams,
  more: readonly Param[] = [],
): Param[] {
  return [
    texts(wants.map((want) => want.kind)),
    numbers(wants.map((want) => want.limit)),
    numbers(wants.map((want) => want.tenantLimit ?? null)),
    limit,
    leaseMs,
    claim,
    minPriority === undefined ? NO_PRIORITY_RANK : -minPriority,
    worker,
    ...more,
  ];
}

/** The jobs, in the order in which they are to begin. */
export function jobsOf(context: Context, claim: number, rows: readonly TakenRow[]): ClaimedJob[] {
  const jobs = rows.filter((row) => row.seqs !== null).flatMap((row) => read(context, claim, row));
  jobs.sort((a, b) => a.rank - b.rank || a.seq - b.seq);
  return jobs.map(({ job }) => job);
}

interface Ranked {
  readonly rank: number;
  readonly seq: number;
  readonly job: ClaimedJob;
}

function read({ ids }: Context, claim: number, row: TakenRow): Ranked[] {
  const { epoch, suspect } = row;
  const kinds = JSON.parse(row.kinds) as string[];
  const tenants = JSON.parse(row.tenants) as string[];
  const seqs = list(row.seqs);
  const ranks = list(row.ranks);
  const attempts = list(row.attempts);
  const maxAttempts = list(row.max_attempts);
  const created = list(row.created);
  const payloads = row.payloads.split('\n');
  const rare = row.rare?.split('\n') ?? null;
  return seqs.map((text, index) => {
    const seq = Number(text);
    const rank = Number(ranks[index]);
    const own = rare === null ? NOTHING_RARE : rareOf(rare[index]);
    const payload = payloads[index];
    const job = {
      id: ids.of(seq),
      epoch,
      claim,
      kind: kinds[index] ?? kinds[0] ?? '',
      tenant: tenants[index] ?? tenants[0] ?? '',
      payload: payload === undefined || payload === '' ? null : payload,
      attempt: Number(attempts[index]),
      maxAttempts: Number(maxAttempts[index]),
      priority: rank === NO_PRIORITY_RANK ? null : -rank,
      createdAt: Number(created[index]),
      dueAt: own.dueAt ?? Number(created[index]),
      suspect,
      cursor: own.cursor,
      correlationId: own.correlationId,
      submitter: own.submitter,
      subject: own.subject,
      webhook: own.webhook,
      parents: own.parents,
      traceparent: own.traceparent,
    };
    return { rank, seq, job };
  });
}

/** The members of an array literal such as `{1,2}`. */
function list(literal: string | null): string[] {
  return literal === null ? [] : literal.slice(1, -1).split(',');
}

/** Written by `answerOf` from the same fields. */
function rareOf(text: string | undefined): Rare {
  return text === undefined || text === '' ? NOTHING_RARE : (JSON.parse(text) as Rare);
}
