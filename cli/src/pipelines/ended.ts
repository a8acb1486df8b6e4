import type { PipelineRun } from '@millrace/pipelines/contract';
import { EXIT, type ExitCode } from '../line/exit.ts';

export function hasEnded({ state }: Pick<PipelineRun, 'state'>): boolean {
  return state !== 'running';
}

export function exitCodeFor({ state }: Pick<PipelineRun, 'state'>): ExitCode {
  return state === 'failed' || state === 'canceled' ? EXIT.failed : EXIT.ok;
}
