import {
  type WorkloadContract,
  fileProblem,
  parameterField,
} from '@millrace/workload-kit/contract';
import { runError } from '@millrace/runs/contract';
import { catalogueContracts, pipeline } from './catalogue.ts';
import { errors } from './errors.ts';
import { failures } from './failures.ts';
import { metrics } from './metrics.ts';
import {
  pipelineEvent,
  pipelineRun,
  pipelineStep,
  pipelineStepState,
  runContracts,
} from './runs.ts';

export type { Pipeline } from './catalogue.ts';
export { failures } from './failures.ts';
export type { PipelineRun, PipelineStep } from './runs.ts';

/** All that server, command line and console know of the pipelines. Safe in a browser. */
export const contract = {
  // Runs first: /pipelines/runs is no pipeline.
  routes: { ...runContracts, ...catalogueContracts },
  groups: [
    {
      name: 'Pipelines',
      about:
        'Steps over all workloads in one file: a query, documents of its rows, a report of them, an e-mail. A run goes on where it failed.',
      contracts: { ...runContracts, ...catalogueContracts },
    },
  ],
  schemas: {
    asked: {},
    given: {
      Pipeline: pipeline,
      PipelineParameter: parameterField,
      PipelineFileProblem: fileProblem,
      RunError: runError,
      PipelineRun: pipelineRun,
      PipelineStep: pipelineStep,
      PipelineEvent: pipelineEvent,
      PipelineStepState: pipelineStepState,
    },
  },
  errors,
  failures,
  metrics,
  topics: { pipeline: pipelineEvent },
} as const satisfies WorkloadContract;
