import {
  INTERNAL_KEYS,
  type JobContext,
  JobFailure,
  type Outcome,
  type RunningJob,
  classify,
  defer,
  done,
} from '@millrace/engine';
import type { Database } from '@millrace/store-postgres';
import type { Step, StepSight } from '@millrace/workload-kit';
import { type PlanStep, stepOf } from '../definition/plan.ts';
import type { PipelineMetrics } from '../observe.ts';
import type { Holder } from '../runs/changes.ts';
import { filesOf } from '../runs/files.ts';
import { type PipelineRunRecord, type StepRecord, whoOf } from '../runs/pipeline-run.ts';
import type { Patch, RunStore } from '../runs/store.ts';
import type { StepData, StepResult } from './data.ts';
import { inputOf } from './input.ts';
import { type Works, isHandOver } from './work.ts';

/** What the jobs of steps work with. */
export interface Workshop {
  readonly store: RunStore;
  readonly database: Database;
  readonly works: Works;
  readonly metrics: PipelineMetrics;
}

/** The first look comes at once; then each pause is longer than the one before. */
const PAUSE = { firstMs: 300, factor: 1.6, mostMs: 15_000 };
/** For a step before it that is over, and whose row is about to say so. */
const EARLY_MS = 500;

/**
 * The job `pipeline.step`: begins the work of a step, or looks how far it is, and comes back later. A worker that is lost at any
 * moment leaves a row that says what was begun, or that something may have been; the next execution begins with the same key,
 * and gets what was begun then.
 */
export async function runStep(
  workshop: Workshop,
  job: RunningJob<StepData>,
  context: JobContext,
): Promise<Outcome> {
  const { data } = job;
  const holder = {
    step: data.step,
    revision: data.revision,
    job: job.id,
    epoch: context.lease.epoch,
  };
  const found = await workshop.store.take(data.run, holder);
  if (found === null) return NOTHING;
  const { taken, run } = found;
  switch (taken.type) {
    case 'foreign':
      return NOTHING;
    case 'early':
      return defer({ after: EARLY_MS, data });
    case 'skipped':
      workshop.metrics.ended(run, data.step);
      return ended('skipped');
    case 'ended':
      return endedBefore(taken.step, data.run);
    case 'taken':
      return carryOn(workshop, { job, context, holder, run });
  }
}

/** Another job has the step, or the run is over: nothing follows from this one. */
const NOTHING = done({ end: null } satisfies StepResult);

function ended(end: 'done' | 'skipped'): Outcome {
  return done({ end } satisfies StepResult);
}

function endedBefore({ state, error }: StepRecord, run: string): Outcome {
  if (state !== 'failed') return ended(state === 'skipped' ? 'skipped' : 'done');
  const { code = 'unknown', message = '' } = error ?? {};
  throw final(code, `${message} To try it again: millrace pipeline resume ${run}`);
}

interface Execution {
  readonly job: RunningJob<StepData>;
  readonly context: JobContext;
  readonly holder: Holder;
  readonly run: PipelineRunRecord;
}

async function carryOn(workshop: Workshop, execution: Execution): Promise<Outcome> {
  const { job, context, holder, run } = execution;
  try {
    return await work(workshop, execution);
  } catch (thrown) {
    // Cancelled, out of time or shut down: the engine knows what that means.
    if (context.signal.aborted) throw thrown;
    if (thrown instanceof Lost) return NOTHING;
    const error = classify(thrown);
    const isFinal = !error.retryable || job.attempt >= job.maxAttempts;
    if (!isFinal) {
      await workshop.store.write(run.id, holder, () => ({ error }));
      throw thrown;
    }
    const written = await workshop.store.write(run.id, holder, (at) => ({
      state: 'failed',
      error,
      finishedAt: at,
    }));
    if (written === null) return NOTHING;
    workshop.metrics.ended(written, holder.step);
    throw final(error.code, error.message, thrown);
  }
}

/** The step is no longer this execution's: it was cancelled, or another has it. */
class Lost extends Error {}

