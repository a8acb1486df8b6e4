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
    filter: bulkFilter.optional().describe('Which jobs …'),
    group: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .describe('Of the filter, only jobs of this group of errors: its `id` in `GET /errors`.'),
    ids: z.array(jobId).min(1).max(MOST_IDS).optional().describe('… or exactly these.'),
    priority: priority
      .optional()
      .describe('The new one, for `priority`: higher first, null after every number.'),
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
  retryable: z.boolean().describe('Whether another attempt could help, as the failures say.'),
});

const leftOut = z.object({
  reason: z
    .enum(['waits', 'runs', 'succeeded', 'failed', 'canceled', 'gone', 'unsupported'])
    .describe('For programs: mostly the state that the action does not take.'),
  count: z.number(),
  sentence: z.string().describe('For people.'),
});

const outcome = z.object({
  changed: z.number().describe('Retried, cancelled, moved or deleted.'),
  requested: z.number().describe('Running; asked to stop.'),
  skipped: z.number().describe('They had moved on since the filter was frozen.'),
  failed: z.number().describe('A store refused them, or did not answer.'),
  failures: z.array(z.object({ id: jobId, message: z.string() })).describe('The first 100.'),
});

export const bulkAction = z.object({
  id: z.string(),
  action,
  priority: priority.describe('Of the action `priority`: the new one.'),
  filter: jobFilter.nullable().describe('As it was asked for; null: by ids.'),
  by: z.string().nullable().describe('Who asked for it.'),
  frozenAt: moment.describe('Jobs made later are no part of it.'),
  matched: z.number().describe('Jobs that match, those left out too; counted up to 10,000.'),
  count: z.number().describe('Jobs that take the action; of those counted.'),
  more: z.boolean().describe('There are more than were counted: all of them are meant.'),
  leftOut: z.array(leftOut).describe('Of those counted, the ones that cannot take the action.'),
  causes: z.array(cause).describe('Why those that take the action failed last, the most first.'),
  sample: z.array(jobSummary).describe('Five of them, the newest first, as they were.'),
  warning: z.string().nullable().describe('Why it will probably not help; null: nothing known.'),
  state: z
    .enum(['frozen', 'running', 'done', 'failed', 'canceled'])
    .describe('Frozen: nothing has been done yet.'),
  job: jobId.nullable().describe('The job that does it; null: nobody has asked for that yet.'),
  progress: progress.nullable().describe('Of that job.'),
  result: outcome.nullable().describe('So far, and in all once it is done.'),
  undo: z
    .object({
      possible: z.boolean(),
      job: jobId.nullable().describe('The job that undoes it, once asked for.'),
      sentence: z.string().describe('What it would do, or why it cannot be done.'),
    })
    .describe('Of what was cancelled and of priorities.'),
  erasedAt: moment.describe('When it is forgotten.'),
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
      'Freezes which jobs an action is for, and says how many, which are left out, and why they failed; does nothing yet.',
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
      'Does what was frozen, as a job with progress (202); asked again, it is the same job (200).',
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
      'Puts jobs back that it has cancelled and that are still so, or gives them their priorities of before, as a job (202).',
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
    summary: 'A bulk action, with what it has done so far.',
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
