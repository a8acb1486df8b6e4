import { type Contract, jobId, moment, next, page } from '@millrace/workload-kit/contract';
import { z } from 'zod';
import { bulk as bulkFilter, jobFilter } from '../filter.ts';
import { jobSummary, progress } from '../job.ts';
import { summaryExample } from '../story.ts';

export const BULK_ACTIONS = ['retry', 'cancel', 'priority', 'delete'] as const;
export type BulkAction = (typeof BULK_ACTIONS)[number];

/** From so many jobs on nobody counts any more. */
export const BULK_COUNTED = 10_000;
const MOST_IDS = 1_000;

const action = z.enum(BULK_ACTIONS);
const priority = z.int().min(-1_000).max(1_000).nullable();

const asked = z
  .strictObject({
    action,
    filter: bulkFilter.optional().describe('Selects the jobs; either this or ids.'),
    group: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .describe('Limits the filter to one group of errors: its `id` in `GET /errors`.'),
    ids: z
      .array(jobId)
      .min(1)
      .max(MOST_IDS)
      .optional()
      .describe('Exactly these jobs; either this or filter.'),
    priority: priority
      .optional()
      .describe('For `priority`: the new priority; higher first, null comes last.'),
  })
  .refine(({ filter, ids }) => (filter === undefined) !== (ids === undefined), {
    error: 'Give a filter or ids, and not both.',
  })
  .refine(({ group, filter }) => group === undefined || filter !== undefined, {
    error: 'Give the filter of the group with it, as GET /errors has it.',
    path: ['group'],
  })
  .refine((body) => (body.action === 'priority') === (body.priority !== undefined), {
    error: 'Give a priority with the action "priority", and with no other.',
    path: ['priority'],
  });

const cause = z.object({
  code: z.string(),
  count: z.number(),
  retryable: z.boolean().describe('Whether another attempt could help, according to the failures.'),
});

const leftOut = z.object({
  reason: z
    .enum(['waits', 'runs', 'succeeded', 'failed', 'canceled', 'gone', 'unsupported'])
    .describe('For programs: usually the state that the action does not apply to.'),
  count: z.number(),
  sentence: z.string().describe('For people.'),
});

const outcome = z.object({
  changed: z.number().describe('Jobs that were retried, cancelled, moved or deleted.'),
  requested: z.number().describe('Running jobs that were asked to stop.'),
  skipped: z.number().describe('Jobs whose state has changed since the list was frozen.'),
  failed: z.number().describe('Jobs that a store refused, or whose store did not answer.'),
  failures: z.array(z.object({ id: jobId, message: z.string() })).describe('The first 100.'),
});

export const bulkAction = z.object({
  id: z.string(),
  action,
  priority: priority.describe('For `priority`: the new priority.'),
  filter: jobFilter.nullable().describe('The requested filter; null if given by ids.'),
  by: z.string().nullable().describe('Who requested it.'),
  frozenAt: moment.describe('Jobs created later are not included.'),
  matched: z.number().describe('Matching jobs, including those left out; counted up to 10,000.'),
  count: z.number().describe('Jobs that the action applies to, of those counted.'),
  more: z
    .boolean()
    .describe('More jobs match than were counted; the action applies to all of them.'),
  leftOut: z.array(leftOut).describe('Counted jobs that the action does not apply to.'),
  causes: z
    .array(cause)
    .describe('The last errors of the jobs it applies to, most frequent first.'),
  sample: z.array(jobSummary).describe('Five of them, newest first, as they were when frozen.'),
  warning: z
    .string()
    .nullable()
    .describe('Why it will probably not help; null if nothing is known.'),
  state: z
    .enum(['frozen', 'running', 'done', 'failed', 'canceled'])
    .describe('Frozen: not started yet.'),
  job: jobId.nullable().describe('The job that runs it; null if it has not been started.'),
  progress: progress.nullable().describe('The progress of that job.'),
  result: outcome.nullable().describe('Counts so far; final once it has ended.'),
  undo: z
    .object({
      possible: z.boolean(),
      job: jobId.nullable().describe('The job that undoes it, once requested.'),
      sentence: z.string().describe('What undoing would do, or why it is not possible.'),
    })
    .describe('Undo, for cancellations and priorities.'),
  erasedAt: moment.describe('When it is deleted.'),
});
export type BulkActionJson = z.infer<typeof bulkAction>;

