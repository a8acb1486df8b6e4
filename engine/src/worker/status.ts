import type { JobId } from '../job.ts';
import type { Pool } from './pool.ts';
import type { Totals } from './statistics.ts';

export type WorkerState = 'stopped' | 'running' | 'paused' | 'stopping';

export interface WorkerStatus {
  readonly id: string;
  /** Whose jobs it runs: the name of the store. */
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
  /** What runs, the first twenty. */
  readonly jobs: readonly JobId[];
  /** From workers that went away, lately. */
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
