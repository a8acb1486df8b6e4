import { z } from 'zod';

/** Twice what sql/document.ts reads (the longest public query known has 233,000 characters), so that its refusal is a finding. */
const LONGEST_SQL = 1_000_000;

export const sql = z
  .string()
  .min(1)
  .max(LONGEST_SQL)
  .describe('One SELECT, as Marketing Cloud takes it.');

export const mid = z
  .string()
  .regex(/^\d{1,20}$/, { error: 'Write the MID of a business unit: digits only.' })
  .describe('The business unit by its MID; left out: the first of the tenant.');

export const columnType = z
  .enum(['text', 'number', 'decimal', 'boolean', 'date'])
  .describe('What the values of a column are.');

export const column = z.object({ name: z.string(), type: columnType });
