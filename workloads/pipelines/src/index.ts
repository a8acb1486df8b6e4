export { type Pipelines, type PipelinesParams, openPipelines } from './pipelines.ts';
export { pipelineKinds } from './kinds.ts';
export { STEP } from './step/data.ts';
export { followSteps } from './step/follow.ts';
export { pipelines } from './workload.ts';
