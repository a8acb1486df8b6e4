import { drain } from './execution/chunks.ts';
import { type Ended, RETURNED_NOTHING, decide, failed, keepsChildren } from './execution/decide.ts';
import { Context, isGenerator, readJob } from './execution/handler.ts';
import type { Leases } from './execution/leases.ts';
import type { LogBook, LogLines, WriteLine } from './execution/log-lines.ts';
import { Running, fencedEvent, jobEvent, leaseOf } from './execution/running.ts';
import { type Settled, type Settler, type Settling, isRefused } from './execution/settler.ts';
import { JobFailure, StoreUnavailable } from './errors.ts';
import type { Events } from './events.ts';
import type { ClaimedJob, NewJob } from './job.ts';
import type { JobKind, Log } from './kinds/kind.ts';
import { isOutcome } from './kinds/outcome.ts';
import type { Registry } from './kinds/registry.ts';
import type { SettledOutcome, Store } from './port.ts';
import type { Clock, Random } from './time/clock.ts';

/** The parts that every execution of a worker works with. */
export interface ExecutorParts {
  readonly store: Store;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly random: Random;
  readonly events: Events;
  readonly leases: Leases;
  readonly settler: Settler;
  readonly leaseMs: number;
  readonly logFor: (job: ClaimedJob) => Log;
  readonly writeLine: WriteLine;
  readonly logBook: LogBook;
  /** Milliseconds since 1970, for people. */
  readonly wallClock: () => number;
  /** The third argument of a kind's `run`, by the kind's name. */
  readonly services: ReadonlyMap<string, unknown>;
  readonly tracing: Tracing | null;
}

/** Lets whoever runs the worker follow each execution. The engine does not know by what means. */
export interface Tracing {
  around(job: ClaimedJob, run: () => Promise<Ended>): Promise<Ended>;
  /** The W3C trace context of what runs now; children are linked to it. */
  current(): string | undefined;
}

/** The pool that gave the job a slot: called when the handler has ended, and when the outcome is written. */
export interface SlotOwner {
  freeSlot(kind: string): void;
  onSettled(kind: JobKind): void;
}

/**
 * The way of a claimed job, top to bottom: begin, run, end, conclude, answer. It never throws and never rejects. One
 * promise per job, the handler's own: with a promise per step a no-op job took 13 µs of the worker's time instead of 4
 * (docs/decisions/0004-speed.md).
 */
export class Execution implements Settling {
  readonly running: Running;
  /** A field and not a getter: stores copy settlements with a spread, which leaves getters out. */
  readonly job: ClaimedJob;
  outcome: SettledOutcome = HANDED_BACK;
  children: readonly NewJob[] = NO_CHILDREN;
  /** The outcome is written, or never will be because the lease is lost. */
  isSettled = false;
  private readonly parts: ExecutorParts;
  private readonly owner: SlotOwner;
  private traced: ((ended: Ended) => void) | null = null;

  constructor(
    parts: ExecutorParts,
    owner: SlotOwner,
    job: ClaimedJob,
    kind: JobKind,
    askedAt: number,
  ) {
    this.parts = parts;
    this.job = job;
    this.running = new Running(job, kind, parts.clock, parts.leases.deadlineOf(askedAt), this);
    this.owner = owner;
  }

  begin(): void {
    const { leases, events, tracing } = this.parts;
    leases.add(this.running);
    if (events.wants('job.started'))
      events.emit('job.started', { ...jobEvent(this.running), dueAt: this.job.dueAt ?? null });
    if (this.job.suspect) void this.beginSuspect();
    else if (tracing === null) this.run();
    else void this.runTraced(tracing);
  }

  /**
   * Renews the lease of a suspect before its handler runs: only a renewed lease counts as begun, so that a process
   * that dies now uses up an attempt of this job and not of its neighbours.
   */
  private async beginSuspect(): Promise<void> {
    const { store, leases, events, leaseMs, tracing, clock } = this.parts;
    const { running } = this;
    const askedAt = clock.now();
    try {
      const [answer = 'stale'] = await store.renew({ leases: [leaseOf(this.job)], leaseMs });
      if (answer === 'stale') leases.fence(running, 'renew');
      else running.deadline = Math.max(running.deadline, leases.deadlineOf(askedAt));
      if (answer === 'cancel') running.abort('canceled');
    } catch (error) {
      events.emit('store.failed', { during: 'renew', error });
      running.abort(error instanceof StoreUnavailable ? 'shutdown' : 'lease_lost');
    }
    if (running.abortReason !== null) this.ended({ type: 'gaveUp' });
    else if (tracing === null) this.run();
    else void this.runTraced(tracing);
  }

  private run(): void {
    const { parts, running } = this;
    const { kind } = running;
    try {
      const context = new Context(parts, running);
      const returned = kind.run(readJob(running), context, parts.services.get(kind.owner));
      const promised = isGenerator(returned) ? drain(parts, running, returned) : returned;
      // A job file in JavaScript may return anything.
      Promise.resolve(promised).then(
        (value) => this.returned(value),
        (thrown: unknown) => this.ended({ type: 'threw', thrown }),
      );
    } catch (thrown) {
      this.ended({ type: 'threw', thrown });
    }
  }

