import { kindName, moment } from '@millrace/workload-kit/contract';
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

export const replica = totals.extend({
  id: z.string(),
  state: workerState,
  seenAt: moment.describe('When it last reported.'),
  lastPollTime: moment.nullable().describe('When it last looked for jobs.'),
  uptimeSeconds: z.number(),
  inFlight: z.number(),
  kinds: z.array(kindName),
});
export type Replica = z.infer<typeof replica>;
