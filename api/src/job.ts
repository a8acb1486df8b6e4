import { jobId, jobState, kindName, moment, tenantName } from '@millrace/workload-kit/contract';
import { z } from 'zod';

export const failure = z.object({
  code: z.string().describe('One of the service, such as "timeout", or of the handler itself.'),
  message: z.string(),
  retryable: z.boolean().describe('Whether another attempt could help.'),
});

export const progress = z.object({
  done: z.number(),
  total: z.number().optional(),
  note: z.string().optional(),
});

/** What a handler logged, and what the engine says about it. */
export const logLine = z.object({
  at: moment,
  level: z.enum(['info', 'warn', 'error']),
  message: z.string(),
  step: z
    .object({ name: z.string(), ms: z.number() })
    .optional()
    .describe('The end of a named step, and how long it took.'),
});

/** One execution, as it is kept. */
export const execution = z.object({
  attempt: z
    .number()
    .describe('Counted from 1; starts again when the cursor of a job in chunks moves on.'),
  epoch: z.number().nullable().describe('Of its lease: grows with each execution.'),
  log: z.array(logLine).nullable().describe('The last 200 lines; null: none are kept.'),
  worker: z.string().nullable().describe('The replica that ran it.'),
  startedAt: moment,
  endedAt: moment,
  outcome: z
    .enum(['succeeded', 'failed', 'retried', 'canceled', 'lost'])
    .describe('How it ended; lost: its worker went away with it.'),
  error: failure.nullable(),
  stack: z.string().nullable().describe('Where the error was thrown, with its causes.'),
});
export type Execution = z.infer<typeof execution>;

/** A job in a list: everything but the values that can be large. */
export const jobSummary = z.object({
  id: jobId,
  kind: kindName,
  tenant: tenantName,
  state: jobState.describe('Where it is in its life.'),
  priority: z.number().nullable().describe('Higher first; null after every number.'),
  attempt: z
    .number()
    .describe('Attempts used so far; while one runs it is counted, and a defer gives it back.'),
  maxAttempts: z.number().describe('Attempts it is allowed.'),
  createdAt: moment.describe('When it was made.'),
  runAt: moment.describe('Not before this moment.'),
  startedAt: moment.nullable().describe('Of the last execution.'),
  finishedAt: moment.nullable().describe('When it ended for good.'),
  worker: z.string().nullable().describe('The replica that runs it, or ran it last.'),
  leaseUntil: moment.nullable().describe('Until when its worker may be silent.'),
  cancelRequested: z.boolean().describe('It runs and was asked to stop.'),
  progress: progress.nullable(),
  error: failure.nullable().describe('Of the last execution that failed.'),
  key: z.string().nullable().describe('The same key makes one job.'),
  correlationId: z.string().nullable().describe('Of the request that made it.'),
  submitter: z.string().nullable().describe('Who made it.'),
  subject: z.string().nullable().describe('Whom its data is about; null once erased.'),
  webhook: z
    .string()
    .nullable()
    .describe(
      'The address that gets a message when the job has ended. Live events, and callers below operator, see its host alone.',
    ),
  parents: z
    .record(z.string(), jobId)
    .nullable()
    .describe('The jobs that made it or that it followed from, by kind.'),
  schedule: z.string().nullable().describe('The schedule that made it.'),
});
export type JobSummary = z.infer<typeof jobSummary>;

/** A job on its own. `data` is the word that requests and handlers use too. */
export const job = jobSummary.extend({
  data: z
    .unknown()
    .describe('As it was enqueued; null once purged or erased; a text where it is no JSON.'),
  result: z.unknown().describe('What it gave; null before it has succeeded.'),
  cursor: z
    .unknown()
    .describe('Where the last saved chunk ended. For operators: it can hold values of rows.'),
  executions: z
    .array(execution)
    .describe('Of a job that did not end well at once, the last 20, the oldest first.'),
  log: z
    .array(logLine)
    .nullable()
    .describe(
      'Of the execution that runs, or of the last one, where the replica that answers has run it; null: not known here.',
    ),
  children: z
    .array(z.object({ id: jobId, kind: kindName, state: jobState }))
    .describe('What it made and what followed from its end, the newest 100.'),
});
export type Job = z.infer<typeof job>;
