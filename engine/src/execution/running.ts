import type { EventMap, JobEvent } from '../events.ts';
import type { ClaimedJob, Lease, LogLine, NewJob, Progress } from '../job.ts';
import type { JobKind } from '../kinds/kind.ts';
import type { Clock } from '../time/clock.ts';
import { storableText } from '../values/failure.ts';
import type { JsonText } from '../values/json.ts';
import { LogLines } from './log-lines.ts';

export type AbortReason = 'canceled' | 'timeout' | 'lease_lost' | 'shutdown';

/** How long a handler may clean up after an abort before the engine goes on without it. */
export const ABORT_GRACE_MS = 5_000;

/**
 * The state of one execution under way in this process: its lease, its progress, its children, and how it is aborted. A
 * class, since a thousand are made in a blink: as a closure for each method it was a third of the worker's time in
 * garbage collection.
 */
export class Running {
  readonly job: ClaimedJob;
  readonly kind: JobKind;
  readonly startedAt: number;
  /** Later by each wait that is over (`pauseTimeout`). */
  private timeoutAt: number;
  private waits = 0;
  private waitingSince = 0;
  /** Local and monotonic, a margin before the store could let the lease end. */
  deadline: number;
  /** The cursor of the last saved chunk. */
  cursor: JsonText | null;
  /** Attempts since the cursor last advanced. */
  attempt: number;
  /** The job's worker was lost while it ran, and nothing since has shown that the job does no harm. */
  isSuspect: boolean;
  abortReason: AbortReason | null = null;
  /** A suspect waits for this worker to be empty: work in chunks ends with its next one. */
  isAskedToYield = false;
  progress: Progress | null = null;
  savedProgress: Progress | null = null;
  /** A chunk is on its way. A progress must not overtake it: the store would take the chunk for an old one. */
  isSaving = false;
  /** The engine has gone on without the handler: nothing that it still does has an effect. */
  isOver = false;
  logLines: LogLines | null = null;
  private newChildren: NewJob[] | null = null;
  private steps = 0;
  private cancelGrace: () => void = NOTHING;
  private readonly clock: Clock;
  private readonly handler: HandlerRun;
  // Most jobs never look at their signal: it is made when first asked for.
  private controller: AbortController | null = null;

  constructor(job: ClaimedJob, kind: JobKind, clock: Clock, deadline: number, handler: HandlerRun) {
    this.handler = handler;
    this.job = job;
    this.kind = kind;
    this.clock = clock;
    this.startedAt = clock.now();
    this.timeoutAt = this.startedAt + kind.timeoutMs;
    this.deadline = deadline;
    this.cursor = job.cursor;
    this.attempt = job.attempt;
    this.isSuspect = job.suspect;
  }

  addChild(child: NewJob): void {
    (this.newChildren ??= []).push(child);
  }

  /** For the next chunk or the outcome. */
  takeChildren(): readonly NewJob[] {
    const children = this.newChildren ?? NO_CHILDREN;
    this.newChildren = null;
    return children;
  }

  /** The number of the next checkpoint. */
  nextStep(): number {
    this.steps += 1;
    return this.steps;
  }

  pauseTimeout(): () => void {
    if (this.waits === 0) this.waitingSince = this.clock.now();
    this.waits += 1;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.waits -= 1;
      if (this.waits === 0) this.timeoutAt += this.clock.now() - this.waitingSince;
    };
  }

  isTimedOut(now: number): boolean {
    return this.waits === 0 && now >= this.timeoutAt;
  }

  get signal(): AbortSignal {
    this.controller ??= new AbortController();
    if (this.abortReason !== null) this.controller.abort(abortError(this.abortReason));
    return this.controller.signal;
  }

  /** The first reason counts, unless the lease is lost: without it there is nothing left to write, nor to wait for. */
  abort(reason: AbortReason): void {
    if (this.isOver || this.abortReason === 'lease_lost') return;
    if (this.abortReason !== null && reason !== 'lease_lost') return;
    this.abortReason = reason;
    this.controller?.abort(abortError(reason));
    this.cancelGrace();
    this.cancelGrace = this.clock.after(reason === 'lease_lost' ? 0 : ABORT_GRACE_MS, () =>
      this.handler.giveUp(),
    );
  }

  /** Keeps a line with the execution. */
  note(at: number, level: LogLine['level'], text: string, step?: LogLine['step']): void {
    if (!this.isOver) (this.logLines ??= new LogLines()).add(at, level, text, step);
  }

  close(): void {
    this.isOver = true;
    this.cancelGrace();
  }
}

/** The handler of an execution. */
interface HandlerRun {
  /** The engine goes on without it: it has had its time to react to an abort. */
  giveUp(): void;
}

const NO_CHILDREN: readonly NewJob[] = [];
const NOTHING = (): void => {};

function abortError(reason: AbortReason): Error {
  const error = new Error(`The job was aborted: ${reason}.`);
  error.name = 'AbortError';
  return error;
}

/** The lease alone, of a job or an execution. */
export function leaseOf({ id, epoch, claim }: Lease): Lease {
  return { id, epoch, claim };
}

export function isSameLease(a: Lease, b: Lease): boolean {
  return a.id === b.id && a.epoch === b.epoch && a.claim === b.claim;
}

const NOTE_LIMIT = 1_000;

/**
 * The progress as a store can keep it. Characters that no store keeps are dropped from it, since a job must not fail
 * for its progress. A copy, since a handler may count up in one object and give it again and again.
 */
export function storableProgress({ done, total, note }: Progress): Progress {
  return {
    done: Number.isFinite(done) ? done : 0,
    ...(Number.isFinite(total) && { total: Number(total) }),
    ...(note !== undefined && { note: storableText(note, NOTE_LIMIT) }),
  };
}

export function jobEvent({ job, attempt: attempts }: Pick<Running, 'job' | 'attempt'>): JobEvent {
  return {
    id: job.id,
    kind: job.kind,
    tenant: job.tenant,
    attempt: attempts,
    correlationId: job.correlationId ?? job.id,
  };
}

export function progressEvent(
  running: Pick<Running, 'job' | 'attempt'>,
  { done, total }: Progress,
): EventMap['job.progress'] {
  return { ...jobEvent(running), done, total: total ?? null };
}

export function fencedEvent(
  { id, kind, correlationId }: ClaimedJob,
  write: EventMap['lease.fenced']['write'],
): EventMap['lease.fenced'] {
  return { id, kind, correlationId: correlationId ?? id, write };
}
