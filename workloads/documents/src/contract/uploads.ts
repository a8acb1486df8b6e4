import { trueOrFalse } from '@millrace/workload-kit/contract';
import { z } from 'zod';

/** Spreadsheets: their first row names the fields. */
export const TABLES = [
  'text/csv',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
] as const;

/** What rows may come as. */
export const ROWS = ['application/json', 'application/x-ndjson', ...TABLES] as const;

export const sheet = z
  .string()
  .min(1)
  .max(100)
  .optional()
  .describe('Of XLSX: its name; the first one unless given.');

/** A record of names, written as JSON since a query has texts only. */
export const columnNames = z
  .string()
  .max(20_000)
  .transform((given, context) => {
    try {
      return z.record(z.string(), z.string().max(500)).parse(JSON.parse(given));
    } catch {
      context.addIssue({
        code: 'custom',
        message: 'It is no JSON object of texts, such as {"Answer until":"AnswerBy"}',
      });
      return z.NEVER;
    }
  });

/** How rows are read and filled in: the same for a batch and for the check before it. */
export const filling = {
  templateId: z.string().min(1).max(200),
  locale: z.string().min(1).max(50).optional(),
  timezone: z.string().min(1).max(100).optional(),
  dataLocale: z
    .string()
    .min(1)
    .max(50)
    .optional()
    .describe('How CSV and XLSX write numbers and dates: de-DE; as locale unless given.'),
  strict: trueOrFalse
    .optional()
    .describe('A field that a row lacks, or whose cell is empty, is an error of the row.'),
  allowMissing: trueOrFalse
    .optional()
    .describe('Fields of the template that no column has are left empty, not refused.'),
  sheet,
  columns: columnNames
    .optional()
    .describe('Other names for columns of a spreadsheet, as JSON: {"Answer until":"AnswerBy"}.'),
  same: columnNames
    .optional()
    .describe(
      'More columns of a spreadsheet, with the same text in each row, as JSON: {"Manager.Phone":"0911 555"}.',
    ),
} as const;
