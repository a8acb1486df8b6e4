import {
  type Contract,
  anyMoment,
  duration,
  moment,
  next,
  page,
} from '@millrace/workload-kit/contract';
import { z } from 'zod';
import { column, mid, sql } from './values.ts';

/** The same words as in run.ts, which tests hold together. */
export const runStatus = z
  .enum(['queued', 'running', 'ready', 'failed', 'canceled'])
  .describe('Where a run is; ready, failed and canceled are its ends.');

export const run = z.object({
  id: z.string().describe('Such as "run-7".'),
  status: runStatus,
  mceStatus: z
    .string()
    .nullable()
    .describe('What Marketing Cloud said last, in its words: "Queued", "Processing", …'),
  mid: z.string().describe('The business unit that it runs in.'),
  sqlText: z.string(),
  snippetName: z.string().nullable().describe('The snippet that it was started with.'),
  tenant: z.string(),
  submitter: z.string().nullable().describe('Who started it.'),
  columns: z
    .array(column)
    .nullable()
    .describe('What it gives, in the order of the SELECT list; null until that is known.'),
  rowCount: z.number().nullable().describe('Of a ready run. 0: it went well, and nothing matched.'),
  error: z
    .object({
      code: z.string().describe('Such as "query_failed"; docs/errors.md lists them.'),
      message: z.string(),
    })
    .nullable()
    .describe('Why it failed.'),
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
  createdAt: moment,
  pollStartedAt: moment.nullable().describe('When Marketing Cloud had taken it.'),
  completedAt: moment.nullable(),
  resultsExpireAt: moment.nullable().describe('The rows can be read until then.'),
});
export type Run = z.infer<typeof run>;

export const runEvent = z
  .object({ type: z.literal('run'), run })
  .describe('A run of a query, as it is now.');

export const runExample: Run = {
  id: 'run-7',
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
  pollStartedAt: '2026-01-31T09:30:06.000Z',
  completedAt: '2026-01-31T09:31:02.000Z',
  resultsExpireAt: '2026-02-01T09:31:02.000Z',
};
const queued: Run = {
  ...runExample,
  status: 'queued',
  mceStatus: null,
  rowCount: null,
  columns: null,
  pollCount: 0,
  apiCalls: 0,
  pollStartedAt: null,
  completedAt: null,
  resultsExpireAt: null,
};

export const byRun = z.strictObject({ id: z.string().min(1).max(100) });

const newRun = z
  .strictObject({
    sql: sql.optional(),
    snippet: z.string().min(1).max(100).optional().describe('The name of one, instead of sql.'),
    mid: mid.optional(),
    key: z
      .string()
      .min(1)
      .max(255)
      .regex(/^[^\p{Cc}]+$/u, { error: 'Leave control characters out.' })
      .optional()
      .describe(
        'The same key of the same caller makes one run: send it again if the answer is lost.',
      ),
    keyWindow: duration
      .optional()
      .describe('How long a run that went well keeps the key; 24 hours by default.'),
    wait: z
      .int()
      .min(0)
      .max(60)
      .optional()
      .describe('Answers when the run is over, or after so many seconds.'),
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
    query: page.extend({
      status: runStatus.optional(),
      mid: mid.optional(),
      submitter: z.string().min(1).max(200).optional().describe('Who started it.'),
      snippet: z.string().min(1).max(100).optional().describe('Started with the snippet.'),
      q: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe(
          'Part of the SQL or of the snippet’s name, or an id, also a correlation id; case aside.',
        ),
      createdAfter: anyMoment.optional(),
      createdBefore: anyMoment.optional(),
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
      response: { ...queued, status: 'canceled', completedAt: '2026-01-31T09:30:20.000Z' },
    },
  },
} as const satisfies Record<string, Contract>;
