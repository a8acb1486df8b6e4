import type { Clock, Random } from './clock.ts';
import { drain, isGenerator } from './chunks.ts';
import { type Ended, decide, failed, keepsChildren } from './decide.ts';
import { JobFailure, MillraceError } from './errors.ts';
import type { Events } from './events.ts';
import type { ClaimedJob, Lease } from './job.ts';
import type { JobContext, JobKind, Log, RunningJob } from './kind.ts';
import { type Leases, leaseOf } from './leases.ts';
import { done, isOutcome } from './outcome.ts';
import type { Refused, SettledOutcome, Store } from './port.ts';
import { storableProgress } from './progress.ts';
import type { Registry } from './registry.ts';
import { misfit, newJob } from './request.ts';
import { Running, fencedEvent, jobEvent } from './running.ts';
import type { Settled, Settler } from './settler.ts';

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
  readonly tracing: Tracing | null;
}

/** Lets whoever runs the worker follow each execution. The engine does not know by what means. */
export interface Tracing {
  around(job: ClaimedJob, run: () => Promise<Ended>): Promise<Ended>;
  /** The W3C trace context of what runs now; children are linked to it. */
  current(): string | undefined;
}

/** The way of a claimed job, top to bottom. Never rejects. `freeSlot` is called when the handler is over. */
export async function execute(
  parts: ExecutorParts,
  job: ClaimedJob,
  kind: JobKind,
  askedAt: number,
  freeSlot: (kind: string) => void,
): Promise<void> {
  const { clock, leases, settler, events, tracing } = parts;
  const running = new Running({ job, kind, clock, deadline: leases.deadlineOf(askedAt) });
  leases.add(running);
  if (events.wants('job.started')) events.emit('job.started', jobEvent(running));

  const ended =
    tracing === null
      ? await attempt(parts, running)
      : await tracing.around(job, () => attempt(parts, running));
  running.end();
  leases.remove(running);
  freeSlot(job.kind);

  let outcome = decide(parts, running, ended);
  if (outcome === null) return;
  let answer = await settler.settle({
    job,
    outcome,
    children: keepsChildren(outcome) ? running.takeChildren() : [],
  });
  if (isRefused(answer)) {
    const { code, message, retryable } = answer.refused;
    outcome = failed(parts, running, new JobFailure(code, message, { retryable }));
    answer = await settler.settle({ job, outcome, children: [] });
  }
  if (answer === 'stale' || isRefused(answer))
    events.emit('lease.fenced', fencedEvent(job, 'settle'));
  else tell(parts, running, typeof answer === 'object' ? { move: 'fail', error: answer } : outcome);
}

/** The handler is done, but what it asked the store to do with it cannot be. */
function isRefused(answer: Settled): answer is Refused {
  return typeof answer === 'object' && 'refused' in answer;
}

/** For a claim whose answer came too late to begin: its attempts are given back. */
export async function handBack({ settler, events }: ExecutorParts, job: ClaimedJob): Promise<void> {
  const answer = await settler.settle({ job, outcome: { move: 'handBack' }, children: [] });
  if (answer === 'stale' || isRefused(answer))
    events.emit('lease.fenced', fencedEvent(job, 'settle'));
  else events.emit('job.handedBack', { ...jobEvent({ job, attempt: job.attempt }), durationMs: 0 });
}

/** Ends with the handler, or without it when it does not react to an abort. */
function attempt(parts: ExecutorParts, running: Running): Promise<Ended> {
  return new Promise((resolve) => {
    running.giveUp = () => resolve({ type: 'gaveUp' });
    void invoke(parts, running, resolve);
  });
}

async function invoke(
  parts: ExecutorParts,
  running: Running,
  end: (ended: Ended) => void,
): Promise<void> {
  const { kind } = running;
  try {
    const returned = kind.run(readJob(running), new Context(parts, running));
    const value = isGenerator(returned) ? await drain(parts, running, returned) : await returned;
    if (value !== undefined && !isOutcome(value)) {
      throw new JobFailure(
        'invalid_outcome',
        `The handler of "${kind.kind}" returned neither done(…) nor defer(…).`,
        { retryable: false },
      );
    }
    end({ type: 'returned', outcome: value ?? done() });
  } catch (thrown) {
    end({ type: 'threw', thrown });
  }
}

function readJob({ job, kind, attempt: attempts }: Running): RunningJob<unknown> {
  const parsed = kind.input.safeParse(JSON.parse(job.payload));
  if (!parsed.success) {
    throw new JobFailure('validation_error', misfit(kind.kind, parsed.error), { retryable: false });
  }
  return {
    id: job.id,
    kind: job.kind,
    data: parsed.data,
    tenant: job.tenant,
    attempt: attempts,
    maxAttempts: job.maxAttempts,
    createdAt: job.createdAt,
    cursor: job.cursor === null ? null : JSON.parse(job.cursor),
    correlationId: job.correlationId ?? job.id,
    submitter: job.submitter,
    parents: job.parents ?? {},
  };
}

/** Getters, so that nothing is made that a handler does not ask for, and it may take the context apart. */
class Context implements JobContext {
  private readonly parts: ExecutorParts;
  private readonly running: Running;
  private ownLog: Log | null = null;

  constructor(parts: ExecutorParts, running: Running) {
    this.parts = parts;
    this.running = running;
  }

  get signal(): AbortSignal {
    return this.running.signal;
  }

  get lease(): Lease {
    return leaseOf(this.running);
  }

  get log(): Log {
    return (this.ownLog ??= this.parts.logFor(this.running.job));
  }

  get enqueue(): JobContext['enqueue'] {
    const { parts, running } = this;
    const { tenant, correlationId, id, submitter } = running.job;
    const inherited = {
      tenant,
      correlationId: correlationId ?? id,
      ...(submitter !== null && { submitter }),
    };
    return (request) => {
      if (running.isOver) {
        throw new MillraceError(
          'illegal_transition',
          `The job ${id} is over and makes no more children. Await what enqueues them.`,
        );
      }
      const traceparent = parts.tracing?.current() ?? running.job.traceparent;
      const asked = { ...inherited, ...(traceparent !== null && { traceparent }), ...request };
      running.addChild(newJob(parts.registry, asked, null));
    };
  }

  get progress(): JobContext['progress'] {
    return (progress) => {
      this.running.progress = storableProgress(progress);
    };
  }

  get get(): JobContext['get'] {
    return (id) => this.parts.store.get({ id });
  }
}

function tell({ clock, events }: ExecutorParts, running: Running, outcome: SettledOutcome): void {
  if (outcome.move === 'succeed' && !events.wants('job.succeeded')) return;
  const event = { ...jobEvent(running), durationMs: clock.now() - running.startedAt };
  switch (outcome.move) {
    case 'succeed':
      return events.emit('job.succeeded', event);
    case 'fail':
      return events.emit('job.failed', { ...event, error: outcome.error });
    case 'retry':
      return events.emit('job.retrying', {
        ...event,
        error: outcome.error,
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
