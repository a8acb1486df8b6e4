import {
  type Contract,
  anyMoment,
  duration,
  jobState,
  moment,
  next,
  page,
} from '@millrace/workload-kit/contract';
import { z } from 'zod';
import {
  askedParameters,
  byReport,
  byRun,
  compression,
  format,
  givenParameters,
  reportName,
} from './values.ts';

export const reportProgress = z.object({
  rows: z.number(),
  bytes: z.number(),
  chunks: z.number().describe('Parts that are written and saved: after a crash it goes on there.'),
  total: z.number().nullable().describe('How many rows there may be: the guess of the database.'),
  percent: z.number().nullable().describe('Under 100 until it is over; null: nobody can tell.'),
  rowsPerSecond: z.number().nullable(),
  etaSeconds: z.number().nullable().describe('How long it may still take; null: not known.'),
});

export const reportResult = z.object({
  rows: z.number(),
  bytes: z.number(),
  sha256: z.string().describe('Of the file, in hexadecimal. It is its etag too.'),
  fileName: z.string(),
  note: z
    .string()
    .nullable()
    .describe('What readers have to know, such as after which key the snapshot is another one.'),
  expiresAt: moment.nullable().describe('The file can be downloaded until then.'),
  available: z
    .boolean()
    .describe(
      'False: the file has expired, somebody has removed it, or it is in a folder of another server.',
    ),
});

export const reportRun = z.object({
  id: z.string().describe('That of its job.'),
  report: z.string(),
  state: jobState,
  parameters: givenParameters.describe(
    'As they were given until it begins; then all of them, with words such as "yesterday" replaced.',
  ),
  format,
  compression,
  tenant: z.string(),
  submitter: z.string().nullable().describe('Who started it, or the identity that a rule names.'),
  correlationId: z.string(),
  schedule: z.string().nullable().describe('The schedule that started it.'),
  parents: z.array(z.string()).describe('The runs that it follows from.'),
  progress: reportProgress.nullable().describe('Null until its first rows.'),
  attempt: z.number().describe('Counts what failed since the last progress; 0: not begun.'),
  resumes: z.number().describe('How often it went on from where an earlier execution was lost.'),
  cancelRequested: z.boolean(),
  error: z
    .object({
      code: z.string().describe('Such as "source_unavailable"; docs/errors.md lists them.'),
      message: z.string(),
    })
    .nullable()
    .describe('Why it failed; of a run that waits, why its last try did.'),
  result: reportResult.nullable(),
  createdAt: moment,
  startedAt: moment.nullable(),
  finishedAt: moment.nullable(),
});
export type ReportRun = z.infer<typeof reportRun>;

export const reportEvent = z
  .object({ type: z.literal('report'), run: reportRun })
  .describe('A run of a report, as it is now.');

export const runExample: ReportRun = {
  id: 'pg-42',
  report: 'timesheet-detail',
  state: 'SUCCEEDED',
  parameters: { county: '19', from: '2026-01-01' },
  format: 'csv',
  compression: null,
  tenant: 'acme',
  submitter: 'ada@example.com',
  correlationId: 'c-7',
  schedule: null,
  parents: [],
  progress: {
    rows: 48_210,
    bytes: 5_812_033,
    chunks: 5,
    total: 48_000,
    percent: 100,
    rowsPerSecond: 31_500,
    etaSeconds: null,
  },
  attempt: 1,
  resumes: 0,
  cancelRequested: false,
  error: null,
  result: {
    rows: 48_210,
    bytes: 5_812_033,
    sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    fileName: 'timesheet-detail-2026-01-31.csv',
    note: null,
    expiresAt: '2026-02-07T09:30:02.000Z',
    available: true,
  },
  createdAt: '2026-01-31T09:30:00.000Z',
  startedAt: '2026-01-31T09:30:00.200Z',
  finishedAt: '2026-01-31T09:30:02.000Z',
};
const queued: ReportRun = {
  ...runExample,
  state: 'QUEUED',
  progress: null,
  attempt: 0,
  result: null,
  startedAt: null,
  finishedAt: null,
};

