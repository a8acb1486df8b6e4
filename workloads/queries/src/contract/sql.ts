import { type Contract } from '@millrace/workload-kit/contract';
import { z } from 'zod';
import { column, mid, sql } from './values.ts';

export const sqlProblem = z.object({
  severity: z.enum(['error', 'warning']),
  code: z.string().describe('Such as "not_select"; docs/queries.md lists them.'),
  message: z.string(),
  line: z.number().nullable().describe('From 1; null where the place is not known.'),
  column: z.number().nullable().describe('From 1.'),
});
export type SqlProblem = z.infer<typeof sqlProblem>;

export const sqlReport = z.object({
  valid: z.boolean().describe('No errors; warnings may be there.'),
  problems: z.array(sqlProblem),
  columns: z
    .array(column)
    .nullable()
    .describe('What it would give; null where only Marketing Cloud can tell.'),
  askedMarketingCloud: z.boolean(),
});
export type SqlReport = z.infer<typeof sqlReport>;

export const sqlContracts = {
  validateSql: {
    method: 'POST',
    path: '/sql/validate',
    summary: 'What is wrong with a query, with line and column. Nothing is run.',
    access: 'member',
    body: z.strictObject({
      sql,
      mid: mid.optional(),
      askMarketingCloud: z
        .boolean()
        .default(false)
        .describe('Where nothing was found, ask Marketing Cloud too: costs a call.'),
    }),
    response: sqlReport,
    statuses: [200],
    errors: [
      'mid_not_allowed',
      'marketing_cloud_not_configured',
      'marketing_cloud_unavailable',
      'marketing_cloud_refused',
    ],
    example: {
      body: { sql: 'DELETE FROM Customers' },
      response: {
        valid: false,
        problems: [
          {
            severity: 'error',
            code: 'not_select',
            message: 'Only a SELECT can be run.',
            line: 1,
            column: 1,
          },
        ],
        columns: null,
        askedMarketingCloud: false,
      },
    },
  },
  formatSql: {
    method: 'POST',
    path: '/sql/format',
    summary: 'The same query, laid out.',
    access: 'member',
    body: z.strictObject({ sql }),
    response: z.object({ sql: z.string() }),
    statuses: [200],
    errors: ['invalid_sql'],
    example: {
      body: { sql: 'select a,b from t where a=1' },
      response: { sql: 'SELECT\n  a,\n  b\nFROM t\nWHERE a = 1' },
    },
  },
} as const satisfies Record<string, Contract>;
