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
