import {
  type Contract,
  jobId,
  jobState,
  kindName,
  moment,
  next,
  nextOrNone,
  page,
  tenantName,
  wholeOrPage,
} from '@millrace/workload-kit/contract';
import { z } from 'zod';
import { bulk, jobFilter, narrowed } from '../filter.ts';
import { job, jobSummary } from '../job.ts';
import { jobExample, summaryExample } from '../story.ts';

const byId = z.strictObject({ id: jobId });

export const count = z.object({
  kind: kindName,
  tenant: tenantName,
  state: jobState,
  count: z.number(),
  scheduled: z.number().describe('How many of them are scheduled for later.'),
});

export const missing = z
  .array(z.string())
  .optional()
  .describe(
    'Stores that do not answer, such as "redis" or an org; their jobs are missing here. Absent if all answer.',
  );

export const countsAnswer = z.object({
  states: z.record(jobState, z.number()).describe('Totals by state.'),
  scheduled: z.number().describe('How many of the QUEUED jobs are scheduled for later.'),
  counts: z.array(count).describe('By kind, tenant and state; zero counts are left out.'),
  missing,
});

export const cancelAnswer = z.object({
  id: jobId,
  outcome: z.enum(['canceled', 'requested']).describe('Cancelled now, or asked to stop.'),
});

const pagedFilter = narrowed(jobFilter.extend(page.shape));

const lookingUp = {
  listJobs: {
    method: 'GET',
    path: '/jobs',
    summary: 'Jobs by filter, newest first.',
    access: 'viewer',
    query: pagedFilter,
    response: z.object({ jobs: z.array(jobSummary), next, missing }),
    statuses: [200],
    example: {
      query: { kind: 'report.monthly', tenant: 'acme', limit: '1' },
      response: { jobs: [summaryExample], next: 'NDI' },
    },
  },
  getJob: {
    method: 'GET',
    path: '/jobs/:id',
    summary: 'One job with its data, result and failed executions.',
    access: 'viewer',
    params: byId,
    response: job,
    statuses: [200],
    errors: ['job_not_found'],
    example: { params: { id: 'pg-42' }, response: jobExample },
  },
  explainJob: {
    method: 'GET',
    path: '/jobs/:id/explain',
    summary: 'Why the job is in its state, and until when.',
    access: 'viewer',
    params: byId,
    response: z.object({
      id: jobId,
      state: jobState.describe('The job’s state.'),
      reason: z.string().describe('For programs, such as "retry_wait".'),
      sentence: z.string().describe('For people.'),
      until: moment.nullable().describe('When the reason ends by itself, if known.'),
    }),
    statuses: [200],
    errors: ['job_not_found'],
    example: {
      params: { id: 'pg-44' },
      response: {
        id: 'pg-44',
        state: 'QUEUED',
        reason: 'retry_wait',
        sentence:
          'Attempt 1 of 4 failed (timeout: The job ran longer than the 60 s its kind allows.); the next is due at 2026-01-31T09:35:00.000Z.',
        until: '2026-01-31T09:35:00.000Z',
      },
    },
  },
  counts: {
    method: 'GET',
    path: '/counts',
    summary: 'Job counts by kind, tenant and state.',
    access: 'viewer',
    query: wholeOrPage.extend({ kind: kindName.optional(), tenant: tenantName.optional() }),
    response: countsAnswer.extend({ next: nextOrNone }),
    statuses: [200],
    example: {
      query: { kind: 'report.monthly' },
      response: {
        states: { QUEUED: 3, PROCESSING: 1, SUCCEEDED: 121, FAILED: 2, CANCELED: 0 },
        scheduled: 2,
        counts: [
          { kind: 'report.monthly', tenant: 'acme', state: 'PROCESSING', count: 1, scheduled: 0 },
          { kind: 'report.monthly', tenant: 'acme', state: 'SUCCEEDED', count: 121, scheduled: 0 },
          { kind: 'report.monthly', tenant: 'initech', state: 'QUEUED', count: 3, scheduled: 2 },
          { kind: 'report.monthly', tenant: 'initech', state: 'FAILED', count: 2, scheduled: 0 },
        ],
        next: null,
      },
    },
  },
} as const satisfies Record<string, Contract>;

