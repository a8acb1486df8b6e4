import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Clock } from '@millrace/engine';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { BatchSpanProcessor, type SpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Logger } from '../../log/log.ts';
import { StartError } from '../../start-error.ts';
import { EXPORT_WITHIN_MS, reportingFailures, logFailures } from './exporting.ts';

export interface SpanExport {
  readonly processor: SpanProcessor;
  /** Lets go of whatever is still under way. */
  abandon(): void;
}

/** Traces as OTLP in JSON. The exporter reads OTEL_EXPORTER_OTLP_HEADERS and the like by itself. */
export function exportToOtlp(endpoint: string, log: Logger, clock: Clock): SpanExport {
  const url = tracesUrl(endpoint);
  const options = { keepAlive: false, timeout: EXPORT_WITHIN_MS };
  const agent = url.protocol === 'https:' ? new HttpsAgent(options) : new HttpAgent(options);
  const exporter = new OTLPTraceExporter({
    url: url.href,
    timeoutMillis: EXPORT_WITHIN_MS,
    httpAgentOptions: () => agent,
  });
  const failed = logFailures('otlp', log, clock);
  return {
    processor: new BatchSpanProcessor(reportingFailures(exporter, failed), {
      exportTimeoutMillis: EXPORT_WITHIN_MS * 2,
    }),
    abandon() {
      // An error without a code is one that the exporter does not try again.
      for (const socket of Object.values(agent.sockets).flat())
        socket?.destroy(new Error('Telemetry has been stopped.'));
      agent.destroy();
    },
  };
}

function tracesUrl(endpoint: string): URL {
  const base = URL.canParse(endpoint) ? new URL(endpoint) : null;
  if (base === null || !['http:', 'https:'].includes(base.protocol)) {
    throw new StartError(
      'OTEL_EXPORTER_OTLP_ENDPOINT is no HTTP address. Write one such as http://localhost:4318.',
    );
  }
  base.pathname = `${base.pathname.replace(/\/+$/, '')}/v1/traces`;
  return base;
}
