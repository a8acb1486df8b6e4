import { type Contract } from '@millrace/workload-kit/contract';
import { z } from 'zod';

export const check = z.object({
  name: z.string().describe('What was asked, such as "store".'),
  ok: z.boolean(),
  status: z.enum(['ok', 'degraded', 'down']),
  latencyMs: z.number().describe('How long its answer took.'),
  detail: z.string().optional().describe('What is wrong, where something is.'),
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
    summary: 'The process is alive: 503 when nothing but a restart helps.',
    access: 'anyone',
    response: liveness,
    statuses: [200, 503],
    example: { response: { status: 'ok' } },
  },
  readyz: {
    method: 'GET',
    path: '/readyz',
    summary:
      'Whether requests can be served: 503 without a store, before the first keys, or while stopping.',
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
