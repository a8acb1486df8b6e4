import { type States, isFree, passes } from '../definition/graph.ts';
import { holds } from '../definition/conditions.ts';
import { stepOf as planStepOf } from '../definition/plan.ts';
import type { PipelineRunRecord, StepRecord } from './pipeline-run.ts';
import { lookupOf } from './values.ts';

/**
 * What may become of the steps of a run, as pure functions of the run as it stands under its lock. Each gives the steps as they are
 * to be, and null where nothing may change.
 */
export type StepPatch = { readonly step: string } & Partial<Omit<StepRecord, 'step'>>;

/** The execution that has a step. */
export interface Holder {
  readonly step: string;
  readonly revision: number;
  readonly job: string;
  readonly epoch: number;
}

export type Taken =
  /** It is the execution's: it was begun by it or by one before it. */
  | { readonly type: 'taken'; readonly patch: StepPatch }
  | { readonly type: 'skipped'; readonly patch: StepPatch }
  /** A step before it is not over yet. */
  | { readonly type: 'early' }
  /** An execution before has ended it, and was lost before its job could end. */
  | { readonly type: 'ended'; readonly step: StepRecord }
  /** Of another job, of an earlier revision, or of a run that is over. */
  | { readonly type: 'foreign' };

export function statesOf({ steps }: Pick<PipelineRunRecord, 'steps'>): States {
  return new Map(steps.map((each) => [each.step, each]));
}

export function take(run: PipelineRunRecord, holder: Holder): Taken {
  const step = find(run, holder.step);
  if (step === undefined || run.revision !== holder.revision || step.state === 'canceled')
    return { type: 'foreign' };
  const isOther = step.job !== null && step.job !== holder.job;
  if (isOther || step.epoch > holder.epoch) return { type: 'foreign' };
  if (step.state !== 'waiting' && step.state !== 'running') return { type: 'ended', step };
  const node = planStepOf(run.plan, holder.step);
  const states = statesOf(run);
  if (!isFree(run.plan, node, states)) return { type: 'early' };
  const held = { step: step.step, job: holder.job, epoch: holder.epoch };
  const at = run.readAt;
  if (step.state === 'running') return { type: 'taken', patch: held };
  const parents = node.after.map((name) => states.get(name)?.state);
  const isIdle = parents.length > 0 && parents.every((state) => state === 'skipped');
  const source = node.input['rows'];
  const hasNoRows = typeof source === 'string' && states.get(source)?.state === 'skipped';
  if (isIdle || hasNoRows || !holds(node.when, lookupOf(run)))
    return { type: 'skipped', patch: { ...held, state: 'skipped', finishedAt: at } };
  return { type: 'taken', patch: { ...held, state: 'running', startedAt: at, finishedAt: null } };
}

/** Whether the step is still the execution's to write. */
export function isHeld(
  run: PipelineRunRecord,
  { step: name, revision, job, epoch }: Holder,
): boolean {
  const step = find(run, name);
  return (
    run.revision === revision &&
    step?.state === 'running' &&
    step.job === job &&
    step.epoch === epoch
  );
}

/** Ends all that is not over. What was begun has to be cancelled too, by whoever gets to it. */
export function cancel(run: PipelineRunRecord): StepPatch[] {
  return run.steps
    .filter(({ state }) => state === 'waiting' || state === 'running')
    .map((step) => canceled(run, step));
}

function canceled({ readAt }: PipelineRunRecord, step: StepRecord): StepPatch {
  const hasBegun = step.state === 'running' && (step.starting || step.startedId !== null);
  return {
    step: step.step,
    state: 'canceled',
    finishedAt: readAt,
    stopPending: hasBegun,
  };
}

/** The end of a job that its handler did not write: lost with its worker, out of time, cancelled by hand. */
export function endByJob(
  run: PipelineRunRecord,
  name: string,
  job: {
    readonly id: string;
    readonly state: 'FAILED' | 'CANCELED';
    readonly error: StepRecord['error'];
  },
): StepPatch[] {
  const step = find(run, name);
  if (step === undefined) return [];
  const isOwn =
    step.job === job.id ||
    (step.job === null && isFree(run.plan, planStepOf(run.plan, name), statesOf(run)));
  const isLive = step.state === 'running' || step.state === 'waiting';
  if (!isOwn || !isLive) return [];
  if (job.state === 'CANCELED') return [{ ...canceled(run, step), job: job.id }];
  const error = job.error ?? { code: 'unknown', message: 'Its job failed and gave no reason.' };
  return [{ step: name, job: job.id, state: 'failed', error, finishedAt: run.readAt }];
}

/**
 * The steps that failed or were cancelled wait again, each as another try. What they had begun is kept: where its workload can,
 * the parts that failed are tried again, and not all of it.
 */
export function resume({ plan, steps }: PipelineRunRecord): StepPatch[] {
  return steps
    .filter(({ step, state }) => {
      if (state === 'canceled') return true;
      return state === 'failed' && !passes(planStepOf(plan, step), state);
    })
    .map((step) => ({
      step: step.step,
      state: 'waiting',
      try: step.try + 1,
      job: null,
      epoch: 0,
      starting: false,
      retried: false,
      output: null,
      progress: null,
      error: null,
      startedAt: null,
      finishedAt: null,
    }));
}

/** The steps that what is begun by a new revision need not wait for. */
export function passedOf({ plan, steps }: PipelineRunRecord): string[] {
  return steps
    .filter(({ step, state }) => passes(planStepOf(plan, step), state))
    .map(({ step }) => step);
}

function find({ steps }: PipelineRunRecord, name: string): StepRecord | undefined {
  return steps.find(({ step }) => step === name);
}
