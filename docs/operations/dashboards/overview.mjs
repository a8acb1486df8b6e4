import {
  ALL,
  JOBS,
  LIMITS,
  counted,
  ofStore,
  quantile,
  rate,
  retryRate,
  successRate,
} from './figures.mjs';
import { dashboard, figure, lines, shares } from './grafana.mjs';

export const overview = dashboard({
  name: 'overview',
  title: 'Millrace / Overview',
  description: 'Is the service well? The key figures with their limits, and what fails.',
  panels: [
    figure({
      title: 'Success rate',
      help: 'Of the jobs that ended in the last 15 minutes. Target 99.5 %.',
      unit: 'percentunit',
      steps: LIMITS.success,
      queries: [[successRate('', '15m'), 'success']],
    }),
    figure({
      title: 'P95 of documents',
      help: 'From request to stored file, last 15 minutes. Target 10 s.',
      unit: 's',
      steps: LIMITS.documentSeconds,
      queries: [[quantile(0.95, 'docgen_duration_seconds', '', ALL, '15m'), 'P95']],
    }),
    figure({
      title: 'Jobs that wait',
      help: 'Due, over all replicas. Target below 50.',
      unit: 'short',
      steps: LIMITS.queueDepth,
      queries: [[`sum(${ofStore('queue_depth')})`, 'waiting']],
    }),
    figure({
      title: 'Retry rate',
      help: 'Of the executions of the last 15 minutes. Target below 5 %.',
      unit: 'percentunit',
      steps: LIMITS.retries,
      queries: [[retryRate('', '15m'), 'retried']],
    }),
    figure({
      title: 'Dead letters',
      help: 'Jobs that ended FAILED and are still there.',
      unit: 'short',
      steps: LIMITS.any,
      queries: [[`sum(${ofStore('jobs_failed')})`, 'failed']],
    }),
    figure({
      title: 'Replicas that work',
      help: 'Those that claim jobs: neither paused nor gone.',
      unit: 'short',
      steps: LIMITS.atLeastOne,
      queries: [[`count(poller_uptime_seconds{${ALL}} > 0) or vector(0)`, 'working']],
    }),
    lines({
      title: 'Requests per second',
      help: 'Of the API, by status.',
      unit: 'reqps',
      stack: 'normal',
      queries: [[rate('http_request_duration_seconds_count', 'status', ALL), '{{status}}']],
    }),
    lines({
      title: 'Jobs per second',
      help: 'Made on request, and executions of any outcome.',
      unit: 'ops',
      queries: [
        [rate('jobs_enqueued_total', 'kind'), '{{kind}} made'],
        [rate('job_duration_seconds_count', 'kind'), '{{kind}} executed'],
      ],
    }),
    lines({
      title: 'Success rate by kind',
      help: 'Of the jobs that ended. The lines are the limits of the alerts.',
      unit: 'percentunit',
      max: 1,
      steps: LIMITS.success,
      queries: [[successRate('kind'), '{{kind}}']],
    }),
    lines({
      title: 'P95 duration by kind',
      help: 'Of one execution. How long a job may take is its own affair; documents have limits.',
      unit: 's',
      queries: [
        [quantile(0.95, 'job_duration_seconds', 'kind'), '{{kind}}'],
        [quantile(0.95, 'docgen_duration_seconds', 'mode', ALL), 'documents, {{mode}}'],
      ],
    }),
    shares({
      title: 'What fails, by reason',
      help: 'Jobs that failed for good, over the range of the dashboard.',
      unit: 'short',
      queries: [[counted('job_failures_total', 'reason', JOBS, '$__range'), '{{reason}}']],
    }),
    shares({
      title: 'What fails, by kind',
      help: 'Jobs that failed for good, over the range of the dashboard.',
      unit: 'short',
      queries: [[counted('job_failures_total', 'kind', JOBS, '$__range'), '{{kind}}']],
    }),
  ],
});
