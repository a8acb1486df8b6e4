import type { ZodType } from 'zod';
import { type FieldTable, either, fieldsOf } from './definition.ts';
import { type Duration, TEN_YEARS_MS, toMs } from '../time/duration.ts';
import { MillraceError } from '../errors.ts';
import type { Job, JobId, Lease, Progress } from '../job.ts';
import type { Outcome } from './outcome.ts';
import type { Keep } from '../port-parts.ts';
import type { JobRequest } from '../request.ts';
import { RETRY, type RetryPolicy, checkRetry, maxAttempts } from './retry.ts';

/** The job as its handler gets it. `data` has been checked against the kind's schema. */
export interface RunningJob<Input> {
  readonly id: JobId;
  readonly kind: string;
  readonly data: Input;
  readonly tenant: string;
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly createdAt: number;
  /** Where the last saved chunk ended; null at the first run. */
  readonly cursor: unknown;
  readonly correlationId: string;
  readonly submitter: string | null;
  readonly parents: Readonly<Record<string, JobId>>;
}

export interface JobContext {
  /** Aborted by cancel, timeout, shutdown, and before the lease can end. */
  readonly signal: AbortSignal;
  /** `epoch` only ever grows: give it to outside systems as a fencing or idempotency key. */
  readonly lease: Lease;
  readonly log: Log;
  /** Does a part of the work under a name. How long it took is logged, and kept where the log is (`keepLog`). */
  step<Value>(name: string, work: () => Promise<Value>): Promise<Value>;
  /** Makes a child together with the next saved chunk or the outcome: all of it or none. */
  enqueue(request: JobRequest): void;
  /** Saved within a second; the last one wins. */
  progress(progress: Progress): void;
  /**
   * Stops the clock of the kind's timeout until the function it gives is called: for a wait that is not the job's own doing,
   * such as for a free process that others have.
   */
  pauseTimeout(): () => void;
  /** Another job as the store has it now: a parent's result, say. */
  get(id: JobId): Promise<Job | null>;
}

export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Yielded by a handler that works in chunks: saved with the lease's renewal, then cancel and shutdown apply. */
export interface Chunk {
  readonly cursor: unknown;
  readonly progress?: Progress;
}

export type Run<Input, Service = undefined> = (
  job: RunningJob<Input>,
  context: JobContext,
  service: Service,
) => Promise<Outcome | void> | AsyncGenerator<Chunk, Outcome | void, void>;

/** `Given` is what the schema takes, `Input` what it makes of it: they differ where it has defaults or transforms. */
export interface JobDefinition<Input, Service = undefined, Given = unknown> {
  readonly kind: string;
  readonly input: ZodType<Input, Given>;
  /** `service` is what the worker has for the kind (`services`), if anything. */
  readonly run: Run<Input, Service>;
  /** Runs as a job of its own once the job has ended FAILED or CANCELED, wherever that happened. */
  readonly cleanup?: (
    job: { id: JobId; data: Input; cursor: unknown },
    context: JobContext,
    service: Service,
  ) => Promise<void>;
  readonly retry?: RetryPolicy;
  /** Per execution. */
  readonly timeout?: Duration;
  /**
   * How long an execution may run on once the process was asked to stop, where that is less than the worker's `shutdownGrace`: for work
   * in chunks, which loses little when it is handed back, and may have long to go.
   */
  readonly shutdownGrace?: Duration;
  /** At the same time in one worker. */
  readonly concurrency?: number;
  /** Per tenant: `queued` is refused at enqueue, `running` is held back over all replicas. */
  readonly quota?: Quota;
  /**
   * May be enqueued from outside the process. With an `input` of its own, from outside with such data alone: it is a part
   * of what the kind takes, which leaves the rest to the process itself.
   */
  readonly public?: boolean | { readonly input: ZodType };
  readonly retention?: Retention;
  /** Forget the payload once the job has succeeded. */
  readonly purgePayload?: boolean;
  /**
   * The executions whose log is kept with the job, for as long as the job is: those that did not end well (`failed`, the default),
   * of `all`, or of none (`off`). While it runs, its log can be seen in any case.
   */
  readonly keepLog?: KeepLog;
  /**
   * Gives what is stored in place of the data, which fits `input` too: with a password in it sealed, say. The store, the API and
   * the console have that alone; `run` gets it, and opens it. What it throws refuses the job.
   */
  readonly seal?: (data: unknown) => unknown;
}

export type KeepLog = 'off' | 'failed' | 'all';
const KEEP_LOG: readonly KeepLog[] = ['off', 'failed', 'all'];

export interface Quota {
  readonly queued?: number;
  readonly running?: number;
}

export interface Retention {
  readonly succeeded?: Duration;
  readonly failed?: Duration;
  readonly canceled?: Duration;
}

