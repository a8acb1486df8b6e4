import { ALL, LIMITS, REPLICA, ofStore, rate } from './figures.mjs';
import { dashboard, lines } from './grafana.mjs';

const gauge = (/** @type {string} */ metric) => `${metric}{${REPLICA}}`;

export const capacity = dashboard({
  name: 'capacity',
  title: 'Millrace / Capacity',
  description: 'Is there room? What waits, what is taken, and what each replica has left.',
  panels: [
    lines({
      title: 'Jobs that wait, by kind',
      help: 'Due, over all replicas. The lines are the limits of the alerts.',
      unit: 'short',
      stack: 'normal',
      steps: LIMITS.queueDepth,
      queries: [[ofStore('queue_depth'), '{{kind}}']],
    }),
    lines({
      title: 'Jobs that run, by kind',
      help: 'Over all replicas.',
      unit: 'short',
      stack: 'normal',
      queries: [[ofStore('jobs_running'), '{{kind}}']],
    }),
    lines({
      title: 'Jobs for later, by kind',
      help: 'Over all replicas: delays, waits before a retry, what a schedule has made. They are no backlog yet.',
      unit: 'short',
      stack: 'normal',
      queries: [[ofStore('queue_scheduled'), '{{kind}}']],
    }),
    lines({
      title: 'Pool utilisation',
      help: 'Jobs in hand, of those that may run at the same time. At 100 % work waits for slots.',
      unit: 'percentunit',
      max: 1,
      steps: LIMITS.utilisation,
      queries: [
        [
          `sum by (instance, pool) (${gauge('in_flight_jobs')}) / sum by (instance, pool) (${gauge('job_slots')})`,
          '{{instance}} {{pool}}',
        ],
      ],
    }),
    lines({
      title: 'Processing rate',
      help: 'Jobs made on request, and executions that ended well. Where the first is above the second, the queue grows.',
      unit: 'ops',
      queries: [
        [rate('jobs_enqueued_total', ''), 'made'],
        [
          rate('job_duration_seconds_count', '', 'job=~"$job", kind=~"$kind", outcome="succeeded"'),
          'succeeded',
        ],
      ],
    }),
    lines({
      title: 'Time until the queue is empty',
      help: 'What waits, at the speed of now, if nothing were added.',
      unit: 's',
      queries: [
        [
          `sum(${ofStore('queue_depth')}) / (${rate('job_duration_seconds_count', '', 'job=~"$job", kind=~"$kind", outcome="succeeded"')} > 0)`,
          'seconds',
        ],
      ],
    }),
    lines({
      title: 'Conversions',
      help: 'Under way, and waiting for a slot of the office pool.',
      unit: 'short',
      queries: [
        [`sum by (instance) (${gauge('conversion_pool_active')})`, '{{instance}} active'],
        [`sum by (instance) (${gauge('conversion_pool_queued')})`, '{{instance}} waiting'],
      ],
    }),
    lines({
      title: 'API requests of Salesforce orgs',
      help: 'Of what an org allows in a day, by whomever. Batch work slows down at 70 % and stops at 90 %.',
      unit: 'percentunit',
      max: 1,
      steps: LIMITS.apiUsage,
      queries: [[`max by (job, org) (salesforce_api_usage_ratio{${ALL}})`, '{{org}}']],
    }),
    lines({
      title: 'Requests to Salesforce for each document',
      help: 'Of each replica since its start: everything it asked an org, divided by the documents it made.',
      unit: 'short',
      queries: [
        [
          `max by (instance, org) (${gauge('salesforce_calls_per_document')})`,
          '{{instance}} {{org}}',
        ],
      ],
    }),
    lines({
      title: 'Event loop delay',
      help: 'How late one turn in a hundred is, and the latest. Over 200 ms for 10 minutes is an alert.',
      unit: 's',
      steps: LIMITS.eventLoopSeconds,
      queries: [
        [
          `max by (instance) (event_loop_delay_seconds{${REPLICA}, percentile="99"})`,
          '{{instance}} P99',
        ],
        [
          `max by (instance) (event_loop_delay_seconds{${REPLICA}, percentile="100"})`,
          '{{instance}} latest',
        ],
      ],
    }),
    lines({
      title: 'Memory',
      help: 'Of each process, by what it is for.',
      unit: 'bytes',
      queries: [
        [`max by (instance, type) (${gauge('process_memory_bytes')})`, '{{instance}} {{type}}'],
      ],
    }),
    lines({
      title: 'Open event streams',
      help: 'Readers of /events.',
      unit: 'short',
      queries: [[`sum by (instance) (${gauge('live_streams')})`, '{{instance}}']],
    }),
    lines({
      title: 'Replicas that work',
      help: 'Those that claim jobs: neither paused nor gone.',
      unit: 'short',
      queries: [[`count(poller_uptime_seconds{${ALL}} > 0) or vector(0)`, 'working']],
    }),
  ],
});
