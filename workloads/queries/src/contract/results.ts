import { type Contract, next } from '@millrace/workload-kit/contract';
import { z } from 'zod';
import { byRun } from '@millrace/runs/contract';
import { column } from './values.ts';

/** As many as Marketing Cloud gives at once. */
const LARGEST_PAGE = 2_500;

export const FORMATS = ['csv', 'jsonl', 'xlsx', 'parquet'] as const;
export type Format = (typeof FORMATS)[number];

export const resultPage = z.object({
  columns: z.array(column).describe('In the order of the SELECT list.'),
  rows: z
    .array(z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])))
    .describe(
      'Values by column: numbers and booleans as such, decimals and dates as text (2026-01-31T09:30:00), null where there is none.',
    ),
  rowCount: z.number().describe('Of all pages.'),
  next,
});
export type ResultPage = z.infer<typeof resultPage>;

const REFUSALS = [
  'run_not_found',
  'run_not_ready',
  'run_not_successful',
  'results_expired',
  'results_changed',
  'marketing_cloud_not_configured',
  'marketing_cloud_unavailable',
  'marketing_cloud_refused',
] as const;

export const resultContracts = {
  getRunResults: {
    method: 'GET',
    path: '/runs/:id/results',
    summary: 'The rows of a ready run, page by page.',
    access: 'member',
    audit: { target: 'id', once: true },
    params: byRun,
    query: z.strictObject({
      limit: z.coerce
        .number<number | string>()
        .int()
        .min(1)
        .max(LARGEST_PAGE)
        .default(100)
        .describe('How many at most.'),
      cursor: z
        .string()
        .min(1)
        .max(100)
        .optional()
        .describe('`next` of the page before; it keeps the limit of the first.'),
    }),
    response: resultPage,
    statuses: [200],
    errors: REFUSALS,
    example: {
      params: { id: 'run-7' },
      query: { limit: '2' },
      response: {
        columns: [
          { name: 'EmailAddress', type: 'text' },
          { name: 'Opens', type: 'number' },
        ],
        rows: [
          { EmailAddress: 'ada@example.com', Opens: 12 },
          { EmailAddress: 'grace@example.com', Opens: 3 },
        ],
        rowCount: 1_204,
        next: 'Mi4y',
      },
    },
  },
  downloadRunResults: {
    method: 'GET',
    path: '/runs/:id/results.:format',
    summary:
      'All rows of a ready run as a file: csv, jsonl, xlsx or parquet. A line that breaks before its end was cut.',
    access: 'member',
    audit: { target: 'id', once: true },
    params: byRun.extend({
      format: z.enum(FORMATS, { error: `Write one of ${FORMATS.join(', ')}.` }),
    }),
    response: z.unknown(),
    statuses: [200],
    media: 'application/octet-stream',
    errors: REFUSALS,
    example: {
      params: { id: 'run-7', format: 'csv' },
      response: 'EmailAddress,Opens\r\nada@example.com,12\r\n…',
    },
  },
} as const satisfies Record<string, Contract>;
