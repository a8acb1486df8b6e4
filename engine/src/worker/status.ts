import type { Events } from '../events.ts';
import type { JobId } from '../job.ts';
import type { Pool } from './pool.ts';

export type WorkerState = 'stopped' | 'running' | 'paused' | 'stopping';

export interface WorkerStatus {
  readonly id: string;
  /** The name of the store whose jobs it runs. */
  readonly store: string;
  readonly state: WorkerState;
  readonly version?: string;
  readonly uptimeMs: number;
  readonly inFlight: number;
  /** A suspect that the process keeps for itself, or empties itself for: nothing else begins. */
  readonly alone: JobId | null;
  readonly settling: number;
  readonly lastPoll: number | null;
  readonly totals: Readonly<Totals>;
  readonly pools: readonly PoolStatus[];
  /** The first twenty of the running jobs. */
  readonly jobs: readonly JobId[];
  /** Jobs taken over lately from workers that went away. */
  readonly tookOver: readonly TookOver[];
}

export interface TookOver {
  readonly worker: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly count: number;
  /** The first ten. */
  readonly jobs: readonly JobId[];
}

export interface PoolStatus {
  readonly name: string;
  readonly kinds: readonly string[];
  readonly concurrency: number;
  readonly inFlight: number;
  /** Kinds that run as often as their own limit allows. */
  readonly fullKinds: readonly string[];
  readonly minPriority: number | null;
  readonly heldUntil: number | null;
}

export const REPORT_EVERY_MS = 10_000;
/** A worker that has missed three reports died, froze or is cut off. */
export const SILENT_AFTER_MS = 3 * REPORT_EVERY_MS;

export function poolStatus(pool: Pool): PoolStatus {
  const { name, kinds, concurrency, minPriority } = pool;
  return {
    name,
    kinds,
    concurrency,
    minPriority,
    inFlight: pool.inFlight(),
    fullKinds: pool.fullKinds(),
    heldUntil: pool.heldUntil(),
  };
}

/** This replica's running totals, read off the events. */
export interface Totals {
  processed: number;
  succeeded: number;
  failed: number;
  canceled: number;
  retries: number;
  deferred: number;
  handedBack: number;
  fenced: number;
  takenOver: number;
  lost: number;
}

export function countEvents(events: Events): Totals {
  const totals: Totals = {
    processed: 0,
    succeeded: 0,
    failed: 0,
    canceled: 0,
    retries: 0,
    deferred: 0,
    handedBack: 0,
    fenced: 0,
    takenOver: 0,
    lost: 0,
  };
  const finished = (outcome: 'succeeded' | 'failed' | 'canceled') => () => {
    totals.processed += 1;
    totals[outcome] += 1;
  };
  events.on('job.succeeded', finished('succeeded'));
  events.on('job.failed', finished('failed'));
  events.on('job.canceled', finished('canceled'));
  events.on('job.retrying', () => (totals.retries += 1));
  events.on('job.deferred', () => (totals.deferred += 1));
  events.on('job.handedBack', () => (totals.handedBack += 1));
  events.on('lease.fenced', () => (totals.fenced += 1));
  events.on('lease.takenOver', ({ count }) => (totals.takenOver += count));
  events.on('job.lost', () => (totals.lost += 1));
  return totals;
}

const WORKERS_NAMED = 10;
const JOBS_NAMED = 10;

/** Notes the jobs that this worker has taken over lately, by the worker that went away: people who look for one find it here. */
export function noteTakeOvers(events: Events, wallClock: () => number): () => TookOver[] {
  const kept = new Map<string, { at: number; count: number; jobs: JobId[] }>();
  events.on('lease.takenOver', ({ from }) => {
    for (const { worker, id } of from) {
      const entry = kept.get(worker) ?? { at: 0, count: 0, jobs: [] };
      kept.delete(worker);
      const jobs = entry.jobs.length < JOBS_NAMED ? [...entry.jobs, id] : entry.jobs;
      kept.set(worker, { at: wallClock(), count: entry.count + 1, jobs });
    }
    for (const worker of kept.keys()) {
      if (kept.size <= WORKERS_NAMED) break;
      kept.delete(worker);
    }
  });
  return () => Array.from(kept, ([worker, entry]) => ({ worker, ...entry }));
}