export interface JobKind<Input = unknown, Service = unknown, Given = unknown> {
  readonly kind: string;
  /** The kind whose service it is given: itself, or the one that it cleans up after. */
  readonly owner: string;
  readonly input: ZodType<Input, Given>;
  readonly retry: RetryPolicy;
  readonly maxAttempts: number;
  readonly timeoutMs: number;
  /** Infinity: as long as the worker gives. */
  readonly shutdownGraceMs: number;
  readonly concurrency: number;
  readonly quota: { readonly queued: number | null; readonly running: number | null };
  readonly public: boolean;
  /** The schema for data from outside: `input`, unless the kind says otherwise. */
  readonly publicInput: ZodType;
  readonly keep: Keep;
  readonly purgePayload: boolean;
  readonly keepLog: KeepLog;
  readonly seal?: (data: unknown) => unknown;
  readonly hasCleanup: boolean;
  // Methods, so that a JobKind<Input> passes where any kind is wanted.
  run(job: RunningJob<Input>, context: JobContext, service?: Service): ReturnType<Run<Input>>;
  cleanup(
    job: { id: JobId; data: Input; cursor: unknown },
    context: JobContext,
    service?: Service,
  ): Promise<void>;
}

export function keepOf({ succeeded, failed, canceled }: Retention): Keep {
  return {
    SUCCEEDED: keepMs(succeeded ?? '7d'),
    FAILED: keepMs(failed ?? '30d'),
    CANCELED: keepMs(canceled ?? '7d'),
  };
}

/** Infinity is a fair wish, but no database counts so far. */
function keepMs(duration: Duration): number {
  return Math.min(toMs(duration), 10 * TEN_YEARS_MS);
}

const KIND_NAME = /^[a-z][a-z0-9]*([._-][a-z0-9]+)*$/;

const FIELDS: FieldTable<JobDefinition<unknown>> = {
  kind: true,
  input: true,
  run: true,
  cleanup: true,
  retry: true,
  timeout: true,
  shutdownGrace: true,
  concurrency: true,
  quota: true,
  public: true,
  retention: true,
  purgePayload: true,
  keepLog: true,
  seal: true,
};

/** A kind is declared once; everything that is not said has a default here. */
export function defineJob<Input, Service = undefined, Given = unknown>(
  definition: JobDefinition<Input, Service, Given>,
): JobKind<Input, Service, Given> {
  const { kind } = definition;
  // Without a name the test would read the text "undefined".
  if (typeof kind !== 'string' || !KIND_NAME.test(kind) || kind.length > 100) {
    throw new MillraceError(
      'invalid_definition',
      `"${kind}" cannot be a kind. Use lower-case letters and digits, joined by ".", "-" or "_", such as "report.monthly".`,
    );
  }
  const fields = fieldsOf(`The kind "${kind}"`);
  fields.known<JobDefinition<Input, Service, Given>>(definition, FIELDS);
  fields.known<Quota>(definition.quota ?? {}, { queued: true, running: true }, 'quota');
  fields.known<Retention>(
    definition.retention ?? {},
    { succeeded: true, failed: true, canceled: true },
    'retention',
  );
  const { public: isPublic = false } = definition;
  fields.require('input', isSchema(definition.input), 'a Zod schema, such as z.object({ … })');
  fields.require(
    'public',
    typeof isPublic === 'boolean' || isSchema(isPublic?.input),
    'true, false, or { input } with a Zod schema',
  );
  fields.require('run', typeof definition.run === 'function', 'a function');
  const retry = checkRetry(kind, definition.retry ?? RETRY.standard);
  const cleanup = definition.cleanup;
  const kept: JobKind<Input, Service, Given> = {
    kind,
    owner: kind,
    input: definition.input,
    retry,
    maxAttempts: maxAttempts(retry),
    timeoutMs: fields.read('timeout', () => toMs(definition.timeout ?? '10m')),
    shutdownGraceMs: fields.read('shutdownGrace', () => toMs(definition.shutdownGrace ?? Infinity)),
    concurrency: definition.concurrency ?? Number.MAX_SAFE_INTEGER,
    quota: { queued: definition.quota?.queued ?? null, running: definition.quota?.running ?? null },
    public: isPublic !== false,
    publicInput: typeof isPublic === 'object' ? isPublic.input : definition.input,
    keep: fields.read('retention', () => keepOf(definition.retention ?? {})),
    purgePayload: definition.purgePayload ?? false,
    keepLog: definition.keepLog ?? 'failed',
    ...(definition.seal !== undefined && { seal: definition.seal }),
    hasCleanup: cleanup !== undefined,
    run: definition.run,
    cleanup: cleanup ?? (() => Promise.resolve()),
  };
  fields.require('keepLog', KEEP_LOG.includes(kept.keepLog), either(KEEP_LOG));
  fields.require('concurrency', isWhole(kept.concurrency, 1), 'a whole number of at least 1');
  fields.require('timeout', kept.timeoutMs > 0, 'a duration above 0, such as "90s" or "15m"');
  fields.require('shutdownGrace', kept.shutdownGraceMs >= 0, 'a duration, such as "10s"');
  const { queued, running } = kept.quota;
  fields.require('quota.queued', isWhole(queued ?? 0, 0), 'a whole number of 0 or more');
  fields.require(
    'quota.running',
    isWhole(running ?? 0, 0) && (running ?? 0) <= MOST,
    `a whole number from 0 to ${MOST}`,
  );
  return kept;
}

/** Databases count in 32 bits. */
const MOST = 2 ** 31 - 1;

/** Job files may be JavaScript. */
function isSchema(given: ZodType | undefined): boolean {
  return typeof given?.safeParse === 'function';
}

function isWhole(value: number, least: number): boolean {
  return Number.isInteger(value) && value >= least;
}
