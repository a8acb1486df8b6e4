import {
  type Count,
  type FollowerPart,
  type Inspection,
  type Job,
  type JobSummary,
  type JobId,
  type ListParams,
  MillraceError,
  fitsFilter,
} from '@millrace/engine';
import { type JobRow, type Transaction, keyOf } from './data.ts';
import { comesFirst, running, toJob, toSummary } from './rows.ts';

const AHEAD_LIMIT = 1_000;

export function get({ data }: Transaction, id: JobId): Job | null {
  const row = data.jobs.get(id);
  return row === undefined ? null : toJob(data, row);
}

export function summaries({ data }: Transaction, ids: readonly JobId[]): JobSummary[] {
  return [...new Set(ids)]
    .flatMap((id) => data.jobs.get(id) ?? [])
    .map((row) => toSummary(data, row));
}

export function children(
  { data }: Transaction,
  { of, limit }: Parameters<FollowerPart['children']>[0],
): JobSummary[] {
  return [...data.jobs.values()]
    .filter(
      ({ parents, correlationId }) =>
        correlationId === (of.correlationId ?? of.id) &&
        Object.values(parents ?? {}).includes(of.id),
    )
    .toSorted((a, b) => b.n - a.n)
    .slice(0, limit)
    .map((row) => toSummary(data, row));
}

/** The cursor is the number of the last job of the page before: later jobs have higher ones and disturb nothing. */
export function list(
  { data, now }: Transaction,
  { filter, limit, cursor }: ListParams,
): { jobs: JobSummary[]; next: string | null } {
  const before = cursor === undefined ? Infinity : readCursor(cursor);
  const rest = [...data.jobs.values()]
    .filter((row) => row.n < before && fitsFilter(row, filter, now))
    .toSorted((a, b) => b.n - a.n);
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  return {
    jobs: page.map((row) => toSummary(data, row)),
    next: last === undefined || rest.length === page.length ? null : String(last.n),
  };
}

function readCursor(cursor: string): number {
  if (!/^[1-9]\d{0,15}$/.test(cursor)) {
    throw new MillraceError(
      'invalid_cursor',
      `The cursor ${JSON.stringify(cursor)} is none of this store. Begin again without one.`,
    );
  }
  return Number(cursor);
}

export function counts({ data, now }: Transaction): Count[] {
  const scheduled = new Map<string, number>();
  for (const { kind, tenant, runAt } of data.queued.values()) {
    const subqueue = keyOf(kind, tenant);
    if (runAt > now) scheduled.set(subqueue, (scheduled.get(subqueue) ?? 0) + 1);
  }
  return [...data.counts.values()].map((row) => ({
    ...row,
    scheduled: row.state === 'QUEUED' ? (scheduled.get(keyOf(row.kind, row.tenant)) ?? 0) : 0,
  }));
}

export function inspect({ data, now }: Transaction, id: JobId): Inspection | null {
  const row = data.jobs.get(id);
  if (row === undefined) return null;
  return {
    job: toJob(data, row),
    now,
    kindPaused: data.paused.get(row.kind) !== undefined,
    ahead: Math.min(AHEAD_LIMIT, ahead([...data.queued.values()], row, now)),
    suspect: row.suspect,
    runningOfTenant: running(data, row.kind, row.tenant),
  };
}

function ahead(queued: readonly JobRow[], row: JobRow, now: number): number {
  if (row.state !== 'QUEUED') return 0;
  const { kind, tenant } = row;
  return queued.filter(
    (other) =>
      other.kind === kind &&
      other.tenant === tenant &&
      other.runAt <= now &&
      comesFirst(other, row) < 0,
  ).length;
}
