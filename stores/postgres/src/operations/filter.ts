import type { JobState } from '@millrace/engine';
import { type Param, type Session, type Statement, texts } from '../database.ts';
import {
  hasAny,
  inPhases,
  IS_STATE,
  isFoundByFew,
  type PartFilter,
  type Sizes,
  SIZES,
  tablesOf,
  waitsIn,
} from './filter-parts.ts';
import { seqsBetween } from './seq-at.ts';

export { type PartFilter, partsOf } from './filter-parts.ts';

export interface Asked {
  readonly filter: PartFilter;
  /** The columns of the records (`j`) and of their leases (`l`). */
  readonly columns: string;
  readonly direction: Direction;
  readonly limit: number;
  /** Only records below this seq. */
  readonly below?: number;
  /** One more condition. */
  readonly also?: string;
}

/** The statement that finds the records of a filter, in the order of their seqs. */
export async function selecting(
  session: Session,
  asked: Asked,
): Promise<{ statement: Statement; params: Param[] }> {
  const { filter, columns, direction, limit, below, also } = asked;
  const params: Param[] = [];
  const param = (value: Param): string => `$${params.push(value)}`;
  const tenants = tenantsOf(filter);
  const kinds = kindsOf(filter);
  const { from, seq, where } = await sourceOf(session, asked, {
    tenants: tenants && param(texts(tenants)),
    kinds: kinds && param(texts(kinds)),
    param,
  });
  where.push(...conditionsOf(filter, param));
  if (also !== undefined) where.push(also);
  if (below !== undefined) where.push(`${seq} < ${param(below)}`);
  const time = isFoundByFew(filter) ? {} : await seqsBetween(session, filter);
  if (time.from !== undefined) where.push(`${seq} >= ${param(time.from)}`);
  if (time.below !== undefined) where.push(`${seq} < ${param(time.below)}`);
  const most = `LIMIT ${param(limit)}`;
  const [first, ...others] = from === null ? waysOf(filter, tenants, param) : [PLAIN];
  const way = ({ lead, where: narrowed }: Way, what: string): string => {
    const order = [...(lead === null ? [] : [lead]), seq].map((each) => `${each} ${direction}`);
    const all = [...where, ...narrowed];
    return `SELECT ${what}${all.length > 0 ? ` WHERE ${all.join(' AND ')}` : ''} ORDER BY ${order.join(', ')} ${most}`;
  };
  const text =
    first === undefined || others.length === 0
      ? way(first ?? PLAIN, `${columns} FROM ${from ?? HISTORY}`)
      : // Each tenant's page along its own part of the index, and of these the page that was asked for.
        `SELECT ${columns} FROM (${[first, ...others]
          .map((each) => `(${way(each, 'j.* FROM millrace.jobs j')})`)
          .join(' UNION ALL ')}) j ${LEASE_OF_RECORD} ORDER BY j.seq ${direction} ${most}`;
  return { statement: unnamed(text), params };
}

type Direction = 'ASC' | 'DESC';

/** Null: of any. */
function tenantsOf({ tenant, tenants }: PartFilter): readonly string[] | null {
  if (tenant === undefined) return tenants === undefined ? null : [...new Set(tenants)];
  return tenants === undefined || tenants.includes(tenant) ? [tenant] : [];
}

/** Null: of any. */
function kindsOf({ kind, kinds }: PartFilter): readonly string[] | null {
  if (kind === undefined) return kinds === undefined ? null : [...new Set(kinds)];
  return kinds === undefined || kinds.includes(kind) ? [kind] : [];
}

function conditionsOf(filter: PartFilter, param: (value: Param) => string): string[] {
  const { correlationId, errorCode, key, createdAfter, createdBefore } = filter;
  const where: string[] = [];
  if (filter.seq !== undefined) where.push(`j.seq = ${param(filter.seq)}`);
  if (filter.worker !== undefined) where.push(`l.worker = ${param(filter.worker)}`);
  if (filter.submitter !== undefined) where.push(`j.submitter = ${param(filter.submitter)}`);
  if (correlationId !== undefined) where.push(`j.correlation_id = ${param(correlationId)}`);
  if (errorCode !== undefined) where.push(`j.error->>'code' = ${param(errorCode)}`);
  if (key !== undefined) where.push(`j.key = ${param(key)}`);
  const moment = (ms: number): string => `to_timestamp(${param(ms)}::float8 / 1000)`;
  if (createdAfter !== undefined) where.push(`j.created_at >= ${moment(createdAfter)}`);
  if (createdBefore !== undefined) where.push(`j.created_at < ${moment(createdBefore)}`);
  return where;
}

