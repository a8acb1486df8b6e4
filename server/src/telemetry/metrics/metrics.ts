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
  queue_depth: gauge('Jobs that are due and wait, over all replicas.', ['kind']),
  queue_scheduled: gauge('Jobs that wait for a later moment, over all replicas.', ['kind']),
  jobs_running: gauge('Jobs that run, over all replicas.', ['kind']),
  jobs_failed: gauge('Dead letters: jobs that have ended FAILED and are still there.', ['kind']),
  in_flight_jobs: gauge('Jobs that run in this replica.', ['pool']),
  job_slots: gauge('Jobs that may run in this replica at the same time.', ['pool']),
  job_duration_ms: histogram('How long one execution of a job took.', ['kind', 'outcome']),
  retries_total: counter('Attempts that failed and are followed by another.', [
    'kind',
    'attempt',
    'reason',
  ]),
  job_failures_total: counter('Jobs that failed for good.', ['kind', 'reason']),
  jobs_enqueued_total: counter('Jobs that this replica has made on request.', ['kind']),
  poller_uptime_seconds: gauge('How long this replica has been working; 0 while paused.', []),

  // Leases and writes.
  fenced_writes_total: counter('Writes refused because the lease had gone to another.', ['write']),
  lease_takeovers_total: counter('Leases taken over from workers that went away.', []),
  settle_batch_size: histogram('Outcomes written together.', [], COUNT_BUCKETS),

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
  dependency_duration_ms: histogram('How long a call to something outside took.', [
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
  event_loop_delay_ms: gauge('How late the event loop is.', ['percentile']),
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
