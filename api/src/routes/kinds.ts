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
  public: z.boolean().describe('May be enqueued from outside.'),
  policy: z.string().describe('What happens when it fails, in words.'),
  maxAttempts: z.number().describe('Attempts in all, the first one too.'),
  timeoutMs: z.number().describe('How long one execution may take.'),
  concurrency: z.number().nullable().describe('At the same time in one worker; null: no limit.'),
  quota: z
    .object({ queued: z.number().nullable(), running: z.number().nullable() })
    .describe('At most so many of one tenant; null: no limit.'),
  input: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe('JSON Schema of the data; null where the schema has no such form.'),
  paused: pause.nullable().describe('Held back in all replicas; null: it is not.'),
});
export type Kind = z.infer<typeof kind>;

export const schedule = z.object({
  name: z.string(),
  cron: z.string(),
  timeZone: z.string(),
  kind: kindName,
  lastTick: moment.describe('Ticks up to this one have been dealt with.'),
  nextTick: moment.nullable().describe('Null: it has no more, or nobody here declares it.'),
  words: z
    .string()
    .nullable()
    .describe('Cron and time zone as people say it; null: there are no words for it.'),
  next: z.array(moment).describe('The next five ticks, as far as there are any.'),
  missed: z
    .enum(['last', 'skip', 'all'])
    .nullable()
    .describe('Of ticks that nobody was there to take, which run: the last one, none, or all.'),
  overlap: z
    .enum(['skip', 'allow'])
    .nullable()
    .describe('What a tick does while the job before is alive: it is passed over, or runs beside.'),
  lastJob: jobId.nullable().describe('The last job that it made; null: none yet.'),
  lastJobAt: moment
    .nullable()
    .describe('When that job was made; null also once the job has been removed.'),
  declared: z
    .boolean()
    .describe('A job file or workload of the replica that answers has it; one without is history.'),
  paused: pause.nullable().describe('Its ticks are passed over; null: they are not.'),
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
    summary: 'The job kinds this process knows, by name.',
    access: 'viewer',
    query: wholeOrPage.extend({
      public: trueOrFalse
        .optional()
        .describe('Only those that may be enqueued from outside, or only the others.'),
      paused: trueOrFalse.optional().describe('Only those held back, or only the others.'),
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
    summary: 'Holds the jobs of a kind back in all replicas; 409 when it is paused already.',
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
    summary: 'Lets the jobs of a kind run again; 409 when it is not paused.',
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
