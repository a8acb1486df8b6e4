import type { Job, JobSummary } from './job.ts';
import type { Replica } from './replica.ts';

/**
 * The one story that every example tells: on the last of January, Ada has the monthly report of the tenant
 * "acme" made. It is job pg-42, and the replica mill-1 runs it.
 */
export const CORRELATION_ID = '9f1c0c1e-3f0a-4b59-8a3e-1f2d3c4b5a69';

export const summaryExample: JobSummary = {
  id: 'pg-42',
  kind: 'report.monthly',
  tenant: 'acme',
  state: 'SUCCEEDED',
  priority: 10,
  attempt: 1,
  maxAttempts: 4,
  createdAt: '2026-01-31T09:30:00.000Z',
  runAt: '2026-01-31T09:30:00.000Z',
  startedAt: '2026-01-31T09:30:00.120Z',
  finishedAt: '2026-01-31T09:30:08.480Z',
  worker: 'mill-1',
  leaseUntil: null,
  cancelRequested: false,
  progress: { done: 12, total: 12, note: 'Page 12' },
  error: null,
  key: 'acme-2026-01',
  correlationId: CORRELATION_ID,
  submitter: 'ada@example.com',
  subject: 'customer-7',
  webhook: 'https://example.com/hooks/reports',
  parents: null,
  schedule: null,
};

/** The storage was cut off while the first execution wrote, so there was a second. */
export const jobExample: Job = {
  ...summaryExample,
  attempt: 2,
  startedAt: '2026-01-31T09:31:01.400Z',
  finishedAt: '2026-01-31T09:31:09.760Z',
  data: { month: '2026-01', format: 'pdf' },
  result: { file: 'reports/acme/2026-01.pdf', pages: 12 },
  cursor: null,
  executions: [
    {
      attempt: 1,
      epoch: 1769851800120001,
      log: [
        { at: '2026-01-31T09:30:00.640Z', level: 'info', message: 'chunk 1 saved' },
        {
          at: '2026-01-31T09:30:01.338Z',
          level: 'warn',
          message: 'the storage answers slowly ms=690',
        },
      ],
      worker: 'mill-1',
      startedAt: '2026-01-31T09:30:00.120Z',
      endedAt: '2026-01-31T09:30:01.340Z',
      outcome: 'retried',
      error: { code: 'unknown', message: 'The report could not be written.', retryable: true },
      stack:
        'Error: The report could not be written.\n    at write (jobs/report.ts:42:11)\nCaused by: Error: read ECONNRESET\n    at TLSWrap.onStreamRead (node:internal/stream_base_commons:216:20)',
    },
    {
      attempt: 2,
      epoch: 1769851861400001,
      log: null,
      worker: 'mill-1',
      startedAt: '2026-01-31T09:31:01.400Z',
      endedAt: '2026-01-31T09:31:09.760Z',
      outcome: 'succeeded',
      error: null,
      stack: null,
    },
  ],
  log: null,
  children: [{ id: 'pg-43', kind: 'millrace.webhook', state: 'SUCCEEDED' }],
};

/** The next job, while it runs, as a stream sends it. */
export const runningExample: JobSummary = {
  ...summaryExample,
  id: 'pg-43',
  state: 'PROCESSING',
  finishedAt: null,
  leaseUntil: '2026-01-31T09:32:00.120Z',
  progress: { done: 5, total: 12, note: 'Page 5' },
  key: null,
  webhook: null,
};

export const totalsExample = {
  totalProcessed: 128,
  totalSucceeded: 121,
  totalFailed: 2,
  totalRetries: 5,
};

export const replicaExample: Replica = {
  ...totalsExample,
  id: 'mill-1',
  state: 'running',
  version: '1.0.0',
  seenAt: '2026-01-31T09:30:05.000Z',
  startedAt: '2026-01-31T08:00:05.000Z',
  lastPollTime: '2026-01-31T09:30:04.200Z',
  uptimeSeconds: 5_400,
  inFlight: 1,
  jobs: ['pg-42'],
  pools: [{ name: 'default', concurrency: 10, inFlight: 1 }],
  kinds: ['report.monthly'],
  wanted: null,
  takenOver: null,
};
