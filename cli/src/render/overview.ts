import { type JobState, type Replica, jobState } from '@millrace/api';
import type { Screen } from '../terminal/screen.ts';
import { type KindRow, type Snapshot, byKind } from '../jobs/snapshot.ts';
import { STATE_STYLE, type Style } from './colour.ts';
import { count, counted } from './number.ts';
import { type Column, table } from './table.ts';
import { age, lasting, relative } from './time.ts';
import { clean } from './width.ts';

type Pool = Snapshot['worker']['pools'][number];

/** The counts by kind and state, with the sum where there are several kinds. */
export function kindLines(
  { counts, states, scheduled }: Snapshot,
  { columns, paint }: Screen,
): string[] {
  const rows = byKind(counts);
  if (rows.length === 0) return [paint('dim', 'No jobs yet.')];
  const all = rows.length > 1 ? [{ kind: 'all', states, scheduled }] : [];
  return table(kindColumns, [...rows, ...all], columns, paint);
}

/** `hello QUEUED 3`, for scripts: a line for each kind and state that has jobs. */
export function countLines({ counts }: Snapshot): string[] {
  return byKind(counts).flatMap(({ kind, states }) =>
    jobState.options
      .filter((state) => states[state] > 0)
      .map((state) => `${clean(kind)} ${state} ${states[state]}`),
  );
}

const kindColumns: Column<KindRow>[] = [
  { header: 'KIND', shrinkTo: 10, cell: ({ kind }) => kind },
  // A thousand jobs for tomorrow are no backlog.
  {
    header: 'DUE',
    align: 'right',
    cell: (row) => count(dueOf(row)),
    style: (row) => countStyle('QUEUED', dueOf(row)),
  },
  {
    header: 'SCHEDULED',
    align: 'right',
    leaveOut: 0,
    cell: ({ scheduled }) => count(scheduled),
    style: ({ scheduled }) => countStyle('QUEUED', scheduled),
  },
  ...jobState.options
    .filter((state) => state !== 'QUEUED')
    .map((state): Column<KindRow> => ({
      header: state,
      align: 'right',
      ...(state === 'CANCELED' && { leaveOut: 2 }),
      ...(state === 'SUCCEEDED' && { leaveOut: 1 }),
      cell: ({ states }) => count(states[state]),
      style: ({ states }) => countStyle(state, states[state]),
    })),
];

function dueOf({ states, scheduled }: Pick<KindRow, 'states' | 'scheduled'>): number {
  return states.QUEUED - scheduled;
}

/** Nothing is dim, so that what there is stands out. */
function countStyle(state: JobState, value: number): Style | null {
  if (value === 0) return 'dim';
  return state === 'SUCCEEDED' ? null : STATE_STYLE[state];
}

export function replicaLines({ worker, at }: Snapshot, { columns, paint }: Screen): string[] {
  const { replicas } = worker;
  if (replicas.length === 0) {
    return [paint('yellow', 'No worker has reported in the last hour: no jobs are running.')];
  }
  const isNobodyLeft = replicas.every(({ state }) => state === 'silent' || state === 'stopped');
  return [
    ...table(replicaColumns(Date.parse(at)), replicas, columns, paint),
    ...(isNobodyLeft ? [paint('yellow', 'None of them is alive: no jobs are running.')] : []),
  ];
}

function replicaColumns(now: number): Column<Replica>[] {
  return [
    { header: 'WORKER', shrinkTo: 12, cell: ({ id }) => id },
    {
      header: 'STATE',
      cell: ({ state, seenAt }) =>
        state === 'silent' ? `silent for ${age(now - Date.parse(seenAt))}` : state,
      style: ({ state }) => (state === 'running' ? null : state === 'silent' ? 'red' : 'yellow'),
    },
    { header: 'IN FLIGHT', align: 'right', cell: ({ inFlight }) => count(inFlight) },
    {
      header: 'PROCESSED',
      align: 'right',
      leaveOut: 0,
      cell: ({ totalProcessed }) => count(totalProcessed),
    },
    {
      header: 'FAILED',
      align: 'right',
      cell: ({ totalFailed }) => count(totalFailed),
      style: ({ totalFailed }) => (totalFailed === 0 ? 'dim' : 'red'),
    },
    {
      header: 'RETRIES',
      align: 'right',
      leaveOut: 1,
      cell: ({ totalRetries }) => count(totalRetries),
    },
    {
      header: 'UP',
      align: 'right',
      leaveOut: 2,
      cell: ({ uptimeSeconds }) => age(uptimeSeconds * 1_000),
    },
    {
      header: 'POLLED',
      leaveOut: 3,
      cell: ({ lastPollTime }) => (lastPollTime === null ? '-' : relative(lastPollTime, now)),
    },
    { header: 'SEEN', leaveOut: 4, cell: ({ seenAt }) => relative(seenAt, now) },
  ];
}

export function poolLines({ worker, at }: Snapshot, { columns, paint }: Screen): string[] {
  if (worker.pools.length === 0) return [];
  return table(poolColumns(Date.parse(at)), worker.pools, columns, paint);
}

function poolColumns(now: number): Column<Pool>[] {
  return [
    { header: 'POOL', shrinkTo: 10, cell: ({ name }) => name },
    {
      header: 'IN FLIGHT',
      align: 'right',
      cell: ({ inFlight, concurrency }) => `${count(inFlight)}/${count(concurrency)}`,
    },
    {
      header: 'MIN PRIO',
      align: 'right',
      leaveOut: 1,
      cell: ({ minPriority }) => (minPriority === null ? '-' : String(minPriority)),
    },
    {
      header: 'HELD UNTIL',
      leaveOut: 2,
      cell: ({ heldUntil }) => (heldUntil === null ? '-' : relative(heldUntil, now)),
      style: ({ heldUntil }) => (heldUntil === null ? null : 'yellow'),
    },
    { header: 'KINDS', shrinkTo: 10, cell: ({ kinds }) => kinds.join(', '), style: () => 'dim' },
  ];
}

/** `http://…  3 jobs due, 1,000 scheduled, 2 running, 12.3 ended per second`. */
export function headLine(
  url: string,
  { states, scheduled }: Snapshot,
  perSecond: number,
  { paint }: Screen,
): string {
  const rate = perSecond === 0 ? '' : `, ${count(perSecond)} ended per second`;
  const later = scheduled === 0 ? '' : `, ${count(scheduled)} scheduled`;
  const due = counted(dueOf({ states, scheduled }), 'job');
  const now = `${due} due${later}, ${count(states.PROCESSING)} running`;
  return `${paint('bold', url)}  ${now}${rate}`;
}

export function upLine({ worker }: Snapshot): string {
  const up = `up ${lasting(worker.uptimeSeconds * 1_000)}`;
  // Zeroes after it would look like a worker that does nothing.
  if (!worker.hasWorker) return `This replica serves only the API, ${up}.`;
  const state = worker.isRunning ? 'takes jobs' : 'takes no jobs';
  return `This replica ${state}, ${up}: ${counted(worker.totalProcessed, 'job')} processed, ${count(worker.totalFailed)} failed, ${count(worker.totalRetries)} retried.`;
}