const newRun = z.strictObject({
  parameters: askedParameters.default({}),
  format: format.optional().describe('One of those of the report; left out: its first.'),
  compression: compression.optional(),
  priority: z.int().min(-1_000).max(1_000).optional().describe('Higher first; none comes last.'),
  key: z
    .string()
    .min(1)
    .max(255)
    .regex(/^[^\p{Cc}]+$/u, { error: 'Leave control characters out.' })
    .optional()
    .describe('The same key makes one run: send it again if the answer is lost.'),
  keyWindow: duration
    .optional()
    .describe('How long a run that went well keeps the key; 24 hours by default.'),
  webhook: z
    .url({ protocol: /^https?$/, error: 'Write an https URL.' })
    .max(2_000)
    .optional()
    .describe('Gets a signed message when the run is over.'),
  wait: z
    .int()
    .min(0)
    .max(60)
    .optional()
    .describe('Answers when the run is over, or after so many seconds.'),
});

export const runContracts = {
  startReport: {
    method: 'POST',
    path: '/reports/:name/runs',
    summary:
      'Runs a report under the claims of the caller. Answers at once (202), or with `wait` when it is over (200).',
    access: 'member',
    params: byReport,
    body: newRun,
    response: reportRun,
    statuses: [202, 200],
    errors: [
      'report_not_found',
      'invalid_parameters',
      'invalid_format',
      'claim_missing',
      'token_key_missing',
      'invalid_key',
      'key_taken',
      'webhooks_off',
      'invalid_webhook',
    ],
    example: {
      params: { name: 'timesheet-detail' },
      body: { parameters: { county: 19, from: '2026-01-01' }, format: 'csv', key: 'county-19' },
      response: queued,
    },
  },
  listReportRuns: {
    method: 'GET',
    path: '/reports/runs',
    summary: 'Runs of reports, newest first.',
    access: 'viewer',
    query: page.extend({
      report: reportName.optional(),
      state: jobState.optional(),
      submitter: z.string().min(1).max(200).optional(),
      correlationId: z.string().min(1).max(200).optional(),
      createdAfter: anyMoment.optional(),
      createdBefore: anyMoment.optional(),
    }),
    response: z.object({ runs: z.array(reportRun), next }),
    statuses: [200],
    example: { query: { state: 'SUCCEEDED' }, response: { runs: [runExample], next: null } },
  },
  getReportRun: {
    method: 'GET',
    path: '/reports/runs/:id',
    summary: 'How far a run is, and what it gave.',
    access: 'viewer',
    params: byRun,
    response: reportRun,
    statuses: [200],
    errors: ['report_run_not_found'],
    example: { params: { id: 'pg-42' }, response: runExample },
  },
  reportRunEvents: {
    method: 'GET',
    path: '/reports/runs/:id/events',
    summary:
      'The run as it is, then again whenever it changes (Server-Sent Events); ends with the run.',
    access: 'viewer',
    params: byRun,
    response: reportEvent,
    statuses: [200],
    media: 'text/event-stream',
    errors: ['report_run_not_found', 'too_many_streams'],
    example: { params: { id: 'pg-42' }, response: { type: 'report', run: runExample } },
  },
  cancelReportRun: {
    method: 'POST',
    path: '/reports/runs/:id/cancel',
    summary: 'Stops a run: at once where it waits, at its next chunk where it is being written.',
    access: 'member',
    audit: { target: 'id', count: 1 },
    params: byRun,
    response: reportRun,
    statuses: [200],
    errors: ['report_run_not_found', 'report_run_finished'],
    example: { params: { id: 'pg-42' }, response: { ...queued, state: 'CANCELED' } },
  },
  retryReportRun: {
    method: 'POST',
    path: '/reports/runs/:id/retry',
    summary: 'Lets a failed or cancelled run go on from its last saved chunk.',
    access: 'member',
    audit: { target: 'id', count: 1 },
    params: byRun,
    response: reportRun,
    statuses: [200],
    errors: ['report_run_not_found', 'report_run_not_retryable'],
    example: { params: { id: 'pg-42' }, response: queued },
  },
} as const satisfies Record<string, Contract>;
