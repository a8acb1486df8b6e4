import { type JobState, StoreUnavailable } from '@millrace/engine';
import { type Param, type Session, type Statement, numbers, texts } from '@millrace/store-postgres';
import { type Page, type PageParams, numberCursor, page, pageLimit } from '@millrace/workload-kit';
import type { RunKey } from './key.ts';
import type { RunIds, RunRecord } from './record.ts';

/** The states of runs that are not over, for SQL. */
export const LIVE = `state IN ('QUEUED', 'PROCESSING')`;

/** Ends the INSERT of a run: no row is made, nor given, where another run of the submitter has the key. */
export const UNLESS_KEY_TAKEN = `ON CONFLICT (tenant, coalesce(submitter, ''), key) WHERE key IS NOT NULL DO NOTHING`;

export interface RunFilter {
  /** An empty list of tenants has nothing. */
  readonly tenants?: readonly string[] | 'all' | undefined;
  readonly submitter?: string | undefined;
  readonly state?: JobState | undefined;
  /** Only those that are not over. */
  readonly isLive?: boolean | undefined;
  /** Moments as the API takes them. */
  readonly createdAfter?: string | undefined;
  readonly createdBefore?: string | undefined;
}

/** Conditions of one statement. */
export interface Where {
  equal(column: string, value: Param | undefined): void;
  and(condition: string): void;
  /** The placeholder of a value. */
  value(value: Param): string;
}

export interface Inserted<Run> {
  readonly run: Run;
  /** False: another run has the key, and `run` is that one. */
  readonly created: boolean;
}

/** The statements on the runs of one workload that all workloads have. */
export interface RunTable<Run extends RunRecord> {
  /** By a statement of the workload's own that gives `columns`. */
  all(session: Session, statement: Statement, params: readonly Param[]): Promise<Run[]>;
  first(session: Session, statement: Statement, params: readonly Param[]): Promise<Run | null>;
  bySeq(session: Session, seqs: readonly number[]): Promise<Run[]>;
  byIds(session: Session, ids: readonly string[]): Promise<Run[]>;
  find(session: Session, id: string): Promise<Run | null>;
  /** Newest first. `own`: conditions of the workload's own. */
  list(
    session: Session,
    params: PageParams & RunFilter,
    own?: (where: Where) => void,
  ): Promise<Page<Run>>;
  /**
   * Makes a run and what it needs to begin, or gives the one that has the key. `add` gives null where the key is taken
   * (`UNLESS_KEY_TAKEN`). A run that could not begin is removed again: its submitter is told so, and it must not begin later.
   */
  insert(
    session: Session,
    run: {
      readonly tenant: string;
      readonly submitter: string | null;
      readonly key: RunKey | null;
    },
    steps: { readonly add: () => Promise<Run | null>; readonly begin: (run: Run) => Promise<void> },
  ): Promise<Inserted<Run>>;
  remove(session: Session, seq: number): Promise<void>;
  /** Removes runs that ended so long ago, at most `limit`; how many. */
  prune(session: Session, keepMs: number, limit: number): Promise<number>;
  /** Live runs about which nothing was written for a minute; by then a job that is to be made has been made. */
  untouched(session: Session, limit: number): Promise<Run[]>;
  countLive(session: Session): Promise<LiveCounts>;
}

export type LiveCounts = Readonly<Record<'QUEUED' | 'PROCESSING', number>>;

/** Tries at a key whose run is removed or erased each time it is looked for. */
const TRIES = 5;

