import {
  type AttributesOf as TableAttributes,
  type Given as TableGiven,
  type MetricTable,
  type NamesOf,
  counter,
  gauge,
  histogram,
} from '@millrace/workload-kit/contract';
import { metrics } from '@millrace/workloads/contracts';

const COUNT_BUCKETS = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000];

/**
 * Every metric there is, as data: the instruments are made from this table, docs/metrics.md is held against it,
 * and so are the dashboards and alert rules.
 *
 * Attributes are few and bounded: never an id of a job, a document or a request, never a tenant. Names are
 * those of OpenTelemetry and Azure Monitor; prometheus.ts has them as Prometheus wants them.
 */
const CORE = {
  // Jobs of any kind.
  queue_depth: gauge('Jobs that are due and waiting, over all replicas.', ['kind']),
  queue_scheduled: gauge('Jobs scheduled for later, over all replicas.', ['kind']),
  jobs_running: gauge('Running jobs, over all replicas.', ['kind']),
  jobs_failed: gauge('Dead letters: jobs that ended FAILED and are still kept.', ['kind']),
  in_flight_jobs: gauge('Running jobs of this replica.', ['pool']),
  job_slots: gauge('The maximum of jobs that this replica runs at the same time.', ['pool']),
  job_duration_ms: histogram('How long one execution of a job took.', ['kind', 'outcome']),
  retries_total: counter('Failed attempts that are retried.', ['kind', 'attempt', 'reason']),
  job_failures_total: counter('Jobs that failed for good.', ['kind', 'reason']),
  jobs_enqueued_total: counter('Jobs enqueued by requests to this replica.', ['kind']),
  poller_uptime_seconds: gauge('How long this replica has been working; 0 while paused.', []),

  // Leases and writes.
  fenced_writes_total: counter('Writes refused because another worker had taken the lease over.', [
    'write',
  ]),
  lease_takeovers_total: counter('Leases taken over from lost workers.', []),
  settle_batch_size: histogram('Outcomes per settling write.', [], COUNT_BUCKETS),

  // Salesforce.
  salesforce_api_calls_total: counter('Requests to an org that count against its limit.', [
    'org',
    'operation',
  ]),
  salesforce_api_usage_ratio: gauge("Share of the org's daily API requests that is used.", ['org']),
  salesforce_calls_per_document: gauge(
    'Requests to an org for each document made, since the start of this replica.',
    ['org'],
  ),

  // What the service stands on, and the service itself.
  dependency_duration_ms: histogram('Duration of calls to outside systems.', [
    'dependency',
    'operation',
    'outcome',
  ]),
  http_request_duration_ms: histogram('How long a request took.', ['method', 'route', 'status']),
  live_streams: gauge('Open event streams.', []),
  live_streams_dropped_total: counter(
    'Event streams closed because their reader was too slow.',
    [],
  ),
  event_loop_delay_ms: gauge('Delay of the event loop.', ['percentile']),
  process_memory_bytes: gauge('Memory of the process.', ['type']),
} as const satisfies MetricTable;

/** Those of the service itself and of the workloads. */
export const METRICS = { ...CORE, ...metrics };

export type MetricName = keyof typeof METRICS;
export type CounterName = NamesOf<typeof METRICS, 'counter'>;
export type GaugeName = NamesOf<typeof METRICS, 'gauge'>;
export type HistogramName = NamesOf<typeof METRICS, 'histogram'>;

export type AttributesOf<Name extends MetricName> = TableAttributes<typeof METRICS, Name>;
export type Given<Name extends MetricName> = TableGiven<typeof METRICS, Name>;
