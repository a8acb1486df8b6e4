import { type Contract, jobId } from '@millrace/workload-kit/contract';
import { z } from 'zod';
import { reason } from '../replica.ts';

const byName = z.strictObject({ name: z.string().min(1).max(255) });
export const schedulePaused = z.object({ name: z.string(), paused: z.boolean() });
const params = { name: 'month-end' };

/** Pausing and resuming a schedule are the two ends of one switch. */
const ofPause = {
  method: 'POST',
  access: 'operator',
  wide: true,
  audit: { target: 'name' },
  params: byName,
  response: schedulePaused,
  statuses: [200],
  errors: ['schedule_not_found', 'conflict'],
} as const;

export const scheduleContracts = {
  runSchedule: {
    method: 'POST',
    path: '/schedules/:name/run',
    summary:
      'Runs a schedule now, even if paused; 409 while its last job runs, unless overlap is allowed.',
    access: 'operator',
    wide: true,
    audit: { target: 'name', count: 1 },
    params: byName,
    response: z.object({ name: z.string(), id: jobId.describe('The job that was made.') }),
    statuses: [201],
    errors: ['schedule_not_found', 'conflict'],
    example: { params, response: { name: 'month-end', id: 'pg-42' } },
  },
  pauseSchedule: {
    ...ofPause,
    path: '/schedules/:name/pause',
    summary:
      'Pauses a schedule in all replicas: its ticks are skipped; 409 if it is already paused.',
    body: z.strictObject({ reason }).optional(),
    example: {
      params,
      body: { reason: 'Month-end is late.' },
      response: { name: 'month-end', paused: true },
    },
  },
  resumeSchedule: {
    ...ofPause,
    path: '/schedules/:name/resume',
    summary: 'Resumes a schedule from its next tick; 409 if it is not paused.',
    example: { params, response: { name: 'month-end', paused: false } },
  },
  deleteSchedule: {
    method: 'DELETE',
    path: '/schedules/:name',
    summary:
      'Deletes a schedule that no file declares any more; its jobs stay. 409 while a file declares it.',
    access: 'operator',
    wide: true,
    audit: { target: 'name' },
    params: byName,
    response: z.object({ name: z.string(), deleted: z.literal(true) }),
    statuses: [200],
    errors: ['schedule_not_found', 'conflict'],
    example: { params, response: { name: 'month-end', deleted: true } },
  },
} as const satisfies Record<string, Contract>;
