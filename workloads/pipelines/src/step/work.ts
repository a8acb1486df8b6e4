import type { Step, StepOutput, Who } from '@millrace/workload-kit';
import type { ZodType } from 'zod';
import type { PipelineRunRecord } from '../runs/pipeline-run.ts';

/**
 * What a step has done. Work of a workload is begun and looked at; what is handed over, such as an e-mail, is done when it
 * has left, and leaves nothing behind to look at.
 */
export type Work = Step | HandOver;

export interface HandOver {
  readonly input: ZodType;
  readonly literal?: readonly string[];
  readonly outputs?: readonly string[];
  /** The same key again is the same thing again, which its receiver can tell by it. */
  hand(params: {
    readonly input: unknown;
    readonly who: Who;
    readonly key: string;
    readonly run: PipelineRunRecord;
    readonly signal: AbortSignal;
  }): Promise<StepOutput>;
}

export type Works = (type: string) => Work | undefined;

export function isHandOver(work: Work): work is HandOver {
  return 'hand' in work;
}
