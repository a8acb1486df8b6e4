import { jobState, kindName, moment } from '@millrace/workload-kit/contract';
import { z } from 'zod';
import { replica } from './replica.ts';

/** The health of everything at one look: what waits and why, what runs, what flows, and what needs somebody. */

/** Where jobs come from. */
export const SOURCES = ['salesforce', 'api', 'schedule', 'pipeline', 'rule', 'other'] as const;
export const source = z
  .enum(SOURCES)
  .describe(
    'Where a job came from: a record of an org, a request, a schedule, a pipeline, another job that ended, or the service itself.',
  );
export type Source = z.infer<typeof source>;

export const WINDOWS = ['15m', '1h', '24h', '7d'] as const;
export const overviewWindow = z.enum(WINDOWS);
export type OverviewWindow = z.infer<typeof overviewWindow>;

const perMinute = z.number().describe('Per minute, averaged over the window.');
const seconds = z.number();

const waiting = z
  .object({
    total: z.number(),
    due: z.number().describe('Jobs that can run now.'),
    retrying: z.number().describe('Jobs waiting for a retry after an error.'),
    scheduled: z.number().describe('Jobs scheduled for later.'),
    held: z.number().describe('Due jobs of paused kinds.'),
    oldestDueSeconds: seconds
      .nullable()
      .describe('How long the oldest due job has been waiting; null if none is due.'),
  })
  .describe('Waiting jobs by reason. The four parts add up to the total.');

const running = z.object({
  total: z.number(),
  pools: z
    .array(z.object({ name: z.string(), inFlight: z.number(), slots: z.number() }))
    .describe('Slots of all working replicas and tenants, by pool.'),
});

const flow = z
  .object({
    sources: z.array(z.object({ source, perMinute })),
    outcomes: z.object({
      succeeded: perMinute,
      failed: perMinute,
      canceled: perMinute,
      retried: perMinute.describe('Failed executions that are retried, per minute.'),
    }),
  })
  .describe('Incoming and finished jobs.');

const figures = z.object({
  perMinute: z.number().describe('Finished jobs per minute, averaged over the window.'),
  endedLately: z
    .number()
    .describe('Jobs finished in this minute and the previous one: whether work is flowing now.'),
  succeeded: z.number().describe('Count in the window, as are the next three.'),
  failed: z.number(),
  canceled: z.number(),
  retried: z.number(),
  successRate: z
    .number()
    .nullable()
    .describe(
      'Share of succeeded jobs among those that succeeded or failed; null if there were none.',
    ),
  retryRate: z
    .number()
    .nullable()
    .describe('Share of retried executions; null if there were none.'),
  p50Ms: z.number().nullable().describe('Duration of successful executions.'),
  p95Ms: z.number().nullable(),
  documentP95Ms: z
    .number()
    .nullable()
    .describe('The same for jobs that generate one document; null if there were none.'),
  waitP50Ms: z.number().nullable().describe('Time from creation to the first execution.'),
  waitP95Ms: z.number().nullable(),
  peakOldestDueSeconds: seconds.nullable(),
  peakOldestDueAt: moment.nullable(),
  perMinuteBefore: z
    .number()
    .nullable()
    .describe('The same time a week ago, else the previous window; null if neither is known.'),
  beforeIs: z.enum(['week_ago', 'window_before']).nullable(),
});

const point = z.object({
  at: moment.describe('Start of the bucket.'),
  enqueued: z.number(),
  succeeded: z.number(),
  failed: z.number(),
  canceled: z.number(),
  retried: z.number(),
  p50Ms: z.number().nullable(),
  p95Ms: z.number().nullable(),
  documentP95Ms: z.number().nullable(),
  waiting: z.number().nullable().describe('The maximum in the bucket; null if it was not sampled.'),
  oldestDueSeconds: seconds.nullable(),
});

const budget = z.object({
  id: z.string(),
  name: z.string(),
  used: z.number(),
  limit: z.number().nullable().describe('Null if unknown.'),
  waiting: z.number().nullable().describe('Number of waiters; null if nothing can wait for it.'),
  unit: z.enum(['calls', 'slots', 'connections', 'bytes']),
  warnAt: z
    .number()
    .nullable()
    .describe('In the unit, as is the next one; null if there is no threshold.'),
  stopAt: z.number().nullable(),
  hitRate: z
    .number()
    .nullable()
    .describe('For a cache: its hit rate; null if it is not a cache, or had no requests.'),
  detail: z.string().nullable(),
});

export const LEVELS = ['failed', 'retrying', 'paused', 'queued'] as const;

const link = z
  .object({
    kind: kindName.optional(),
    state: jobState.optional(),
    errorCode: z.string().optional(),
    /** The id of a group of GET /errors. */
    group: z.string().optional(),
    replica: z.string().optional(),
    schedule: z.string().optional(),
    budget: z.string().optional(),
  })
  .describe('A link: the filter of a list, or an item with its own page.');

const attention = z.object({
  id: z.string().describe('Stable for as long as the condition lasts.'),
  level: z.enum(LEVELS).describe('The severity, which sets its shape and colour.'),
  title: z.string(),
  detail: z.string(),
  since: moment.nullable(),
  count: z
    .number()
    .nullable()
    .describe('Number of affected jobs; null if it does not concern jobs.'),
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
  target: z.string().nullable().describe('The target of the action: a kind, a group, a replica.'),
});
export type Attention = z.infer<typeof attention>;

/** Target, warning and critical thresholds. */
export const marks = z.object({
  target: z.number().nullable().describe('Null if there is none.'),
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
    budget: z.object({ warn: z.number(), stop: z.number() }).describe('Fractions of the limit.'),
    templateCacheHits: marks,
    documentP95Ms: marks,
  })
  .describe(
    'The same thresholds as the alerts. For successRate and templateCacheHits, lower is worse.',
  );

export const overview = z.object({
  at: moment.describe('When these figures were computed.'),
  window: overviewWindow,
  from: moment.describe('Start of the window.'),
  waiting,
  running,
  flow,
  figures,
  series: z.array(point).max(60),
  bucketSeconds: seconds.describe('Length of one bucket of the series.'),
  budgets: z.array(budget),
  replicas: z.array(replica),
  attention: z.array(attention).describe('Worst first.'),
  thresholds,
  missing: z.array(z.string()).describe('Stores that do not answer; their jobs are missing here.'),
});
export type Overview = z.infer<typeof overview>;
export type Budget = z.infer<typeof budget>;
