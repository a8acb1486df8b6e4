/**
 * Metrics and traces of one process, by OpenTelemetry and without automatic instrumentation: what is measured is
 * measured where it happens, in so many words.
 *
 *   types.ts        what the rest of the service knows of it
 *   metrics/, traces/, export/:
 *   metrics.ts      every metric there is, as data; docs/metrics.md is held against it
 *   bounds.ts       keeps the number of series small
 *   recorders.ts    counters and histograms; gauges.ts: gauges; readings.ts gives them to OpenTelemetry's readers,
 *                   prometheus.ts under the names that Prometheus wants
 *   watch.ts        engine events as metrics; observe.ts: what is read at each scrape
 *   sampling.ts     how many traces there may be; trace-context.ts: which one runs now
 *   trace-*.ts      spans of jobs, of calls to the outside, of requests
 *   store.ts        every verb of the store as such a call; requests.ts: the hooks for Fastify
 *   azure.ts, otlp.ts   where it all goes, besides /metrics
 *
 * What sends traces is loaded only where they are sent: 110 files that every start would load.
 *
 * Nothing here is registered globally: several telemetries may live in one process, as they do in tests.
 */
import type { Clock } from '@millrace/engine';
import { systemClock } from '@millrace/engine/system';
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, type MetricProducer, type MetricReader } from '@opentelemetry/sdk-metrics';
import type { Logger } from '../log/log.ts';
import { createMask } from '../log/mask.ts';
import { createBounds } from './metrics/bounds.ts';
import { createGauges } from './metrics/gauges.ts';
import { observeAll } from './metrics/observe.ts';
import type { SpanExport } from './export/otlp.ts';
import { SCOPE, differences, totals } from './metrics/readings.ts';
import { createRecorded, createRecorders } from './metrics/recorders.ts';
import { createSampling } from './traces/sampling.ts';
import { measureCalls } from './traces/trace-calls.ts';
import { createTraceContext } from './traces/trace-context.ts';
import { traceJobs } from './traces/trace-jobs.ts';
import { measureRequests } from './traces/trace-requests.ts';
import type { Traces } from './traces/traces.ts';
import type { Telemetry } from './types.ts';
import { watchEvents } from './metrics/watch.ts';
import { within } from './metrics/within.ts';

export interface TelemetryConfig {
  readonly enabled: boolean;
  /** Metrics and traces to Application Insights. */
  readonly azureConnectionString: string | null;
  /** Traces only. */
  readonly otlpEndpoint: string | null;
  /** So many traces may begin in a second, in this process. */
  readonly tracesPerSecond: number;
  /** The name of this process among the replicas. */
  readonly serviceInstance: string;
  readonly version: string;
  /** Cut out of the messages of failures. */
  readonly secrets?: readonly string[];
}

/** Containers get 10 s or more to end, and other things have to end too. */
const STOP_WITHIN_MS = 3_000;

export async function startTelemetry(
  config: TelemetryConfig,
  log: Logger,
  clock: Clock = systemClock,
): Promise<Telemetry> {
  if (!config.enabled) return noTelemetry;
  const resource = resourceFromAttributes({
    'service.name': 'millrace',
    'service.version': config.version,
    'service.instance.id': config.serviceInstance,
  });
  const bounds = createBounds();
  const gauges = createGauges(bounds);
  const recorded = createRecorded(bounds);
  const recorders = createRecorders(recorded, gauges.set);
  const { azureConnectionString: connectionString, otlpEndpoint } = config;
  const azure =
    connectionString === null
      ? null
      : await (
          await import('./export/azure.ts')
        ).exportToAzure({
          connectionString,
          producer: differences(recorded, gauges, resource),
          log,
          clock,
        });
  const otlp =
    otlpEndpoint === null
      ? null
      : (await import('./export/otlp.ts')).exportToOtlp(otlpEndpoint, log, clock);
  const exports = [azure, otlp].filter((each) => each !== null);
  const metrics = startMetrics(resource, totals(recorded, gauges, resource), azure?.reader);
  const traces = await startTraces(config, resource, exports, clock);
  const ending: (() => void)[] = [];

  return {
    ...recorders,
    tracing: traces === null ? undefined : traceJobs(traces),
    current: () => traces?.context.traceparent(),
    call: measureCalls(recorders, clock, traces),
    request: measureRequests(recorders, clock, traces),
    watch: (events) => void ending.push(watchEvents(events, recorders)),
    observe(parts) {
      bounds.know(parts.registry.all().map(({ kind }) => kind));
      ending.push(observeAll(parts, { gauges, bounds, clock }));
    },
    scrape: metrics.scrape,
    async stop() {
      for (const end of ending.splice(0)) end();
      const flushed = Promise.allSettled([traces?.shutdown(), metrics.shutdown()]);
      await within(clock, STOP_WITHIN_MS, flushed);
      for (const { abandon } of exports) abandon();
    },
  };
}

/** Gauges are read through the SDK, which has no values of its own. */
function startMetrics(
  resource: Resource,
  producer: MetricProducer,
  other: MetricReader | undefined,
) {
  const prometheus = new PrometheusExporter({
    preventServerStart: true,
    metricProducers: [producer],
  });
  const readers = other === undefined ? [prometheus] : [prometheus, other];
  const provider = new MeterProvider({ resource, readers });
  const serializer = new PrometheusSerializer('', false, undefined, false, true);
  return {
    shutdown: () => provider.shutdown(),
    async scrape(): Promise<string> {
      try {
        return serializer.serialize((await prometheus.collect()).resourceMetrics);
      } catch {
        // Stopped.
        return '';
      }
    },
  };
}

async function startTraces(
  { tracesPerSecond, version, secrets = [] }: TelemetryConfig,
  resource: Resource,
  exports: readonly SpanExport[],
  clock: Clock,
): Promise<(Traces & { shutdown(): Promise<void> }) | null> {
  if (exports.length === 0 || tracesPerSecond <= 0) return null;
  const { AlwaysOnSampler, BasicTracerProvider } = await import('@opentelemetry/sdk-trace-base');
  const provider = new BasicTracerProvider({
    resource,
    // The SDK keeps every span: whether one is made is decided before, by sampling.ts.
    sampler: new AlwaysOnSampler(),
    spanProcessors: exports.map(({ processor }) => processor),
  });
  return {
    tracer: provider.getTracer(SCOPE.name, version),
    sampling: createSampling(tracesPerSecond, clock.now),
    context: createTraceContext(),
    mask: createMask(secrets),
    shutdown: () => provider.shutdown(),
  };
}

/** Telemetry that is off: what it is asked to run, it runs. */
export const noTelemetry: Telemetry = {
  tracing: undefined,
  current: () => undefined,
  call: (_what, run) => run(),
  request: () => ({ inside: (run) => run(), end() {} }),
  watch() {},
  observe() {},
  count() {},
  record() {},
  setGauge() {},
  scrape: () => Promise.resolve(''),
  stop: () => Promise.resolve(),
};
