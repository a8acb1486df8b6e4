import { type Contract, next, wholeOrPage } from '@millrace/workload-kit/contract';
import { z } from 'zod';
import { reason, replica } from '../replica.ts';
import { replicaExample } from '../story.ts';

const byId = z.strictObject({ id: z.string().min(1).max(255) });
const body = z.strictObject({ reason }).optional();

export const replicaSteered = z.object({
  id: z.string(),
  wanted: z
    .enum(['running', 'paused', 'drained'])
    .describe('The requested state, in effect within seconds.'),
});

/** Pausing, resuming and draining are positions of one switch. */
const ofSwitch = {
  method: 'POST',
  access: 'operator',
  wide: true,
  audit: { target: 'id' },
  params: byId,
  response: replicaSteered,
  statuses: [202],
  errors: ['replica_not_found', 'conflict'],
} as const;
const params = { id: 'mill-1' };

export const replicaContracts = {
  listReplicas: {
    method: 'GET',
    path: '/replicas',
    summary: 'All replicas of the last hour by name, including silent ones.',
    access: 'viewer',
    query: wholeOrPage,
    response: z.object({ replicas: z.array(replica), next }),
    statuses: [200],
    example: { query: {}, response: { replicas: [replicaExample], next: null } },
  },
  pauseReplica: {
    ...ofSwitch,
    path: '/replicas/:id/pause',
    summary:
      'Pauses a replica within seconds: it takes no new jobs and finishes its running ones; 409 if it is already paused.',
    body,
    example: {
      params,
      body: { reason: 'Its disk is full.' },
      response: { id: 'mill-1', wanted: 'paused' },
    },
  },
  drainReplica: {
    ...ofSwitch,
    path: '/replicas/:id/drain',
    summary:
      'Drains a replica: it takes no new jobs, and jobs in chunks move to other replicas after their next chunk.',
    body,
    example: {
      params,
      body: { reason: 'Update to 2.3.1' },
      response: { id: 'mill-1', wanted: 'drained' },
    },
  },
  resumeReplica: {
    ...ofSwitch,
    path: '/replicas/:id/resume',
    summary: 'Resumes a replica within seconds; 409 if it is already running.',
    example: { params, response: { id: 'mill-1', wanted: 'running' } },
  },
} as const satisfies Record<string, Contract>;
