import type { FailureRecord } from './errors.ts';
import type {
  ClaimedJob,
  FinishedJob,
  Job,
  JobId,
  JobSummary,
  Lease,
  NewJob,
  Progress,
} from './job.ts';
import type { JsonText } from './json.ts';
import type { Effect } from './outcome.ts';
import type { JobState } from './states.ts';

/**
 * What the engine needs of a store: verbs on batches, each with one params object. A store throws
 * `StoreUnavailable` when it cannot tell whether a write happened, and anything else when the data is
 * at fault.
 */
export interface Store {
  /** The prefix of its job ids. */
  readonly name: string;
  readonly can: Capabilities;
  /** Outcomes are gathered so long before they are written: worth it where a write is a call that someone counts. */
  readonly gatherMs?: number;

  /** The store's own clock, milliseconds since 1970. */
  now(): Promise<number>;

  enqueue(params: EnqueueParams): Promise<Enqueued[]>;
  claim(params: ClaimParams): Promise<Claimed>;
  renew(params: { leases: readonly Lease[]; leaseMs: number }): Promise<RenewAnswer[]>;
  settle(params: { settlements: readonly Settlement[] }): Promise<SettleAnswer[]>;
  checkpoint(params: {
    checkpoints: readonly Checkpoint[];
    leaseMs: number;
  }): Promise<RenewAnswer[]>;

  /** By hand. Queued and failed jobs end at once; running ones are asked to. */
  cancel(params: Selection): Promise<Canceled>;
  /** By hand: failed and cancelled jobs start over with fresh attempts, keeping their cursor. */
  retry(params: Selection): Promise<{ retried: number; ids: JobId[] }>;

  get(params: { id: JobId }): Promise<Job | null>;
  list(params: ListParams): Promise<{ jobs: JobSummary[]; next: string | null }>;
  /** Of these jobs, in any order. Ids that mean nothing here are left out. */
  summaries(params: { ids: readonly JobId[] }): Promise<JobSummary[]>;
  /** Never scans the history. */
  counts(): Promise<Count[]>;
  /** What `explain` needs beyond the job itself. */
  inspect(params: { id: JobId }): Promise<Inspection | null>;

  /** Hints that make things faster; nothing depends on their arrival. */
  watch(listener: (hint: Hint) => void): () => void;
  /** To every process that watches, this one too, in the same order for all. */
  announce(params: { hint: Announcement }): Promise<void>;

  pause(params: { kind: string; by: string | null }): Promise<boolean>;
  resume(params: { kind: string }): Promise<boolean>;
  paused(): Promise<{ kind: string; by: string | null; since: number }[]>;

  /** Every schedule the process knows; a new one starts counting now. */
  syncSchedules(params: { schedules: readonly ScheduleRecord[] }): Promise<ScheduleStatus[]>;
  schedules(): Promise<ScheduleStatus[]>;
  /** Takes the tick for this store, once over all replicas; with `job` null it is only passed over. */
  fire(params: FireParams): Promise<Fired>;

  reportWorker(params: WorkerReport): Promise<void>;
  workers(): Promise<(WorkerReport & { seenAt: number })[]>;

  /** One step of a sweep that removes finished jobs whose time is over, and what hangs on them. */
  prune(params: PruneParams): Promise<Pruned>;
  /** Closes gates whose parents did not all come in time. */
  closeGates(params: { limit: number }): Promise<ClosedGate[]>;
  /** Empties payload, result, cursor and error text of every job about the subject. */
  erase(params: { subject: string }): Promise<number>;

  /** What someone is about to do, before it is done: nothing happens without a trace. Gives the entry's id. */
  audit(params: { entry: AuditEntry }): Promise<string>;
  /** How it ended. An entry without an end is one whose process went away in between. */
  auditEnd(params: { id: string; end: AuditEnd }): Promise<void>;
  /** Newest first. */
  auditLog(params: AuditParams): Promise<{ entries: AuditRecord[]; next: string | null }>;

  /** Housekeeping of the store's own, called every few seconds by each worker. */
  maintain?(): Promise<void>;

