import { z } from 'zod';
import type { Contract } from '../contract.ts';
import { job, jobSummary } from '../job.ts';
import { anyMoment, jobId, jobState, kindName, moment } from '../values.ts';

/** Which jobs. What is left out does not matter. */
export const jobFilter = z.strictObject({
  state: jobState.optional(),
  kind: kindName.optional(),
  tenant: z.string().max(100).optional(),
  key: z.string().min(1).max(255).optional(),
  correlationId: z.string().min(1).max(200).optional(),
  errorCode: z.string().min(1).max(100).optional(),
  createdAfter: anyMoment.optional(),
  createdBefore: anyMoment.optional(),
});
export type JobFilter = z.input<typeof jobFilter>;

export const MAX_PAGE = 200;

const byId = z.strictObject({ id: jobId });

const listQuery = jobFilter.extend({
  limit: z.coerce.number<number | string>().int().min(1).max(MAX_PAGE).default(50),
  cursor: z.string().min(1).max(1_000).optional().describe('`next` of the page before.'),
});

/** Forgetting a filter must not cancel everything. */
const bulk = jobFilter
  .extend({ all: z.literal(true).optional().describe('Needed where there is no filter.') })
  .refine((body) => Object.values(body).some((value) => value !== undefined), {
    error: 'Give a filter, or "all": true to mean every job.',
  });

export const jobContracts = {
  listJobs: {
    method: 'GET',
    path: '/jobs',
    summary: 'Jobs by filter, newest first.',
    query: listQuery,
    response: z.object({
      jobs: z.array(jobSummary),
      next: z.string().nullable().describe('The cursor of the next page.'),
    }),
    statuses: [200],
  },
  getJob: {
    method: 'GET',
    path: '/jobs/:id',
    summary: 'One job with its data and result.',
    params: byId,
    response: job,
    statuses: [200],
  },
  cancelJob: {
    method: 'POST',
    path: '/jobs/:id/cancel',
    summary: 'Cancels a job that waits (200) or asks a running one to stop (202).',
    params: byId,
    response: z.object({ id: jobId, outcome: z.enum(['canceled', 'requested']) }),
    statuses: [200, 202],
  },
  retryJob: {
    method: 'POST',
    path: '/jobs/:id/retry',
    summary: 'Queues a failed or cancelled job again, with fresh attempts.',
    params: byId,
    response: z.object({ id: jobId, state: z.literal('QUEUED') }),
    statuses: [200],
  },
  explainJob: {
    method: 'GET',
    path: '/jobs/:id/explain',
    summary: 'Why the job is where it is, and until when.',
    params: byId,
    response: z.object({
      id: jobId,
      state: jobState,
      reason: z.string(),
      sentence: z.string(),
      until: moment.nullable(),
    }),
    statuses: [200],
  },
  cancelJobs: {
    method: 'POST',
    path: '/jobs/cancel',
    summary: 'Cancels every job of the filter that can be cancelled.',
    body: bulk,
    response: z.object({
      canceled: z.number().describe('Ended now.'),
      requested: z.number().describe('Running; asked to stop.'),
    }),
    statuses: [200],
  },
  retryJobs: {
    method: 'POST',
    path: '/jobs/retry',
    summary: 'Queues every failed or cancelled job of the filter again.',
    body: bulk,
    response: z.object({ retried: z.number() }),
    statuses: [200],
  },
  counts: {
    method: 'GET',
    path: '/counts',
    summary: 'How many jobs there are, by kind, tenant and state.',
    response: z.object({
      states: z.record(jobState, z.number()),
      counts: z.array(
        z.object({ kind: kindName, tenant: z.string(), state: jobState, count: z.number() }),
      ),
    }),
    statuses: [200],
  },
  eraseSubject: {
    method: 'DELETE',
    path: '/subjects/:subject',
    summary: 'Empties data, result, cursor and error text of every job about the subject.',
    params: z.strictObject({ subject: z.string().min(1).max(200) }),
    response: z.object({ erased: z.number() }),
    statuses: [200],
  },
} as const satisfies Record<string, Contract>;
