import {
  type Count,
  type Inspection,
  type Job,
  type JobId,
  type JobState,
  type JobSummary,
  type ListParams,
  MillraceError,
  type Selection,
} from '@millrace/engine';
import { isId, soqlText, soqlTime } from '@millrace/salesforce';
import type { Context } from '../context.ts';
import { LIVE } from './names.ts';
import { type Row, jobOf, summaryOf } from './row.ts';
import { answersTo, filterOf, ofKind, select, selectByIds, soql } from './select.ts';

const MOST_AHEAD = 1_000;

export async function get(context: Context, id: JobId): Promise<Job | null> {
  const row = await find(context, id);
  return row === null ? null : jobOf(context, row);
}

async function find(context: Context, id: JobId): Promise<Row | null> {
  const recordId = context.ids.recordId(id);
  if (recordId === null) return null;
  return (await selectByIds(context, [recordId], 'whole')).get(recordId) ?? null;
}

export async function summaries(context: Context, ids: readonly JobId[]): Promise<JobSummary[]> {
  const wanted = ids.flatMap((id) => context.ids.recordId(id) ?? []);
  return [...(await selectByIds(context, wanted)).values()].map((row) => summaryOf(context, row));
}

export async function list(
  context: Context,
  { filter, limit, cursor }: ListParams,
): Promise<{ jobs: JobSummary[]; next: string | null }> {
  const after = cursor === undefined ? null : readCursor(cursor);
  const where = filterOf(context, filter);
  if (where === null) return { jobs: [], next: null };
  const older =
    after === null
      ? ''
      : `(CreatedDate < ${soqlTime(after.at)} OR (CreatedDate = ${soqlTime(after.at)} AND Id < ${soqlText(after.id)}))`;
  const rows = await select(context, [where, older].filter((part) => part !== '').join(' AND '), {
    order: 'CreatedDate DESC, Id DESC',
    limit: limit + 1,
  });
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    jobs: page.map((row) => summaryOf(context, row)),
    next: rows.length > limit && last !== undefined ? writeCursor(last) : null,
  };
}

function writeCursor({ createdAt, id }: Row): string {
  return `${createdAt}-${id}`;
}

function readCursor(cursor: string): { at: number; id: string } {
  const [at = '', id = ''] = cursor.split('-');
  if (!/^\d{1,14}$/.test(at) || !isId(id) || `${at}-${id}` !== cursor)
    throw new MillraceError('invalid_cursor', 'The cursor is not one of a page before.');
  return { at: Number(at), id };
}

/** One call: all by kind and state, and those that wait for later. */
export async function counts(context: Context): Promise<Count[]> {
  const { field, document } = context.names;
  const isLater = `${field.live} = '${LIVE}' AND ${field.status} = 'QUEUED' AND ${field.due} > ${soqlTime(context.salesforce.now())}`;
  const [groups = [], scheduled = []] = await answersTo(context, [
    `SELECT ${field.kind} kind, ${field.status} state, COUNT(Id) total FROM ${document} GROUP BY ${field.kind}, ${field.status}`,
    `SELECT ${field.kind} kind, COUNT(Id) total FROM ${document} WHERE ${isLater} GROUP BY ${field.kind}`,
  ]);
  const all = new Map<string, Count>();
  function add(kind: string, state: JobState, jobs: Pick<Count, 'count' | 'scheduled'>): void {
    const { count: some, scheduled: later } = all.get(`${kind} ${state}`) ?? NO_JOBS;
    all.set(`${kind} ${state}`, {
      kind,
      tenant: context.tenant,
      state,
      count: some + jobs.count,
      scheduled: later + jobs.scheduled,
    });
  }
  const kindOf = ({ kind }: Group): string => kind ?? context.defaultKind;
  for (const group of groups as Group[])
    add(kindOf(group), group.state, { count: group.total, scheduled: 0 });
  for (const group of scheduled as Group[])
    add(kindOf(group), 'QUEUED', { count: 0, scheduled: group.total });
  return [...all.values()];
}

const NO_JOBS = { count: 0, scheduled: 0 };

interface Group {
  readonly kind: string | null;
  readonly state: JobState;
  readonly total: number;
}

export async function inspect(context: Context, id: JobId): Promise<Inspection | null> {
  const row = await find(context, id);
  if (row === null) return null;
  const { field } = context.names;
  const now = context.salesforce.now();
  const kind = ofKind(context, row.kind);
  const due = `(${field.due} = null OR ${field.due} <= ${soqlTime(now)})`;
  const older = `(CreatedDate < ${soqlTime(row.createdAt)} OR (CreatedDate = ${soqlTime(row.createdAt)} AND Id < ${soqlText(row.id)}))`;
  const first =
    row.priority === null
      ? `(${field.priority} != null OR ${older})`
      : `(${field.priority} > ${row.priority} OR (${field.priority} = ${row.priority} AND ${older}))`;
  const live = `${field.live} = '${LIVE}'`;
  const ahead = [live, `${field.status} = 'QUEUED'`, kind, due, first].join(' AND ');
  return {
    job: jobOf(context, row),
    now,
    kindPaused: false,
    ahead: Math.min(MOST_AHEAD, await count(context, ahead)),
    suspect: row.suspect && row.status === 'QUEUED',
    runningOfTenant: await count(context, `${live} AND ${field.status} = 'PROCESSING' AND ${kind}`),
  };
}

async function count(context: Context, where: string): Promise<number> {
  const [group] = await context.salesforce.query<{ total?: number }>(
    soql('COUNT(Id) total', context, where),
  );
  return group?.total ?? 0;
}

/** Records that a selection by hand means, those first that were made first. */
export async function selected(
  context: Context,
  { select: selection }: Selection,
  states: readonly JobState[],
): Promise<string[]> {
  if ('ids' in selection) return selection.ids.flatMap((id) => context.ids.recordId(id) ?? []);
  const where = filterOf(context, selection.filter);
  if (where === null) return [];
  const { status, cancelRequested } = context.names.field;
  const movable = states.map((state) =>
    // A running record that was asked to stop already is left out: a bulk cancel would find it again and again.
    state === 'PROCESSING'
      ? `(${status} = 'PROCESSING' AND ${cancelRequested} = false)`
      : `${status} = ${soqlText(state)}`,
  );
  const rows = await select(
    context,
    [where, `(${movable.join(' OR ')})`].filter((part) => part !== '').join(' AND '),
    { order: 'CreatedDate ASC, Id ASC', limit: selection.limit },
  );
  return rows.map(({ id }) => id);
}
