import { type Job, type JobState, type JobSummary, type Move, nextState } from '@millrace/engine';
import { type Data, type JobRow, type Transaction, keyOf } from './data.ts';

/** Writes the row and everything that is kept beside it. */
export function save(data: Data, row: JobRow): void {
  const before = data.jobs.get(row.id);
  if (before?.state !== row.state) {
    if (before !== undefined) count(data, before, -1);
    count(data, row, 1);
  }
  data.jobs.set(row.id, row);
  if (row.state === 'QUEUED') data.queued.set(row.id, row);
  else data.queued.delete(row.id);
}

export function remove(data: Data, row: JobRow): void {
  count(data, row, -1);
  giveKeyUp(data, row);
  data.jobs.delete(row.id);
}

/** The only way from one state to another: a move that the table does not have throws. */
export function move(data: Data, row: JobRow, by: Move, changes: Partial<JobRow>): JobRow {
  const moved = { ...row, ...changes, state: nextState(row.state, by) };
  save(data, moved);
  return moved;
}

/** Puts a running job back into the queue; its lease ends. */
export function putBack(tx: Transaction, row: JobRow, by: Move, changes: Partial<JobRow>): void {
  tx.data.leases.delete(row.id);
  move(tx.data, row, by, changes);
  tx.hints.ready(row.kind);
}

export function giveKeyUp(data: Data, row: JobRow): void {
  if (row.key !== null) data.keys.delete(keyOf(row.kind, row.tenant, row.key));
}

/** The order of a tenant's own work: priority, high first and none last, then age. */
export function comesFirst(a: JobRow, b: JobRow): number {
  return priorityOf(b) - priorityOf(a) || a.n - b.n;
}

export function priorityOf(row: JobRow): number {
  // Any number goes before none. Not -Infinity: the difference of two would be NaN.
  return row.priority ?? -Number.MAX_VALUE;
}

export function running(data: Data, kind: string, tenant: string): number {
  return data.counts.get(keyOf(kind, tenant, 'PROCESSING'))?.count ?? 0;
}

export function oldestFirst(rows: Iterable<JobRow>): JobRow[] {
  return [...rows].toSorted((a, b) => a.n - b.n);
}

export function toSummary(data: Data, row: JobRow): JobSummary {
  const {
    payload: _payload,
    result: _result,
    cursor: _cursor,
    executions: _executions,
    ...summary
  } = toJob(data, row);
  return summary;
}

export function toJob(data: Data, row: JobRow): Job {
  const {
    n: _n,
    epoch: _epoch,
    settled: _settled,
    suspect: _suspect,
    erased,
    subject,
    keyWindowMs: _keyWindowMs,
    traceparent: _traceparent,
    ...job
  } = row;
  return {
    ...job,
    subject: erased ? null : subject,
    leaseUntil: data.leases.get(row.id)?.until ?? null,
  };
}

function count(
  data: Data,
  { kind, tenant, state }: { kind: string; tenant: string; state: JobState },
  by: number,
): void {
  const key = keyOf(kind, tenant, state);
  const total = (data.counts.get(key)?.count ?? 0) + by;
  if (total === 0) data.counts.delete(key);
  else data.counts.set(key, { kind, tenant, state, count: total });
}
