import type { Inspection, Job, JobState, Store } from '@millrace/engine';
import type { FollowUps } from './follow-ups.ts';
import type { Violations } from './invariants.ts';
import { type JobRecord, type Ledger, describeExecution } from './ledger.ts';
import type { Ticks } from './ticks.ts';
import type { Trace } from '../trace.ts';

/** The state that all observers of one database share. */
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
    const inspection = await peek.inspect({ id: record.id });
    const found = inspection && JSON.stringify(factsOf(inspection));
    const expected = JSON.stringify(expectedOf(record));
    violations.expect(
      found === expected,
      'agreement',
      () => `${record.id} after ${during}: the store has ${found}, expected ${expected}`,
    );
    if (record.erased && inspection !== null) checkErased(record, inspection.job, during);
  }

  function checkErased(record: JobRecord, job: Job, during: string): void {
    const { subject, payload, result, progress, error, executions } = job;
    const texts = [error, ...executions.map((each) => each.error)].map((each) => each?.message);
    const stacks = executions.map(({ stack }) => stack);
    const kept = [subject, payload, result, progress, ...texts, ...stacks].filter(Boolean);
    violations.expect(
      kept.length === 0,
      'erasure',
      () => `${record.id} after ${during} has ${JSON.stringify(kept)}`,
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
    if (to !== 'QUEUED' && to !== 'PROCESSING') record.suspect = false;
    if (to === 'QUEUED') record.queuedAt = now();
    if (to === 'QUEUED' || to === 'PROCESSING') return;
    record.finishedAt = now();
    // Jobs that follow from a failure were made when it failed; a later cancel changes only the label.
    if (from !== 'FAILED') followUps.ended(record, to, now());
  }

  return { ...params, confirm, discover, move };
}

function factsOf({ job, suspect }: Inspection): unknown[] {
  return [
    job.state,
    job.attempt,
    suspect,
    job.cancelRequested,
    job.cursor,
    job.runAt,
    job.key,
    job.error?.code ?? null,
    job.executions.map(describeExecution),
  ];
}

function expectedOf(record: JobRecord): unknown[] {
  return [
    record.state,
    record.attempt,
    record.suspect,
    record.cancelAsked,
    record.cursor,
    record.runAt,
    record.key,
    record.errorCode,
    record.executions,
  ];
}