const changing = {
  cancelJob: {
    method: 'POST',
    path: '/jobs/:id/cancel',
    summary: 'Cancels a waiting job (200) or asks a running one to stop (202).',
    access: 'member',
    audit: { target: 'id', count: 1 },
    params: byId,
    response: cancelAnswer,
    statuses: [200, 202],
    errors: ['job_not_found', 'illegal_transition'],
    example: { params: { id: 'pg-43' }, response: { id: 'pg-43', outcome: 'canceled' } },
  },
  retryJob: {
    method: 'POST',
    path: '/jobs/:id/retry',
    summary:
      'Retries a failed or cancelled job with fresh attempts; with new data it starts from the beginning.',
    access: 'member',
    audit: { target: 'id', count: 1 },
    params: byId,
    body: z
      .strictObject({
        data: z
          .unknown()
          .optional()
          .describe(
            'Replaces the job’s data; the kind must be public, and the data must match its schema.',
          ),
      })
      .optional(),
    response: z.object({ id: jobId, state: z.literal('QUEUED') }),
    statuses: [200],
    errors: [
      'job_not_found',
      'illegal_transition',
      'kind_not_public',
      'invalid_payload',
      'payload_too_large',
      'invalid_text',
      'unsupported_by_store',
    ],
    example: {
      params: { id: 'pg-43' },
      body: { data: { month: '2026-01', format: 'pdf' } },
      response: { id: 'pg-43', state: 'QUEUED' },
    },
  },
  deleteJob: {
    method: 'DELETE',
    path: '/jobs/:id',
    summary: 'Deletes a job that has ended, with its data, result and key.',
    access: 'admin',
    audit: { target: 'id', count: 1 },
    params: byId,
    response: z.object({ id: jobId }),
    statuses: [200],
    errors: ['job_not_found', 'illegal_transition', 'unsupported_by_store'],
    example: { params: { id: 'pg-43' }, response: { id: 'pg-43' } },
  },
  cancelJobs: {
    method: 'POST',
    path: '/jobs/cancel',
    summary: 'Cancels every matching job that can be cancelled.',
    access: 'member',
    audit: { filter: true, count: ['canceled', 'requested'] },
    body: bulk,
    response: z.object({
      canceled: z.number().describe('Jobs cancelled now.'),
      requested: z.number().describe('Running jobs that were asked to stop.'),
    }),
    statuses: [200],
    example: {
      body: { kind: 'report.monthly', tenant: 'initech', state: 'QUEUED' },
      response: { canceled: 3, requested: 0 },
    },
  },
  retryJobs: {
    method: 'POST',
    path: '/jobs/retry',
    summary: 'Retries every matching job that failed or was cancelled.',
    access: 'member',
    audit: { filter: true, count: ['retried'] },
    body: bulk,
    response: z.object({ retried: z.number().describe('Number of jobs queued again.') }),
    statuses: [200],
    example: {
      body: { kind: 'report.monthly', state: 'FAILED', errorCode: 'timeout' },
      response: { retried: 12 },
    },
  },
  eraseSubject: {
    method: 'DELETE',
    path: '/subjects/:subject',
    summary:
      'Erases data, result, cursor and error text of every job about the subject, and the subject itself; deletes what workloads keep and people saved about it.',
    access: 'admin',
    wide: true,
    audit: { target: 'subject', hashed: true, count: ['erased'] },
    params: z.strictObject({
      subject: z.string().min(1).max(200).describe('The subject that the jobs were enqueued with.'),
    }),
    response: z
      .object({ erased: z.number().describe('Number of erased jobs.') })
      .catchall(z.number())
      .describe('Number of deleted items that workloads kept and people saved.'),
    statuses: [200],
    errors: ['invalid_text'],
    example: {
      params: { subject: 'customer-7' },
      response: { erased: 3, saved: 1, files: 12, rows: 9 },
    },
  },
} as const satisfies Record<string, Contract>;

export const jobContracts = { ...lookingUp, ...changing };