/**
 * A way down the history. Asked for `column = $1` in the order of seq, the planner walks down the primary key until enough are
 * found, which for a tenant who does little is the whole history. Asked for a range of one value in the order of the index
 * that this column leads, it has no other way.
 */
interface Way {
  readonly lead: string | null;
  readonly where: readonly string[];
}

const PLAIN: Way = { lead: null, where: [] };
/** Callers belong to a few tenants; a list over more of them walks down the whole history. */
const MOST_WAYS = 20;

function waysOf(
  { submitter, correlationId, key, schedule, seq }: PartFilter,
  tenants: readonly string[] | null,
  param: (value: Param) => string,
): Way[] {
  // These have indexes of their own, which find a handful of records.
  if (correlationId !== undefined || key !== undefined || seq !== undefined) return [PLAIN];
  const along = (lead: string, value: string): Way => {
    const only = param(value);
    return { lead, where: [`${lead} >= ${only} AND ${lead} <= ${only}`] };
  };
  if (schedule !== undefined) return [along('j.schedule', schedule)];
  if (submitter !== undefined) return [along('j.submitter', submitter)];
  if (tenants === null || tenants.length > MOST_WAYS) return [PLAIN];
  return tenants.map((tenant) => {
    if (tenant === '') return { lead: null, where: [`j.tenant = ''`] };
    const { lead, where } = along('j.tenant', tenant);
    return { lead, where: [...where, `j.tenant <> ''`] };
  });
}

// A queue up to this long is listed from the narrow tables; beyond, the newest records are mostly queued ones.
const NARROW_UP_TO = 50_000;

export const RECORD_OF = (driver: string): string =>
  `CROSS JOIN LATERAL (SELECT * FROM millrace.jobs WHERE seq = ${driver}.seq OFFSET 0) j`;
/** As `ready`, `scheduled` and `suspect` have it. */
export const RANK = 'coalesce(-j.priority, 32767)::smallint';
/** Whether the record's job waits: three look-ups by key. OFFSET 0, or a plan reads the whole queue into a hash table. */
const WAITS = `(
  EXISTS (SELECT FROM millrace.ready
           WHERE kind = j.kind AND tenant = j.tenant AND rank = ${RANK} AND seq = j.seq OFFSET 0)
  OR EXISTS (SELECT FROM millrace.scheduled WHERE rank = ${RANK} AND run_at = j.run_at AND seq = j.seq OFFSET 0)
  OR EXISTS (SELECT FROM millrace.suspect WHERE kind = j.kind AND rank = ${RANK} AND seq = j.seq OFFSET 0))`;
/**
 * Whether the record's job can have a shared lease at all. Their lists are long: with 95 claims of 2,000 jobs whose seqs overlap, a
 * list of 100 queued jobs that searched them for every record took 10 s.
 */
export const MAY_SHARE = `(
  j.state = 'QUEUED' AND NOT EXISTS (SELECT FROM millrace.lease WHERE seq = j.seq OFFSET 0) AND NOT ${WAITS})`;
/** Joins a job's own lease, or the one that it shares. */
export const LEASE_OF_RECORD = `
LEFT JOIN LATERAL (
  SELECT seq, until, started_at, attempt, cancel, suspect, worker FROM millrace.lease WHERE seq = j.seq
  UNION ALL
  SELECT j.seq, until, started_at, j.attempt + 1, false, false, worker FROM millrace.shared_lease
   WHERE ${MAY_SHARE}
     AND kind = j.kind AND tenant = j.tenant AND j.seq BETWEEN first AND last AND ${RANK} BETWEEN first_rank AND last_rank
     AND j.seq = ANY (seqs) AND j.seq <> ALL (apart)
  OFFSET 0) l ON true`;

// In order before the records are read, so that a page reads about as many as it shows. Of a shared lease these are all jobs
// that it ever held; those that have ended find no lease.
const RUNNING = (direction: Direction, narrowed: string): string => `
(SELECT seq FROM (
   SELECT seq FROM millrace.lease ${narrowed}
   UNION ALL SELECT m.seq FROM (SELECT * FROM millrace.shared_lease ${narrowed}) s CROSS JOIN LATERAL (
     SELECT seq FROM unnest(s.seqs) AS m(seq) WHERE seq <> ALL (s.apart) OFFSET 0) m) either
  ORDER BY seq ${direction} OFFSET 0) r`;

const HISTORY = `millrace.jobs j ${LEASE_OF_RECORD}`;

/** `from` null: the history, along whichever index is the best. */
interface Source {
  readonly from: string | null;
  /** The seq that the driving table is ordered by. */
  readonly seq: string;
  readonly where: string[];
}

/** The parameters that hold tenants and kinds; null: of any. */
interface Narrow {
  readonly tenants: string | null;
  readonly kinds: string | null;
  readonly param: (value: Param) => string;
}