export function runTable<Run extends RunRecord>(params: {
  /** Such as `millrace.pipeline_runs`. */
  table: string;
  /** Begins the names of its statements, such as `pipelines`. */
  names: string;
  ids: RunIds;
  columns: string;
  /** `rows` are as `columns` reads them. */
  recordsOf: (session: Session, rows: readonly never[]) => Run[] | Promise<Run[]>;
  /** What else has to hold before a run may be removed for its age. */
  prunable?: string;
}): RunTable<Run> {
  const { table, names, ids, columns, recordsOf, prunable } = params;
  const named = (name: string, text: string): Statement => ({ name: `${names}_${name}`, text });

  // $1 seq[]
  const BY_SEQ = named(
    'runs',
    `SELECT ${columns} FROM ${table} WHERE seq = ANY ($1::text::bigint[]) ORDER BY seq DESC`,
  );

  // A statement of its own: an INSERT of the same statement would still see the key. $1 tenant $2 submitter $3 key $4 window, ms
  const GIVE_UP_KEY = named(
    'give_up_key',
    `
UPDATE ${table} SET key = NULL
 WHERE tenant = $1 AND coalesce(submitter, '') = $2 AND key = $3
   AND (state IN ('FAILED', 'CANCELED')
     OR (state = 'SUCCEEDED' AND finished_at <= millrace.clock() - $4::float8 * interval '1 millisecond'))`,
  );

  // $1 tenant $2 submitter $3 key
  const OF_KEY = named(
    'run_of_key',
    `SELECT ${columns} FROM ${table} WHERE tenant = $1 AND coalesce(submitter, '') = $2 AND key = $3`,
  );

  // $1 seq
  const REMOVE = named('remove_run', `DELETE FROM ${table} WHERE seq = $1`);

  // $1 keep, ms $2 limit
  const PRUNE = named(
    'prune_runs',
    `
DELETE FROM ${table} WHERE seq = ANY (ARRAY(
  SELECT seq FROM ${table}
   WHERE finished_at < millrace.clock() - $1::float8 * interval '1 millisecond'${prunable === undefined ? '' : ` AND ${prunable}`}
   ORDER BY finished_at LIMIT $2 FOR UPDATE SKIP LOCKED)) RETURNING seq`,
  );

  // $1 limit
  const UNTOUCHED = named(
    'untouched_runs',
    `
UPDATE ${table} SET touched_at = millrace.clock() WHERE ${LIVE} AND seq = ANY (ARRAY(
  SELECT seq FROM ${table} WHERE ${LIVE} AND touched_at < millrace.clock() - interval '55 seconds'
   ORDER BY touched_at LIMIT $1 FOR UPDATE SKIP LOCKED)) RETURNING ${columns}`,
  );

  const COUNT_LIVE = named(
    'count_live_runs',
    `
SELECT count(*) FILTER (WHERE state = 'QUEUED')::int AS queued, count(*) FILTER (WHERE state = 'PROCESSING')::int AS processing
  FROM ${table} WHERE ${LIVE}`,
  );

  async function all(session: Session, statement: Statement, values: readonly Param[]) {
    return recordsOf(session, await session.query<never>(statement, values));
  }

  async function first(session: Session, statement: Statement, values: readonly Param[]) {
    return (await all(session, statement, values))[0] ?? null;
  }

  async function bySeq(session: Session, seqs: readonly number[]): Promise<Run[]> {
    return seqs.length === 0 ? [] : all(session, BY_SEQ, [numbers(seqs)]);
  }

  return {
    all,
    first,
    bySeq,
    byIds: (session, wanted) =>
      bySeq(
        session,
        wanted.map(ids.seqOf).filter((seq) => seq !== null),
      ),
    async find(session, id) {
      const seq = ids.seqOf(id);
      return seq === null ? null : ((await bySeq(session, [seq]))[0] ?? null);
    },
    async list(session, { limit: asked, cursor, ...filter }, own) {
      const limit = pageLimit({ limit: asked });
      const below = numberCursor({ cursor }, Number.MAX_SAFE_INTEGER);
      const { values, conditions, where } = createWhere([below, limit + 1], ['seq < $1']);
      narrow(where, filter);
      own?.(where);
      const text = `SELECT ${columns} FROM ${table} WHERE ${conditions.join(' AND ')} ORDER BY seq DESC LIMIT $2`;
      const found = await all(session, { name: '', text }, values);
      return page(found, limit, ({ seq }) => String(seq));
    },
    async insert(session, { tenant, submitter, key }, { add, begin }) {
      const owner = [tenant, submitter ?? '', key?.value ?? null];
      for (let tries = 0; tries < TRIES; tries += 1) {
        if (key !== null && key.windowMs !== 'always')
          await session.query(GIVE_UP_KEY, [...owner, key.windowMs]);
        const run = await add();
        if (run !== null) {
          await begin(run).catch(async (error: unknown) => {
            await session.query(REMOVE, [run.seq]).catch(() => {});
            throw error;
          });
          return { run, created: true };
        }
        const other = await first(session, OF_KEY, owner);
        if (other !== null) return { run: other, created: false };
      }
      throw new StoreUnavailable('The key was claimed concurrently; send the run again.');
    },
    async remove(session, seq) {
      await session.query(REMOVE, [seq]);
    },
    prune: async (session, keepMs, limit) => (await session.query(PRUNE, [keepMs, limit])).length,
    untouched: (session, limit) => all(session, UNTOUCHED, [limit]),
    async countLive(session) {
      const [counts] = await session.query<{ queued: number; processing: number }>(COUNT_LIVE, []);
      return { QUEUED: counts?.queued ?? 0, PROCESSING: counts?.processing ?? 0 };
    },
  };
}

function createWhere(values: Param[], conditions: string[]) {
  const value = (of: Param): string => `$${values.push(of)}`;
  const where: Where = {
    value,
    and: (condition) => void conditions.push(condition),
    equal(column, wanted) {
      if (wanted !== undefined) conditions.push(`${column} = ${value(wanted)}`);
    },
  };
  return { values, conditions, where };
}

function narrow(where: Where, filter: RunFilter): void {
  const { tenants = 'all', submitter, state, isLive, createdAfter, createdBefore } = filter;
  const [only] = tenants;
  // One tenant alone is named as it is, so that the list is read in the order of the tenant's index.
  if (tenants !== 'all' && tenants.length === 1) where.equal('tenant', only);
  else if (tenants !== 'all')
    where.and(`tenant = ANY (${where.value(texts(tenants))}::text::text[])`);
  where.equal('submitter', submitter);
  where.equal('state', state);
  if (isLive === true) where.and(LIVE);
  const time = (moment: string): string => `${where.value(moment)}::text::timestamptz`;
  if (createdAfter !== undefined) where.and(`created_at >= ${time(createdAfter)}`);
  if (createdBefore !== undefined) where.and(`created_at < ${time(createdBefore)}`);
}
