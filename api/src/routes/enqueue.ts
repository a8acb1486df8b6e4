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
  priority: z.int().min(-1_000).max(1_000).optional().describe('Higher first; none comes last.'),
  runAt: anyMoment.optional().describe('Not before this moment. Either this or delay.'),
  delay: duration.optional().describe('Not before so long from now. Either this or runAt.'),
  key: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe('The same key of the same kind and tenant makes one job.'),
  keyWindow: duration.optional().describe('How long a success keeps the key; 24 hours by default.'),
  subject: z.string().min(1).max(200).optional().describe('Whom the data is about, for erasure.'),
  webhook: z
    .url()
    .max(2_000)
    .optional()
    .describe('The address that gets a message when the job has ended.'),
});
export type JobRequest = z.input<typeof jobRequest>;

export const enqueued = z.object({
  id: jobId,
  created: z.boolean().describe('False when a job with the same key was there already.'),
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
    summary: 'Makes a job: 201, or 200 with the job that has the same key.',
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
    summary: 'Makes up to 1,000 jobs, all of them or none.',
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
