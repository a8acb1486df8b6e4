import { z } from 'zod';
import type { Contract } from '../contract.ts';

const check = z.object({
  name: z.string(),
  ok: z.boolean(),
  latencyMs: z.number(),
  detail: z.string().optional(),
});
export type Check = z.infer<typeof check>;

export const healthContracts = {
  healthz: {
    method: 'GET',
    path: '/healthz',
    summary: 'The process is alive.',
    response: z.object({ status: z.literal('ok') }),
    statuses: [200],
  },
  readyz: {
    method: 'GET',
    path: '/readyz',
    summary: 'Whether requests can be served: 503 without a store or while stopping.',
    response: z.object({
      status: z.enum(['ready', 'degraded', 'unavailable', 'stopping']),
      checks: z.array(check),
    }),
    statuses: [200, 503],
  },
} as const satisfies Record<string, Contract>;
