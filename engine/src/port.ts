import type { FailureRecord, StoreUnavailable } from './errors.ts';
import type {
  ClaimedJob,
  FinishedJob,
  Job,
  JobId,
  JobSummary,
  Lease,
  LogLine,
  NewJob,
} from './job.ts';
import type { JsonText } from './values/json.ts';
import type { Effect } from './kinds/outcome.ts';
import type {
  AmendPart,
  ChunkPart,
  ControlPart,
  FollowerPart,
  RearrangePart,
  SchedulePart,
  UpkeepPart,
  RenewAnswer,
} from './port-parts.ts';
import type { Filter } from './filter.ts';
import type { JobState } from './states.ts';

/**
 * A store as the engine needs it: the verbs of a job's life, on batches, each with one params object, and the parts
 * that a store has as a whole or not at all. A store throws `StoreUnavailable` when it does not know whether a write
 * happened (`StoreTimedOut` when a smaller batch might have passed), and anything else when the data is at fault.
 */
export interface Store {
  /** The prefix of its job ids. */
  readonly name: string;
  readonly keeps: Keeps;
  /** Outcomes are gathered so long before they are written: worth it where a write is a call that someone counts. */
  readonly gatherMs?: number;

  /** The store's own clock, milliseconds since 1970. */
  now(): Promise<number>;

  enqueue(params: { jobs: readonly NewJob[] }): Promise<Enqueued[]>;
  claim(params: ClaimParams): Promise<Claimed>;
  /** A worker renews only what it has begun: a lease that was never renewed means a job that may not have run. */
  renew(params: { leases: readonly Lease[]; leaseMs: number }): Promise<RenewAnswer[]>;
  settle(params: { settlements: readonly Settlement[] }): Promise<SettleAnswer[]>;

  /** By hand. Queued and failed jobs end at once; running ones are asked to. */
  cancel(params: Selection): Promise<Canceled>;
  /** By hand: failed and cancelled jobs start over with fresh attempts, keeping their cursor. */
  retry(params: Selection): Promise<{ retried: number; ids: JobId[] }>;
  /**
   * Empties payload, result, cursor, key, progress and error texts of every job about the subject, and forgets whom it
   * was about. What a running one still writes is refused or emptied too, and one that waits fails without running.
   */
  erase(params: { subject: string }): Promise<number>;

  get(params: { id: JobId }): Promise<Job | null>;
  list(params: ListParams): Promise<{ jobs: JobSummary[]; next: string | null }>;
  /** The summaries of these jobs, in any order. Ids that mean nothing here are left out. */
  summaries(params: { ids: readonly JobId[] }): Promise<JobSummary[]>;
  /** Never scans the history. */
  counts(): Promise<Count[]>;
  /** The facts that `explain` needs beyond the job itself. */
  inspect(params: { id: JobId }): Promise<Inspection | null>;

  /** Hints that make things faster; nothing depends on their arrival. */
  watch(listener: (hint: Hint) => void): () => void;
  close(): Promise<void>;

  /** Joins the caller's own transaction, of the store's kind (`pg.ClientBase`, PGlite `Transaction`). */
  readonly enqueueIn?: (
    transaction: unknown,
    params: { jobs: readonly NewJob[] },
  ) => Promise<Enqueued[]>;
  readonly chunks?: ChunkPart;
  readonly followers?: FollowerPart;
  readonly schedules?: SchedulePart;
  readonly control?: ControlPart;
  readonly upkeep?: UpkeepPart;
  readonly amend?: AmendPart;
  readonly rearrange?: RearrangePart;
}

/** The optional parts of a job that a store keeps. */
export interface Keeps {
  /** The jobs of several tenants are kept apart and take turns. */
  readonly tenants: boolean;
  /** The effects of `done` are committed together with the settling. */
  readonly effects: boolean;
  /** The executions that did not end well at once. */
  readonly executions: boolean;
  /** The logs of these executions, and the epochs of their leases. */
  readonly logs: boolean;
}

/** Called by the store inside the transaction that ends a job. Pure: it may run again. */
export type Dependants = (job: FinishedJob) => readonly Dependant[];

export interface Dependant {
  readonly child: NewJob;
  /** Without a gate the child is made at once. */
  readonly gate?: GateArrival;
}

/** A parent's arrival at the row that is kept per (rule, key). */
export interface GateArrival {
  readonly rule: string;
  readonly key: string;
  readonly slot: string;
  /** The gate opens when all of these have arrived. */
  readonly slots: readonly string[];
  /** A gate that has not opened by then is closed. */
  readonly withinMs: number;
}

export interface Enqueued {
  readonly id: JobId;
  /** False when a job with the same key was there already. */
  readonly created: boolean;
}

export interface ClaimParams {
  readonly worker: string;
  /**
   * A whole number below 2^53 that no other claim has: each worker counts from a random number on. It names the claim
   * when its answer was lost and it is asked for again with `replay`, and it is part of the fence.
   */
  readonly claim: number;
  readonly replay?: boolean;
  readonly wants: readonly Want[];
  /** At most so many over all kinds. */
  readonly limit: number;
  readonly leaseMs: number;
  readonly minPriority?: number;
  /** One suspect and nothing else; without it, everything but suspects. */
  readonly alone?: boolean;
}

