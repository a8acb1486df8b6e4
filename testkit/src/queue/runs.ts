import type {
  Checkpoint,
  Chunk,
  FailureRecord,
  JobId,
  JsonText,
  Lease,
  Log,
  LogLine,
  NewJob,
  Progress,
  RunningJob,
  SettledOutcome,
} from '@millrace/engine';

/** One execution of a job, as a test looks at it: plain data, for any assertion library. */
export interface JobRun {
  readonly id: JobId;
  readonly kind: string;
  /** From 1, as the handler saw it. */
  readonly attempt: number;
  readonly data: unknown;
  readonly outcome: RunOutcome;
  /** The argument of `done(…)`, as it comes back from the store; null without it. */
  readonly result: unknown;
  readonly failure: RunFailure | null;
  /** After a failure or a defer: how long until it runs again. */
  readonly againInMs: number | null;
  /** The lines that the handler has logged. */
  readonly log: readonly RunLine[];
  /** The jobs that it has enqueued, as far as that was written. */
  readonly children: readonly Child[];
  /** The chunks that were saved. */
  readonly chunks: readonly Chunk[];
  /** The last one that was reported. */
  readonly progress: Progress | null;
}

/**
 * `retrying`: it failed and will run again. `fenced`: its lease belonged to someone else by then, so nothing of it was
 * written. `lost`: its worker was killed.
 */
export type RunOutcome =
  | 'running'
  | 'succeeded'
  | 'deferred'
  | 'retrying'
  | 'failed'
  | 'canceled'
  | 'handedBack'
  | 'fenced'
  | 'lost';

export interface RunFailure extends FailureRecord {
  readonly stack: string | null;
}

export interface RunLine {
  readonly level: LogLine['level'];
  readonly message: string;
  readonly fields: object;
}

/** A job that a handler has enqueued: what was asked for, and nothing that has its default. */
export interface Child {
  readonly kind: string;
  readonly data: unknown;
  readonly tenant?: string;
  readonly priority?: number;
  readonly key?: string;
  readonly delayMs?: number;
  readonly runAt?: number;
}

const OUTCOMES: Readonly<Record<SettledOutcome['move'], RunOutcome>> = {
  succeed: 'succeeded',
  fail: 'failed',
  cancel: 'canceled',
  retry: 'retrying',
  defer: 'deferred',
  handBack: 'handedBack',
};

/** A run while it is written down. */
export interface OpenRun {
  readonly run: JobRun;
  readonly log: Log;
  reported(progress: Progress): void;
  /** The store has saved it. */
  chunkSaved(checkpoint: Checkpoint): void;
  settled(outcome: SettledOutcome, children: readonly NewJob[]): void;
  /** Ends the run without an outcome of its own. */
  ended(outcome: 'canceled' | 'fenced' | 'lost'): void;
}

type Draft = { -readonly [Field in keyof JobRun]: JobRun[Field] };

type Begun = Pick<RunningJob<unknown>, 'id' | 'kind' | 'attempt' | 'data'>;

function openRun(job: Begun): OpenRun {
  const log: RunLine[] = [];
  const children: Child[] = [];
  const chunks: Chunk[] = [];
  const run: Draft = {
    id: job.id,
    kind: job.kind,
    attempt: job.attempt,
    data: job.data,
    outcome: 'running',
    result: null,
    failure: null,
    againInMs: null,
    log,
    children,
    chunks,
    progress: null,
  };
  const line =
    (level: LogLine['level']): Log['info'] =>
    (fields, message) =>
      void log.push({ level, message, fields });

  return {
    run,
    log: { info: line('info'), warn: line('warn'), error: line('error') },
    reported(progress) {
      run.progress = { ...progress };
    },
    chunkSaved({ cursor, progress, children: made }) {
      children.push(...made.map(childOf));
      if (cursor === undefined) return;
      if (progress !== undefined) run.progress = progress;
      chunks.push({ cursor: parsed(cursor), ...(progress !== undefined && { progress }) });
    },
    settled(outcome, made) {
      run.outcome = OUTCOMES[outcome.move];
      if (outcome.move === 'succeed') run.result = parsed(outcome.result);
      if (outcome.move === 'fail' || outcome.move === 'retry')
        run.failure = { ...outcome.error, stack: outcome.stack };
      if (outcome.move === 'retry' || outcome.move === 'defer') run.againInMs = outcome.delayMs;
      children.push(...made.map(childOf));
    },
    ended(outcome) {
      if (run.outcome === 'running') run.outcome = outcome;
    },
  };
}

function childOf({ kind, payload, tenant, priority, key, due }: NewJob): Child {
  return {
    kind,
    data: parsed(payload),
    ...(tenant !== '' && { tenant }),
    ...(priority !== null && { priority }),
    ...(key !== undefined && { key: key.value }),
    ...(due !== undefined && ('at' in due ? { runAt: due.at } : { delayMs: due.afterMs })),
  };
}

export function parsed(text: JsonText): unknown {
  return JSON.parse(text);
}

/** Every execution of a queue, in the order in which they began. */
export interface Runs {
  begin(process: object, job: Begun, lease: Lease): OpenRun;
  of(lease: Lease): OpenRun | undefined;
  /** The lease of the job was lost in this process. */
  fenced(process: object, id: JobId): void;
  /** The process is dead. */
  lost(process: object): void;
  all(): readonly JobRun[];
  /** One has no outcome yet: it runs, or what came of it is still to be written. */
  isOneOpen(): boolean;
}

export function createRuns(): Runs {
  const runs: { readonly process: object; readonly open: OpenRun }[] = [];
  const all: JobRun[] = [];
  const byLease = new Map<string, OpenRun>();
  /** All before this one have an outcome. */
  let firstOpen = 0;

  return {
    begin(process, job, lease) {
      const open = openRun(job);
      runs.push({ process, open });
      all.push(open.run);
      byLease.set(nameOf(lease), open);
      return open;
    },
    of: (lease) => byLease.get(nameOf(lease)),
    fenced(process, id) {
      for (const each of runs)
        if (each.process === process && each.open.run.id === id) each.open.ended('fenced');
    },
    lost(process) {
      for (const each of runs) if (each.process === process) each.open.ended('lost');
    },
    all: () => all,
    isOneOpen() {
      while (firstOpen < all.length && all[firstOpen]?.outcome !== 'running') firstOpen += 1;
      return firstOpen < all.length;
    },
  };
}

function nameOf({ id, epoch, claim }: Lease): string {
  return `${id}/${epoch}/${claim}`;
}