  close(): Promise<void>;
}

export interface Capabilities {
  readonly notify: boolean;
  readonly dependencies: boolean;
  readonly checkpoint: boolean;
  readonly schedules: boolean;
  /** `enqueue` can join the caller's own transaction. */
  readonly transactions: boolean;
  /** Commits the effects of `done` together with the settling. */
  readonly effects: boolean;
  /** Keeps the jobs of several tenants apart, and lets them take turns. */
  readonly tenants: boolean;
  /** Keeps what is not a job: pauses, workers, the audit log, announcements. */
  readonly control: boolean;
  /** No epoch was ever given to another job of the store either. */
  readonly storeEpochs: boolean;
  /** Megabytes in a payload, and any character in a name. */
  readonly anyText: boolean;
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

export interface EnqueueParams {
  readonly jobs: readonly NewJob[];
  /** The caller's own transaction, of the store's kind (`pg.ClientBase`, PGlite `Transaction`). */
  readonly transaction?: unknown;
}

export interface Enqueued {
  readonly id: JobId;
  /** False when a job with the same key was there already. */
  readonly created: boolean;
}

export interface ClaimParams {
  readonly worker: string;
  /** Unique per claim of the worker: after a lost answer the same id with `replay` returns the same leases. */
  readonly claimId: string;
  readonly replay?: boolean;
  readonly wants: readonly Want[];
  /** At most so many over all kinds. */
  readonly limit: number;
  readonly leaseMs: number;
  readonly minPriority?: number;
}

export interface Want {
  readonly kind: string;
  readonly limit: number;
  /** Running jobs of one tenant over all replicas. */
  readonly tenantLimit?: number;
}

export interface Claimed {
  readonly jobs: ClaimedJob[];
  /** The store's clock at the claim. */
  readonly now: number;
  /** Jobs that took their last worker with them; they are FAILED (`worker_lost`) now. */
  readonly lost: Lost[];
  /** Leases taken over from workers that went away. */
  readonly takenOver: number;
  /** There may be more that is due: claim again as soon as slots are free. */
  readonly more: boolean;
  /** When the next scheduled job becomes due, as far as known. */
  readonly nextDueMs: number | null;
}

export interface Lost {
  readonly id: JobId;
  readonly kind: string;
  readonly attempt: number;
  readonly correlationId: string | null;
}

/** `cancel`: renewed or saved, and someone asked for the job to stop. */
export type RenewAnswer = 'renewed' | 'cancel' | 'stale';

/** `already`: this very epoch was settled before (a lost answer). `stale`: the job belongs to someone else. */
export type SettleAnswer = 'settled' | 'already' | 'stale' | Refused;

/** The effects could not be committed, and so nothing was. The lease still holds: the execution has failed. */
export interface Refused {
  readonly refused: FailureRecord;
}

/**
 * A running job that someone asked to cancel ends CANCELED when its worker would have put it back
 * (retry, defer, handBack): the request is never lost. Done work stays done.
 */
export interface Settlement {
  readonly job: ClaimedJob;
  readonly outcome: SettledOutcome;
  /** Made in the same transaction, only if the lease still holds. */
  readonly children: readonly NewJob[];
}

export type SettledOutcome =
  | {
      readonly move: 'succeed';
      readonly result: JsonText;
      readonly purgePayload: boolean;
      readonly effects: readonly Effect[];
    }
  | { readonly move: 'fail'; readonly error: FailureRecord }
  | { readonly move: 'cancel' }
  | { readonly move: 'retry'; readonly error: FailureRecord; readonly delayMs: number }
  | { readonly move: 'defer'; readonly payload: JsonText | null; readonly delayMs: number }
  | { readonly move: 'handBack' };

export interface Checkpoint {
  readonly lease: Lease;
  /** Counts the checkpoints of a lease from 1. One that comes again, or late, only renews: all else is there already. */
  readonly step: number;
  /** Left out: progress only. An advanced cursor starts the attempts anew. */
  readonly cursor?: JsonText;
  readonly progress?: Progress;
  readonly children: readonly NewJob[];
}

export interface Filter {
  readonly state?: JobState;
  readonly kind?: string;
  readonly tenant?: string;
  readonly key?: string;
  readonly correlationId?: string;
  readonly errorCode?: string;
  readonly createdAfter?: number;
  readonly createdBefore?: number;
}

export interface Selection {
  readonly select:
    | { readonly ids: readonly JobId[] }
    | { readonly filter: Filter; readonly limit: number };
}

export interface Canceled {
  /** Ended now. */
  readonly canceled: JobId[];
  /** Running; their workers were told. */
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
}

export interface Inspection {
  readonly job: Job;
  readonly now: number;
  readonly kindPaused: boolean;
  /** Due jobs of the same kind and tenant that come first, counted up to 1,000. */
  readonly ahead: number;
  readonly runningOfTenant: number;
}

export type Hint =
  | { readonly type: 'ready'; readonly kinds: readonly string[] }
  | { readonly type: 'cancel'; readonly leases: readonly Lease[] }
  | { readonly type: 'control' }
  | Announcement;

/** What processes tell each other for the people who watch. */
export type Announcement =
  /** Jobs that are not as they were. `mark` is unique, and names the place in the order of all announcements. */
  | {
      readonly type: 'changed';
      readonly mark: string;
      readonly jobs: readonly JobId[];
      /** There were others: too many to name. */
      readonly more: boolean;
    }
  /** Someone watches: tell what changes. */
  | { readonly type: 'interest' };

export interface ScheduleRecord {
  readonly name: string;
  readonly cron: string;
  readonly timeZone: string;
  readonly kind: string;
}

export interface ScheduleStatus extends ScheduleRecord {
  readonly lastTick: number;
  readonly lastJob: JobId | null;
}

export interface FireParams {
  readonly schedule: string;
  readonly tick: number;
  readonly job: NewJob | null;
  /** Pass the tick over while the previous job of the schedule is alive. */
  readonly skipOverlap: boolean;
}

export type Fired =
  | { readonly type: 'fired'; readonly id: JobId }
  | { readonly type: 'passed' }
  | { readonly type: 'overlap'; readonly id: JobId }
  /** Another replica had it. */
  | { readonly type: 'taken' };

export interface WorkerReport {
  readonly worker: string;
  readonly kinds: readonly string[];
  readonly stats: JsonText;
}

/** An action of a person, or of a program with a token. */
export interface AuditEntry {
  /** Who. */
  readonly actor: string;
  /** What: the name of the route. */
  readonly action: string;
  /** On which job, kind or worker; null where a filter says it. */
  readonly target: string | null;
  readonly filter: JsonText | null;
  readonly correlationId: string;
}

export interface AuditEnd {
  readonly outcome: 'done' | 'refused';
  /** How many jobs it changed, where it is about jobs. */
  readonly count: number | null;
}

export interface AuditRecord extends AuditEntry {
  readonly id: string;
  readonly at: number;
  readonly outcome: 'started' | AuditEnd['outcome'];
  readonly count: number | null;
}

export interface AuditParams {
  readonly filter: {
    readonly actor?: string;
    readonly action?: string;
    readonly target?: string;
    /** From this moment on … */
    readonly after?: number;
    /** … up to but without this one. */
    readonly before?: number;
  };
  readonly limit: number;
  readonly cursor?: string;
}

/** How long a job is kept after its end, in milliseconds. */
export interface Keep {
  readonly SUCCEEDED: number;
  readonly FAILED: number;
  readonly CANCELED: number;
}

export interface PruneParams {
  readonly keep: Readonly<Record<string, Keep>>;
  /** For kinds that this process does not know (any more). */
  readonly otherwise: Keep;
}

export interface Pruned {
  readonly count: number;
  /** The sweep goes on: call again. */
  readonly more: boolean;
}

export interface ClosedGate {
  readonly rule: string;
  readonly key: string;
  readonly arrived: Readonly<Record<string, JobId>>;
}
