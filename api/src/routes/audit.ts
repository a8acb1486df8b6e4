import {
  type Contract,
  anyMoment,
  moment,
  next,
  page,
  tenantName,
} from '@millrace/workload-kit/contract';
import { z } from 'zod';
import { CORRELATION_ID } from '../story.ts';

export const auditEntry = z.object({
  id: z.string(),
  at: moment.describe('Time of the request.'),
  actor: z.string().describe('The actor’s name; for a program "app:" and its registration id.'),
  subject: z
    .string()
    .nullable()
    .describe(
      'The actor’s oid or sub from the token, which survives a change of name; null if not kept.',
    ),
  tenants: z
    .array(tenantName)
    .nullable()
    .describe(
      'The affected tenants that the reader may see; null: all tenants, or none in particular.',
    ),
  allTenants: z.boolean().describe('True if it concerned all tenants.'),
  action: z.string().describe('The name of the route, such as "cancelJobs".'),
  target: z
    .string()
    .nullable()
    .describe('The job, kind or worker; null if a filter was used instead.'),
  filter: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe(
      'The filter of a bulk action or a read. Parts that could identify tenants the reader may not see are removed.',
    ),
  count: z
    .number()
    .nullable()
    .describe(
      'Number of changed jobs; null if it does not concern jobs, or some belong to tenants the reader may not see.',
    ),
  outcome: z
    .enum(['started', 'done', 'refused'])
    .describe('"started": the process died before the result was written.'),
  correlationId: z.string().describe('The correlation id of the request.'),
});
export type AuditEntry = z.infer<typeof auditEntry>;

export const auditContracts = {
  listAudit: {
    method: 'GET',
    path: '/audit',
    summary: 'The audit log, newest first.',
    access: 'operator',
    query: page.extend({
      actor: z.string().min(1).max(200).optional().describe('The actor’s name.'),
      action: z.string().min(1).max(100).optional().describe('The name of a route.'),
      target: z.string().min(1).max(300).optional().describe('The job, kind or worker.'),
      after: anyMoment.optional().describe('After this time.'),
      before: anyMoment.optional().describe('Before this time.'),
    }),
    response: z.object({ entries: z.array(auditEntry), next }),
    statuses: [200],
    example: {
      query: { actor: 'ada@example.com', limit: '2' },
      response: {
        entries: [
          {
            id: '17',
            at: '2026-01-31T09:30:00.000Z',
            actor: 'ada@example.com',
            subject: 'b7b0c6c4-4f6e-4c0b-a3a5-0d3a4b1f2c11',
            tenants: ['acme'],
            allTenants: false,
            action: 'retryJobs',
            target: null,
            filter: { kind: 'report.monthly', state: 'FAILED', errorCode: 'timeout' },
            count: 12,
            outcome: 'done',
            correlationId: CORRELATION_ID,
          },
        ],
        next: null,
      },
    },
  },
} as const satisfies Record<string, Contract>;
