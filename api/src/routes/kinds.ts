import {
  type Contract,
  jobId,
  kindName,
  moment,
  nextOrNone,
  trueOrFalse,
  wholeOrPage,
} from '@millrace/workload-kit/contract';
import { z } from 'zod';
import { pause, reason } from '../replica.ts';

export const kind = z.object({
  name: kindName,
  public: z.boolean().describe('Whether requests can enqueue it.'),
  policy: z.string().describe('The retry policy in words.'),
  maxAttempts: z.number().describe('Maximum attempts, including the first.'),
  timeoutMs: z.number().describe('The timeout of one execution.'),
  concurrency: z.number().nullable().describe('Concurrent jobs per worker; null if unlimited.'),
  quota: z
    .object({ queued: z.number().nullable(), running: z.number().nullable() })
    .describe('The maximum per tenant; null if unlimited.'),
  input: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe('JSON Schema of the data; null if it cannot be expressed as one.'),
  paused: pause.nullable().describe('The pause, in all replicas; null if not paused.'),
});
export type Kind = z.infer<typeof kind>;

export const schedule = z.object({
  name: z.string(),
  cron: z.string(),
  timeZone: z.string(),
  kind: kindName,
  lastTick: moment.describe('The last processed tick.'),
  nextTick: moment
    .nullable()
    .describe('Null if there is none, or no job file here declares the schedule.'),
  words: z
    .string()
    .nullable()
    .describe('Cron expression and time zone in words; null if it cannot be put into words.'),
  next: z.array(moment).describe('Up to five next ticks.'),
  missed: z
    .enum(['last', 'skip', 'all'])
    .nullable()
    .describe('Which missed ticks run later: the last one, none, or all.'),
  overlap: z
    .enum(['skip', 'allow'])
    .nullable()
    .describe(
      'What a tick does while the previous job is alive: it is skipped, or runs in parallel.',
    ),
  lastJob: jobId.nullable().describe('The last job it created; null if none yet.'),
  lastJobAt: moment
    .nullable()
    .describe('When that job was created; null also once the job has been deleted.'),
  declared: z
    .boolean()
    .describe('Whether a job file or workload of the answering replica declares it.'),
  paused: pause
    .nullable()
    .describe('The pause, during which ticks are skipped; null if not paused.'),
});

const byKind = z.strictObject({ kind: kindName });
export const pauseAnswer = z.object({ kind: kindName, paused: z.boolean() });

/** Pausing and resuming a kind are the two ends of one switch. */
const ofPause = {
  method: 'POST',
  access: 'operator',
  wide: true,
  audit: { target: 'kind' },
  params: byKind,
  response: pauseAnswer,
  statuses: [200],
  errors: ['unknown_kind', 'conflict'],
} as const;

export const kindContracts = {
  listKinds: {
    method: 'GET',
    path: '/kinds',
    summary: 'The job kinds of this process, by name.',
    access: 'viewer',
    query: wholeOrPage.extend({
      public: trueOrFalse.optional().describe('Only public kinds, or only internal ones.'),
      paused: trueOrFalse.optional().describe('Only paused kinds, or only the others.'),
    }),
    response: z.object({ kinds: z.array(kind), next: nextOrNone }),
    statuses: [200],
    example: {
      query: { public: 'true' },
      response: {
        kinds: [
          {
            name: 'report.monthly',
            public: true,
            policy: '3 retries, after 1 min, 5 min and 15 min',
            maxAttempts: 4,
            timeoutMs: 60_000,
            concurrency: 2,
            quota: { queued: 1_000, running: null },
            input: {
              type: 'object',
              properties: { month: { type: 'string' }, format: { enum: ['pdf', 'xlsx'] } },
              required: ['month'],
            },
            paused: null,
          },
        ],
        next: null,
      },
    },
  },
  pauseKind: {
    ...ofPause,
    path: '/kinds/:kind/pause',
    summary: 'Pauses a kind in all replicas; 409 if it is already paused.',
    body: z.strictObject({ reason }).optional(),
    example: {
      params: { kind: 'report.monthly' },
      body: { reason: 'The warehouse reloads until ten.' },
      response: { kind: 'report.monthly', paused: true },
    },
  },
  resumeKind: {
    ...ofPause,
    path: '/kinds/:kind/resume',
    summary: 'Resumes a kind; 409 if it is not paused.',
    example: {
      params: { kind: 'report.monthly' },
      response: { kind: 'report.monthly', paused: false },
    },
  },
  listSchedules: {
    method: 'GET',
    path: '/schedules',
    summary: 'The schedules with their last and next ticks, by name.',
    access: 'viewer',
    query: wholeOrPage.extend({ kind: kindName.optional() }),
    response: z.object({ schedules: z.array(schedule), next: nextOrNone }),
    statuses: [200],
    example: {
      query: { kind: 'report.monthly' },
      response: {
        schedules: [
          {
            name: 'month-end',
            cron: '0 6 1 * *',
            timeZone: 'Europe/Berlin',
            kind: 'report.monthly',
            lastTick: '2026-01-01T05:00:00.000Z',
            nextTick: '2026-02-01T05:00:00.000Z',
            words: 'At 06:00, on day 1 of the month, in Europe/Berlin',
            next: [
              '2026-02-01T05:00:00.000Z',
              '2026-03-01T05:00:00.000Z',
              '2026-04-01T04:00:00.000Z',
              '2026-05-01T04:00:00.000Z',
              '2026-06-01T04:00:00.000Z',
            ],
            missed: 'last',
            overlap: 'skip',
            lastJob: 'pg-7',
            lastJobAt: '2026-01-01T05:00:00.041Z',
            declared: true,
            paused: null,
          },
        ],
        next: null,
      },
    },
  },
} as const satisfies Record<string, Contract>;
