import { type Contract } from '@millrace/workload-kit/contract';
import { z } from 'zod';

export const MOST_SAMPLE_ROWS = 10_000_000;

export const sampleContracts = {
  fillReportSample: {
    method: 'POST',
    path: '/reports/sample',
    summary:
      'Fills the embedded sample afresh: counties, providers, recipients, timesheets, payments.',
    access: 'admin',
    wide: true,
    audit: {},
    body: z.strictObject({
      rows: z.int().min(1).max(MOST_SAMPLE_ROWS).describe('How many timesheets.'),
    }),
    response: z.object({
      rows: z.record(z.string(), z.number()).describe('How many rows each table has now.'),
      seconds: z.number(),
    }),
    statuses: [200],
    errors: ['sample_not_embedded', 'source_unavailable'],
    example: {
      body: { rows: 100_000 },
      response: {
        rows: {
          counties: 58,
          providers: 2_000,
          recipients: 2_400,
          timesheets: 100_000,
          payments: 50_000,
        },
        seconds: 2.1,
      },
    },
  },
} as const satisfies Record<string, Contract>;
