import { drain, isGenerator } from './execution/chunks.ts';
import { type Ended, RETURNED_NOTHING, decide, failed, keepsChildren } from './execution/decide.ts';
import { JobFailure, StoreUnavailable } from './errors.ts';
import type { ExecutorParts, Tracing } from './execution/parts.ts';
import { Context, readJob } from './execution/handler.ts';
import type { ClaimedJob, NewJob } from './job.ts';
import type { JobKind } from './kinds/kind.ts';
import { leaseOf } from './execution/lease.ts';
import type { LogLines } from './execution/log-lines.ts';
import { isOutcome } from './kinds/outcome.ts';
import type { SettledOutcome } from './port.ts';
import { Running, fencedEvent, jobEvent } from './execution/running.ts';
import { type Settled, isRefused } from './execution/persist.ts';
import type { Settling } from './execution/writer.ts';

/** The pool that gave the job a slot: called when the handler has ended, and when the outcome is written. */
export interface SlotOwner {
  freeSlot(kind: string): void;
  onSettled(kind: JobKind): void;
}

/**
 * The way of a claimed job, top to bottom: begin, run, end, conclude, answer. It never throws and never rejects. One
 * object and one promise per job, the handler's own: with a promise per step a no-op job took 13 µs of the worker's
 * time instead of 4 (docs/decisions/0004-speed.md).
 */
export class Execution extends Running implements Settling {
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
    super(job, kind, parts.clock, parts.leases.deadlineOf(askedAt));
    this.parts = parts;
    this.owner = owner;
  }

  begin(): void {
    const { leases, events, tracing } = this.parts;
    leases.add(this);
    if (events.wants('job.started'))
      events.emit('job.started', { ...jobEvent(this), dueAt: this.job.dueAt ?? null });
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
    const askedAt = clock.now();
    try {
      const [answer = 'stale'] = await store.renew({ leases: [leaseOf(this.job)], leaseMs });
      if (answer === 'stale') leases.fence(this, 'renew');
      else this.deadline = Math.max(this.deadline, leases.deadlineOf(askedAt));
      if (answer === 'cancel') this.abort('canceled');
    } catch (error) {
      events.emit('store.failed', { during: 'renew', error });
      this.abort(error instanceof StoreUnavailable ? 'shutdown' : 'lease_lost');
    }
    if (this.abortReason !== null) this.ended({ type: 'gaveUp' });
    else if (tracing === null) this.run();
    else void this.runTraced(tracing);
  }

  private run(): void {
    try {
      const returned = this.kind.run(
        readJob(this),
        new Context(this.parts, this),
        this.parts.services.get(this.kind.owner),
      );
      const promised = isGenerator(returned) ? drain(this.parts, this, returned) : returned;
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
      if (!isBegun && !this.isOver) this.run();
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
    const message = `The handler of "${this.kind.kind}" returned neither done(…) nor defer(…).`;
    const thrown = new JobFailure('invalid_outcome', message, { retryable: false });
    this.ended({ type: 'threw', thrown });
  }

  giveUp(): void {
    this.ended({ type: 'gaveUp' });
  }

  /** The handler is over, or the engine goes on without it: the first of the two counts. */
  private ended(ended: Ended): void {
    if (this.isOver) return;
    this.close();
    this.parts.leases.remove(this);
    if (this.traced === null) this.conclude(ended);
    else this.traced(ended);
  }

  private conclude(ended: Ended): void {
    this.owner.freeSlot(this.job.kind);
    const outcome = decide(this.parts, this, ended);
    if (this.logLines !== null) this.keepLog(this.logLines, outcome);
    if (outcome === null) {
      // The lease is gone: nothing may be written.
      this.isSettled = true;
      return;
    }
    if (keepsChildren(outcome)) this.children = this.takeChildren();
    this.settle(outcome);
  }

  /** With how it ended, for whoever looks at the job while this process lives. */
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
    this.outcome = logged(this, outcome);
    this.parts.settler.settle(this);
  }

  /** What the store made of the outcome. A refused one is settled again, as a failure. */
  answer(answer: Settled): void {
    if (isRefused(answer) && this.outcome.move === 'succeed') {
      const { code, message, retryable } = answer.refused;
      this.children = NO_CHILDREN;
      return this.settle(failed(this.parts, this, new JobFailure(code, message, { retryable })));
    }
    this.isSettled = true;
    if (answer === 'stale' || isRefused(answer))
      this.parts.events.emit('lease.fenced', fencedEvent(this.job, 'settle'));
    else report(this.parts, this, answer);
    this.owner.onSettled(this.kind);
  }
}

/** What the execution has logged, where its kind wants that to be kept with it. */
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
  execution: Execution,
  answer: Exclude<Settled, 'stale'>,
): void {
  const { outcome, startedAt } = execution;
  if (outcome.move === 'succeed' && answer === 'settled' && !events.wants('job.succeeded')) return;
  const event = { ...jobEvent(execution), durationMs: clock.now() - startedAt };
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
