import type { PipelineRun, PipelineStep } from '@millrace/pipelines/contract';

/** What "millrace pipeline resume" would do with a run that failed or was cancelled, by the rule of the service. */
export interface ResumePlan {
  readonly again: readonly PipelineStep[];
  /** They wait for those that are tried again. */
  readonly after: readonly PipelineStep[];
  /** They are not done once more. */
  readonly kept: readonly PipelineStep[];
}

/** Null: there is nothing to resume. */
export function resumePlan({ state, steps }: PipelineRun): ResumePlan | null {
  if (state !== 'FAILED' && state !== 'CANCELED') return null;
  // One that was cancelled before it began is not tried again: it is done for the first time.
  const isNew = (step: PipelineStep): boolean =>
    step.state === 'waiting' || (step.state === 'canceled' && step.startedAt === null);
  const isBroken = (step: PipelineStep): boolean =>
    step.state === 'canceled' || (step.state === 'failed' && step.onFailure !== 'continue');
  return {
    again: steps.filter((step) => isBroken(step) && !isNew(step)),
    after: steps.filter(isNew),
    kept: steps.filter((step) => step.state === 'done'),
  };
}

/** `tries letters again, then does mail. customers is not run again.` */
export function resumeSentence({ again, after, kept }: ResumePlan): string {
  const parts = [
    ...(again.length === 0 ? [] : [`tries ${names(again)} again`]),
    ...(after.length === 0 ? [] : [`${again.length === 0 ? '' : 'then '}does ${names(after)}`]),
  ];
  const stays =
    kept.length === 0 ? '' : ` ${names(kept)} ${kept.length === 1 ? 'is' : 'are'} not run again.`;
  return `${parts.join(', ')}.${stays}`;
}

function names(steps: readonly PipelineStep[]): string {
  return new Intl.ListFormat('en').format(steps.map(({ name }) => name));
}
