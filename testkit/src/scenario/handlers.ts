import {
  type Clock,
  type JobContext,
  JobFailure,
  type JobRequest,
  type Lease,
  type Outcome,
  type RunningJob,
  defer,
  done,
  sleep,
} from '@millrace/engine';
import { z } from 'zod';
import type { Execution, Host } from '../observe/execution.ts';
import type { Executions } from '../observe/executions.ts';

/** The script of a simulated job; drawn beforehand, so that a handler draws nothing itself. */
export const dataSchema = z.object({
  /** Why the job was made: no two jobs have the same. */
  tag: z.string(),
  group: z.string().optional(),
  /** How long it works, and how often it does something meanwhile. */
  ms: z.number().optional(),
  stepMs: z.number().optional(),
  /** It fails in so many attempts before it goes well. */
  fails: z.number().optional(),
  /** Fails for good instead. */
  permanent: z.boolean().optional(),
  /** Pays no heed to its signal. */
  deaf: z.boolean().optional(),
  /** Never ends by itself. */
  forever: z.boolean().optional(),
  /** Puts itself off so many times. */
  left: z.number().optional(),
  chunks: z.number().optional(),
  children: z.number().optional(),
  /** The chunk that fails in the first `fails` attempts at it. */
  failsAt: z.number().optional(),
});

export type Data = z.infer<typeof dataSchema>;

/** The part of their process that handlers need. */
export interface Surroundings {
  readonly host: Host;
  readonly clock: Clock;
  readonly executions: Executions;
  /** Ends the process by the hand of the job with this lease, and never returns. */
  crash(lease: Lease): Promise<never>;
}

type Job = RunningJob<Data>;

export function begin(
  { host, executions }: Surroundings,
  job: Job,
  context: JobContext,
): Execution {
  return executions.begin(host, job.kind, context, job.attempt);
}

/** Runs the body and writes down how it ended. */
export async function recorded(
  execution: Execution,
  body: () => Promise<Outcome>,
): Promise<Outcome> {
  try {
    const outcome = await body();
    execution.end(outcome.type, outcome.type === 'done' ? outcome.result : undefined);
    return outcome;
  } catch (thrown) {
    execution.end(thrown instanceof Error ? `threw ${thrown.message}` : 'threw');
    throw thrown;
  }
}

/** Works for a while, doing something now and then, and stops when asked to unless it is deaf. */
export async function work(around: Surroundings, execution: Execution, data: Data): Promise<void> {
  const { clock } = around;
  const endsAt = data.forever === true ? Infinity : clock.now() + (data.ms ?? 1);
  const { signal } = execution;
  while (clock.now() < endsAt) {
    await sleep(clock, Math.min(data.stepMs ?? 500, endsAt - clock.now()));
    if (signal.aborted && data.deaf !== true) throw new Error('stopped');
    execution.act();
  }
}

export function failIfTold({ attempt, data }: Job): void {
  if (data.permanent === true) throw new JobFailure('told_to', 'for good', { retryable: false });
  if (attempt <= (data.fails ?? 0)) throw new JobFailure('told_to', `attempt ${attempt}`);
}

export async function plain(around: Surroundings, job: Job, context: JobContext): Promise<Outcome> {
  const execution = begin(around, job, context);
  return recorded(execution, async () => {
    await work(around, execution, job.data);
    failIfTold(job);
    return done({ by: execution.claim });
  });
}

/** Tells how far it is, in the first half of its work. */
export async function slow(around: Surroundings, job: Job, context: JobContext): Promise<Outcome> {
  const execution = begin(around, job, context);
  const steps = 4;
  return recorded(execution, async () => {
    for (let step = 1; step <= steps; step++) {
      if (step <= steps / 2) execution.progress({ done: step, total: steps });
      await work(around, execution, { ...job.data, ms: (job.data.ms ?? 1) / steps });
    }
    failIfTold(job);
    return done({ by: execution.claim });
  });
}

export async function poller(
  around: Surroundings,
  job: Job,
  context: JobContext,
): Promise<Outcome> {
  const execution = begin(around, job, context);
  return recorded(execution, async () => {
    await work(around, execution, job.data);
    failIfTold(job);
    const left = job.data.left ?? 0;
    if (left === 0) return done({ by: execution.claim });
    return defer({ after: job.data.stepMs ?? 1_000, data: { ...job.data, left: left - 1 } });
  });
}

/** Makes children and ends; an attempt that fails must not leave any behind. */
export async function family(
  around: Surroundings,
  job: Job,
  context: JobContext,
): Promise<Outcome> {
  const execution = begin(around, job, context);
  return recorded(execution, async () => {
    for (const request of childrenOf(job, `!${execution.epoch}`)) context.enqueue(request);
    await work(around, execution, job.data);
    failIfTold(job);
    return done({ by: execution.claim });
  });
}

/** Takes its process with it. */
export async function deadly(
  around: Surroundings,
  job: Job,
  context: JobContext,
): Promise<Outcome> {
  const execution = begin(around, job, context);
  return recorded(execution, async () => {
    await work(around, execution, job.data);
    if (job.attempt <= (job.data.fails ?? 0)) await around.crash(execution);
    return done({ by: execution.claim });
  });
}

/** The store will not take what it returns. */
export async function poisonous(
  around: Surroundings,
  job: Job,
  context: JobContext,
): Promise<Outcome> {
  const execution = begin(around, job, context);
  return recorded(execution, async () => {
    await work(around, execution, job.data);
    return done({ poison: true });
  });
}

/** Works chunk by chunk, each with its children, and may fail in one of them. */
export async function* chunked(
  around: Surroundings,
  job: Job,
  context: JobContext,
): AsyncGenerator<{ cursor: number; progress: { done: number } }, Outcome, void> {
  const execution = begin(around, job, context);
  const chunks = job.data.chunks ?? 1;
  let how = 'closed';
  try {
    for (let chunk = Number(job.cursor ?? 0) + 1; chunk <= chunks; chunk++) {
      await work(around, execution, job.data);
      // The counter starts again with each saved chunk, so it is this chunk's own attempts that count.
      const attempt = chunk === Number(job.cursor ?? 0) + 1 ? job.attempt : 1;
      if (chunk === job.data.failsAt && attempt <= (job.data.fails ?? 0))
        throw new JobFailure('told_to', `chunk ${chunk}`);
      for (const request of childrenOf(job, `@${chunk}`)) context.enqueue(request);
      execution.suspend();
      yield { cursor: chunk, progress: { done: chunk } };
      execution.resume();
    }
    how = 'done';
    return done({ by: execution.claim });
  } catch (thrown) {
    how = thrown instanceof Error ? `threw ${thrown.message}` : 'threw';
    throw thrown;
  } finally {
    execution.end(how, { by: execution.claim });
  }
}

function childrenOf({ id, data }: Job, moment: string): JobRequest[] {
  return Array.from({ length: data.children ?? 0 }, (_, index) => ({
    kind: 'plain',
    data: { tag: `${id}${moment}.${index}`, ms: 50 },
  }));
}
