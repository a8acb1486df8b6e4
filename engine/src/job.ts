import type { FailureRecord } from './errors.ts';
import type { JsonText } from './values/json.ts';
import type { FinishedState, JobState } from './states.ts';

/** `<store>-<number>`: the prefix says which store has the job. */
export type JobId = string;

/** Proof of the right to write: every write of a running job names all three. */
export interface Lease {
  readonly id: JobId;
  /** Grows with each claim of the job, so it is also a fencing key for outside systems. */
  readonly epoch: number;
  /** The claim that gave the lease. It cannot come twice, as an epoch can where a fail-over lost commits. */
  readonly claim: number;
}

export interface Progress {
  readonly done: number;
  readonly total?: number;
  readonly note?: string;
}

/** A job to be made. The queue checks it; a store only writes it. */
export interface NewJob {
  readonly kind: string;
  readonly payload: JsonText;
  readonly maxAttempts: number;
  /** Empty: the only tenant. */
  readonly tenant: string;
  /** Higher first; null after every number. */
  readonly priority: number | null;
  /** Milliseconds since 1970, or a delay judged by the store's clock. */
  readonly due?: { readonly at: number } | { readonly afterMs: number };
  readonly key?: { readonly value: string; readonly windowMs: number };
  readonly correlationId?: string;
  readonly submitter?: string;
  /** Whom the data is about, for erasure. */
  readonly subject?: string;
  readonly webhook?: string;
  /** The jobs that made this one come about, by their kind. */
  readonly parents?: Readonly<Record<string, JobId>>;
  readonly schedule?: string;
  /** The W3C trace context of who asked for it. */
  readonly traceparent?: string;
}

export interface Job {
  readonly id: JobId;
  readonly kind: string;
  readonly tenant: string;
  readonly state: JobState;
  readonly priority: number | null;
  /** Null once purged or erased. */
  readonly payload: JsonText | null;
  /** Attempts so far, which count against `maxAttempts`: while one runs it is counted; a defer, a hand-back or a loss before it was begun gives it back. */
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly createdAt: number;
  readonly runAt: number;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  readonly worker: string | null;
  readonly leaseUntil: number | null;
  readonly cancelRequested: boolean;
  readonly result: JsonText | null;
  readonly error: FailureRecord | null;
  readonly cursor: JsonText | null;
  readonly progress: Progress | null;
  readonly key: string | null;
  readonly correlationId: string | null;
  readonly submitter: string | null;
  /** Null once erased. */
  readonly subject: string | null;
  readonly webhook: string | null;
  readonly parents: Readonly<Record<string, JobId>> | null;
  readonly schedule: string | null;
  readonly executions: readonly Execution[];
}

/** A job as lists have it: without the members that may be a megabyte each. */
export type JobSummary = Omit<Job, 'payload' | 'result' | 'cursor' | 'executions'>;

/** One execution of a job that did not end well at once, as it is kept: the last 20. */
export interface Execution {
  /** Counted from 1, as the handler saw it. */
  readonly attempt: number;
  readonly worker: string | null;
  readonly startedAt: number;
  readonly endedAt: number;
  /** `lost`: the worker stopped renewing its lease. `succeeded` stands only after others. */
  readonly outcome: 'succeeded' | 'failed' | 'retried' | 'canceled' | 'lost';
  readonly error: FailureRecord | null;
  /** With the stacks of its causes. */
  readonly stack: string | null;
  /** The epoch of its lease, where the store keeps it. */
  readonly epoch?: number | null;
  /** The lines that were logged, where the store keeps them. */
  readonly log?: readonly LogLine[] | null;
}

/** A line that a handler has logged, or the engine about it. */
export interface LogLine {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
  /** The end of a named step: which it was, and how long it took. */
  readonly step?: { readonly name: string; readonly ms: number };
}

/** How many executions of a job are kept. */
export const EXECUTIONS_KEPT = 20;

/** A claimed job: enough to run it, no more. */
export interface ClaimedJob extends Lease {
  readonly kind: string;
  readonly tenant: string;
  /** Null when it was erased while it waited. */
  readonly payload: JsonText | null;
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly priority: number | null;
  readonly createdAt: number;
  /** Since when it could have run, where the store says so. */
  readonly dueAt?: number;
  readonly cursor: JsonText | null;
  /** A worker was lost with it: it runs alone on its worker, and its lease is renewed before it begins. */
  readonly suspect: boolean;
  readonly correlationId: string | null;
  readonly submitter: string | null;
  readonly subject: string | null;
  readonly webhook: string | null;
  readonly parents: Readonly<Record<string, JobId>> | null;
  readonly traceparent: string | null;
}

/** A job at the moment it ends: the rules decide by it what follows. */
export interface FinishedJob {
  readonly id: JobId;
  readonly kind: string;
  readonly tenant: string;
  readonly payload: JsonText | null;
  /** The result of a job that succeeded; null once erased. */
  readonly result: JsonText | null;
  readonly state: FinishedState;
  readonly correlationId: string | null;
  readonly submitter: string | null;
  readonly subject: string | null;
  readonly webhook: string | null;
  readonly parents: Readonly<Record<string, JobId>> | null;
  readonly traceparent: string | null;
}
