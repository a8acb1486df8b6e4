import type { PipelineStep } from '@millrace/pipelines/contract';
import { clean } from '../../render/width.ts';
import { outcome, skippedBecause } from './step.ts';

/** For a log: `pipe-7 letters running 30 %`, a line for each state and each tenth; null while it waits. */
export function stepLog(id: string, step: PipelineStep): string | null {
  const { name, state } = step;
  if (state === 'waiting') return null;
  return `${id} ${name} ${inWords(step)}`;
}

function inWords(step: PipelineStep): string {
  const { state, progress, error } = step;
  if (state === 'done') {
    const made = outcome(step);
    return made === 'done' ? made : `done (${made})`;
  }
  if (state === 'skipped') return skippedBecause(step);
  if (state === 'failed') return error === null ? state : `failed: ${clean(error.message)}`;
  if (state !== 'running') return state;
  if (error !== null) return `running (${clean(error.message)})`;
  if (progress === null || progress.total === null || progress.total === 0) return state;
  const tenth = Math.floor((progress.done / progress.total) * 10) * 10;
  return tenth === 0 ? state : `running ${tenth} %`;
}
