import { type Filter, type JobState, type Phase, STATE_OF_PHASE } from '@millrace/engine';
import { type Session, type Statement, texts } from '../database.ts';
import type { Ids } from '../ids.ts';

/**
 * A filter that one statement can search by. A filter that asks for several phases, or searches in several columns, is several of these: each
 * walks along an index of its own, and the pages are merged.
 */
export interface PartFilter extends Omit<Filter, 'search'> {
  readonly seq?: number;
}

/** The parts of a filter, in any order; a job may be in several of them. */
export async function partsOf(session: Session, ids: Ids, filter: Filter): Promise<PartFilter[]> {
  const { search, ...rest } = filter;
  if (search === undefined) return byPhase(rest);
  const kinds = await kindsFrom(session, search, filter);
  const seq = ids.seq(search);
  return [
    ...(seq === null ? [] : byPhase({ ...rest, seq })),
    ...also(rest, 'key', search),
    ...also(rest, 'correlationId', search),
    ...also(rest, 'submitter', search),
    ...(kinds.length === 0 ? [] : byPhase({ ...rest, kinds })),
  ];
}

function also(
  rest: Omit<Filter, 'search'>,
  member: 'key' | 'correlationId' | 'submitter',
  value: string,
): PartFilter[] {
  return (rest[member] ?? value) === value ? byPhase({ ...rest, [member]: value }) : [];
}

const QUEUED: readonly Phase[] = ['due', 'scheduled', 'retrying'];

/** A part for each phase, since each is found elsewhere; what is queued is one, where all of it is asked for. */
function byPhase(filter: PartFilter): PartFilter[] {
  const { phases, state } = filter;
  if (phases === undefined) return [filter];
  const wanted = phases.filter((phase) => state === undefined || STATE_OF_PHASE[phase] === state);
  if (isFoundByFew(filter)) return wanted.length === 0 ? [] : [{ ...filter, phases: wanted }];
  const { phases: _, ...rest } = filter;
  const isAllQueued = QUEUED.every((phase) => wanted.includes(phase));
  return [
    ...(isAllQueued ? [{ ...rest, state: 'QUEUED' as const }] : []),
    ...wanted
      .filter((phase) => !isAllQueued || !QUEUED.includes(phase))
      .map((phase) =>
        QUEUED.includes(phase)
          ? { ...rest, state: STATE_OF_PHASE[phase], phases: [phase] }
          : { ...rest, state: STATE_OF_PHASE[phase] },
      ),
  ];
}

/** These have indexes of their own, which find a handful of records: their states are looked at one by one. */
export function isFoundByFew({ seq, correlationId, key, schedule }: PartFilter): boolean {
  return [seq, correlationId, key, schedule].some((each) => each !== undefined);
}

// Kinds that there are jobs of, by how their names begin. $1 beginning
const KINDS: Statement = {
  name: 'millrace_kinds_from',
  text: `
SELECT kind FROM millrace.counts WHERE starts_with(kind, $1)
UNION SELECT kind FROM millrace.count_delta WHERE starts_with(kind, $1) ORDER BY kind`,
};

async function kindsFrom(
  session: Session,
  beginning: string,
  { kind, kinds }: Filter,
): Promise<string[]> {
  const rows = await session.query<{ kind: string }>(KINDS, [beginning]);
  return rows
    .map((row) => row.kind)
    .filter((each) => (kind ?? each) === each && (kinds?.includes(each) ?? true));
}

/** Where a job of this phase can wait; what is due in `scheduled` waits to be promoted. */
export function tablesOf(phase: Phase | undefined): string[] {
  if (phase === 'retrying') return ['millrace.scheduled WHERE attempt > 0'];
  if (phase === 'scheduled') return ['millrace.scheduled'];
  const later = phase === 'due' ? ' WHERE run_at <= millrace.clock()' : '';
  return ['millrace.ready', `millrace.scheduled${later}`, 'millrace.suspect'];
}

export const IS_STATE: Readonly<Record<JobState, string>> = {
  QUEUED: `j.state = 'QUEUED' AND l.seq IS NULL`,
  PROCESSING: 'l.seq IS NOT NULL',
  SUCCEEDED: `j.state = 'SUCCEEDED'`,
  FAILED: `j.state = 'FAILED'`,
  CANCELED: `j.state = 'CANCELED'`,
};
/** The phases of a job that waits, as conditions. */
const IN_QUEUE: Readonly<Partial<Record<Phase, string>>> = {
  due: 'j.run_at <= millrace.clock()',
  scheduled: 'j.run_at > millrace.clock() AND j.error IS NULL',
  retrying: 'j.run_at > millrace.clock() AND j.error IS NOT NULL',
};

export function waitsIn(phase: Phase | undefined): string[] {
  const condition = phase === undefined ? undefined : IN_QUEUE[phase];
  return condition === undefined ? [] : [condition];
}

export function inPhases(phases: readonly Phase[]): string[] {
  const each = phases.map(
    (phase) => `(${[IS_STATE[STATE_OF_PHASE[phase]], ...waitsIn(phase)].join(' AND ')})`,
  );
  return each.length === 0 ? [] : [`(${each.join(' OR ')})`];
}

// How many wait or run; how many are of a state; and how many records some tenants have. $1 state $2 tenants[]
export const SIZES: Statement = {
  name: 'millrace_sizes',
  text: `
SELECT coalesce(sum(n) FILTER (WHERE state = 'OPEN'), 0)::float8 AS open,
       coalesce(sum(n) FILTER (WHERE state = 'SCHEDULED'), 0)::float8 AS scheduled,
       coalesce(sum(n) FILTER (WHERE state = $1), 0)::float8 AS of_state,
       coalesce(sum(n) FILTER (WHERE tenant = ANY ($2::text::text[]) AND state <> 'SCHEDULED'), 0)::float8 AS of_tenants
  FROM (SELECT tenant, state, n FROM millrace.counts UNION ALL SELECT tenant, state, n FROM millrace.count_delta) c`,
};
export type Sizes = { open: number; scheduled: number; of_state: number; of_tenants: number };

// $1 kind[]
const HAS_ANY: Statement = {
  name: 'millrace_has_any_of_kinds',
  text: `
SELECT sum(n) > 0 AS any FROM (
  SELECT n FROM millrace.counts WHERE kind = ANY ($1::text::text[])
  UNION ALL SELECT n FROM millrace.count_delta WHERE kind = ANY ($1::text::text[])) c`,
};

/**
 * Whether there is any job of these kinds. No index of the history has the kind: to find a kind that has no jobs took a second
 * over a million records, and to find the few jobs of a rare one still takes it.
 */
export async function hasAny(session: Session, kinds: readonly string[]): Promise<boolean> {
  const [row] = await session.query<{ any: boolean | null }>(HAS_ANY, [texts(kinds)]);
  return row?.any === true;
}
