import { jobId, jobState, kindName, moment, tenantName } from '@millrace/workload-kit/contract';
import { z } from 'zod';

export const failure = z.object({
  code: z.string().describe('A code of Millrace, such as "timeout", or the handler’s own.'),
  message: z.string(),
  retryable: z.boolean().describe('Whether another attempt could help.'),
});

export const progress = z.object({
  done: z.number(),
  total: z.number().optional(),
  note: z.string().optional(),
});

/** Log lines of a handler, and the engine's own about it. */
export const logLine = z.object({
  at: moment,
  level: z.enum(['info', 'warn', 'error']),
  message: z.string(),
  step: z
    .object({ name: z.string(), ms: z.number() })
    .optional()
    .describe('A named step that ended, and its duration.'),
});

/** One execution, as it is kept. */
export const execution = z.object({
  attempt: z
    .number()
    .describe('Counted from 1; starts over when a job in chunks saves a new cursor.'),
  epoch: z.number().nullable().describe('The epoch of its lease; grows with each execution.'),
  log: z.array(logLine).nullable().describe('The last 200 log lines; null if none are kept.'),
  worker: z.string().nullable().describe('The replica that ran it.'),
  startedAt: moment,
  endedAt: moment,
  outcome: z
    .enum(['succeeded', 'failed', 'retried', 'canceled', 'lost'])
    .describe('How it ended; lost: its worker died.'),
  error: failure.nullable(),
  stack: z.string().nullable().describe('Where the error was thrown, with its causes.'),
});
export type Execution = z.infer<typeof execution>;

/** A job in a list: everything but the values that can be large. */
export const jobSummary = z.object({
  id: jobId,
  kind: kindName,
  tenant: tenantName,
  state: jobState.describe('The job’s state.'),
  priority: z.number().nullable().describe('Higher first; null comes last.'),
  attempt: z
    .number()
    .describe('Attempts used so far, including the running one; a defer gives its attempt back.'),
  maxAttempts: z.number().describe('The maximum of attempts.'),
  createdAt: moment.describe('When it was created.'),
  runAt: moment.describe('The earliest time to run.'),
  startedAt: moment.nullable().describe('Start of the last execution.'),
  finishedAt: moment.nullable().describe('When it ended for good.'),
  worker: z.string().nullable().describe('The replica that runs it, or ran it last.'),
  leaseUntil: moment.nullable().describe('When its lease expires, unless the worker renews it.'),
  cancelRequested: z.boolean().describe('The job is running and was asked to stop.'),
  progress: progress.nullable(),
  error: failure.nullable().describe('The error of the last failed execution.'),
  key: z.string().nullable().describe('The idempotency key: jobs with the same key run once.'),
  correlationId: z
    .string()
    .nullable()
    .describe('The correlation id of the request that created the job.'),
  submitter: z.string().nullable().describe('The name of whoever enqueued it.'),
  subject: z
    .string()
    .nullable()
    .describe('The person or thing its data is about; null once erased.'),
  webhook: z
    .string()
    .nullable()
    .describe(
      'The address that is called when the job has ended. Live events, and callers below operator, see only its host.',
    ),
  parents: z
    .record(z.string(), jobId)
    .nullable()
    .describe('The jobs that created it or that it depended on, by kind.'),
  schedule: z.string().nullable().describe('The schedule that created the job.'),
});
export type JobSummary = z.infer<typeof jobSummary>;

/** A job on its own. `data` is the word that requests and handlers use too. */
export const job = jobSummary.extend({
  data: z
    .unknown()
    .describe(
      'The data it was enqueued with; null once purged or erased; a string if it is not valid JSON.',
    ),
  result: z.unknown().describe('The handler’s result; null until the job has succeeded.'),
  cursor: z
    .unknown()
    .describe(
      'The cursor of the last saved chunk. Only for operators: it can contain values of rows.',
    ),
  executions: z
    .array(execution)
    .describe(
      'The last 20 executions, oldest first, of a job that did not succeed at the first attempt.',
    ),
  log: z
    .array(logLine)
    .nullable()
    .describe(
      'Log of the running or last execution, if the answering replica runs it; otherwise null.',
    ),
  children: z
    .array(z.object({ id: jobId, kind: kindName, state: jobState }))
    .describe('Jobs it created and jobs that depended on it, the newest 100.'),
});
export type Job = z.infer<typeof job>;
