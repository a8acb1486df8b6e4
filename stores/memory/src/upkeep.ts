import {
  type KnownWorker,
  type PruneParams,
  type Pruned,
  type WorkerReport,
  isFinished,
} from '@millrace/engine';
import type { JobRow, Transaction } from './data.ts';
import { remove } from './rows.ts';

/** After so long without a report, a worker is forgotten. */
const WORKER_SEEN_MS = 3_600_000;

/** The whole sweep in one step: what fits in memory is soon looked through. */
export function prune(tx: Transaction, { keep, otherwise }: PruneParams): Pruned {
  const isOver = (row: JobRow): boolean => {
    const { kind, state, finishedAt } = row;
    if (!isFinished(state) || finishedAt === null || isKeptForKey(row, tx.now)) return false;
    const times = (Object.hasOwn(keep, kind) ? keep[kind] : undefined) ?? otherwise;
    return finishedAt < tx.now - times[state];
  };
  const over = [...tx.data.jobs.values()].filter(isOver);
  for (const row of over) remove(tx.data, row);
  return { count: over.length, more: false };
}

/** A request with the same key within the window gets this job, so it is kept until the window is over. */
function isKeptForKey({ state, key, keyWindowMs, finishedAt }: JobRow, now: number): boolean {
  if (state !== 'SUCCEEDED' || key === null || finishedAt === null) return false;
  return now - finishedAt < (keyWindowMs ?? 0);
}

export function reportWorker(tx: Transaction, { worker, kinds, stats }: WorkerReport): void {
  for (const other of tx.data.workers.values()) {
    if (tx.now - other.seenAt <= WORKER_SEEN_MS) continue;
    tx.data.workers.delete(other.worker);
    tx.data.steered.delete(other.worker);
  }
  tx.data.workers.set(worker, { worker, kinds: [...kinds], stats, seenAt: tx.now });
}

export function workers(tx: Transaction): KnownWorker[] {
  return [...tx.data.workers.values()]
    .filter(({ seenAt }) => tx.now - seenAt <= WORKER_SEEN_MS)
    .toSorted((a, b) => (a.worker < b.worker ? -1 : 1))
    .map((row) => ({ ...row, running: runningOf(tx, row.worker) }));
}

function runningOf(tx: Transaction, worker: string): KnownWorker['running'] {
  const running: Record<string, number> = {};
  for (const lease of tx.data.leases.values()) {
    const job = tx.data.jobs.get(lease.id);
    if (job?.worker === worker) running[job.kind] = (running[job.kind] ?? 0) + 1;
  }
  return running;
}
