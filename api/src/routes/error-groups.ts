import { type Contract, jobId, jobState, kindName, moment } from '@millrace/workload-kit/contract';
import { z } from 'zod';

export const errorCounts = z.object({ failed: z.number(), retrying: z.number() });

export const errorGroup = z.object({
  id: z.string().describe('Derived from kind, code and cause, and stable.'),
  code: z.string(),
  kind: kindName,
  cause: z
    .string()
    .describe('The message common to the group, with … for ids, numbers and quoted values.'),
  message: z.string().describe('The full message of the newest failure.'),
  counts: errorCounts,
  firstAt: moment,
  lastAt: moment,
  isNew: z
    .boolean()
    .describe('First seen within the last 24 hours, as far as the search looks back.'),
  helps: z
    .enum(['retry', 'correct', 'waits'])
    .describe(
      'What helps: a retry; a fix of data or settings first; nothing, because it is retried automatically.',
    ),
  advice: z
    .string()
    .nullable()
    .describe('What to do, from the error table; null if the code is not in it.'),
  sample: z.array(jobId).max(5).describe('The newest jobs.'),
  filter: z
    .object({ kind: kindName, errorCode: z.string(), state: jobState.optional() })
    .describe('Selects jobs of this kind and code; other causes may be among them.'),
  hours: z
    .array(z.number())
    .length(24)
    .describe('Count per hour over the last 24 hours, oldest first.'),
});
export type ErrorGroup = z.infer<typeof errorGroup>;

export const errorGroupContracts = {
  errorGroups: {
    method: 'GET',
    path: '/errors',
    summary: 'Failed and retrying jobs, grouped by kind, code and cause.',
    access: 'viewer',
    query: z.strictObject({ kind: kindName.optional() }),
    response: z.object({
      at: moment,
      groups: z.array(errorGroup).max(500).describe('Latest first.'),
      looked: errorCounts,
      truncated: z
        .boolean()
        .describe(
          'True if there are more than the newest 20,000 failed jobs, 20,000 retries or 500 groups, which are all that is searched.',
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
