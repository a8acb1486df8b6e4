import { withinTime } from '@millrace/workload-kit';
import type { AzureMonitorExporterOptions } from '@azure/monitor-opentelemetry-exporter';
import type { Clock } from '@millrace/engine';
import { SpanKind } from '@opentelemetry/api';
import {
  type MetricProducer,
  type MetricReader,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor, type SpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Logger } from '../../log/log.ts';
import { StartError } from '../../start-error.ts';
import { isLoopbackHost } from '../../webhook/address.ts';
import { EXPORT_WITHIN_MS, type Failed, reportingFailures, logFailures } from './exporting.ts';
import type { SpanExport } from './otlp.ts';

export interface AzureExport extends SpanExport {
  readonly reader: MetricReader;
}

const METRICS_EVERY_MS = 60_000;

/**
 * Exports to Azure Monitor. Microsoft's exporter would do three things besides its task, which are switched off here:
 * send statistics about itself to Microsoft, ask the address 169.254.169.254 what machine this is, and keep what it
 * could not send in files below the temporary folder. The first two have no option, only environment variables that it
 * reads while it is constructed.
 *
 * The package takes 0.4 s and 25 MB to load, so it is loaded only here.
 */
export async function exportToAzure(params: {
  connectionString: string;
  producer: MetricProducer;
  log: Logger;
  clock: Clock;
}): Promise<AzureExport> {
  const { producer, log, clock } = params;
  const connectionString = checked(params.connectionString);
  const { AzureMonitorMetricExporter, AzureMonitorTraceExporter } =
    await import('@azure/monitor-opentelemetry-exporter');
  const abandoned = new AbortController();
  const failed = logFailures('azure', log, clock);
  const options = optionsOf(connectionString, abandoned.signal, failed);
  const exporters = inWords(() =>
    withEnvironment(QUIET, () => ({
      metrics: new AzureMonitorMetricExporter(options),
      spans: new AzureMonitorTraceExporter(options),
    })),
  );
  return {
    reader: new PeriodicExportingMetricReader({
      exporter: exporters.metrics,
      exportIntervalMillis: METRICS_EVERY_MS,
      exportTimeoutMillis: EXPORT_WITHIN_MS * 2,
      metricProducers: [producer],
    }),
    processor: named(
      new BatchSpanProcessor(reportingFailures(exporters.spans, failed), {
        exportTimeoutMillis: EXPORT_WITHIN_MS * 2,
      }),
    ),
    abandon: () => abandoned.abort(),
  };
}

/** Statistics of all kinds, and a metric named _OTELRESOURCE_ beside each batch of spans. */
const QUIET = {
  APPLICATION_INSIGHTS_NO_STATSBEAT: 'true',
  APPLICATIONINSIGHTS_SDKSTATS_DISABLED: 'true',
  APPLICATIONINSIGHTS_OPENTELEMETRY_RESOURCE_METRIC_DISABLED: 'true',
};

function optionsOf(
  connectionString: string,
  abandoned: AbortSignal,
  failed: Failed,
): AzureMonitorExporterOptions {
  const local = localEndpoint(connectionString);
  return {
    connectionString,
    disableOfflineStorage: true,
    retryOptions: { maxRetries: 1, retryDelayInMs: 500, maxRetryDelayInMs: 2_000 },
    ...(local !== null && { host: local, allowInsecureConnection: true }),
    additionalPolicies: [
      {
        position: 'perCall',
        policy: {
          name: 'millrace',
          // A failed request can be noticed only here: without files to keep it in, the exporter reports a success.
          // The client's own timeout is cleared, since it would keep the process alive after an error.
          async sendRequest(request, next) {
            request.timeout = 0;
            try {
              const response = await withinTime(EXPORT_WITHIN_MS, abandoned, (signal) => {
                request.abortSignal = signal;
                return next(request);
              });
              if (response.status >= 400) failed(`Azure Monitor answered ${response.status}.`);
              return response;
            } catch (error) {
              const isLate = request.abortSignal?.aborted === true && !abandoned.aborted;
              failed(isLate ? 'Azure Monitor did not answer.' : error);
              throw error;
            }
          },
        },
      },
    ],
  };
}

/** The exporter makes https of every http. A simulator on this machine has no certificate. */
function localEndpoint(connectionString: string): string | null {
  const given = /(?:^|;)\s*IngestionEndpoint=(http:[^;]+)/i.exec(connectionString)?.[1]?.trim();
  if (given === undefined || !URL.canParse(given)) return null;
  const { hostname, origin } = new URL(given);
  return isLoopbackHost(hostname.replace(/^\[|\]$/g, '')) ? origin : null;
}

/** Azure shows executions of jobs beside requests, and takes their name from this attribute. */
function named(processor: BatchSpanProcessor): SpanProcessor {
  return {
    onStart(span) {
      if (span.kind === SpanKind.CONSUMER) span.setAttribute('ai.operation.name', span.name);
    },
    onEnd: (span) => processor.onEnd(span),
    forceFlush: () => processor.forceFlush(),
    shutdown: () => processor.shutdown(),
  };
}

function withEnvironment<T>(values: Readonly<Record<string, string>>, make: () => T): T {
  const before = Object.keys(values).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, values);
  try {
    return make();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}

/**
 * The exporter takes what it understands of a string and sends to Microsoft's global endpoint if it has not understood
 * where to; a semicolon at the end is enough. So only what is whole gets there. It is a secret: nothing of it is
 * repeated.
 */
function checked(connectionString: string): string {
  const parts = connectionString
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  if (!parts.every((part) => /^\w+=[^=]+$/.test(part)) || !parts.some(isKey)) throw unusable();
  return parts.join(';');
}

function isKey(part: string): boolean {
  return /^InstrumentationKey=[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(part);
}

function unusable(): StartError {
  return new StartError(
    'AZURE_MONITOR_CONNECTION_STRING is none. Copy it whole from the overview of the Application Insights resource: InstrumentationKey=…;IngestionEndpoint=https://….',
  );
}

/** The reason that the exporter gives may hold the key. */
function inWords<T>(make: () => T): T {
  try {
    return make();
  } catch {
    throw unusable();
  }
}
