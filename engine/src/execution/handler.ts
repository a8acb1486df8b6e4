import { JobFailure, MillraceError } from '../errors.ts';
import type { ExecutorParts } from '../executor.ts';
import type { Lease } from '../job.ts';
import type { Chunk, JobContext, Log, RunningJob } from '../kinds/kind.ts';
import type { Outcome } from '../kinds/outcome.ts';
import { misfit, newJob } from '../queue/new-job.ts';
import { keeping } from './log-lines.ts';
import { type Running, leaseOf, storableProgress } from './running.ts';

/** The handler of a kind that works in chunks. */
export type Chunks = AsyncGenerator<Chunk, Outcome | void, void>;

export function isGenerator(value: unknown): value is Chunks {
  return value !== null && typeof value === 'object' && Symbol.asyncIterator in value;
}

/**
 * The job as its handler gets it, with its data checked; throws a failure that is not retried, since the same data
 * would fail again.
 */
export function readJob({ job, kind, attempt }: Running): RunningJob<unknown> {
  const parsed = kind.input.safeParse(dataOf(kind.kind, job.payload));
  if (!parsed.success) throw unfit(misfit(kind.kind, parsed.error));
  return {
    id: job.id,
    kind: job.kind,
    data: parsed.data,
    tenant: job.tenant,
    attempt,
    maxAttempts: job.maxAttempts,
    createdAt: job.createdAt,
    cursor: job.cursor === null ? null : JSON.parse(job.cursor),
    correlationId: job.correlationId ?? job.id,
    submitter: job.submitter,
    parents: job.parents ?? {},
  };
}

function dataOf(kind: string, payload: string | null): unknown {
  if (payload === null)
    throw new JobFailure(
      'erased',
      'Its data was erased before it ran. Enqueue it again if need be.',
      {
        retryable: false,
      },
    );
  try {
    return JSON.parse(payload);
  } catch (cause) {
    // People can edit the records of a queue, such as RequestJSON__c in Salesforce, so the payload may be no JSON.
    throw unfit(`The data of this "${kind}" is no JSON: ${String(cause)}. Correct it and retry.`);
  }
}

function unfit(message: string): JobFailure {
  return new JobFailure('validation_error', message, { retryable: false });
}

const STEP_NAME_LENGTH = 100;

/**
 * The handler's context. Getters make each part only when it is asked for, and let a handler destructure the context.
 */
export class Context implements JobContext {
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
    return leaseOf(this.running.job);
  }

  get log(): Log {
    const { parts, running } = this;
    return (this.ownLog ??= keeping(
      parts.logFor(running.job),
      (level, text) => running.note(parts.wallClock(), level, text),
      parts.writeLine,
    ));
  }

  get step(): JobContext['step'] {
    const { parts, running } = this;
    return async (name, work) => {
      const began = parts.clock.now();
      const end = (how: 'took' | 'failed after'): void => {
        const ms = Math.round(parts.clock.now() - began);
        const level = how === 'took' ? 'info' : 'warn';
        const message = `${name} ${how} ${ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`}`;
        parts.logFor(running.job)[level]({ step: name, durationMs: ms }, message);
        const [text, kept] = [message, name].map((each) =>
          each.replaceAll('\u0000', '').toWellFormed(),
        );
        const step = { name: (kept ?? '').slice(0, STEP_NAME_LENGTH), ms };
        running.note(parts.wallClock(), level, text ?? '', step);
      };
      try {
        const value = await work();
        end('took');
        return value;
      } catch (error) {
        end('failed after');
        throw error;
      }
    };
  }

  /** Writes nothing: children are made with the outcome, so a failed execution leaves none (docs/decisions/0003-fewer-parts.md). */
  get enqueue(): JobContext['enqueue'] {
    const { parts, running } = this;
    const { tenant, correlationId, id, kind, submitter, subject } = running.job;
    const inherited = {
      tenant,
      correlationId: correlationId ?? id,
      ...(submitter !== null && { submitter }),
      // A child is about the same person as its parent, so erasing the subject finds it too.
      ...(subject !== null && { subject }),
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
      running.addChild({ ...newJob(parts.registry, asked, null), parents: { [kind]: id } });
    };
  }

  get progress(): JobContext['progress'] {
    return (progress) => {
      this.running.progress = storableProgress(progress);
    };
  }

  get pauseTimeout(): JobContext['pauseTimeout'] {
    return () => this.running.pauseTimeout();
  }

  get get(): JobContext['get'] {
    return (id) => this.parts.store.get({ id });
  }
}
