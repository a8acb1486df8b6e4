import { type Contract, kindName, moment } from '@millrace/workload-kit/contract';
import { z } from 'zod';
import { replica, totals } from '../replica.ts';
import { CORRELATION_ID, replicaExample, totalsExample } from '../story.ts';

const status = z.object({
  hasWorker: z
    .boolean()
    .describe('False if this replica only serves the API, which is not a fault.'),
  isRunning: z.boolean().describe('Whether this replica claims jobs.'),
  currentQueueDepth: z.number().describe('Jobs that are due and waiting, over all replicas.'),
  currentScheduled: z.number().describe('Jobs scheduled for later, over all replicas.'),
  lastPollTime: moment.nullable().describe('When it last looked for jobs.'),
  correlationId: z.string(),
});

export const pool = z.object({
  name: z.string(),
  kinds: z.array(kindName),
  concurrency: z.number().describe('The maximum of concurrent jobs.'),
  inFlight: z.number().describe('Running jobs.'),
  minPriority: z.number().nullable().describe('The least priority it claims.'),
  heldUntil: moment.nullable().describe('When the current pause window ends.'),
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
    summary: 'Whether this replica is working, and how many jobs wait.',
    access: 'viewer',
    response: status,
    statuses: [200],
    example: { response: statusExample },
  },
  workerStats: {
    method: 'GET',
    path: '/worker/stats',
    summary: 'Totals of this replica since its start, its pools, and all replicas.',
    access: 'viewer',
    response: status.extend({
      ...totals.shape,
      uptimeSeconds: z.number().describe('Uptime of its worker, or of the process if it has none.'),
      inFlight: z.number(),
      pools: z.array(pool),
      replicas: z
        .array(replica)
        .describe('Every replica that reported in the last hour, except stopped ones.'),
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
    summary:
      'Pauses this replica: it takes no new jobs and finishes its running ones; 409 if it is already paused.',
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
    summary: 'Resumes this replica; 409 if it is already running.',
    access: 'operator',
    wide: true,
    audit: {},
    response: control,
    statuses: [200],
    errors: ['conflict'],
    example: { response: { isRunning: true, correlationId: CORRELATION_ID } },
  },
} as const satisfies Record<string, Contract>;
