import type { Client } from '@millrace/api';
import type { Phase } from '../../ui/state.tsx';

export type Pipeline = Awaited<ReturnType<Client['getPipeline']>>;
export type PipelineRun = Awaited<ReturnType<Client['getPipelineRun']>>;
export type Step = PipelineRun['steps'][number];

export const STEP_PHASES: Readonly<Record<Step['state'], Phase>> = {
  waiting: 'waiting',
  running: 'running',
  done: 'succeeded',
  skipped: 'canceled',
  failed: 'failed',
  canceled: 'canceled',
};
