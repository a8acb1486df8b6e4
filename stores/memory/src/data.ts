import type {
  Count,
  Dependants,
  Held,
  Job,
  JobId,
  Lease,
  ScheduleStatus,
  Steered,
  WorkerReport,
} from '@millrace/engine';
import type { HintDraft } from './hints.ts';
import { type Journal, type Table, createJournal } from './journal.ts';
import type { Fence } from './fence.ts';
import type { Turns } from './turns.ts';

/** The data that all handles of one database share. */
export interface Data {
  readonly name: string;
  readonly journal: Journal;
  readonly jobs: Table<JobId, JobRow>;
  /** The jobs that are QUEUED, due or not: a claim never looks at the history. */
  readonly queued: Table<JobId, JobRow>;
  readonly leases: Table<JobId, LeaseRow>;
  /** The job that has a key, by `keyOf(kind, tenant, key)`. */
  readonly keys: Table<string, JobId>;
  /** By `keyOf(kind, tenant, state)`, so that `counts` never looks at the history either. */
  readonly counts: Table<string, Omit<Count, 'scheduled'>>;
  readonly gates: Table<string, GateRow>;
  readonly schedules: Table<string, ScheduleStatus>;
  readonly paused: Table<string, PausedRow>;
  readonly workers: Table<string, WorkerRow>;
  readonly steered: Table<string, Steered>;
  nextNumber(): number;
  /** Copies the data, numbers included; the returned function restores the copy. */
  snapshot(): () => void;
}

export interface JobRow extends Omit<Job, 'leaseUntil'> {
  /** The number in the id, which is the age. */
  readonly n: number;
  /** The epoch of the newest lease; 0 before the first. */
  readonly epoch: number;
  /** The last lease that settled the job: it tells a repeated settlement from a stale one. */
  readonly settled: Pick<Lease, 'epoch' | 'claim'> | null;
  /** The job's worker was lost while it ran, and nothing has cleared the job since. */
  readonly suspect: boolean;
  /** The subject was erased: results, errors and progress that could be about a person are not written any more. */
  readonly erased: boolean;
  /** How long the key is kept after a success; null without a key. */
  readonly keyWindowMs: number | null;
  readonly traceparent: string | null;
}

/** A job has one exactly while it is PROCESSING. */
export interface LeaseRow extends Lease {
  readonly until: number;
  /** The step of the last checkpoint. */
  readonly step: number;
  /** Only what was begun is renewed. */
  readonly renewed: boolean;
  /** The attempt as the handler sees it; a cursor that moves on resets that of the job, not this one. */
  readonly attempt: number;
}

export interface GateRow {
  readonly rule: string;
  readonly key: string;
  readonly arrived: Readonly<Record<string, JobId>>;
  readonly expiresAt: number;
}

export interface PausedRow extends Held {
  readonly kind: string;
}

export interface WorkerRow extends WorkerReport {
  readonly seenAt: number;
}

/** A verb's view: the data, and what does not change while it runs. */
export interface Transaction {
  readonly data: Data;
  /** Read once, so that every part of a verb sees the same time. */
  readonly now: number;
  readonly dependants: Dependants;
  readonly holds: Fence;
  readonly hints: HintDraft;
  /** The turns of the handle. */
  readonly turns: Turns;
}

export function createData(name: string): Data {
  const journal = createJournal();
  // Like a database's sequence: the numbers of a verb that failed are not used again.
  let number = 0;
  return {
    name,
    journal,
    jobs: journal.table(),
    queued: journal.table(),
    leases: journal.table(),
    keys: journal.table(),
    counts: journal.table(),
    gates: journal.table(),
    schedules: journal.table(),
    paused: journal.table(),
    workers: journal.table(),
    steered: journal.table(),
    nextNumber: () => (number += 1),
    snapshot() {
      const then = number;
      const restore = journal.snapshot();
      return () => {
        number = then;
        restore();
      };
    },
  };
}

/** One text for several parts, such that no two lists of parts give the same. */
export function keyOf(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}
