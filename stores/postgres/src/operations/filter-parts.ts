import { type Filter, type Phase, STATE_OF_PHASE } from '@millrace/engine';
import { type Session, type Statement } from '../database.ts';
import type { Ids } from '../ids.ts';

/**
 * What one statement looks for. A filter that asks for several phases, or searches in several columns, is several of these: each
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
