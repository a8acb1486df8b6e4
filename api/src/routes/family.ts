import { type Contract, jobId, jobState, kindName, moment } from '@millrace/workload-kit/contract';
import { z } from 'zod';
import { failure, progress } from '../job.ts';

const node = z.object({
  id: jobId,
  kind: kindName,
  state: jobState,
  createdAt: moment,
  runAt: moment,
  startedAt: moment.nullable(),
  finishedAt: moment.nullable(),
  progress: progress.nullable(),
  error: failure.nullable(),
  generation: z
    .number()
    .describe('0: the job itself; negative: its ancestors; positive: its descendants.'),
});

const edge = z.object({
  from: jobId,
  to: jobId,
  why: z
    .enum(['made', 'rule', 'webhook', 'cleanup'])
    .describe('made: created while the first job ran; the others: created when it ended.'),
});

const gate = z.object({
  rule: z.string(),
  key: z.string().describe('The value that these jobs share, such as a date.'),
  child: kindName
    .nullable()
    .describe('The kind created when all have arrived; null if unknown here.'),
  arrived: z.record(z.string(), jobId).describe('The jobs that have arrived, by their place.'),
  waitsFor: z
    .array(z.string())
    .describe('Places that are still empty; empty list if unknown here.'),
  closesAt: moment.describe('When waiting is given up.'),
});

export const familyContracts = {
  getFamily: {
    method: 'GET',
    path: '/jobs/:id/family',
    summary:
      'A job with its ancestors, children and grandchildren, and the gates where they wait for others.',
    access: 'viewer',
    params: z.strictObject({ id: jobId }),
    response: z.object({
      id: jobId,
      nodes: z.array(node).describe('At most 200, oldest generation first.'),
      edges: z.array(edge),
      gates: z.array(gate).describe('Gates where one of them waits for others.'),
      more: z.boolean().describe('True if there are more nodes.'),
    }),
    statuses: [200],
    errors: ['job_not_found'],
    example: {
      params: { id: 'pg-42' },
      response: {
        id: 'pg-42',
        nodes: [
          {
            id: 'pg-42',
            kind: 'report.monthly',
            state: 'SUCCEEDED',
            createdAt: '2026-01-31T09:30:00.000Z',
            runAt: '2026-01-31T09:30:00.000Z',
            startedAt: '2026-01-31T09:30:00.120Z',
            finishedAt: '2026-01-31T09:30:08.480Z',
            progress: { done: 12, total: 12, note: 'Page 12' },
            error: null,
            generation: 0,
          },
          {
            id: 'pg-43',
            kind: 'millrace.webhook',
            state: 'QUEUED',
            createdAt: '2026-01-31T09:30:08.480Z',
            runAt: '2026-01-31T09:30:08.480Z',
            startedAt: null,
            finishedAt: null,
            progress: null,
            error: null,
            generation: 1,
          },
        ],
        edges: [{ from: 'pg-42', to: 'pg-43', why: 'webhook' }],
        gates: [
          {
            rule: 'month-end',
            key: '2026-01',
            child: 'ledger.close',
            arrived: { 'report.monthly': 'pg-42' },
            waitsFor: ['ledger.import'],
            closesAt: '2026-02-07T09:30:08.480Z',
          },
        ],
        more: false,
      },
    },
  },
} as const satisfies Record<string, Contract>;
