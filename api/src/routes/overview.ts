import {
  type Contract,
  anyMoment,
  kindName,
  moment,
  tenantName,
} from '@millrace/workload-kit/contract';
import { z } from 'zod';
import { overview, overviewWindow } from '../overview.ts';
import { replicaExample } from '../story.ts';

const bucket = z.object({
  at: moment,
  enqueued: z.number(),
  succeeded: z.number(),
  failed: z.number(),
  canceled: z.number(),
  retried: z.number(),
});

export const overviewContracts = {
  overview: {
    method: 'GET',
    path: '/overview',
    summary:
      'An overview: waiting and running jobs, throughput, budgets, and what needs attention.',
    access: 'viewer',
    query: z.strictObject({
      window: overviewWindow.default('15m').describe('The time range of figures and series.'),
    }),
    response: overview,
    statuses: [200],
    example: {
      query: { window: '15m' },
      response: {
        at: '2026-01-31T09:30:05.000Z',
        window: '15m',
        from: '2026-01-31T09:16:00.000Z',
        waiting: {
          total: 318,
          due: 45,
          retrying: 58,
          scheduled: 3,
          held: 212,
          oldestDueSeconds: 14,
        },
        running: { total: 29, pools: [{ name: 'default', inFlight: 29, slots: 40 }] },
        flow: {
          sources: [
            { source: 'salesforce', perMinute: 61 },
            { source: 'api', perMinute: 38 },
            { source: 'schedule', perMinute: 22 },
            { source: 'pipeline', perMinute: 10 },
            { source: 'rule', perMinute: 0 },
            { source: 'other', perMinute: 0 },
          ],
          outcomes: { succeeded: 126, failed: 1.4, canceled: 0.2, retried: 6 },
        },
        figures: {
          perMinute: 127.6,
          endedLately: 211,
          succeeded: 1_890,
          failed: 21,
          canceled: 3,
          retried: 90,
          successRate: 0.989,
          retryRate: 0.045,
          p50Ms: 1_800,
          p95Ms: 9_400,
          documentP95Ms: 2_300,
          waitP50Ms: 120,
          waitP95Ms: 4_100,
          peakOldestDueSeconds: 44,
          peakOldestDueAt: '2026-01-31T09:21:00.000Z',
          perMinuteBefore: 108,
          beforeIs: 'week_ago',
        },
        series: [
          {
            at: '2026-01-31T09:29:00.000Z',
            enqueued: 131,
            succeeded: 126,
            failed: 1,
            canceled: 0,
            retried: 6,
            p50Ms: 1_750,
            p95Ms: 9_100,
            documentP95Ms: 2_200,
            waiting: 318,
            oldestDueSeconds: 14,
          },
        ],
        bucketSeconds: 60,
        budgets: [
          {
            id: 'salesforce:salesforce',
            name: 'Salesforce',
            used: 71_204,
            limit: 100_000,
            waiting: null,
            unit: 'calls',
            warnAt: 70_000,
            stopAt: 90_000,
            hitRate: null,
            detail: 'Batch work claims once a minute.',
          },
        ],
        replicas: [replicaExample],
        attention: [
          {
            id: 'paused:report.monthly',
            level: 'paused',
            title: 'report.monthly is paused',
            detail: '212 jobs wait. Paused by ada@example.com.',
            since: '2026-01-31T09:04:00.000Z',
            count: 212,
            link: { kind: 'report.monthly', state: 'QUEUED' },
            action: 'resume_kind',
            target: 'report.monthly',
          },
        ],
        thresholds: {
          queueDepth: { target: 50, warn: 100, critical: 500, scaleOut: 1_000 },
          successRate: { target: 0.995, warn: 0.97, critical: 0.95 },
          retryRate: { target: 0.05, warn: 0.1, critical: 0.25 },
          oldestDueSeconds: { target: null, warn: 300, critical: 900 },
          budget: { warn: 0.7, stop: 0.9 },
          templateCacheHits: { target: 0.95, warn: 0.8, critical: 0.7 },
          documentP95Ms: { target: 10_000, warn: 15_000, critical: 30_000 },
        },
        missing: [],
      },
    },
  },
  history: {
    method: 'GET',
    path: '/history',
    summary:
      'Counts of incoming jobs and their outcomes over a time range, in at most 120 buckets.',
    access: 'viewer',
    query: z.strictObject({
      kind: kindName.optional(),
      tenant: tenantName.optional(),
      from: anyMoment.optional().describe('Default: a day before `to`. Up to 8 days are kept.'),
      to: anyMoment.optional().describe('Default: now.'),
    }),
    response: z.object({
      from: moment,
      to: moment,
      bucketSeconds: z.number(),
      buckets: z.array(bucket).max(120),
    }),
    statuses: [200],
    example: {
      query: { kind: 'report.monthly', from: '2026-01-31T09:00:00Z', to: '2026-01-31T09:30:00Z' },
      response: {
        from: '2026-01-31T09:00:00.000Z',
        to: '2026-01-31T09:30:00.000Z',
        bucketSeconds: 60,
        buckets: [
          {
            at: '2026-01-31T09:29:00.000Z',
            enqueued: 4,
            succeeded: 3,
            failed: 0,
            canceled: 0,
            retried: 1,
          },
        ],
      },
    },
  },
} as const satisfies Record<string, Contract>;