async function work(workshop: Workshop, execution: Execution): Promise<Outcome> {
  const { job, context, holder, run } = execution;
  const node = stepOf(run.plan, holder.step);
  const own = workshop.works(node.type);
  if (own === undefined)
    throw new JobFailure(
      'step_unavailable',
      `No workload of this process does "${node.type}". Switch it on, or let a process work on pipelines that has it.`,
    );
  const files = await filesOf(workshop.database, run);
  const input = inputOf(run, node, own, files);
  const write = async (patch: Patch): Promise<PipelineRunRecord> => {
    const written = await workshop.store.write(run.id, holder, patch);
    if (written === null) throw new Lost('The step is no longer this execution’s.');
    return written;
  };
  if (isHandOver(own)) {
    const key = `${run.id}/${holder.step}`;
    const { signal } = context;
    const output = await own.hand({ input, who: whoOf(run), key, run, signal });
    return finish(workshop, write, holder.step, output);
  }
  const sight = await look({ step: own, node, input, write, execution });
  if (sight.state === 'done') return finish(workshop, write, holder.step, sight.output);
  if (sight.state === 'failed') throw final(sight.error.code, sight.error.message);
  const { progress } = sight;
  if (progress !== null) context.progress(progress);
  const current = recordOf(run, holder.step);
  if (JSON.stringify(progress) !== JSON.stringify(current.progress) || current.error !== null)
    await write(() => ({ progress, error: null }));
  const looks = job.data.of === current.try ? job.data.looks : 0;
  return defer({
    after: pauseAfter(looks),
    data: { ...job.data, looks: looks + 1, of: current.try },
  });
}

export function pauseAfter(looks: number): number {
  return Math.round(Math.min(PAUSE.firstMs * PAUSE.factor ** looks, PAUSE.mostMs));
}

async function finish(
  { metrics }: Workshop,
  write: (patch: Patch) => Promise<PipelineRunRecord>,
  step: string,
  output: StepRecord['output'],
): Promise<Outcome> {
  const written = await write((at) => ({
    state: 'done',
    output,
    error: null,
    finishedAt: at,
  }));
  metrics.ended(written, step);
  return ended('done');
}

interface Looking {
  readonly step: Step;
  readonly node: PlanStep;
  readonly input: unknown;
  readonly write: (patch: Patch) => Promise<PipelineRunRecord>;
  readonly execution: Execution;
}

/** Begins the work unless it was, and looks how far it is. */
async function look(looking: Looking): Promise<StepSight> {
  const { step, node, input, write, execution } = looking;
  const who = whoOf(execution.run);
  const { startedId, starting, retried } = recordOf(execution.run, node.name);
  const id = startedId ?? (await begin(looking));
  const sight = await step.look(id, who, input);
  // What an earlier try has begun: it may have been put right meanwhile, or is to be tried again.
  const isOfEarlier = startedId !== null && !starting && !retried;
  if (!isOfEarlier || sight.state !== 'failed') return sight;
  if ((await step.retry?.(id, who, input)) === true) {
    await write(() => ({ retried: true }));
    return step.look(id, who, input);
  }
  return step.look(await begin(looking), who, input);
}

/** Written down before and after: a worker that is lost in between leaves the trace that something may have been begun. */
async function begin({ step, node, input, write, execution }: Looking): Promise<string> {
  const { run } = execution;
  const record = recordOf(execution.run, node.name);
  if (!record.starting || record.startedId !== null)
    await write(() => ({ starting: true, startedId: null }));
  const { id } = await step.start({
    input,
    who: whoOf(run),
    key: workKey(run.id, record),
    signal: execution.context.signal,
  });
  await write(() => ({ startedId: id }));
  return id;
}

/** With which the work of a step is begun: another one for each resume. */
export function workKey(run: string, record: Pick<StepRecord, 'step' | 'try'>): string {
  return `${INTERNAL_KEYS}${run}/${record.step}/${record.try}`;
}

function recordOf({ steps }: PipelineRunRecord, name: string): StepRecord {
  const record = steps.find(({ step }) => step === name);
  if (record === undefined) throw new Error(`The run has no step "${name}".`);
  return record;
}

function final(code: string, message: string, cause?: unknown): JobFailure {
  return new JobFailure(code, message, { retryable: false, cause });
}
