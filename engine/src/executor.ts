import type { Clock, Random } from './clock.ts';
import { storableDelay } from './duration.ts';
import { type FailureRecord, JobFailure, MillraceError, classify, retryAfterMs } from './errors.ts';
import type { Events, JobEvent } from './events.ts';
import type { ClaimedJob, Lease } from './job.ts';
import { type JsonText, isSameJson, toJsonText } from './json.ts';
import type { Chunk, JobContext, JobKind, Log, RunningJob } from './kind.ts';
import type { Leases } from './leases.ts';
import { type Outcome, done, isOutcome } from './outcome.ts';
import type { SettledOutcome, Store } from './port.ts';
import { storableProgress } from './progress.ts';
import type { Registry } from './registry.ts';
import { newJob } from './request.ts';
import { retryDelayMs } from './retry.ts';
import { Running } from './running.ts';
import type { Settler } from './settler.ts';

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
}

/** How the handler came to its end, before anything is decided. */
type Ended =
  | { readonly type: 'returned'; readonly outcome: Outcome }
  | { readonly type: 'threw'; readonly thrown: unknown }
  | { readonly type: 'gaveUp' };

/** The way of a claimed job, top to bottom. Never rejects. `freeSlot` is called when the handler is over. */
export async function execute(
  parts: ExecutorParts,
  job: ClaimedJob,
  kind: JobKind,
  askedAt: number,
  freeSlot: (kind: string) => void,
): Promise<void> {
  const { clock, leases, settler, events } = parts;
  const running = new Running({ job, kind, clock, deadline: leases.deadlineOf(askedAt) });
  leases.add(running);
  if (events.wants('job.started')) events.emit('job.started', jobEvent(running));

  const ended = await attempt(parts, running);
  running.end();
  leases.remove(running);
  freeSlot(job.kind);

  const outcome = decide(parts, running, ended);
  if (outcome === null) return;
  const answer = await settler.settle({ job, outcome, children: keepsChildren(outcome) ? running.takeChildren() : [] });
  if (answer === 'stale') events.emit('lease.fenced', { id: job.id, kind: kind.kind, write: 'settle' });
  else tell(parts, running, typeof answer === 'object' ? { move: 'fail', error: answer } : outcome);
}

/** For a claim whose answer came too late to begin: its attempts are given back. */
export async function handBack({ settler, events }: ExecutorParts, job: ClaimedJob): Promise<void> {
  const answer = await settler.settle({ job, outcome: { move: 'handBack' }, children: [] });
  if (answer === 'stale') events.emit('lease.fenced', { id: job.id, kind: job.kind, write: 'settle' });
}

/** Ends with the handler, or without it when it does not react to an abort. */
function attempt(parts: ExecutorParts, running: Running): Promise<Ended> {
  return new Promise((resolve) => {
    running.giveUp = () => resolve({ type: 'gaveUp' });
    void invoke(parts, running, resolve);
  });
}

async function invoke(parts: ExecutorParts, running: Running, end: (ended: Ended) => void): Promise<void> {
  const { kind } = running;
  try {
    const returned = kind.run(readJob(running), new Context(parts, running));
    const value = isGenerator(returned) ? await drain(parts, running, returned) : await returned;
    if (value !== undefined && !isOutcome(value)) {
      throw new JobFailure('invalid_outcome', `The handler of "${kind.kind}" returned neither done(…) nor defer(…).`, { retryable: false });
    }
    end({ type: 'returned', outcome: value ?? done() });
  } catch (thrown) {
    end({ type: 'threw', thrown });
  }
}

