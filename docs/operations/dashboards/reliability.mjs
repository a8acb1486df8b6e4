import { ALL, JOBS, LIMITS, REPLICA, counted, ofStore, rate, retryRate } from './figures.mjs';
import { dashboard, lines, shares } from './grafana.mjs';

export const reliability = dashboard({
  name: 'reliability',
  title: 'Millrace / Reliability',
  description: 'What fails, what is tried again, and what the store had to refuse.',
  panels: [
    lines({
      title: 'Failures per second by kind',
      help: 'Jobs that failed for good.',
      unit: 'ops',
      stack: 'normal',
      queries: [[rate('job_failures_total', 'kind'), '{{kind}}']],
    }),
    lines({
      title: 'Failures per second by reason',
      help: 'Jobs that failed for good.',
      unit: 'ops',
      stack: 'normal',
      queries: [[rate('job_failures_total', 'reason'), '{{reason}}']],
    }),
    lines({
      title: 'Retry rate by kind',
      help: 'Of the executions. Target below 5 %; the lines are the limits of the alerts.',
      unit: 'percentunit',
      steps: LIMITS.retries,
      queries: [[retryRate('kind'), '{{kind}}']],
    }),
    lines({
      title: 'Retries per second by attempt',
      help: 'Later attempts mean that waiting does not help.',
      unit: 'ops',
      stack: 'normal',
      queries: [[rate('retries_total', 'attempt'), 'after attempt {{attempt}}']],
    }),
    shares({
      title: 'Retries by reason',
      help: 'Over the range of the dashboard.',
      unit: 'short',
      queries: [[counted('retries_total', 'reason', JOBS, '$__range'), '{{reason}}']],
    }),
    shares({
      title: 'Documents that failed, by template',
      help: 'Over the range of the dashboard. The ten worst.',
      unit: 'short',
      queries: [
        [
          `topk(10, ${counted('docgen_failures_total', 'template_id, reason', ALL, '$__range')})`,
          '{{template_id}} {{reason}}',
        ],
      ],
    }),
    lines({
      title: 'Dead letters',
      help: 'Jobs that ended FAILED and are still there. They wait for someone.',
      unit: 'short',
      queries: [[ofStore('jobs_failed'), '{{kind}}']],
    }),
    lines({
      title: 'Failing calls to dependencies per second',
      help: 'The store, the issuer, and what jobs call.',
      unit: 'ops',
      queries: [
        [
          rate(
            'dependency_duration_seconds_count',
            'dependency, operation',
            `${REPLICA}, outcome="error"`,
          ),
          '{{dependency}} {{operation}}',
        ],
      ],
    }),
    lines({
      title: 'Fenced writes',
      help: 'Writes that were refused because the lease had gone to another. None in a quiet life.',
      unit: 'short',
      steps: LIMITS.any,
      queries: [
        [counted('fenced_writes_total', 'instance, write', REPLICA), '{{instance}} {{write}}'],
      ],
    }),
    lines({
      title: 'Take-overs',
      help: 'Leases taken over from workers that went away without handing them back.',
      unit: 'short',
      steps: LIMITS.any,
      queries: [[counted('lease_takeovers_total', 'instance', REPLICA), 'by {{instance}}']],
    }),
    lines({
      title: 'Requests refused or failed per second',
      help: 'Answers of 400 and above, by status.',
      unit: 'reqps',
      stack: 'normal',
      queries: [
        [
          rate('http_request_duration_seconds_count', 'status', `${REPLICA}, status=~"[45].."`),
          '{{status}}',
        ],
      ],
    }),
    lines({
      title: 'Streams dropped',
      help: 'Event streams whose readers were too slow.',
      unit: 'short',
      queries: [[counted('live_streams_dropped_total', '', REPLICA), 'streams dropped']],
    }),
  ],
});
