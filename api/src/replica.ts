import { jobId, kindName, moment } from '@millrace/workload-kit/contract';
import { z } from 'zod';

const workerState = z
  .enum(['running', 'paused', 'stopping', 'stopped', 'silent'])
  .describe(
    'The state it last reported; silent: it has missed three reports, because it died, froze or was cut off.',
  );

export const totals = z.object({
  totalProcessed: z.number(),
  totalSucceeded: z.number(),
  totalFailed: z.number(),
  totalRetries: z.number(),
});

/** Why somebody holds something back, in their words. */
export const reason = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .describe('The reason, shown to everybody who sees it.');

/** Since when something is held back, by whom and why. */
export const pause = z.object({
  since: moment,
  by: z.string().nullable(),
  reason: z.string().nullable(),
});

const slots = z.object({
  name: z.string(),
  concurrency: z.number().describe('The maximum of concurrent jobs.'),
  inFlight: z.number().describe('Running jobs.'),
});

export const replica = totals.extend({
  id: z.string(),
  state: workerState,
  version: z.string().nullable(),
  seenAt: moment.describe('When it last reported.'),
  startedAt: moment.nullable(),
  lastPollTime: moment.nullable().describe('When it last looked for jobs.'),
  uptimeSeconds: z.number(),
  inFlight: z.number(),
  jobs: z.array(jobId).describe('Its running jobs that you may see, at most 20.'),
  pools: z.array(slots),
  kinds: z.array(kindName),
  wanted: pause
    .extend({ state: z.enum(['paused', 'drained']) })
    .nullable()
    .describe('The requested state; null: running.'),
  takenOver: z
    .object({
      at: moment,
      by: z.string().describe('The replica that found them.'),
      count: z.number(),
      jobs: z.array(jobId).describe('The first ten that you may see.'),
    })
    .nullable()
    .describe(
      'For a silent replica: the jobs that others have taken over from it, as far as known.',
    ),
});
export type Replica = z.infer<typeof replica>;
