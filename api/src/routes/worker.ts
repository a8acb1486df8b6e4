import { type Contract, kindName, moment } from '@millrace/workload-kit/contract';
import { z } from 'zod';
import { replica, totals } from '../replica.ts';
import { CORRELATION_ID, replicaExample, totalsExample } from '../story.ts';

const status = z.object({
  hasWorker: z
    .boolean()
    .describe('False where this replica only serves the API: then nothing here is amiss.'),
  isRunning: z.boolean().describe('This replica claims jobs.'),
  currentQueueDepth: z.number().describe('Jobs that are due and wait, over all replicas.'),
  currentScheduled: z.number().describe('Jobs that wait for a later moment, over all replicas.'),
  lastPollTime: moment.nullable().describe('When it last looked for jobs.'),
  correlationId: z.string(),
});

export const pool = z.object({
  name: z.string(),
  kinds: z.array(kindName),
  concurrency: z.number().describe('Jobs at the same time.'),
  inFlight: z.number().describe('Jobs that run now.'),
  minPriority: z.number().nullable().describe('Takes only jobs of at least this priority.'),
  heldUntil: moment.nullable().describe('When a pause window lets it go on.'),
});

export const control = z.object({ isRunning: z.boolean(), correlationId: z.string() });

const statusExample = {
  hasWorker: true,
  isRunning: true,
  currentQueueDepth: 1,
  currentScheduled: 2,
  lastPollTime: '2026-01-31T09:30:04.200Z',
  correlationId: CORRELATION_ID,
};

export const workerContracts = {
  workerStatus: {
    method: 'GET',
    path: '/worker/status',
    summary: 'Whether this replica works, and how much waits.',
    access: 'viewer',
    response: status,
    statuses: [200],
    example: { response: statusExample },
  },
  workerStats: {
    method: 'GET',
    path: '/worker/stats',
    summary: 'What this replica has done since it started, its pools, and all replicas.',
    access: 'viewer',
    response: status.extend({
      ...totals.shape,
      uptimeSeconds: z.number().describe('Of its worker; of the process where it has none.'),
      inFlight: z.number(),
      pools: z.array(pool),
      replicas: z
        .array(replica)
        .describe(
          'Every replica that has reported in the last hour, but for those that were stopped.',
        ),
    }),
    statuses: [200],
    example: {
      response: {
        ...statusExample,
        ...totalsExample,
        uptimeSeconds: 5_400,
        inFlight: 1,
        pools: [
          {
            name: 'default',
            kinds: ['report.monthly'],
            concurrency: 20,
            inFlight: 1,
            minPriority: null,
            heldUntil: null,
          },
        ],
        replicas: [replicaExample],
      },
    },
  },
  stopWorker: {
    method: 'POST',
    path: '/worker/stop',
    summary: 'Pauses this replica: no new jobs, what runs goes on; 409 when it is paused already.',
    access: 'operator',
    wide: true,
    audit: {},
    response: control,
    statuses: [200],
    errors: ['conflict'],
    example: { response: { isRunning: false, correlationId: CORRELATION_ID } },
  },
  startWorker: {
    method: 'POST',
    path: '/worker/start',
    summary: 'Lets this replica work again; 409 when it works already.',
    access: 'operator',
    wide: true,
    audit: {},
    response: control,
    statuses: [200],
    errors: ['conflict'],
    example: { response: { isRunning: true, correlationId: CORRELATION_ID } },
  },
} as const satisfies Record<string, Contract>;
