import {
  type Canceled,
  type ControlPart,
  type HeldBy,
  type JobId,
  type JsonText,
  type Selection,
  type Steered,
  canMove,
  fitsFilter,
  isFinished,
} from '@millrace/engine';
import type { JobRow, PausedRow, Transaction } from './data.ts';
import { finish } from './finish.ts';
import { move, oldestFirst, remove, save } from './rows.ts';

/** Actions of people on jobs and kinds. */
export function cancel(tx: Transaction, { select }: Selection): Canceled {
  const canceled: JobId[] = [];
  const requested: JobId[] = [];
  // Jobs to cancel. By filter, a running job that was asked to stop already is passed over: else the same bulk call
  // would never come to an end.
  const open = (row: JobRow): boolean =>
    canMove(row.state, 'cancel') && !('filter' in select && row.cancelRequested);
  for (const row of selected(tx, select, open)) {
    if (row.state === 'PROCESSING') {
      save(tx.data, { ...row, cancelRequested: true });
      const lease = tx.data.leases.get(row.id);
      if (lease !== undefined) tx.hints.cancel(lease);
      requested.push(row.id);
    } else {
      // A failed job has ended once: what follows from its end is there already.
      if (row.state === 'FAILED') move(tx.data, row, 'cancel', { finishedAt: tx.now });
      else finish(tx, row, 'cancel', {});
      canceled.push(row.id);
    }
  }
  return { canceled, requested };
}

/**
 * Retries by hand. A row that still has its key is the key's holder (a row loses its key when another takes it), so
 * it may keep it.
 */
export function retry(tx: Transaction, { select }: Selection): { retried: number; ids: JobId[] } {
  const rows = selected(tx, select, (row) => canMove(row.state, 'requeue'));
  for (const row of rows) {
    move(tx.data, row, 'requeue', {
      attempt: 0,
      error: null,
      cancelRequested: false,
      startedAt: null,
      finishedAt: null,
      worker: null,
      runAt: tx.now,
    });
    tx.hints.ready(row.kind);
  }
  return { retried: rows.length, ids: rows.map(({ id }) => id) };
}

/** The limit counts jobs that can be moved: those that cannot must not use it up. */
function selected(
  tx: Transaction,
  select: Selection['select'],
  movable: (row: JobRow) => boolean,
): JobRow[] {
  if ('ids' in select) {
    return [...new Set(select.ids)].flatMap((id) => tx.data.jobs.get(id) ?? []).filter(movable);
  }
  const matching = [...tx.data.jobs.values()].filter(
    (row) => movable(row) && fitsFilter(row, select.filter, tx.now),
  );
  return oldestFirst(matching).slice(0, select.limit);
}

/** False: it was paused already, by whoever did it first. */
export function pause(
  tx: Transaction,
  { kind, by, reason = null }: { kind: string } & HeldBy,
): boolean {
  if (tx.data.paused.get(kind) !== undefined) return false;
  tx.data.paused.set(kind, { kind, by, reason, since: tx.now });
  tx.hints.control();
  return true;
}

export function resume(tx: Transaction, kind: string): boolean {
  if (tx.data.paused.get(kind) === undefined) return false;
  tx.data.paused.delete(kind);
  tx.hints.control();
  return true;
}

export function paused(tx: Transaction): PausedRow[] {
  return [...tx.data.paused.values()].toSorted((a, b) => (a.kind < b.kind ? -1 : 1));
}

/** A cursor points into the data that the job had before. What was erased takes no new data. */
export function retryWith(
  tx: Transaction,
  { id, payload }: { id: JobId; payload: JsonText },
): boolean {
  const row = tx.data.jobs.get(id);
  if (row === undefined || row.erased || !canMove(row.state, 'requeue')) return false;
  save(tx.data, { ...row, payload, cursor: null, progress: null });
  return retry(tx, { select: { ids: [id] } }).retried > 0;
}

export function removeEnded(tx: Transaction, id: JobId): boolean {
  const row = tx.data.jobs.get(id);
  if (row === undefined || !isFinished(row.state)) return false;
  remove(tx.data, row);
  return true;
}

/** The jobs that wait. A running one keeps the priority that it was claimed with. */
export function prioritize(
  tx: Transaction,
  { ids, priority }: { ids: readonly JobId[]; priority: number | null },
): { id: JobId; before: number | null }[] {
  return [...new Set(ids)].flatMap((id) => {
    const row = tx.data.queued.get(id);
    if (row === undefined || row.priority === priority) return [];
    save(tx.data, { ...row, priority });
    return [{ id, before: row.priority }];
  });
}

/** As it waited before: not before its moment, and with an attempt left. */
export function restore(tx: Transaction, ids: readonly JobId[]): JobId[] {
  return [...new Set(ids)].flatMap((id) => {
    const row = tx.data.jobs.get(id);
    if (row === undefined || row.state !== 'CANCELED') return [];
    move(tx.data, row, 'requeue', {
      attempt: Math.min(row.attempt, row.maxAttempts - 1),
      cancelRequested: false,
      startedAt: null,
      finishedAt: null,
      worker: null,
    });
    tx.hints.ready(row.kind);
    return [id];
  });
}

export function steer(
  tx: Transaction,
  { worker, to, by, reason = null }: Parameters<ControlPart['steer']>[0],
): boolean {
  if ((tx.data.steered.get(worker)?.to ?? 'running') === to) return false;
  if (to === 'running') tx.data.steered.delete(worker);
  else tx.data.steered.set(worker, { worker, to, by, reason, since: tx.now });
  tx.hints.control();
  return true;
}

export function steered(tx: Transaction): Steered[] {
  return [...tx.data.steered.values()].toSorted((a, b) => (a.worker < b.worker ? -1 : 1));
}
