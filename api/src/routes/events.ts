import {
  type Contract,
  jobId,
  jobState,
  kindName,
  tenantName,
} from '@millrace/workload-kit/contract';
import { topics as ofWorkloads } from '@millrace/workloads/contracts';
import { z } from 'zod';
import { jobSummary } from '../job.ts';
import { runningExample } from '../story.ts';
import { countsAnswer } from './jobs.ts';
import { replica } from '../replica.ts';

export type Topic = 'job' | 'queue' | 'worker' | keyof typeof ofWorkloads;
export const TOPICS: readonly Topic[] = [
  'job',
  'queue',
  'worker',
  ...(Object.keys(ofWorkloads) as (keyof typeof ofWorkloads)[]),
];
const WORDS = `${TOPICS.slice(0, -1).join(', ')} and ${TOPICS.at(-1) ?? ''}`;

/** The events of a stream. Each is the full current state of one item, which a later event replaces. */
export const liveEvent = z.discriminatedUnion('type', [
  z
    .object({ type: z.literal('hello') })
    .describe('Opens the stream: discard your state, the full state follows.'),
  z.object({ type: z.literal('job'), job: jobSummary }).describe('The current state of a job.'),
  z
    .object({ type: z.literal('queue'), ...countsAnswer.shape })
    .describe('Job counts of the requested kind and tenant.'),
  z
    .object({ type: z.literal('worker'), worker: replica })
    .describe('The last report of a replica.'),
  ...Object.values(ofWorkloads),
  z.object({ type: z.literal('live') }).describe('The full state has been sent; changes follow.'),
  z
    .object({ type: z.literal('more') })
    .describe('Too many jobs changed at once to send each: fetch the list again.'),
]);
export type LiveEvent = z.infer<typeof liveEvent>;

export const eventContracts = {
  events: {
    method: 'GET',
    path: '/events',
    summary:
      'A stream of Server-Sent Events: the current state first, then changes as they happen.',
    access: 'viewer',
    query: z.strictObject({
      topics: z
        .string()
        .regex(new RegExp(`^(${TOPICS.join('|')})(,(${TOPICS.join('|')}))*$`), {
          error: `Write one or more of ${WORDS}, separated by commas.`,
        })
        .optional()
        .describe(`Of ${WORDS}, separated by commas; all by default.`),
      id: jobId.optional().describe('Only this job, or this one item of the topic.'),
      kind: kindName.optional(),
      tenant: tenantName.optional(),
      state: jobState.optional().describe('Only jobs that are now in this state.'),
      correlationId: z.string().min(1).max(200).optional().describe('Only jobs of this request.'),
    }),
    response: liveEvent,
    statuses: [200],
    media: 'text/event-stream',
    errors: ['too_many_streams'],
    example: {
      query: { topics: 'job', kind: 'report.monthly' },
      response: { type: 'job', job: runningExample },
    },
  },
} as const satisfies Record<string, Contract>;
