import type { Lookup } from '../definition/references.ts';
import { iso } from '@millrace/workload-kit';
import type { PipelineRunRecord } from './pipeline-run.ts';

/** What every step has, beside the outputs of its own kind. */
export const OF_EVERY_STEP = ['state', 'id'] as const;
/** What every run has. */
export const OF_RUN = ['id', 'pipeline', 'createdAt'] as const;

/** What names stand for in a run: its parameters, itself, and the outputs of its steps, null where a step has none. */
export function lookupOf(run: PipelineRunRecord): Lookup {
  return (name) => {
    if (Object.hasOwn(run.values, name)) return run.values[name];
    const [first = '', member = ''] = name.split('.', 2);
    if (first === 'run') {
      const own: Record<(typeof OF_RUN)[number], string> = {
        id: run.id,
        pipeline: run.pipeline,
        createdAt: iso(run.createdAt),
      };
      return Object.hasOwn(own, member) ? own[member as keyof typeof own] : undefined;
    }
    const step = run.steps.find((each) => each.step === first);
    if (step === undefined) return undefined;
    if (member === 'state') return step.state;
    if (member === 'id') return step.startedId;
    if (step.output === null) return null;
    return Object.hasOwn(step.output, member) ? step.output[member] : undefined;
  };
}
