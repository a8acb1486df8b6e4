import {
  type Contract,
  kindName,
  nextOrNone,
  page,
  tenantName,
} from '@millrace/workload-kit/contract';
import { z } from 'zod';

const settingInForce = z.object({
  name: z.string(),
  value: z
    .string()
    .nullable()
    .describe('The effective value. Secrets show "set" or "not set"; null if there is none.'),
  isSecret: z.boolean(),
  default: z.string().nullable(),
  source: z
    .enum(['environment', 'file', 'default'])
    .describe('Where the value comes from. The environment overrides the file.'),
  description: z.string(),
  group: z.string().describe('The section: the service, a workload, Salesforce and so on.'),
});
export type SettingInForce = z.infer<typeof settingInForce>;

const tenantFigures = z.object({
  name: tenantName,
  waiting: z.number(),
  running: z.number(),
  failed: z.number(),
  quotas: z
    .array(
      z.object({
        kind: kindName,
        queued: z.number().nullable().describe('The maximum; null if there is no limit.'),
        running: z.number().nullable(),
        waitingNow: z.number(),
        runningNow: z.number(),
      }),
    )
    .describe('Quotas of kinds that have one and of which the tenant has jobs.'),
});

/** Settings and tenants of this installation. */
export const installationContracts = {
  settings: {
    method: 'GET',
    path: '/settings',
    summary: 'The effective settings of the answering replica, without secrets.',
    access: 'operator',
    wide: true,
    response: z.object({ replica: z.string(), settings: z.array(settingInForce) }),
    statuses: [200],
    example: {
      response: {
        replica: 'mill-1',
        settings: [
          {
            name: 'DATABASE_URL',
            value: 'postgres://db.example:5432/millrace',
            isSecret: false,
            default: null,
            source: 'environment',
            description: 'A Postgres database.',
            group: 'Service',
          },
        ],
      },
    },
  },
  listTenants: {
    method: 'GET',
    path: '/tenants',
    summary: 'Tenants with jobs, by name, with counts of waiting, running and failed jobs.',
    access: 'operator',
    query: page,
    response: z.object({ tenants: z.array(tenantFigures), next: nextOrNone }),
    statuses: [200],
    example: {
      query: { limit: '50' },
      response: {
        tenants: [
          {
            name: 'acme',
            waiting: 12,
            running: 2,
            failed: 1,
            quotas: [
              {
                kind: 'report.monthly',
                queued: 1_000,
                running: null,
                waitingNow: 12,
                runningNow: 2,
              },
            ],
          },
        ],
        next: null,
      },
    },
  },
  sandboxPages: {
    method: 'GET',
    path: '/sandbox',
    summary: 'Pages of the simulators beside this server; none in production.',
    access: 'signedIn',
    response: z.object({
      pages: z.array(z.object({ name: z.string(), url: z.string(), what: z.string() })),
    }),
    statuses: [200],
    example: {
      response: {
        pages: [
          {
            name: 'Salesforce',
            url: 'http://127.0.0.1:40123/_sim/',
            what: 'A simulated org: its records, and faults to switch on.',
          },
        ],
      },
    },
  },
} as const satisfies Record<string, Contract>;
