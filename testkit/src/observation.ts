import type { JobState, Store } from '@millrace/engine';
import type { FollowUps } from './follow-ups.ts';
import type { Violations } from './invariants.ts';
import type { JobRecord, Ledger } from './ledger.ts';
import type { Ticks } from './ticks.ts';
import type { Trace } from './trace.ts';

/** What all observers of one database share. */
export interface Observation {
  readonly ledger: Ledger;
  readonly violations: Violations;
  readonly followUps: FollowUps;
  readonly trace: Trace;
  /** The store's clock. */
  readonly now: () => number;
  readonly ticks: Ticks;
  /** Compares what the store has of a job with what the ledger says. */
  confirm(record: JobRecord, during: string): Promise<void>;
  /** Enters what the store has made since the last call, and looks for each one's reason. */
  discover(during: string): Promise<void>;
  /** Moves a job, if the table lets it. */
  move(record: JobRecord, to: JobState): void;
}

/** From the specification (A1), not from the engine: a mistake there must not be one here. */
const ALLOWED: Readonly<Record<JobState, readonly JobState[]>> = {
  QUEUED: ['PROCESSING', 'CANCELED'],
  PROCESSING: ['SUCCEEDED', 'FAILED', 'CANCELED', 'QUEUED'],
  SUCCEEDED: [],
  FAILED: ['CANCELED', 'QUEUED'],
  CANCELED: ['QUEUED'],
};

/**
 * `peek` is a handle of the same database that nothing disturbs. One call to the store is dealt with
 * before the next arrives (each has a timer of its own), so what is read after a write is its work.
 */
export function createObservation(
  params: Omit<Observation, 'confirm' | 'discover' | 'move'> & { peek: Store },
): Observation {
  const { peek, ledger, violations, followUps, now } = params;

  async function confirm(record: JobRecord, during: string): Promise<void> {
    const job = await peek.get({ id: record.id });
    const expected = [
      record.state,
      record.attempt,
      record.cancelAsked,
      record.cursor,
      record.runAt,
      record.key,
    ];
    const found = job && [
      job.state,
      job.attempt,
      job.cancelRequested,
      job.cursor,
      job.runAt,
      job.key,
    ];
    if (JSON.stringify(found) === JSON.stringify(expected)) return;
    violations.add(
      'agreement',
      `${record.id} after ${during}: the store has ${JSON.stringify(found)}, expected ${JSON.stringify(expected)}`,
    );
  }

  async function discover(during: string): Promise<void> {
    for (;;) {
      const job = await peek.get({ id: `${peek.name}-${ledger.jobs.size + 1}` });
      if (job === null) break;
      ledger.add(job);
      followUps.found(job);
    }
    followUps.check(during);
  }

  function move(record: JobRecord, to: JobState): void {
    const from = record.state;
    violations.expect(
      ALLOWED[from].includes(to),
      'transition',
      () => `${record.id} moved from ${from} to ${to}`,
    );
    ledger.enter(record, to);
    if (to === 'QUEUED') record.queuedAt = now();
    if (to === 'QUEUED' || to === 'PROCESSING') return;
    record.finishedAt = now();
    // What follows from a failure followed when it failed; a later cancel changes only the label.
    if (from !== 'FAILED') followUps.ended(record, to, now());
  }

  return { ...params, confirm, discover, move };
}
