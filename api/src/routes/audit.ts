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
  at: moment.describe('When it was asked for.'),
  actor: z
    .string()
    .describe('Who did it, by name; "app:" and the id of its registration for a program.'),
  subject: z
    .string()
    .nullable()
    .describe(
      'Who did it, by the token’s oid or sub, which no change of name changes; null: not kept.',
    ),
  tenants: z
    .array(tenantName)
    .nullable()
    .describe(
      'Whose things it was about, of the tenants that the reader may see; null: all tenants’, or nobody’s in particular.',
    ),
  allTenants: z.boolean().describe('True: it was about the things of all tenants.'),
  action: z.string().describe('The name of the route, such as "cancelJobs".'),
  target: z.string().nullable().describe('The job, kind or worker; null where a filter says it.'),
  filter: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe(
      'Which jobs, for a bulk action; what a read asked for. Where it was also about tenants that the reader may not see, without what could name them.',
    ),
  count: z
    .number()
    .nullable()
    .describe(
      'How many jobs it changed, where it is about jobs; null also where some are of tenants that the reader may not see.',
    ),
  outcome: z
    .enum(['started', 'done', 'refused'])
    .describe('"started": the process went away before the end was written.'),
  correlationId: z.string().describe('Of the request.'),
});
export type AuditEntry = z.infer<typeof auditEntry>;

export const auditContracts = {
  listAudit: {
    method: 'GET',
    path: '/audit',
    summary: 'What people have done, newest first.',
    access: 'operator',
    query: page.extend({
      actor: z.string().min(1).max(200).optional().describe('Who did it.'),
      action: z.string().min(1).max(100).optional().describe('The name of a route.'),
      target: z.string().min(1).max(300).optional().describe('The job, kind or worker.'),
      after: anyMoment.optional().describe('Done after this moment.'),
      before: anyMoment.optional().describe('Done before this moment.'),
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
