import {
  type DocumentMetrics,
  type Documents,
  type TemplateSource,
  openDocuments,
} from '@millrace/documents';
import type { Queue } from '@millrace/engine';
import { type Office, installedFonts, openOffice } from '@millrace/office';
import type { PostgresStore } from '@millrace/store-postgres';
import { systemClock } from '../clock.ts';
import type { DocumentsConfig } from '../config/config.ts';
import type { Logger } from '../log/log.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { VERSION } from '../version.ts';
import { createFetchImage } from './images.ts';

const SWEEP_EVERY_MS = 5 * 60_000;

/** The documents of this process: the workload, its LibreOffice, and the sweep of what has expired. */
export interface DocumentService {
  readonly documents: Documents;
  readonly office: Office;
  close(): Promise<void>;
}

export async function openDocumentService(parts: {
  readonly config: DocumentsConfig;
  readonly store: PostgresStore;
  readonly queue: Queue;
  readonly telemetry: Telemetry;
  readonly log: Logger;
  readonly templates?: TemplateSource;
}): Promise<DocumentService> {
  const { config, store, queue, telemetry, log, templates } = parts;
  const { slots, officePath, timeoutMs, workdir } = config;
  const office = await openOffice({
    log,
    timeoutMs,
    workdir,
    officePath,
    ...(slots !== undefined && { slots }),
  });
  const fonts = await installedFonts();
  const documents = await openDocuments({
    store,
    queue,
    office: measured(office, telemetry),
    build: VERSION,
    clock: systemClock,
    log,
    metrics: metricsOf(telemetry),
    keepMs: config.keepMs,
    ...(templates && { templatesElsewhere: templates }),
    ...(fonts !== null && { installedFonts: fonts }),
    images: { allowedHosts: config.imageHosts, fetch: createFetchImage(telemetry.call) },
  });
  const stopSweeping = sweepEvery(documents, log);
  return {
    documents,
    office,
    async close() {
      stopSweeping();
      await Promise.all([office.close(), documents.close()]);
    },
  };
}

function measured(office: Office, telemetry: Telemetry): Office {
  return {
    ...office,
    convert: (docx, options) =>
      telemetry.call(
        {
          dependency: 'office',
          operation: 'convert',
          ...(options?.correlationId !== undefined && { correlationId: options.correlationId }),
        },
        () => office.convert(docx, options),
      ),
  };
}

function metricsOf({ record, count }: Telemetry): DocumentMetrics {
  return {
    duration: (dimensions, ms) => record('docgen_duration_ms', ms, { ...dimensions }),
    failed: (reason, dimensions) => count('docgen_failures_total', 1, { reason, ...dimensions }),
    cacheHit: (templateId) => count('template_cache_hit', 1, { templateId }),
    cacheMiss: (templateId) => count('template_cache_miss', 1, { templateId }),
  };
}

/** In every replica: they do not get in each other's way. */
function sweepEvery({ sweep }: Documents, log: Logger): () => void {
  let takeBack = systemClock.after(SWEEP_EVERY_MS, round);

  function round(): void {
    sweep.runOnce().then(
      ({ more }) => again(more ? 0 : SWEEP_EVERY_MS),
      (err: unknown) => {
        log.warn({ err }, 'what has expired could not be swept');
        again(SWEEP_EVERY_MS);
      },
    );
  }

  function again(ms: number): void {
    takeBack = systemClock.after(ms, round);
  }

  return () => takeBack();
}
