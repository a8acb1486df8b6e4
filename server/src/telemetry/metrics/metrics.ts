/** Milliseconds, up to the minute a conversion may take. */
const DURATION_BUCKETS = [
  1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 15_000, 30_000, 60_000,
];
const COUNT_BUCKETS = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000];

/**
 * Every metric there is, as data: the instruments are made from this table, docs/metrics.md is held against it,
 * and so are the dashboards and alert rules.
 *
 * Attributes are few and bounded: never an id of a job, a document or a request, never a tenant. Names are
 * those of OpenTelemetry and Azure Monitor; Prometheus adds `_total` to a counter that lacks it.
 */
export const METRICS = {
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

  // Documents.
  docgen_duration_ms: histogram('How long a document took, from request to stored file.', [
    'templateId',
    'outputFormat',
    'mode',
  ]),
  docgen_failures_total: counter('Documents that failed.', [
    'reason',
    'templateId',
    'outputFormat',
    'mode',
  ]),
  template_cache_hit: counter('Templates found in memory.', ['templateId']),
  template_cache_miss: counter('Templates that had to be fetched.', ['templateId']),
  conversion_pool_active: gauge('Conversions under way.', []),
  conversion_pool_queued: gauge('Conversions that wait for a slot.', []),

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

  // Shell queries.
  query_poll_iterations_total: counter('Polls of running queries.', []),
  query_is_running_checks_total: counter('Checks whether a query still runs.', []),
  query_not_running_confirmations_total: counter('Checks that said it does not.', []),
  query_readiness_retries_total: counter('Rowsets that were not ready yet.', []),
  query_row_probes_total: counter('Probes for a first row.', []),
  query_fast_path_completions_total: counter('Queries whose probe found them done.', []),
  query_timeouts_total: counter('Queries that ran out of their budget.', []),
  query_reconciler_reenqueues_total: counter('Polls restored by the reconciler.', []),

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
  event_loop_delay_ms: gauge('How late the event loop is.', ['quantile']),
  process_memory_bytes: gauge('Memory of the process.', ['type']),
} as const satisfies Record<string, Metric>;

export type MetricName = keyof typeof METRICS;
export type CounterName = NamesOf<'counter'>;
export type GaugeName = NamesOf<'gauge'>;
export type HistogramName = NamesOf<'histogram'>;

/** Exactly the attributes of the table: the compiler refuses one too many and one too few. */
export type AttributesOf<Name extends MetricName> = Readonly<
  Record<(typeof METRICS)[Name]['attributes'][number], string>
>;

/** The last argument of a recorder, which is not there for a metric without attributes. */
export type Given<Name extends MetricName> =
  (typeof METRICS)[Name]['attributes'] extends readonly [] ? [] : [attributes: AttributesOf<Name>];

type NamesOf<Type extends Metric['type']> = {
  [Name in MetricName]: (typeof METRICS)[Name]['type'] extends Type ? Name : never;
}[MetricName];

/** Prometheus wants counters to end in `_total`, and its exporter sees to it. */
export function prometheusName(name: MetricName): string {
  return METRICS[name].type === 'counter' && !name.endsWith('_total') ? `${name}_total` : name;
}

export interface Metric {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly description: string;
  readonly attributes: readonly string[];
  readonly buckets?: readonly number[];
}

function counter<const Names extends readonly string[]>(description: string, attributes: Names) {
  return { type: 'counter', description, attributes } as const;
}

function gauge<const Names extends readonly string[]>(description: string, attributes: Names) {
  return { type: 'gauge', description, attributes } as const;
}

function histogram<const Names extends readonly string[]>(
  description: string,
  attributes: Names,
  buckets: readonly number[] = DURATION_BUCKETS,
) {
  return { type: 'histogram', description, attributes, buckets } as const;
}
