import { type Contract } from '@millrace/workload-kit/contract';
import { z } from 'zod';

export const check = z.object({
  name: z.string().describe('The checked dependency, such as "store".'),
  ok: z.boolean(),
  status: z.enum(['ok', 'degraded', 'down']),
  latencyMs: z.number().describe('Duration of the check.'),
  detail: z.string().optional().describe('What is wrong, if anything.'),
});
export type Check = z.infer<typeof check>;

export const liveness = z.object({
  status: z.enum(['ok', 'stopped']),
  detail: z.string().optional().describe('What has stopped, and what to do.'),
});

export const readiness = z.object({
  status: z.enum(['ready', 'degraded', 'unavailable', 'stopping']),
  checks: z.array(check),
});

export const healthContracts = {
  healthz: {
    method: 'GET',
    path: '/healthz',
    summary: 'Liveness: 503 if only a restart helps.',
    access: 'anyone',
    response: liveness,
    statuses: [200, 503],
    example: { response: { status: 'ok' } },
  },
  readyz: {
    method: 'GET',
    path: '/readyz',
    summary:
      'Readiness: 503 without a store, before the issuer’s keys are fetched, or while stopping.',
    access: 'anyone',
    response: readiness,
    statuses: [200, 503],
    example: {
      response: {
        status: 'ready',
        checks: [{ name: 'store', ok: true, status: 'ok', latencyMs: 2 }],
      },
    },
  },
} as const satisfies Record<string, Contract>;
