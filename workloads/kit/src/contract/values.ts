import { z } from 'zod';

/** The same words in the same order as the engine's transition table. */
export const jobState = z
  .enum(['QUEUED', 'PROCESSING', 'SUCCEEDED', 'FAILED', 'CANCELED'])
  .describe('Where a job is in its life.');
export type JobState = z.infer<typeof jobState>;

/** A moment as the API gives it: `2026-01-31T09:30:00.000Z`. */
export const moment = z.iso.datetime();

/** A moment as the API takes it: with any offset, never without one. */
export const anyMoment = z.iso.datetime({
  offset: true,
  error: 'Write a date and time with its offset, such as 2026-01-31T09:30:00Z.',
});

export const duration = z
  .union([
    z.number().min(0),
    z.string().regex(/^\d{1,15}(\.\d{1,6})?(ms|s|m|h|d)$/, {
      error: 'Write milliseconds or a number with a unit, such as "90s" or "15m".',
    }),
  ])
  .describe('Milliseconds, or a number with a unit (ms, s, m, h, d) such as "15m".');

export const jobId = z.string().min(1).max(100).describe('A job id, such as "pg-42".');

export const kindName = z
  .string()
  .min(1)
  .max(100)
  .describe('The name of a job kind, such as "report.monthly".');

/** Whose jobs: `''` is the only tenant of those who have no others. */
export const tenantName = z.string().max(100).describe('Whose job it is; empty: the only tenant.');

/** A yes or no in a query. */
export const trueOrFalse = z.enum(['true', 'false']);