export interface Want {
  readonly kind: string;
  readonly limit: number;
  /** Running jobs of one tenant over all replicas. */
  readonly tenantLimit?: number;
}

/**
 * The answer to a claim. A claim first takes over the leases whose time is over, of any kind and worker:
 *
 * - someone had asked for the job to stop: it ends CANCELED;
 * - the lease was never renewed, so the job may not have been begun: its attempt is given back;
 * - it was renewed: its attempt is kept. With none left, a suspect ends FAILED (`worker_lost`), since it was alone on its
 *   worker. Any other gets one more execution, since any job of that worker may have been the cause.
 *
 * A job that goes back to the queue is a suspect from then on, until it ends, is put back by a worker that lives, or its cursor
 * moves on. A hand-back clears nothing.
 */
export interface Claimed {
  readonly jobs: ClaimedJob[];
  /** The store's clock at the claim. */
  readonly now: number;
  /** Jobs that took their last worker with them; they are FAILED (`worker_lost`) now. */
  readonly lost: Lost[];
  /** Leases taken over from workers that went away. */
  readonly takenOver: number;
  /** The first ten of them, where the store knows them. */
  readonly takenFrom?: readonly TakenFrom[];
  /** There may be more that is due: claim again as soon as slots are free. Also where others were faster just now. */
  readonly more: boolean;
  /** Suspects that are due wait to be claimed `alone`. */
  readonly suspects: boolean;
  /** When the next scheduled job becomes due, as far as known. */
  readonly nextDueMs: number | null;
}

export interface TakenFrom {
  readonly id: JobId;
  readonly worker: string;
}

/** How many of the jobs that were taken over are named. */
export const TAKEN_TOLD = 10;

export interface Lost {
  readonly id: JobId;
  readonly kind: string;
  readonly attempt: number;
  readonly correlationId: string | null;
}

/**
 * `canceled`: it was to go back to the queue, but someone had asked for it to stop, so it ended CANCELED.
 * `already`: this very lease was settled before (a lost answer). `stale`: the job belongs to someone else.
 */
export type SettleAnswer = 'settled' | 'canceled' | 'already' | 'stale' | Refused | Unknown;

/**
 * The store does not know whether this settlement was written (a lost answer, a locked row), but has answers for the
 * others of the batch: this one alone is asked about again. A store that knows about none of them throws.
 */
export interface Unknown {
  readonly unknown: StoreUnavailable;
}

/** The effects could not be committed, and so nothing was. The lease still holds: the execution has failed. */
export interface Refused {
  readonly refused: FailureRecord;
}

/**
 * A running job that someone asked to cancel ends CANCELED when its worker would have put it back
 * (retry, defer, handBack): the request is never lost, and children that it wanted are not made. Done work stays done.
 */
export interface Settlement {
  readonly job: ClaimedJob;
  readonly outcome: SettledOutcome;
  /** Made in the same transaction, only if the lease still holds. */
  readonly children: readonly NewJob[];
}

export type SettledOutcome =
  | ({
      readonly move: 'succeed';
      readonly result: JsonText;
      readonly purgePayload: boolean;
      readonly effects: readonly Effect[];
    } & Logged)
  | ({
      readonly move: 'fail';
      readonly error: FailureRecord;
      readonly stack: string | null;
    } & Logged)
  | ({ readonly move: 'cancel' } & Logged)
  | ({
      readonly move: 'retry';
      readonly error: FailureRecord;
      readonly stack: string | null;
      readonly delayMs: number;
    } & Logged)
  | { readonly move: 'defer'; readonly payload: JsonText | null; readonly delayMs: number }
  | { readonly move: 'handBack' };

/** The log of the execution, kept with it. */
export interface Logged {
  readonly log?: readonly LogLine[];
}

export interface Selection {
  readonly select:
    | { readonly ids: readonly JobId[] }
    | { readonly filter: Filter; readonly limit: number };
}

export interface Canceled {
  /** Ended now. */
  readonly canceled: JobId[];
  /** Running; their workers were asked to stop them. */
  readonly requested: JobId[];
}

export interface ListParams {
  readonly filter: Filter;
  readonly limit: number;
  /** From the page before. Newest first, stable while jobs are added. */
  readonly cursor?: string;
}

export interface Count {
  readonly kind: string;
  readonly tenant: string;
  readonly state: JobState;
  readonly count: number;
  /** The number of QUEUED jobs that are not due yet. */
  readonly scheduled: number;
}

export interface Inspection {
  readonly job: Job;
  readonly now: number;
  readonly kindPaused: boolean;
  /** Due jobs of the same kind and tenant that come first, counted up to 1,000. */
  readonly ahead: number;
  /** Its worker was lost: it waits to run alone. */
  readonly suspect: boolean;
  readonly runningOfTenant: number;
}

export type Hint =
  | { readonly type: 'ready'; readonly kinds: readonly string[] }
  | { readonly type: 'cancel'; readonly leases: readonly Lease[] }
  /** Pauses have changed, or hints may have been missed: everyone looks for themselves. */
  | { readonly type: 'control' };
