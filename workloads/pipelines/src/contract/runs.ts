import { byRun, keyFields, runFields, runQuery } from '@millrace/runs/contract';
import { type Contract, moment, next } from '@millrace/workload-kit/contract';
import { z } from 'zod';
import { byPipeline } from './catalogue.ts';

/** The same words as in definition/graph.ts, which the compiler holds together. */
export const pipelineStepState = z
  .enum(['waiting', 'running', 'done', 'skipped', 'failed', 'canceled'])
  .describe(
    'Where a step is. Skipped: its condition did not hold, or there was nothing before it.',
  );

const value = z.union([z.string(), z.number(), z.boolean(), z.null()]);

export const pipelineStep = z.object({
  name: z.string(),
  title: z.string(),
  type: z.string().describe('What it has done: query, documents, report, webhook or email.'),
  state: pipelineStepState,
  after: z.array(z.string()).describe('The steps that it waits for.'),
  when: z.string().nullable().describe('What has to hold, or it is skipped, in words.'),
  onFailure: z.enum(['stop', 'continue']).describe('What its failure means for those behind it.'),
  try: z.number().describe('1, and one more with each resume of it.'),
  progress: z
    .object({
      done: z.number(),
      total: z.number().nullable().describe('Null: nobody knows.'),
      note: z.string().nullable(),
    })
    .nullable(),
  thing: z
    .object({
      id: z.string().describe('Such as "run-7" or "batch-3".'),
      link: z.string().nullable().describe('Where it is in this API.'),
    })
    .nullable()
    .describe('What it has begun.'),
  output: z.record(z.string(), value).nullable().describe('Of a step that is done.'),
  error: z
    .object({
      code: z.string().describe('Such as "documents_failed"; docs/errors.md lists them.'),
      message: z.string(),
    })
    .nullable()
    .describe('Why it failed; of one that runs, why its last try did not succeed.'),
  jobId: z.string().nullable().describe('The job that carries it.'),
  startedAt: moment.nullable(),
  finishedAt: moment.nullable(),
});
export type PipelineStep = z.infer<typeof pipelineStep>;

export const pipelineRun = z.object({
  ...runFields,
  id: z.string().describe('Such as "pipe-7"; also the correlation id of all that it begins.'),
  pipeline: z.string(),
  title: z.string(),
  parameters: z.record(z.string(), z.union([z.string(), z.array(z.string()), z.null()])),
  error: runFields.error.describe('That of the step that failed.'),
  schedule: z.string().nullable().describe('The schedule that began it.'),
  fileChanged: z
    .boolean()
    .describe('The file says something else now. The run goes on by what it said then.'),
  steps: z.array(pipelineStep),
});
export type PipelineRun = z.infer<typeof pipelineRun>;

export const pipelineEvent = z
  .object({ type: z.literal('pipeline'), run: pipelineRun })
  .describe('A run of a pipeline, as it is now.');

const QUERY: PipelineStep = {
  name: 'customers',
  title: 'Customers with orders',
  type: 'query',
  state: 'done',
  after: [],
  when: null,
  onFailure: 'stop',
  try: 1,
  progress: null,
  thing: { id: 'run-7', link: '/runs/run-7' },
  output: { rows: 204, runId: 'run-7' },
  error: null,
  jobId: 'pg-41',
  startedAt: '2026-02-01T06:00:00.000Z',
  finishedAt: '2026-02-01T06:00:12.000Z',
};

const runExample: PipelineRun = {
  id: 'pipe-7',
  pipeline: 'monthly-statements',
  title: 'Monthly statements',
  state: 'PROCESSING',
  error: null,
  parameters: { month: '2026-01' },
  tenant: 'acme',
  submitter: 'ada@example.com',
  schedule: null,
  fileChanged: false,
  steps: [
    QUERY,
    {
      ...QUERY,
      name: 'letters',
      title: 'A letter for each',
      type: 'documents',
      state: 'running',
      after: ['customers'],
      when: 'customers.rows above 0',
      progress: { done: 61, total: 204, note: null },
      thing: { id: 'batch-3', link: '/batches/batch-3' },
      output: null,
      jobId: 'pg-42',
      startedAt: '2026-02-01T06:00:12.000Z',
      finishedAt: null,
    },
  ],
  createdAt: '2026-02-01T06:00:00.000Z',
  startedAt: '2026-02-01T06:00:00.000Z',
  finishedAt: null,
};
const firstOf = ({ steps }: PipelineRun): PipelineStep[] =>
  steps.map((step) => ({
    ...step,
    state: 'waiting',
    progress: null,
    thing: null,
    output: null,
    jobId: null,
    startedAt: null,
    finishedAt: null,
  }));

