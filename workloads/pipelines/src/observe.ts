import type { Recorder } from '@millrace/workload-kit';
import type { metrics } from './contract/metrics.ts';
import { stepOf } from './definition/plan.ts';
import type { PipelineRunRecord } from './runs/pipeline-run.ts';

/** What is counted and timed. None of these throws. */
export interface PipelineMetrics {
  /** A step has ended, and perhaps the run with it. */
  ended(run: PipelineRunRecord, step: string): void;
  restored(count: number): void;
}

export function metricsOf({ count, record }: Recorder<typeof metrics>): PipelineMetrics {
  return {
    ended(run, name) {
      const step = run.steps.find((each) => each.step === name);
      if (step === undefined) return;
      const { type } = stepOf(run.plan, name);
      count('pipeline_steps_total', 1, { type, state: step.state });
      const { startedAt, finishedAt } = step;
      if (startedAt !== null && finishedAt !== null)
        record('pipeline_step_duration_ms', finishedAt - startedAt, { type });
      if (run.finishedAt !== null) count('pipeline_runs_total', 1, { state: run.state });
    },
    restored: (number) => count('pipeline_jobs_restored_total', number),
  };
}