  /**
   * Runs the handler inside a span. An error of the tracing itself is dropped: it must not change how the job ends.
   */
  private async runTraced(tracing: Tracing): Promise<void> {
    const end = new Promise<Ended>((resolve) => {
      this.traced = resolve;
    });
    let isBegun = false;
    const run = (): Promise<Ended> => {
      if (!isBegun && !this.running.isOver) this.run();
      isBegun = true;
      return end;
    };
    try {
      await tracing.around(this.job, run);
    } catch {
      // see above
    }
    this.conclude(await run());
  }

  private returned(value: unknown): void {
    if (value === undefined) return this.ended(RETURNED_NOTHING);
    if (isOutcome(value)) return this.ended({ type: 'returned', outcome: value });
    const message = `The handler of "${this.job.kind}" returned neither done(…) nor defer(…).`;
    const thrown = new JobFailure('invalid_outcome', message, { retryable: false });
    this.ended({ type: 'threw', thrown });
  }

  giveUp(): void {
    this.ended({ type: 'gaveUp' });
  }

  /** The handler is over, or the engine goes on without it: the first of the two counts. */
  private ended(ended: Ended): void {
    if (this.running.isOver) return;
    this.running.close();
    this.parts.leases.remove(this.running);
    if (this.traced === null) this.conclude(ended);
    else this.traced(ended);
  }

  private conclude(ended: Ended): void {
    const { parts, running, owner } = this;
    owner.freeSlot(this.job.kind);
    const outcome = decide(parts, running, ended);
    if (running.logLines !== null) this.keepLog(running.logLines, outcome);
    if (outcome === null) {
      // The lease is gone: nothing may be written.
      this.isSettled = true;
      return;
    }
    if (keepsChildren(outcome)) this.children = running.takeChildren();
    this.settle(outcome);
  }

  /** Its lines and how it ended, for whoever looks at the job while this process lives. */
  private keepLog(lines: LogLines, outcome: SettledOutcome | null): void {
    const { wallClock, logBook } = this.parts;
    if (outcome?.move === 'fail' || outcome?.move === 'retry') {
      const { code, message } = outcome.error;
      const again =
        outcome.move === 'retry' ? `; next attempt in ${outcome.delayMs / 1_000} s` : '';
      lines.add(wallClock(), 'error', `${code}: ${message}${again}`);
    }
    logBook.keep(this.job.id, lines.all());
  }

  private settle(outcome: SettledOutcome): void {
    this.outcome = logged(this.running, outcome);
    this.parts.settler.settle(this);
  }

  /** The store's answer to the outcome. A refused one is settled again, as a failure. */
  answer(answer: Settled): void {
    const { parts, running } = this;
    if (isRefused(answer) && this.outcome.move === 'succeed') {
      const { code, message, retryable } = answer.refused;
      this.children = NO_CHILDREN;
      return this.settle(failed(parts, running, new JobFailure(code, message, { retryable })));
    }
    this.isSettled = true;
    if (answer === 'stale' || isRefused(answer))
      parts.events.emit('lease.fenced', fencedEvent(this.job, 'settle'));
    else report(parts, running, this.outcome, answer);
    this.owner.onSettled(running.kind);
  }
}

/** Adds what the execution has logged, where its kind wants that to be kept. */
function logged({ logLines, kind }: Running, outcome: SettledOutcome): SettledOutcome {
  if (logLines === null || kind.keepLog === 'off') return outcome;
  const { move } = outcome;
  if (move === 'defer' || move === 'handBack') return outcome;
  return move === 'succeed' && kind.keepLog !== 'all'
    ? outcome
    : { ...outcome, log: logLines.stored() };
}

const HANDED_BACK: SettledOutcome = { move: 'handBack' };
const NO_CHILDREN: readonly NewJob[] = [];

/**
 * Hands a job back that was claimed and not begun: its attempt is given back. Resolves when that is written, or never
 * will be.
 */
export function handBack({ settler, events }: ExecutorParts, job: ClaimedJob): Promise<void> {
  return new Promise((resolve) => {
    settler.settle({
      job,
      outcome: HANDED_BACK,
      children: NO_CHILDREN,
      answer(answer) {
        if (answer === 'stale' || isRefused(answer))
          events.emit('lease.fenced', fencedEvent(job, 'settle'));
        else
          events.emit(answer === 'canceled' ? 'job.canceled' : 'job.handedBack', {
            ...jobEvent({ job, attempt: job.attempt }),
            durationMs: 0,
          });
        resolve();
      },
    });
  });
}

function report(
  { clock, events }: ExecutorParts,
  running: Running,
  outcome: SettledOutcome,
  answer: Exclude<Settled, 'stale'>,
): void {
  if (outcome.move === 'succeed' && answer === 'settled' && !events.wants('job.succeeded')) return;
  const event = { ...jobEvent(running), durationMs: clock.now() - running.startedAt };
  if (answer === 'canceled') return events.emit('job.canceled', event);
  if (typeof answer === 'object' && 'code' in answer)
    return events.emit('job.failed', { ...event, error: answer, stack: null });
  switch (outcome.move) {
    case 'succeed':
      return events.emit('job.succeeded', event);
    case 'fail':
      return events.emit('job.failed', { ...event, error: outcome.error, stack: outcome.stack });
    case 'retry':
      return events.emit('job.retrying', {
        ...event,
        error: outcome.error,
        stack: outcome.stack,
        delayMs: outcome.delayMs,
      });
    case 'defer':
      return events.emit('job.deferred', { ...event, delayMs: outcome.delayMs });
    case 'cancel':
      return events.emit('job.canceled', event);
    case 'handBack':
      return events.emit('job.handedBack', event);
  }
}
