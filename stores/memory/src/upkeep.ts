import { type PruneParams, type Pruned, type WorkerReport, isFinished } from '@millrace/engine';
import type { JobRow, Transaction, WorkerRow } from './data.ts';
import { remove, save } from './rows.ts';

const WORKER_SEEN_MS = 60_000;

/** The whole sweep in one step: what fits in memory is soon looked through. */
export function prune(tx: Transaction, { keep, otherwise }: PruneParams): Pruned {
  const isOver = ({ kind, state, finishedAt }: JobRow): boolean => {
    if (!isFinished(state) || finishedAt === null) return false;
    const times = (Object.hasOwn(keep, kind) ? keep[kind] : undefined) ?? otherwise;
    return finishedAt < tx.now - times[state];
  };
  const over = [...tx.data.jobs.values()].filter(isOver);
  for (const row of over) remove(tx.data, row);
  return { count: over.length, more: false };
}

/** What is said about a person goes; that a job ran, when and with which end, stays. */
export function erase(tx: Transaction, subject: string): number {
  const rows = [...tx.data.jobs.values()].filter((row) => row.subject === subject);
  for (const row of rows) {
    const error = row.error === null ? null : { ...row.error, message: '' };
    save(tx.data, { ...row, payload: null, result: null, cursor: null, error });
  }
  return rows.length;
}

export function reportWorker(tx: Transaction, { worker, kinds, stats }: WorkerReport): void {
  tx.data.workers.set(worker, { worker, kinds: [...kinds], stats, seenAt: tx.now });
}

export function workers(tx: Transaction): WorkerRow[] {
  return [...tx.data.workers.values()]
    .filter(({ seenAt }) => tx.now - seenAt <= WORKER_SEEN_MS)
    .toSorted((a, b) => (a.worker < b.worker ? -1 : 1));
}
