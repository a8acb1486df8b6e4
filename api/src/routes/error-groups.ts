import { type Contract, jobId, jobState, kindName, moment } from '@millrace/workload-kit/contract';
import { z } from 'zod';

export const errorCounts = z.object({ failed: z.number(), retrying: z.number() });

export const errorGroup = z.object({
  id: z.string().describe('Of kind, code and cause: the same for as long as these are.'),
  code: z.string(),
  kind: kindName,
  cause: z
    .string()
    .describe(
      'The message, with … for ids, numbers and quoted values: what jobs of the group share.',
    ),
  message: z.string().describe('Of the newest, as it is.'),
  counts: errorCounts,
  firstAt: moment,
  lastAt: moment,
  isNew: z.boolean().describe('Seen for the first time within 24 hours, as far as is looked back.'),
  helps: z
    .enum(['retry', 'correct', 'waits'])
    .describe(
      'What helps: trying again; correcting data or settings first; nothing, since it is tried again by itself.',
    ),
  advice: z.string().nullable().describe('What to do, from the table of codes; null: not in it.'),
  sample: z.array(jobId).max(5).describe('The newest.'),
  filter: z
    .object({ kind: kindName, errorCode: z.string(), state: jobState.optional() })
    .describe('Selects the jobs of this kind and code. Other causes may be among them.'),
  hours: z
    .array(z.number())
    .length(24)
    .describe('How many in each of the last 24 hours, the oldest first.'),
});
export type ErrorGroup = z.infer<typeof errorGroup>;

export const errorGroupContracts = {
  errorGroups: {
    method: 'GET',
    path: '/errors',
    summary: 'Failed jobs and those that wait for a retry, grouped by kind, code and cause.',
    access: 'viewer',
    query: z.strictObject({ kind: kindName.optional() }),
    response: z.object({
      at: moment,
      groups: z.array(errorGroup).max(500).describe('The latest first.'),
      looked: errorCounts,
      truncated: z
        .boolean()
        .describe(
          'There are more than the newest 20,000 failed jobs, 20,000 retries or 500 groups.',
        ),
    }),
    statuses: [200],
    example: {
      query: { kind: 'report.monthly' },
      response: {
        at: '2026-01-31T09:30:05.000Z',
        groups: [
          {
            id: '3f1c2a90d4b7e615',
            code: 'unknown',
            kind: 'report.monthly',
            cause: 'The report of … could not be written.',
            message: 'The report of January could not be written.',
            counts: { failed: 2, retrying: 1 },
            firstAt: '2026-01-30T17:02:11.000Z',
            lastAt: '2026-01-31T09:30:01.340Z',
            isNew: true,
            helps: 'retry',
            advice: null,
            sample: ['pg-42', 'pg-40', 'pg-31'],
            filter: { kind: 'report.monthly', errorCode: 'unknown' },
            hours: [0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2],
          },
        ],
        looked: { failed: 2, retrying: 1 },
        truncated: false,
      },
    },
  },
} as const satisfies Record<string, Contract>;
