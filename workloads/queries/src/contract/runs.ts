import { byRun, keyFields, runFields, runQuery, waitField } from '@millrace/runs/contract';
import { type Contract, type JobState, moment, next } from '@millrace/workload-kit/contract';
import { z } from 'zod';
import { column, mid, sql } from './values.ts';

export const runStatus = z
  .enum(['queued', 'running', 'ready', 'failed', 'canceled'])
  .describe('The state of a run in the words of queries; ready, failed and canceled are its ends.');
export type RunStatus = z.infer<typeof runStatus>;

export const STATUS_OF: Readonly<Record<JobState, RunStatus>> = {
  QUEUED: 'queued',
  PROCESSING: 'running',
  SUCCEEDED: 'ready',
  FAILED: 'failed',
  CANCELED: 'canceled',
};

export function stateOf(status: RunStatus): JobState | undefined {
  const states = Object.keys(STATUS_OF) as JobState[];
  return states.find((state) => STATUS_OF[state] === status);
}

export const run = z.object({
  ...runFields,
  id: z.string().describe('Such as "run-7".'),
  status: runStatus,
  mceStatus: z
    .string()
    .nullable()
    .describe('What Marketing Cloud said last, in its words: "Queued", "Processing", …'),
  mid: z.string().describe('The business unit that it runs in.'),
  sqlText: z.string(),
  snippetName: z.string().nullable().describe('The snippet that it was started with.'),
  columns: z
    .array(column)
    .nullable()
    .describe('What it gives, in the order of the SELECT list; null until that is known.'),
  rowCount: z.number().nullable().describe('Of a ready run. 0: it went well, and nothing matched.'),
  trouble: z
    .string()
    .nullable()
    .optional()
    .describe('Of a queued run: why Marketing Cloud has not taken it yet. It is tried again.'),
  waitsFor: z
    .string()
    .nullable()
    .optional()
    .describe('Of a running run: what it waits for, where that is not what mceStatus says.'),
  pollCount: z.number().describe('How often Marketing Cloud was asked how far it is.'),
  apiCalls: z
    .number()
    .describe('What it cost: calls to Marketing Cloud. One call for several runs counts in parts.'),
  startedAt: moment.nullable().describe('When Marketing Cloud had taken it.'),
  resultsExpireAt: moment.nullable().describe('The rows can be read until then.'),
});
export type Run = z.infer<typeof run>;

export const runEvent = z
  .object({ type: z.literal('run'), run })
  .describe('A run of a query, as it is now.');

export const runExample: Run = {
  id: 'run-7',
  state: 'SUCCEEDED',
  status: 'ready',
  mceStatus: 'Complete',
  mid: '100001',
  sqlText: 'SELECT EmailAddress, COUNT(*) AS Opens FROM _Open GROUP BY EmailAddress',
  snippetName: null,
  tenant: 'acme',
  submitter: 'ada@example.com',
  columns: [
    { name: 'EmailAddress', type: 'text' },
    { name: 'Opens', type: 'number' },
  ],
  rowCount: 1_204,
  error: null,
  trouble: null,
  waitsFor: null,
  pollCount: 4,
  apiCalls: 9.25,
  createdAt: '2026-01-31T09:30:00.000Z',
  startedAt: '2026-01-31T09:30:06.000Z',
  finishedAt: '2026-01-31T09:31:02.000Z',
  resultsExpireAt: '2026-02-01T09:31:02.000Z',
};
const queued: Run = {
  ...runExample,
  state: 'QUEUED',
  status: 'queued',
  mceStatus: null,
  rowCount: null,
  columns: null,
  pollCount: 0,
  apiCalls: 0,
  startedAt: null,
  finishedAt: null,
  resultsExpireAt: null,
};

const newRun = z
  .strictObject({
    sql: sql.optional(),
    snippet: z.string().min(1).max(100).optional().describe('The name of one, instead of sql.'),
    mid: mid.optional(),
    ...keyFields,
    wait: waitField,
  })
  .refine(({ sql: text, snippet }) => (text === undefined) !== (snippet === undefined), {
    error: 'Give either sql or snippet.',
  });

export const runContracts = {
  startRun: {
    method: 'POST',
    path: '/runs',
    summary:
      'Runs a query. Answers at once (202), or with `wait` when it is over (200); with a key that a run has, as that one is.',
    access: 'member',
    body: newRun,
    response: run,
    statuses: [202, 200],
    errors: [
      'invalid_sql',
      'invalid_key',
      'snippet_not_found',
      'mid_not_allowed',
      'marketing_cloud_not_configured',
    ],
    example: {
      body: { sql: queued.sqlText, mid: '100001', key: 'opens-2026-01-31' },
      response: queued,
    },
  },
  listRuns: {
    method: 'GET',
    path: '/runs',
    summary: 'Runs, newest first.',
    access: 'viewer',
    query: runQuery.extend({
      status: runStatus.optional(),
      mid: mid.optional(),
      snippet: z.string().min(1).max(100).optional().describe('Started with the snippet.'),
      q: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe(
          'Part of the SQL or of the snippet’s name, or an id, also a correlation id; case aside.',
        ),
    }),
    response: z.object({ runs: z.array(run), next }),
    statuses: [200],
    example: { query: { status: 'ready' }, response: { runs: [runExample], next: null } },
  },
  getRun: {
    method: 'GET',
    path: '/runs/:id',
    summary: 'How far a run is.',
    access: 'viewer',
    params: byRun,
    response: run,
    statuses: [200],
    errors: ['run_not_found'],
    example: { params: { id: 'run-7' }, response: runExample },
  },
  runEvents: {
    method: 'GET',
    path: '/runs/:id/events',
    summary:
      'The run as it is, then again whenever it changes (Server-Sent Events); ends with the run.',
    access: 'viewer',
    params: byRun,
    response: runEvent,
    statuses: [200],
    media: 'text/event-stream',
    errors: ['run_not_found', 'too_many_streams'],
    example: { params: { id: 'run-7' }, response: { type: 'run', run: runExample } },
  },
  cancelRun: {
    method: 'POST',
    path: '/runs/:id/cancel',
    summary: 'Stops a run. What it made in Marketing Cloud is removed.',
    access: 'member',
    audit: { target: 'id', count: 1 },
    params: byRun,
    response: run,
    statuses: [200],
    errors: ['run_not_found', 'run_finished'],
    example: {
      params: { id: 'run-7' },
      response: {
        ...queued,
        state: 'CANCELED',
        status: 'canceled',
        finishedAt: '2026-01-31T09:30:20.000Z',
      },
    },
  },
} as const satisfies Record<string, Contract>;
