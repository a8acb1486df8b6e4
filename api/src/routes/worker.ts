import { z } from 'zod';
import type { Contract } from '../contract.ts';
import { kindName, moment } from '../values.ts';

const workerState = z.enum(['running', 'paused', 'stopping', 'stopped']);

const status = z.object({
  isRunning: z.boolean().describe('This replica claims jobs.'),
  currentQueueDepth: z.number().describe('Jobs that wait, over all replicas.'),
  lastPollTime: moment.nullable(),
  correlationId: z.string(),
});

const totals = z.object({
  totalProcessed: z.number(),
  totalSucceeded: z.number(),
  totalFailed: z.number(),
  totalRetries: z.number(),
});

const pool = z.object({
  name: z.string(),
  kinds: z.array(kindName),
  concurrency: z.number(),
  inFlight: z.number(),
  minPriority: z.number().nullable(),
  heldUntil: moment.nullable().describe('When a pause window lets it go on.'),
});

const replica = totals.extend({
  id: z.string(),
  state: workerState,
  seenAt: moment,
  lastPollTime: moment.nullable(),
  uptimeSeconds: z.number(),
  inFlight: z.number(),
  kinds: z.array(kindName),
});
export type Replica = z.infer<typeof replica>;

const control = z.object({ isRunning: z.boolean(), correlationId: z.string() });

export const workerContracts = {
  workerStatus: {
    method: 'GET',
    path: '/worker/status',
    summary: 'Whether this replica works, and how much waits.',
    response: status,
    statuses: [200],
  },
  workerStats: {
    method: 'GET',
    path: '/worker/stats',
    summary: 'What this replica has done since it started, its pools, and all replicas.',
    response: status.extend({
      ...totals.shape,
      uptimeSeconds: z.number(),
      inFlight: z.number(),
      pools: z.array(pool),
      replicas: z.array(replica).describe('Every replica that has reported in the last minute.'),
    }),
    statuses: [200],
  },
  stopWorker: {
    method: 'POST',
    path: '/worker/stop',
    summary: 'Pauses this replica: no new jobs, what runs goes on; 409 when it is paused already.',
    response: control,
    statuses: [200],
  },
  startWorker: {
    method: 'POST',
    path: '/worker/start',
    summary: 'Lets this replica work again; 409 when it works already.',
    response: control,
    statuses: [200],
  },
} as const satisfies Record<string, Contract>;
