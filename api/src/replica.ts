import { jobId, kindName, moment } from '@millrace/workload-kit/contract';
import { z } from 'zod';

const workerState = z
  .enum(['running', 'paused', 'stopping', 'stopped', 'silent'])
  .describe(
    'As it last reported; silent: it has missed three reports, so it died, froze or is cut off.',
  );

export const totals = z.object({
  totalProcessed: z.number(),
  totalSucceeded: z.number(),
  totalFailed: z.number(),
  totalRetries: z.number(),
});

/** Why somebody holds something back, in their words. */
export const reason = z.string().min(1).max(200).optional().describe('Why, for those who see it.');

/** Since when something is held back, by whom and why. */
export const pause = z.object({
  since: moment,
  by: z.string().nullable(),
  reason: z.string().nullable(),
});

const slots = z.object({
  name: z.string(),
  concurrency: z.number().describe('Jobs at the same time.'),
  inFlight: z.number().describe('Jobs that run now.'),
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
  jobs: z.array(jobId).describe('What it runs, of jobs that you may see: 20 at the most.'),
  pools: z.array(slots),
  kinds: z.array(kindName),
  wanted: pause
    .extend({ state: z.enum(['paused', 'drained']) })
    .nullable()
    .describe('What somebody has asked of it; null: to work.'),
  takenOver: z
    .object({
      at: moment,
      by: z.string().describe('The replica that found them.'),
      count: z.number(),
      jobs: z.array(jobId).describe('The first ten, of jobs that you may see.'),
    })
    .nullable()
    .describe('Of one that is silent: what others have taken over from it, as far as known.'),
});
export type Replica = z.infer<typeof replica>;