function readJob({ job, kind, attempt: attempts }: Running): RunningJob<unknown> {
  const parsed = kind.input.safeParse(JSON.parse(job.payload));
  if (!parsed.success) {
    throw new JobFailure('validation_error', `The data does not fit the kind "${kind.kind}": ${parsed.error.message}`, { retryable: false });
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
    return this.parts.logFor(this.running.job);
  }

  get enqueue(): JobContext['enqueue'] {
    const { parts, running } = this;
    const { tenant, correlationId, id, submitter } = running.job;
    const inherited = { tenant, correlationId: correlationId ?? id, ...(submitter !== null && { submitter }) };
    return (request) => {
      if (running.isOver) {
        throw new MillraceError('illegal_transition', `The job ${id} is over and makes no more children. Await what enqueues them.`);
      }
      running.addChild(newJob(parts.registry, { ...inherited, ...request }, null));
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

/** Saves each chunk, then lets cancel, shutdown and a lost lease apply. */
async function drain(parts: ExecutorParts, running: Running, chunks: AsyncGenerator<Chunk, Outcome | void, void>): Promise<Outcome | void> {
  for (;;) {
    const next = await chunks.next();
    if (next.done === true) return next.value;
    try {
      await saveChunk(parts, running, next.value);
      if (running.abortReason !== null) throw new JobFailure('aborted', `The job was aborted between two chunks: ${running.abortReason}.`);
    } catch (thrown) {
      // Runs the handler's finally blocks. What they throw is not why the job ends.
      await chunks.return(undefined).catch(() => {});
      throw thrown;
    }
  }
}

async function saveChunk(parts: ExecutorParts, running: Running, chunk: Chunk): Promise<void> {
  const { store, leases, clock, events, leaseMs } = parts;
  if (!store.can.checkpoint) throw new MillraceError('unsupported_by_store', `The store "${store.name}" cannot save chunks.`);
  if (running.isOver || leases.fenceIfLate(running)) return;
  const askedAt = clock.now();
  const cursor = toJsonText(chunk.cursor, 'cursor');
  const progress = chunk.progress && storableProgress(chunk.progress);
  // The chunk's own is the newer one.
  if (progress) running.progress = null;
  const [answer] = await store.checkpoint({
    checkpoints: [{ lease: leaseOf(running), cursor, ...(progress && { progress }), children: running.takeChildren() }],
    leaseMs,
  });
  if (answer === undefined || answer === 'stale') {
    events.emit('lease.fenced', { id: running.job.id, kind: running.kind.kind, write: 'checkpoint' });
    running.abort('lease_lost');
    return;
  }
  running.deadline = Math.max(running.deadline, leases.deadlineOf(askedAt));
  // As in the store: a cursor that stands still is no proof of work, and must not make the retries endless.
  if (running.cursor === null || !isSameJson(running.cursor, cursor)) running.attempt = 1;
  running.cursor = cursor;
  if (progress) events.emit('job.progress', { ...jobEvent(running), done: progress.done, total: progress.total ?? null });
  if (answer === 'cancel') running.abort('canceled');
}

/** What is written for this end; null when the lease is gone and nothing may be. Never throws. */
function decide(parts: ExecutorParts, running: Running, ended: Ended): SettledOutcome | null {
  try {
    return outcomeOf(parts, running, ended);
  } catch (thrown) {
    return { move: 'fail', error: { ...classify(thrown), retryable: false } };
  }
}

function outcomeOf(parts: ExecutorParts, running: Running, ended: Ended): SettledOutcome | null {
  const { abortReason } = running;
  if (ended.type === 'returned' && ended.outcome.type === 'done') return succeed(parts, running, ended.outcome);
  if (abortReason === 'lease_lost') return null;
  if (abortReason === 'canceled') return { move: 'cancel' };
  if (ended.type === 'returned' && ended.outcome.type === 'defer') return deferred(parts, running, ended.outcome);
  if (abortReason === 'shutdown') return { move: 'handBack' };
  if (abortReason === 'timeout') {
    const seconds = running.kind.timeoutMs / 1_000;
    return failed(parts, running, new JobFailure('timeout', `The job ran longer than the ${seconds} s its kind allows.`));
  }
  return failed(parts, running, ended.type === 'threw' ? ended.thrown : new Error('The handler did not end.'));
}

function succeed(parts: ExecutorParts, running: Running, outcome: Extract<Outcome, { type: 'done' }>): SettledOutcome {
  if (outcome.effects.length > 0 && !parts.store.can.effects) {
    return failed(parts, running, new MillraceError('unsupported_by_store', `The store "${parts.store.name}" cannot commit effects.`));
  }
  const result = checked(() => toJsonText(outcome.result, 'result'));
  if ('error' in result) return { move: 'fail', error: { ...result.error, code: 'result_unstorable' } };
  return { move: 'succeed', result: result.text, purgePayload: running.kind.purgePayload, effects: outcome.effects };
}

function deferred(parts: ExecutorParts, running: Running, outcome: Extract<Outcome, { type: 'defer' }>): SettledOutcome {
  const delayMs = storableDelay(outcome.afterMs);
  if (outcome.data === undefined) return { move: 'defer', payload: null, delayMs };
  const valid = running.kind.input.safeParse(outcome.data);
  if (!valid.success) return failed(parts, running, new JobFailure('validation_error', `Deferred with data that does not fit the kind: ${valid.error.message}`, { retryable: false }));
  const payload = checked(() => toJsonText(outcome.data, 'payload'));
  if ('error' in payload) return { move: 'fail', error: payload.error };
  return { move: 'defer', payload: payload.text, delayMs };
}

function checked(serialise: () => JsonText): { text: JsonText } | { error: FailureRecord } {
  try {
    return { text: serialise() };
  } catch (thrown) {
    return { error: { ...classify(thrown), retryable: false } };
  }
}

function failed({ random }: ExecutorParts, { kind, job, attempt: attempts }: Running, thrown: unknown): SettledOutcome {
  const error = classify(thrown);
  if (!error.retryable || attempts >= job.maxAttempts) return { move: 'fail', error };
  const delayMs = storableDelay(retryAfterMs(thrown) ?? retryDelayMs(kind.retry, attempts, random));
  return { move: 'retry', error, delayMs };
}

/** A failed or interrupted execution will run again and make its children then. */
function keepsChildren({ move }: SettledOutcome): boolean {
  return move === 'succeed' || move === 'defer';
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
      return events.emit('job.retrying', { ...event, error: outcome.error, delayMs: outcome.delayMs });
    case 'defer':
      return events.emit('job.deferred', { ...event, delayMs: outcome.delayMs });
    case 'cancel':
      return events.emit('job.canceled', event);
    case 'handBack':
      return events.emit('job.handedBack', event);
  }
}

function leaseOf({ job }: Running): Lease {
  return { id: job.id, epoch: job.epoch };
}

function jobEvent({ job, attempt: attempts }: Running): JobEvent {
  return { id: job.id, kind: job.kind, tenant: job.tenant, attempt: attempts, correlationId: job.correlationId ?? job.id };
}

function isGenerator(value: unknown): value is AsyncGenerator<Chunk, Outcome | void, void> {
  return value !== null && typeof value === 'object' && Symbol.asyncIterator in value;
}
