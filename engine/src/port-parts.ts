import type { Job, JobId, JobSummary, Lease, NewJob, Progress } from './job.ts';
import type { FinishedState } from './states.ts';
import type { JsonText } from './values/json.ts';

/** The optional parts of a store, beyond the life of a job; it has each as a whole or not at all: see `Store` in port.ts. */

/** Jobs that work in chunks. */
export interface ChunkPart {
  checkpoint(params: {
    checkpoints: readonly Checkpoint[];
    leaseMs: number;
  }): Promise<RenewAnswer[]>;
}

/** Children, and what follows from a job's end (`Dependants`), written in the transaction that ends it. */
export interface FollowerPart {
  /** Closes gates whose parents did not all come in time. */
  closeGates(params: { limit: number }): Promise<ClosedGate[]>;
  /** Jobs that name this one among their parents and have its correlation id (or its id, where it has none), newest first. */
  children(params: { of: Pick<Job, 'id' | 'correlationId'>; limit: number }): Promise<JobSummary[]>;
  /** Gates that one of these jobs has arrived at and that have not opened. */
  gates(params: { arrived: readonly JobId[]; limit: number }): Promise<OpenGate[]>;
}

/** Cron, taken by one replica per tick. */
export interface SchedulePart {
  /** Every schedule the process knows; a new one starts counting now. */
  sync(params: { schedules: readonly ScheduleRecord[] }): Promise<ScheduleStatus[]>;
  all(): Promise<ScheduleStatus[]>;
  /**
   * Takes a tick, once over all replicas, and makes `job` with it; with `job` null the tick is only passed over. A
   * last tick more than `TICK_AHEAD_MS` ahead of the store's clock was taken while that clock was wrong, and holds up
   * no tick that is due now.
   */
  fire(params: FireParams): Promise<Fired>;
  /** Ticks are passed over from now on. False: it was paused already, or the store does not know it. */
  pause(params: { name: string } & HeldBy): Promise<boolean>;
  resume(params: { name: string }): Promise<boolean>;
  /**
   * Forgets a schedule that nobody declares any more, with its pause; its jobs stay. One that a process still declares is
   * there again with its next sync, and counts from then. False: the store does not know it.
   */
  remove(params: { name: string }): Promise<boolean>;
}

/** Who holds something back, and why. */
export interface HeldBy {
  readonly by: string | null;
  readonly reason?: string | null;
}

export interface Held {
  readonly since: number;
  readonly by: string | null;
  readonly reason: string | null;
}

/** Pauses of kinds, and what is known of workers. */
export interface ControlPart {
  pause(params: { kind: string } & HeldBy): Promise<boolean>;
  resume(params: { kind: string }): Promise<boolean>;
  paused(): Promise<(Held & { kind: string })[]>;
  reportWorker(params: WorkerReport): Promise<void>;
  /**
   * All workers of the last hour, with the moment (the store's clock) of their last report. One that was silent for longer is
   * removed with the next report of another one.
   */
  workers(): Promise<KnownWorker[]>;
  /** Sets what a worker should do, which it finds by the hint `control` or with its next report. False: nothing to change. */
  steer(params: { worker: string; to: WorkerAim } & HeldBy): Promise<boolean>;
  /** All workers that should do something other than run. */
  steered(): Promise<Steered[]>;
}

export interface KnownWorker extends WorkerReport {
  readonly seenAt: number;
  /** How many jobs of each kind it holds a lease for in this store, now: its own report may be seconds old, or its last. */
  readonly running: Readonly<Record<string, number>>;
}

/** Housekeeping of the store's own. */
export interface UpkeepPart {
  /** One step of a sweep that removes finished jobs whose time is over, and what hangs on them. */
  prune(params: PruneParams): Promise<Pruned>;
  /** Called every few seconds by each worker. */
  maintain(): Promise<void>;
}

/** Drained: paused, and what works in chunks is handed back after the next one. */
export type WorkerAim = 'running' | 'paused' | 'drained';

export interface Steered extends Held {
  readonly worker: string;
  readonly to: Exclude<WorkerAim, 'running'>;
}

/** Actions on one job that has ended, beyond its life. */
export interface AmendPart {
  /**
   * Retries a failed or cancelled job with other data, from the beginning: a cursor points into the data before. False: it
   * is not there, not in such a state, or was erased.
   */
  retryWith(params: { id: JobId; payload: JsonText }): Promise<boolean>;
  /** Removes a job that has ended, with all that is kept of it. False: it is not there, or has not ended. */
  remove(params: { id: JobId }): Promise<boolean>;
}

/** Actions on the order of jobs that wait. */
export interface RearrangePart {
  /** Gives jobs that wait another priority. Gives those that it changed, with the priority that each had. */
  prioritize(params: {
    ids: readonly JobId[];
    priority: number | null;
  }): Promise<{ id: JobId; before: number | null }[]>;
  /**
   * Takes a cancel back: cancelled jobs wait again as they did before, for the moment that they were to run at, with the
   * attempts that they had (and one at the least). Gives those that wait again.
   */
  restore(params: { ids: readonly JobId[] }): Promise<JobId[]>;
}

export interface Checkpoint {
  readonly lease: Lease;
  /**
   * Numbers the checkpoints of a lease from 1. A checkpoint that comes twice, or after a later one, only renews the
   * lease: its cursor and children are written already.
   */
  readonly step: number;
  /** Left out: progress only. A cursor that moves on starts the attempts again, and clears a suspect. */
  readonly cursor?: JsonText;
  readonly progress?: Progress;
  readonly children: readonly NewJob[];
}

export interface ScheduleRecord {
  readonly name: string;
  readonly cron: string;
  readonly timeZone: string;
  readonly kind: string;
}

export interface ScheduleStatus extends ScheduleRecord {
  readonly lastTick: number;
  readonly lastJob: JobId | null;
  readonly paused: Held | null;
}

export interface FireParams {
  readonly schedule: string;
  /** Null: someone wants it now. No tick is taken then, and a pause does not matter. */
  readonly tick: number | null;
  readonly job: NewJob | null;
  /** Pass the tick over while the previous job of the schedule is alive. */
  readonly skipOverlap: boolean;
  /** With `skipOverlap`: the tick is not passed over but left where it is, to be fired when the previous job has ended. */
  readonly keepOverlap?: boolean;
}

/** How far a store's clock may be set back without a tick coming twice. */
export const TICK_AHEAD_MS = 60_000;

export type Fired =
  | { readonly type: 'fired'; readonly id: JobId }
  | { readonly type: 'passed' }
  /** The previous job is alive. The tick is passed over, unless `keepOverlap` leaves it for later. */
  | { readonly type: 'overlap'; readonly id: JobId }
  /** The tick is passed over, since the schedule is paused. */
  | { readonly type: 'paused' }
  /** Another replica had it. */
  | { readonly type: 'taken' }
  /** The store has lost the schedule, in a fail-over or by hand: it has to be synced again. */
  | { readonly type: 'unknown' };

export interface WorkerReport {
  readonly worker: string;
  readonly kinds: readonly string[];
  readonly stats: JsonText;
}

/** How long a job is kept after its end, in milliseconds. */
export type Keep = Readonly<Record<FinishedState, number>>;

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

export interface OpenGate extends ClosedGate {
  readonly closesAt: number;
}

/** `cancel`: renewed or saved, and someone asked for the job to stop. */
export type RenewAnswer = 'renewed' | 'cancel' | 'stale';
