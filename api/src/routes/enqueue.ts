import {
  type Contract,
  anyMoment,
  duration,
  jobId,
  kindName,
  tenantName,
} from '@millrace/workload-kit/contract';
import { z } from 'zod';
import type { ErrorCode } from '../errors.ts';

export const MAX_BATCH = 1_000;

export const jobRequest = z.strictObject({
  kind: kindName,
  data: z.unknown().default({}).describe('Checked against the schema of the kind.'),
  tenant: tenantName.optional(),
  priority: z
    .int()
    .min(-1_000)
    .max(1_000)
    .optional()
    .describe('Higher first; jobs without a priority come last.'),
  runAt: anyMoment.optional().describe('The earliest time to run. Either this or delay.'),
  delay: duration.optional().describe('The time to wait before running. Either this or runAt.'),
  key: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe('Jobs of one kind and tenant with the same key run once.'),
  keyWindow: duration
    .optional()
    .describe('How long the key stays taken after success; default 24 hours.'),
  subject: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('The person or thing the data is about, for erasure.'),
  webhook: z
    .url()
    .max(2_000)
    .optional()
    .describe('The address that is called when the job has ended.'),
});
export type JobRequest = z.input<typeof jobRequest>;

export const enqueued = z.object({
  id: jobId,
  created: z.boolean().describe('False if a job with the same key already existed.'),
});
export type Enqueued = z.infer<typeof enqueued>;

const errors: readonly ErrorCode[] = [
  'unknown_kind',
  'kind_not_public',
  'invalid_payload',
  'payload_too_large',
  'invalid_text',
  'invalid_run_at',
  'invalid_key',
  'key_taken',
  'quota_exceeded',
  'tenant_not_allowed',
  'invalid_webhook',
  'webhooks_off',
];

export const enqueueContracts = {
  enqueue: {
    method: 'POST',
    path: '/jobs',
    summary: 'Enqueues a job: 201, or 200 with the existing job of the same key.',
    access: 'member',
    body: jobRequest,
    response: enqueued,
    statuses: [201, 200],
    errors,
    example: {
      body: {
        kind: 'report.monthly',
        data: { month: '2026-01', format: 'pdf' },
        tenant: 'acme',
        priority: 10,
        key: 'acme-2026-01',
      },
      response: { id: 'pg-42', created: true },
    },
  },
  enqueueBatch: {
    method: 'POST',
    path: '/jobs/batch',
    summary: 'Enqueues up to 1,000 jobs, all or none.',
    access: 'member',
    body: z.array(jobRequest).min(1).max(MAX_BATCH),
    response: z.object({ jobs: z.array(enqueued).describe('In the order of the request.') }),
    statuses: [200],
    errors,
    example: {
      body: [
        { kind: 'report.monthly', data: { month: '2026-01' }, tenant: 'acme', key: 'acme-2026-01' },
        { kind: 'report.monthly', data: { month: '2026-01' }, tenant: 'initech', delay: '15m' },
      ],
      response: {
        jobs: [
          { id: 'pg-42', created: false },
          { id: 'pg-43', created: true },
        ],
      },
    },
  },
} as const satisfies Record<string, Contract>;