const byId = z.strictObject({ id: z.string().min(1).max(100) });

export const bulkExample: BulkActionJson = {
  id: 'bulk-7',
  action: 'retry',
  priority: null,
  filter: { kind: 'report.monthly', phase: 'failed' },
  by: 'ada@example.com',
  frozenAt: '2026-01-31T09:42:17.000Z',
  matched: 57,
  count: 54,
  more: false,
  leftOut: [{ reason: 'waits', count: 3, sentence: 'They wait in the queue already.' }],
  causes: [
    { code: 'timeout', count: 51, retryable: true },
    { code: 'validation_error', count: 3, retryable: false },
  ],
  sample: [
    {
      ...summaryExample,
      state: 'FAILED',
      error: {
        code: 'timeout',
        message: 'The job ran longer than the 60 s its kind allows.',
        retryable: true,
      },
    },
  ],
  warning:
    '3 of them failed for good (validation_error): unless their cause was corrected, they will fail again.',
  state: 'frozen',
  job: null,
  progress: null,
  result: null,
  undo: { possible: false, job: null, sentence: 'Nothing has been done yet.' },
  erasedAt: '2026-02-07T09:42:17.000Z',
};
const startedExample: BulkActionJson = { ...bulkExample, state: 'running', job: 'pg-99' };

export const bulkContracts = {
  freezeBulk: {
    method: 'POST',
    path: '/bulk',
    summary:
      'Freezes the list of jobs for an action and reports how many there are, which are left out, and why they failed. Changes nothing yet.',
    access: 'member',
    audit: { filter: true },
    body: asked,
    response: bulkAction,
    statuses: [201],
    errors: ['unsupported_by_store'],
    example: {
      body: { action: 'retry', filter: { kind: 'report.monthly', phase: 'failed' } },
      response: bulkExample,
    },
  },
  runBulk: {
    method: 'POST',
    path: '/bulk/:id/run',
    summary:
      'Starts a frozen action as a job with progress (202); repeated, it returns the same job (200).',
    access: 'member',
    audit: { target: 'id', count: ['count'] },
    params: byId,
    response: bulkAction,
    statuses: [202, 200],
    errors: ['bulk_not_found'],
    example: { params: { id: 'bulk-7' }, response: startedExample },
  },
  undoBulk: {
    method: 'POST',
    path: '/bulk/:id/undo',
    summary:
      'Undoes an action as a job (202): queues its cancelled jobs again if they are still cancelled, or restores priorities.',
    access: 'member',
    audit: { target: 'id' },
    params: byId,
    response: bulkAction,
    statuses: [202, 200],
    errors: ['bulk_not_found', 'conflict'],
    example: {
      params: { id: 'bulk-8' },
      response: {
        ...startedExample,
        id: 'bulk-8',
        action: 'cancel',
        state: 'done',
        result: { changed: 54, requested: 0, skipped: 0, failed: 0, failures: [] },
        undo: { possible: false, job: 'pg-101', sentence: 'It is being undone.' },
      },
    },
  },
  getBulk: {
    method: 'GET',
    path: '/bulk/:id',
    summary: 'A bulk action and its counts so far.',
    access: 'viewer',
    params: byId,
    response: bulkAction,
    statuses: [200],
    errors: ['bulk_not_found'],
    example: { params: { id: 'bulk-7' }, response: bulkExample },
  },
  listBulk: {
    method: 'GET',
    path: '/bulk',
    summary: 'Bulk actions of the last 7 days, newest first.',
    access: 'viewer',
    query: page,
    response: z.object({ bulk: z.array(bulkAction), next }),
    statuses: [200],
    example: { query: { limit: '1' }, response: { bulk: [bulkExample], next: '7' } },
  },
} as const satisfies Record<string, Contract>;
