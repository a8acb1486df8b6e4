import {
  type Contract,
  fileProblem,
  nextOrNone,
  parameterField,
  wholeOrPage,
} from '@millrace/workload-kit/contract';
import { z } from 'zod';

export const byPipeline = z.strictObject({
  name: z.string().min(1).max(100).describe('The name of its file, without .yaml.'),
});

export const pipeline = z.object({
  name: z.string(),
  title: z.string(),
  description: z.string().nullable(),
  file: z.string().describe('Within the folder of pipelines.'),
  parameters: z.array(parameterField),
  steps: z.array(
    z.object({
      name: z.string(),
      title: z.string(),
      type: z.string(),
      after: z.array(z.string()).describe('The steps that it waits for.'),
      when: z.string().nullable().describe('What has to hold, or it is skipped, in words.'),
      onFailure: z.enum(['stop', 'continue']),
      available: z.boolean().describe('This service does what it needs.'),
    }),
  ),
  schedules: z
    .array(
      z.object({
        name: z.string(),
        cron: z.string(),
        timeZone: z.string(),
        as: z.string().describe('The service identity that it runs as.'),
      }),
    )
    .describe('By these names /schedules knows them.'),
  digest: z.string().describe('Of what the file says: the version that is in force.'),
  problems: z
    .array(fileProblem)
    .describe('Of the file as it is now, where an older version of it is in force.'),
});
export type Pipeline = z.infer<typeof pipeline>;

export const pipelineExample: Pipeline = {
  name: 'monthly-statements',
  title: 'Monthly statements',
  description: 'A letter for each customer with orders, and a list of what was sent.',
  file: 'monthly-statements.yaml',
  parameters: [
    {
      name: 'month',
      type: 'month',
      label: 'Month',
      help: null,
      required: false,
      canBeEmpty: false,
      list: false,
      choices: [],
      suggests: false,
      min: null,
      max: null,
      default: 'last month',
      defaultNow: '2026-01',
      example: '--month 2026-01',
    },
  ],
  steps: [
    {
      name: 'customers',
      title: 'Customers with orders',
      type: 'query',
      after: [],
      when: null,
      onFailure: 'stop',
      available: true,
    },
    {
      name: 'letters',
      title: 'A letter for each',
      type: 'documents',
      after: ['customers'],
      when: 'customers.rows above 0',
      onFailure: 'stop',
      available: true,
    },
  ],
  schedules: [
    {
      name: 'pipeline:monthly-statements',
      cron: '0 6 1 * *',
      timeZone: 'Europe/Berlin',
      as: 'month-end',
    },
  ],
  digest: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  problems: [],
};

export const catalogueContracts = {
  listPipelines: {
    method: 'GET',
    path: '/pipelines',
    summary: 'The pipelines there are, with what they take, and what is wrong with their files.',
    access: 'viewer',
    query: wholeOrPage,
    response: z.object({
      pipelines: z.array(pipeline),
      troubled: z
        .array(
          z.object({
            file: z.string(),
            name: z.string().nullable().describe('Of the pipeline; null: no name of one.'),
            hasOlder: z.boolean().describe('It is in force as it was before its file went wrong.'),
            problems: z.array(fileProblem),
          }),
        )
        .describe('Files that are wrong.'),
      next: nextOrNone,
    }),
    statuses: [200],
    example: {
      response: {
        pipelines: [pipelineExample],
        troubled: [
          {
            file: 'dunning.yaml',
            name: 'dunning',
            hasOlder: false,
            problems: [
              {
                file: 'dunning.yaml',
                line: 7,
                column: 5,
                message: 'steps.letters.tempalte: there is no such field. Did you mean "template"?',
              },
            ],
          },
        ],
        next: null,
      },
    },
  },
  getPipeline: {
    method: 'GET',
    path: '/pipelines/:name',
    summary: 'One pipeline: its parameters and steps.',
    access: 'viewer',
    params: byPipeline,
    response: pipeline,
    statuses: [200],
    errors: ['pipeline_not_found'],
    example: { params: { name: 'monthly-statements' }, response: pipelineExample },
  },
} as const satisfies Record<string, Contract>;
