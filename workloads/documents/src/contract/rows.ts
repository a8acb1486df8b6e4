import { type Contract } from '@millrace/workload-kit/contract';
import { z } from 'zod';
import { TABLES, sheet } from './uploads.ts';

/** So many rows come back, to be looked at; all of them are read and counted. */
export const MOST_SHOWN = 2_000;

const cell = z.union([z.string(), z.number(), z.boolean()]);

export const tableRead = z.object({
  format: z.enum(['csv', 'xlsx']),
  encoding: z.string().nullable().describe('Of CSV: "utf-8", or what it turned out to be.'),
  sheet: z.string().nullable().describe('Of XLSX.'),
  columns: z.array(
    z.object({
      name: z.string().describe('As the first row has it.'),
      filled: z.number().describe('In so many rows something stands in it.'),
    }),
  ),
  rows: z
    .array(
      z.object({
        line: z.number().describe('Of the upload.'),
        cells: z.array(cell).describe('In the order of the columns.'),
        error: z.string().nullable().describe('Why the row cannot be read.'),
      }),
    )
    .describe(`The first ${MOST_SHOWN}.`),
  total: z.number().describe('Rows below the first.'),
  blank: z.number().describe('Blank rows, which are skipped.'),
});
export type TableRead = z.infer<typeof tableRead>;

export const rowContracts = {
  readRows: {
    method: 'POST',
    path: '/documents/rows',
    summary:
      'What a spreadsheet holds, as a batch would read it: columns and rows. Nothing is kept.',
    access: 'member',
    query: z.strictObject({
      sheet,
      dataLocale: z
        .string()
        .min(1)
        .max(50)
        .optional()
        .describe('In whose code page a CSV may be that is not UTF-8: de-DE.'),
    }),
    upload: TABLES,
    response: tableRead,
    statuses: [200],
    errors: ['invalid_rows', 'too_many_rows'],
    example: {
      response: {
        format: 'csv',
        encoding: 'utf-8',
        sheet: null,
        columns: [
          { name: 'Account.Name', filled: 2 },
          { name: 'Number', filled: 1 },
        ],
        rows: [
          { line: 2, cells: ['Acme', '2026-001'], error: null },
          { line: 3, cells: ['Globex', ''], error: null },
        ],
        total: 2,
        blank: 0,
      },
    },
  },
} as const satisfies Record<string, Contract>;
