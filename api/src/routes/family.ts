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
    .describe('0: the job itself; below, those that it came from; above, what came from it.'),
});

const edge = z.object({
  from: jobId,
  to: jobId,
  why: z
    .enum(['made', 'rule', 'webhook', 'cleanup'])
    .describe('The first made the second while it ran; or the second followed from its end.'),
});

const gate = z.object({
  rule: z.string(),
  key: z.string().describe('What the jobs that belong together share, such as a date.'),
  child: kindName.nullable().describe('What is made when all are there; null: not known here.'),
  arrived: z.record(z.string(), jobId).describe('Who is there, by the place that they take.'),
  waitsFor: z.array(z.string()).describe('Whose place is empty yet; none: not known here.'),
  closesAt: moment.describe('It is given up then.'),
});

export const familyContracts = {
  getFamily: {
    method: 'GET',
    path: '/jobs/:id/family',
    summary:
      'A job with those it came from, its children and grandchildren, and where they wait for others.',
    access: 'viewer',
    params: z.strictObject({ id: jobId }),
    response: z.object({
      id: jobId,
      nodes: z.array(node).describe('200 at the most, the oldest generation first.'),
      edges: z.array(edge),
      gates: z.array(gate).describe('Where one of them waits until others are there.'),
      more: z.boolean().describe('There are others.'),
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