/** Starts from the smallest table that has the state, so that no list scans the history for a rare one. */
async function sourceOf(
  session: Session,
  { filter, direction }: Asked,
  { tenants, kinds, param }: Narrow,
): Promise<Source> {
  const { state, phases = [], worker }: Pick<PartFilter, 'state' | 'phases' | 'worker'> = filter;
  const ofTenants = tenants === null ? [] : [`tenant = ANY (${tenants}::text::text[])`];
  const ofKinds = kinds === null ? [] : [`kind = ANY (${kinds}::text::text[])`];
  const only = [...ofTenants, ...ofKinds].map((each) => `j.${each}`);
  const narrowed = only.length === 0 ? '' : `WHERE ${[...ofTenants, ...ofKinds].join(' AND ')}`;
  const history = (...where: string[]): Source => ({
    from: null,
    seq: 'j.seq',
    where: [...only, ...where],
  });
  const sizes = async (): Promise<Sizes> => {
    const given = texts(tenantsOf(filter) ?? []);
    const [row] = await session.query<Sizes>(SIZES, [state ?? '', given]);
    return row ?? { open: 0, scheduled: 0, of_state: 0, of_tenants: 0 };
  };
  if (isFoundByFew(filter) || (state === undefined && phases.length > 0)) {
    const where = [...(state === undefined ? [] : [IS_STATE[state]]), ...inPhases(phases)];
    return { ...history(...where), from: fewOf(filter, direction, param) };
  }
  const looked: JobState | undefined = worker === undefined ? state : 'PROCESSING';
  const given = kindsOf(filter);
  if (given !== null && (looked ?? 'SUCCEEDED') === 'SUCCEEDED' && !(await hasAny(session, given)))
    return history('false');
  switch (looked) {
    case 'PROCESSING':
      return {
        seq: 'r.seq',
        from: `${RUNNING(direction, narrowed)} ${RECORD_OF('r')} ${LEASE_OF_RECORD}`,
        where: [
          'l.seq IS NOT NULL',
          ...((state ?? 'PROCESSING') === 'PROCESSING' ? [] : ['false']),
        ],
      };
    case 'FAILED':
    case 'CANCELED': {
      const { of_state, of_tenants } =
        tenants === null ? { of_state: 0, of_tenants: 0 } : await sizes();
      if (of_tenants < of_state) return history(`j.state = '${state}'`);
      return {
        seq: 'd.seq',
        from: `millrace.dead d ${RECORD_OF('d')} ${LEASE_OF_RECORD}`,
        where: [...only, ...ofKinds.map((each) => `d.${each}`), `d.state = '${state}'`],
      };
    }
    case 'QUEUED': {
      const [phase] = phases;
      const { open, scheduled } = await sizes();
      const size = phase === undefined ? open : phase === 'due' ? open - scheduled : scheduled;
      // However much waits for its moment, few of it has run before: `scheduled_retrying` has those.
      if (size > NARROW_UP_TO && phase !== 'retrying')
        return history(`j.state = 'QUEUED' AND ${WAITS}`, ...waitsIn(phase));
      const waiting = tablesOf(phase).map(
        (table) =>
          `SELECT seq FROM ${table} ${narrowed.replace('WHERE', table.includes('WHERE') ? 'AND' : 'WHERE')}`,
      );
      return {
        seq: 'q.seq',
        from: `${inOrder(waiting.join(' UNION ALL '), direction)} q ${RECORD_OF('q')} ${LEASE_OF_RECORD}`,
        where: waitsIn(phase),
      };
    }
    case 'SUCCEEDED':
      return history(`j.state = 'SUCCEEDED'`);
    case undefined:
      return history();
  }
}

/** In order before the records are read, so that a page reads about as many as it shows. */
function inOrder(select: string, direction: Direction): string {
  return `(SELECT * FROM (${select}) each ORDER BY seq ${direction} OFFSET 0)`;
}

/**
 * The handful of records that has a key or a correlation id. Asked for them in the order of seq, the planner would walk down the
 * primary key: it takes them for more than they are.
 */
function fewOf(
  { key, correlationId }: PartFilter,
  direction: Direction,
  param: (value: Param) => string,
): string | null {
  const found = (few: string): string =>
    `${inOrder(`${few} OFFSET 0`, direction)} j ${LEASE_OF_RECORD}`;
  if (key !== undefined)
    return found(`SELECT j.* FROM millrace.keys k ${RECORD_OF('k')} WHERE k.key = ${param(key)}`);
  if (correlationId !== undefined)
    return found(`SELECT * FROM millrace.jobs WHERE correlation_id = ${param(correlationId)}`);
  return null;
}

/** Statements of varying text share no prepared name. */
export function unnamed(text: string): Statement {
  return { name: '', text };
}
