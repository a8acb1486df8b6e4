import { anyMoment, duration, jobState, moment, page } from '@millrace/workload-kit/contract';
import { z } from 'zod';

export const runError = z.object({
  code: z.string().describe('docs/errors.md lists them.'),
  message: z.string(),
});

/** What every run has in the API. */
export const runFields = {
  id: z.string(),
  state: jobState,
  tenant: z.string(),
  submitter: z.string().nullable().describe('Who started it.'),
  error: runError.nullable().describe('Why it failed.'),
  createdAt: moment,
  startedAt: moment.nullable(),
  finishedAt: moment.nullable(),
};

/** With which a run is asked for once, however often the request is sent. */
export const keyFields = {
  key: z
    .string()
    .min(1)
    .max(255)
    .regex(/^[^\p{Cc}]+$/u, { error: 'Leave control characters out.' })
    .optional()
    .describe(
      'The same key of the same caller makes one run: send it again if the answer is lost.',
    ),
  keyWindow: duration
    .optional()
    .describe('How long a run that went well keeps the key; 24 hours by default.'),
};

export const waitField = z
  .int()
  .min(0)
  .max(60)
  .optional()
  .describe('Answers when the run is over, or after so many seconds.');

/** By what every list of runs can be narrowed down. */
export const runQuery = page.extend({
  state: jobState.optional(),
  submitter: z.string().min(1).max(200).optional().describe('Who started it.'),
  createdAfter: anyMoment.optional(),
  createdBefore: anyMoment.optional(),
});

export const byRun = z.strictObject({ id: z.string().min(1).max(100) });
