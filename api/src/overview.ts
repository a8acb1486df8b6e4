import { jobState, kindName, moment } from '@millrace/workload-kit/contract';
import { z } from 'zod';
import { replica } from './replica.ts';

/** The health of everything at one look: what waits and why, what runs, what flows, and what needs somebody. */

/** Where jobs come from. */
export const SOURCES = ['salesforce', 'api', 'schedule', 'pipeline', 'rule', 'other'] as const;
export const source = z
  .enum(SOURCES)
  .describe(
    'What made a job: a record of an org, a request, a schedule, a pipeline, another job that ended, or the service itself.',
  );
export type Source = z.infer<typeof source>;

export const WINDOWS = ['15m', '1h', '24h', '7d'] as const;
export const overviewWindow = z.enum(WINDOWS);
export type OverviewWindow = z.infer<typeof overviewWindow>;

const perMinute = z.number().describe('A minute, on the average of the window.');
const seconds = z.number();

const waiting = z
  .object({
    total: z.number(),
    due: z.number().describe('Could run now.'),
    retrying: z.number().describe('Wait to be tried again after an error.'),
    scheduled: z.number().describe('Wait for a later moment, without an error.'),
    held: z.number().describe('Are due, and their kind is paused.'),
    oldestDueSeconds: seconds
      .nullable()
      .describe('How long the oldest that could run has been due; null: none is.'),
  })
  .describe('Jobs that wait, by why. The four parts add up to the total.');

const running = z.object({
  total: z.number(),
  pools: z
    .array(z.object({ name: z.string(), inFlight: z.number(), slots: z.number() }))
    .describe('Over all replicas that work, by the name of the pool; of all tenants.'),
});

const flow = z
  .object({
    sources: z.array(z.object({ source, perMinute })),
    outcomes: z.object({
      succeeded: perMinute,
      failed: perMinute,
      canceled: perMinute,
      retried: perMinute.describe('Executions that failed and go back to be tried again.'),
    }),
  })
  .describe('What came in and went out.');

const figures = z.object({
  perMinute: z.number().describe('Jobs that ended, a minute, on the average of the window.'),
  endedLately: z
    .number()
    .describe('Jobs that ended in this minute and the one before: whether anything flows now.'),
  succeeded: z.number().describe('In the window, as the next three.'),
  failed: z.number(),
  canceled: z.number(),
  retried: z.number(),
  successRate: z.number().nullable().describe('Of the jobs that succeeded or failed; null: none.'),
  retryRate: z.number().nullable().describe('Of the executions; null: there were none.'),
  p50Ms: z.number().nullable().describe('How long executions that succeeded ran.'),
  p95Ms: z.number().nullable(),
  documentP95Ms: z
    .number()
    .nullable()
    .describe('The same of jobs that make a document each; null: there were none.'),
  waitP50Ms: z.number().nullable().describe('How long jobs waited from when they were made.'),
  waitP95Ms: z.number().nullable(),
  peakOldestDueSeconds: seconds.nullable(),
  peakOldestDueAt: moment.nullable(),
  perMinuteBefore: z
    .number()
    .nullable()
    .describe('The same time a week ago, or else the window before; null: neither is known.'),
  beforeIs: z.enum(['week_ago', 'window_before']).nullable(),
});

const point = z.object({
  at: moment.describe('Where the bucket begins.'),
  enqueued: z.number(),
  succeeded: z.number(),
  failed: z.number(),
  canceled: z.number(),
  retried: z.number(),
  p50Ms: z.number().nullable(),
  p95Ms: z.number().nullable(),
  documentP95Ms: z.number().nullable(),
  waiting: z.number().nullable().describe('The most of the bucket; null: nobody has looked.'),
  oldestDueSeconds: seconds.nullable(),
});

const budget = z.object({
  id: z.string(),
  name: z.string(),
  used: z.number(),
  limit: z.number().nullable().describe('Null: nobody knows one.'),
  waiting: z.number().nullable().describe('How many wait for it; null: nobody can.'),
  unit: z.enum(['calls', 'slots', 'connections', 'bytes']),
  warnAt: z.number().nullable().describe('In the unit, as the next one; null: no mark.'),
  stopAt: z.number().nullable(),
  hitRate: z
    .number()
    .nullable()
    .describe('Of a cache: how often it had what was asked for; null: it is none, or nobody has.'),
  detail: z.string().nullable(),
});

export const LEVELS = ['failed', 'retrying', 'paused', 'queued'] as const;

const link = z
  .object({
    kind: kindName.optional(),
    state: jobState.optional(),
    errorCode: z.string().optional(),
    /** Of GET /errors. */
    group: z.string().optional(),
    replica: z.string().optional(),
    schedule: z.string().optional(),
    budget: z.string().optional(),
  })
  .describe('What to look at: the members of a filter, or what has a page of its own.');

const attention = z.object({
  id: z.string().describe('The same for the same thing, for as long as it lasts.'),
  level: z.enum(LEVELS).describe('The state in whose form and colour it is shown.'),
  title: z.string(),
  detail: z.string(),
  since: moment.nullable(),
  count: z.number().nullable().describe('How many jobs it is about; null: it is not about jobs.'),
  link,
  action: z
    .enum([
      'resume_kind',
      'open_group',
      'open_replica',
      'open_jobs',
      'open_budget',
      'resume_schedule',
      'open_schedule',
    ])
    .nullable(),
  target: z.string().nullable().describe('What the action is about: a kind, a group, a replica.'),
});
export type Attention = z.infer<typeof attention>;

/** What is aimed at, from where on somebody should look, and from where on at once. */
export const marks = z.object({
  target: z.number().nullable().describe('Null: there is none.'),
  warn: z.number(),
  critical: z.number(),
});

const thresholds = z
  .object({
    queueDepth: z.object({
      target: z.number(),
      warn: z.number(),
      critical: z.number(),
      scaleOut: z.number(),
    }),
    successRate: marks,
    retryRate: marks,
    oldestDueSeconds: marks,
    budget: z.object({ warn: z.number(), stop: z.number() }).describe('As parts of the limit.'),
    templateCacheHits: marks,
    documentP95Ms: marks,
  })
  .describe('The same that alerts go by. Of successRate and templateCacheHits less is worse.');

export const overview = z.object({
  at: moment.describe('When this was counted.'),
  window: overviewWindow,
  from: moment.describe('Where the window begins.'),
  waiting,
  running,
  flow,
  figures,
  series: z.array(point).max(60),
  bucketSeconds: seconds.describe('How long a bucket of the series is.'),
  budgets: z.array(budget),
  replicas: z.array(replica),
  attention: z.array(attention).describe('The worst first.'),
  thresholds,
  missing: z.array(z.string()).describe('Stores that do not answer: their jobs are left out.'),
});
export type Overview = z.infer<typeof overview>;
export type Budget = z.infer<typeof budget>;
