import { type Contract, moment } from '@millrace/workload-kit/contract';
import { z } from 'zod';

export const MOST_SAMPLE_ROWS = 10_000_000;

export const reportSample = z.object({
  state: z
    .enum(['empty', 'filling', 'ready', 'failed'])
    .describe('Reports find rows when it is ready.'),
  rows: z.number().nullable().describe('How many timesheets there are, or will be.'),
  today: z.string().nullable().describe('The day that its rows end with, such as "2026-01-31".'),
  percent: z.number().describe('How far the filling is.'),
  makes: z.string().nullable().describe('What is being made, such as "timesheets".'),
  error: z.string().nullable().describe('Why it could not be filled.'),
  startedAt: moment.nullable().describe('When the filling began.'),
});
export type ReportSample = z.infer<typeof reportSample>;

const filling: ReportSample = {
  state: 'filling',
  rows: 1_000_000,
  today: '2026-01-31',
  percent: 40,
  makes: 'timesheets',
  error: null,
  startedAt: '2026-01-31T09:30:00.000Z',
};

export const sampleContracts = {
  getReportSample: {
    method: 'GET',
    path: '/reports/sample',
    summary: 'What the embedded sample has, and how far its filling is.',
    access: 'viewer',
    response: reportSample,
    statuses: [200],
    errors: ['sample_not_embedded', 'source_unavailable'],
    example: { response: filling },
  },
  fillReportSample: {
    method: 'POST',
    path: '/reports/sample',
    summary:
      'Begins to fill the embedded sample again: counties, providers, recipients, timesheets, payments.',
    access: 'admin',
    wide: true,
    audit: {},
    body: z.strictObject({
      rows: z.int().min(1).max(MOST_SAMPLE_ROWS).describe('How many timesheets.'),
    }),
    response: reportSample,
    statuses: [202],
    errors: ['sample_not_embedded', 'sample_busy', 'source_unavailable'],
    example: { body: { rows: 1_000_000 }, response: filling },
  },
} as const satisfies Record<string, Contract>;
