import { type Contract } from '@millrace/workload-kit/contract';
import { z } from 'zod';
import { ROWS, TABLES, filling, sheet } from './uploads.ts';

/** So many rows come back, to be looked at; all of them are read and counted. */
export const MOST_SHOWN = 2_000;
/** So many bytes of JSON come back at the most, whatever the number of rows. */
export const MOST_SHOWN_BYTES = 5_000_000;

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
    .describe(
      `The first ${MOST_SHOWN}, or as many of them as fit into ${MOST_SHOWN_BYTES / 1_000_000} MB.`,
    ),
  total: z.number().describe('Rows below the first.'),
  blank: z.number().describe('Blank rows, which are skipped.'),
});
export type TableRead = z.infer<typeof tableRead>;

/** So many rows that somebody has to look at come back with what is wrong; all of them are counted. */
export const MOST_LISTED = 500;

const rowProblem = z.object({
  severity: z
    .enum(['error', 'warning'])
    .describe('Of a row with an error no document is made; one with a warning lacks something.'),
  code: z.string().describe('Such as "missing_field" or "bad_value".'),
  field: z.string().nullable().describe('Of the template; null where it is the row as a whole.'),
  message: z.string(),
});
export type RowProblem = z.infer<typeof rowProblem>;

export const rowsChecked = z.object({
  total: z.number(),
  ready: z.number().describe('Rows that would have their document.'),
  failing: z.number().describe('Rows that would fail.'),
  warned: z.number().describe('Of the ready: something that each document prints is empty.'),
  fields: z
    .array(
      z.object({
        path: z.string(),
        empty: z.number().describe('In so many rows nothing is there.'),
        unusable: z.number().describe('In so many rows something is there that cannot be used.'),
      }),
    )
    .describe('Those with which something is wrong, counted over all rows.'),
  rows: z
    .array(
      z.object({
        row: z.number().describe('From 1, as the rows come.'),
        line: z.number().describe('Of the upload.'),
        problems: z.array(rowProblem).describe('All of them, up to 20.'),
      }),
    )
    .describe(`Those with a problem: the first ${MOST_LISTED}.`),
});
export type RowsChecked = z.infer<typeof rowsChecked>;

export const rowContracts = {
  checkRows: {
    method: 'POST',
    path: '/documents/rows/check',
    summary:
      'What would become of each row of a batch: all that is missing or cannot be used. Nothing is made or kept; images are not fetched.',
    access: 'member',
    query: z.strictObject(filling),
    upload: ROWS,
    response: rowsChecked,
    statuses: [200],
    errors: [
      'template_not_found',
      'validation_error',
      'invalid_rows',
      'missing_columns',
      'too_many_rows',
      'busy',
    ],
    example: {
      query: { templateId: 'invoice', strict: 'true' },
      response: {
        total: 2_000,
        ready: 1_999,
        failing: 1,
        warned: 0,
        fields: [{ path: 'Due', empty: 0, unusable: 1 }],
        rows: [
          {
            row: 17,
            line: 18,
            problems: [
              {
                severity: 'error',
                code: 'bad_value',
                field: 'Due',
                message: 'Due: "soon" cannot be read as a date; en-US writes 11/30/2026.',
              },
            ],
          },
        ],
      },
    },
  },
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
    errors: ['invalid_rows', 'too_many_rows', 'busy'],
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
