import { z } from 'zod';
import type { Contract } from '../contract.ts';
import { jobId, kindName, moment } from '../values.ts';

export const kind = z.object({
  name: kindName,
  public: z.boolean().describe('May be enqueued from outside.'),
  policy: z.string().describe('What happens when it fails, in words.'),
  maxAttempts: z.number(),
  timeoutMs: z.number(),
  concurrency: z.number().nullable().describe('At the same time in one worker; null: no limit.'),
  quota: z.object({ queued: z.number().nullable(), running: z.number().nullable() }),
  input: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe('JSON Schema of the data; null where the schema has no such form.'),
  paused: z.object({ since: moment, by: z.string().nullable() }).nullable(),
});
export type Kind = z.infer<typeof kind>;

const byKind = z.strictObject({ kind: kindName });
const pauseAnswer = z.object({ kind: kindName, paused: z.boolean() });

export const kindContracts = {
  listKinds: {
    method: 'GET',
    path: '/kinds',
    summary: 'The job kinds this process knows.',
    response: z.object({ kinds: z.array(kind) }),
    statuses: [200],
  },
  pauseKind: {
    method: 'POST',
    path: '/kinds/:kind/pause',
    summary: 'Holds the jobs of a kind back in all replicas; 409 when it is paused already.',
    params: byKind,
    response: pauseAnswer,
    statuses: [200],
  },
  resumeKind: {
    method: 'POST',
    path: '/kinds/:kind/resume',
    summary: 'Lets the jobs of a kind run again; 409 when it is not paused.',
    params: byKind,
    response: pauseAnswer,
    statuses: [200],
  },
  listSchedules: {
    method: 'GET',
    path: '/schedules',
    summary: 'The schedules, with their last and next ticks.',
    response: z.object({
      schedules: z.array(
        z.object({
          name: z.string(),
          cron: z.string(),
          timeZone: z.string(),
          kind: kindName,
          lastTick: moment,
          nextTick: moment.nullable(),
          lastJob: jobId.nullable(),
        }),
      ),
    }),
    statuses: [200],
  },
} as const satisfies Record<string, Contract>;