const newRun = z.strictObject({
  parameters: z
    .record(z.string(), z.unknown())
    .default({})
    .describe('By name. Those with a default may be left out.'),
  ...keyFields,
});

export const runContracts = {
  startPipeline: {
    method: 'POST',
    path: '/pipelines/:name/runs',
    summary: 'Runs a pipeline. Answers at once; with a key that a run has, with that one.',
    access: 'member',
    params: byPipeline,
    body: newRun,
    response: pipelineRun,
    statuses: [202],
    errors: [
      'pipeline_not_found',
      'invalid_pipeline_parameters',
      'pipeline_unavailable',
      'pipeline_invalid',
      'pipeline_file_missing',
      'invalid_key',
    ],
    example: {
      params: { name: 'monthly-statements' },
      body: { parameters: { month: '2026-01' }, key: 'statements-2026-01' },
      response: {
        ...runExample,
        state: 'QUEUED',
        startedAt: null,
        steps: firstOf(runExample),
      },
    },
  },
  listPipelineRuns: {
    method: 'GET',
    path: '/pipelines/runs',
    summary: 'Runs of pipelines, newest first.',
    access: 'viewer',
    query: runQuery.extend({ pipeline: z.string().min(1).max(100).optional() }),
    response: z.object({ runs: z.array(pipelineRun), next }),
    statuses: [200],
    example: { query: { state: 'PROCESSING' }, response: { runs: [runExample], next: null } },
  },
  getPipelineRun: {
    method: 'GET',
    path: '/pipelines/runs/:id',
    summary: 'Where a run stands, step by step.',
    access: 'viewer',
    params: byRun,
    response: pipelineRun,
    statuses: [200],
    errors: ['pipeline_run_not_found'],
    example: { params: { id: 'pipe-7' }, response: runExample },
  },
  pipelineRunEvents: {
    method: 'GET',
    path: '/pipelines/runs/:id/events',
    summary:
      'The run as it is, then again whenever it changes (Server-Sent Events); ends with the run.',
    access: 'viewer',
    params: byRun,
    response: pipelineEvent,
    statuses: [200],
    media: 'text/event-stream',
    errors: ['pipeline_run_not_found', 'too_many_streams'],
    example: { params: { id: 'pipe-7' }, response: { type: 'pipeline', run: runExample } },
  },
  cancelPipelineRun: {
    method: 'POST',
    path: '/pipelines/runs/:id/cancel',
    summary: 'Stops a run, with what its steps have begun. What is done stays done.',
    access: 'member',
    audit: { target: 'id', count: 1 },
    params: byRun,
    response: pipelineRun,
    statuses: [200],
    errors: ['pipeline_run_not_found', 'pipeline_run_finished'],
    example: {
      params: { id: 'pipe-7' },
      response: { ...runExample, state: 'CANCELED', finishedAt: '2026-02-01T06:01:00.000Z' },
    },
  },
  resumePipelineRun: {
    method: 'POST',
    path: '/pipelines/runs/:id/resume',
    summary:
      'Goes on with a run that failed or was cancelled, from the steps that did. What is done is not done again.',
    access: 'member',
    audit: { target: 'id', count: 1 },
    params: byRun,
    body: z.strictObject({
      withFile: z
        .boolean()
        .default(false)
        .describe('By what the file says now, where that is the same for the steps that are over.'),
    }),
    response: pipelineRun,
    statuses: [200],
    errors: [
      'pipeline_run_not_found',
      'pipeline_run_not_resumable',
      'pipeline_changed',
      'pipeline_not_found',
      'pipeline_unavailable',
      'pipeline_invalid',
      'pipeline_file_missing',
      'invalid_pipeline_parameters',
    ],
    example: { params: { id: 'pipe-7' }, body: { withFile: true }, response: runExample },
  },
} as const satisfies Record<string, Contract>;
