import type { Pipeline, PipelineRun, PipelineStep } from '@millrace/pipelines/contract';
import { type Call, type Handlers, refusal } from './contract-server.ts';
import { SECOND, at } from './jobs.ts';
import { aParameter } from './reports.ts';
import { type Fixture, fixture } from './run.ts';

/** A service that has pipelines: each look at the run moves it on by one of `sights`. */
export interface PipelinesService {
  pipelines: Pipeline[];
  troubled: { file: string; line: number; column: number; message: string }[];
  run: PipelineRun;
  /** What follows at the next looks; the last one stays. */
  sights: Partial<PipelineRun>[];
  readonly bodies: unknown[];
  readonly queries: unknown[];
  readonly canceled: string[];
}

const PARTS = {
  customers: { title: 'Customers with orders', type: 'query', after: [], when: null },
  letters: {
    title: 'A letter for each',
    type: 'documents',
    after: ['customers'],
    when: 'customers.rows above 0',
  },
  mail: { title: 'Mail to the board', type: 'email', after: ['letters'], when: null },
};
type Name = keyof typeof PARTS;
const NAMES = ['customers', 'letters', 'mail'] as const;

export function aPipeline(changes: Partial<Pipeline> = {}): Pipeline {
  return {
    name: 'statements',
    title: 'Monthly statements',
    description: null,
    file: 'statements.yaml',
    parameters: [
      aParameter('month', {
        type: 'month',
        required: true,
        canBeEmpty: false,
        example: '--month 2026-01',
      }),
      aParameter('mode', {
        type: 'choice',
        choices: [
          { value: 'draft', label: 'Draft' },
          { value: 'final', label: 'Final' },
        ],
      }),
    ],
    steps: NAMES.map((name) => ({
      ...PARTS[name],
      name,
      onFailure: 'stop',
      available: name !== 'mail',
    })),
    schedules: [],
    digest: 'd'.repeat(64),
    problems: [],
    ...changes,
  };
}

export function aStep(name: Name, changes: Partial<PipelineStep> = {}): PipelineStep {
  return {
    name,
    ...PARTS[name],
    state: 'waiting',
    onFailure: 'stop',
    try: 1,
    progress: null,
    thing: null,
    output: null,
    error: null,
    jobId: null,
    startedAt: null,
    finishedAt: null,
    ...changes,
  };
}

export const customersDone = aStep('customers', {
  state: 'done',
  output: { rows: 204, runId: 'run-7' },
  thing: { id: 'run-7', link: '/runs/run-7' },
  jobId: 'pg-41',
  startedAt: at(0),
  finishedAt: at(12 * SECOND),
});

export function lettersAt(done: number): PipelineStep {
  return aStep('letters', {
    state: 'running',
    progress: { done, total: 200, note: null },
    startedAt: at(0),
  });
}

export const lettersDone = aStep('letters', {
  state: 'done',
  output: { total: 204, succeeded: 203, failed: 1, batchId: 'batch-3' },
  startedAt: at(0),
  finishedAt: at(30 * SECOND),
});

export const lettersFailed = aStep('letters', {
  state: 'failed',
  error: { code: 'documents_failed', message: '1 of 204 documents could not be made.' },
  startedAt: at(0),
  finishedAt: at(30 * SECOND),
});

export function aRun(changes: Partial<PipelineRun> = {}): PipelineRun {
  return {
    id: 'pipe-7',
    pipeline: 'statements',
    title: 'Monthly statements',
    state: 'PROCESSING',
    error: null,
    parameters: { month: '2026-01' },
    tenant: '',
    submitter: 'ada@example.com',
    schedule: null,
    fileChanged: false,
    steps: NAMES.map((name) => aStep(name)),
    createdAt: at(0),
    startedAt: at(0),
    finishedAt: null,
    ...changes,
  };
}

export const failed: Partial<PipelineRun> = {
  state: 'FAILED',
  steps: [customersDone, lettersFailed, aStep('mail')],
  finishedAt: at(42 * SECOND),
};

export const succeeded: Partial<PipelineRun> = {
  state: 'SUCCEEDED',
  steps: [customersDone, lettersDone, aStep('mail', { state: 'skipped' })],
  finishedAt: at(42 * SECOND),
};

const AS_IT_GOES: readonly Partial<PipelineRun>[] = [
  { steps: [customersDone, lettersAt(0), aStep('mail')] },
  { steps: [customersDone, lettersAt(61), aStep('mail')] },
  { steps: [customersDone, lettersAt(70), aStep('mail')] },
  succeeded,
];

export async function pipelinesFixture(
  changes: Partial<PipelinesService> = {},
): Promise<Fixture & { readonly pipelines: PipelinesService }> {
  const pipelines: PipelinesService = {
    pipelines: [aPipeline()],
    troubled: [],
    run: aRun(),
    sights: [...AS_IT_GOES],
    bodies: [],
    queries: [],
    canceled: [],
    ...changes,
  };
  const made = await fixture();
  Object.assign(made.service.handlers, handlersOf(pipelines));
  return { ...made, pipelines };
}

function handlersOf(service: PipelinesService): Handlers {
  const known = ({ params: { id } }: Call): void => {
    if (id !== service.run.id)
      throw refusal('pipeline_run_not_found', `There is no run "${id}" of a pipeline.`);
  };
  return {
    listPipelines: () => ({
      pipelines: service.pipelines,
      troubled: service.troubled.map((problem) => ({
        file: problem.file,
        name: null,
        hasOlder: false,
        problems: [problem],
      })),
      next: null,
    }),
    getPipeline({ params: { name } }) {
      const found = service.pipelines.find((each) => each.name === name);
      if (found === undefined)
        throw refusal('pipeline_not_found', `There is no pipeline "${name}".`);
      return found;
    },
    startPipeline({ body }) {
      service.bodies.push(body);
      return service.run;
    },
    listPipelineRuns({ query }) {
      service.queries.push(query);
      return { runs: [service.run], next: null };
    },
    getPipelineRun(call) {
      known(call);
      service.run = { ...service.run, ...service.sights.shift() };
      return service.run;
    },
    cancelPipelineRun(call) {
      known(call);
      service.canceled.push(service.run.id);
      service.run = { ...service.run, state: 'CANCELED' };
      return service.run;
    },
    resumePipelineRun(call) {
      known(call);
      service.bodies.push(call.body);
      service.run = { ...service.run, state: 'PROCESSING', finishedAt: null };
      return service.run;
    },
  };
}
