import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import type { Clock } from '@millrace/engine';
import type { SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Logger } from '../../log/log.ts';

/** Shared by both exporters: their failures are only logged. */

/** A backend that does not answer by then has lost what it was sent. */
export const EXPORT_WITHIN_MS = 5_000;

const LOG_EVERY_MS = 60_000;

export type Failed = (error: unknown) => void;

/** One line a minute, however often it fails meanwhile. */
export function logFailures(exporter: string, log: Pick<Logger, 'warn'>, clock: Clock): Failed {
  let loggedAt = Number.NEGATIVE_INFINITY;
  let failures = 0;
  return (error) => {
    failures += 1;
    if (clock.now() - loggedAt < LOG_EVERY_MS) return;
    log.warn({ exporter, failures, reason: reasonOf(error) }, 'telemetry could not be exported');
    loggedAt = clock.now();
    failures = 0;
  };
}

/** A sentence. Errors of HTTP clients carry the request with them, headers and all. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? error.code : null;
  const told = typeof code === 'string' || typeof code === 'number' ? ` (${code})` : '';
  return `${error.message || error.name}${told}`;
}

/** Tells of each batch that failed. The first result counts: Azure's exporter gives two. */
export function reportingFailures(exporter: SpanExporter, failed: Failed): SpanExporter {
  return {
    export(spans, done) {
      let told = false;
      const once = (result: ExportResult): void => {
        if (told) return;
        told = true;
        if (result.code === ExportResultCode.FAILED) failed(result.error ?? 'no reason was given');
        done(result);
      };
      exporter.export(spans, once);
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}
