import { z } from 'zod';
import { jobId, jobState, kindName, moment } from './values.ts';

export const failure = z.object({
  code: z.string(),
  message: z.string(),
  retryable: z.boolean(),
});

export const progress = z.object({
  done: z.number(),
  total: z.number().optional(),
  note: z.string().optional(),
});

/** A job in a list: everything but the values that can be large. */
export const jobSummary = z.object({
  id: jobId,
  kind: kindName,
  tenant: z.string().describe('Empty: the only tenant.'),
  state: jobState,
  priority: z.number().nullable().describe('Higher first; null after every number.'),
  attempt: z.number().describe('Executions so far, counted when one starts.'),
  maxAttempts: z.number(),
  createdAt: moment,
  runAt: moment.describe('Not before this moment.'),
  startedAt: moment.nullable(),
  finishedAt: moment.nullable(),
  worker: z.string().nullable(),
  leaseUntil: moment.nullable(),
  cancelRequested: z.boolean(),
  progress: progress.nullable(),
  error: failure.nullable().describe('Of the last execution that failed.'),
  key: z.string().nullable(),
  correlationId: z.string().nullable(),
  submitter: z.string().nullable(),
  subject: z.string().nullable(),
  webhook: z.string().nullable(),
  parents: z.record(z.string(), jobId).nullable(),
  schedule: z.string().nullable(),
});
export type JobSummary = z.infer<typeof jobSummary>;

/** A job on its own. `data` is the word that requests and handlers use too. */
export const job = jobSummary.extend({
  data: z.unknown().describe('As it was enqueued; null once purged or erased.'),
  result: z.unknown(),
  cursor: z.unknown().describe('Where the last saved chunk ended.'),
});
export type Job = z.infer<typeof job>;
