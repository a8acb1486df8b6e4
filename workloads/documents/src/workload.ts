import { type Office, type OfficeEvent, installedFonts, openOffice } from '@millrace/office';
import { type Host, type Workload, FetchRefused, openStorage } from '@millrace/workload-kit';
import { DOCUMENT } from './batch/jobs.ts';
import { contract } from './contract/index.ts';
import { type Documents, MIGRATIONS, openDocuments } from './documents.ts';
import { examine } from './doctor.ts';
import { DocumentError } from './errors.ts';
import { handlersOf } from './handlers/index.ts';
import { createWholeUploads } from './handlers/uploads.ts';
import { officeCheck, storageCheck } from './health.ts';
import { documentKinds } from './kinds.ts';
import type { DocumentMetrics } from './observe.ts';
import type { FetchImage } from './one/images.ts';
import { salesforceDocumentKind } from './one/salesforce-kind.ts';
import { createWaitingRecords } from './one/waiting.ts';
import { documentBudgets } from './budgets.ts';
import { createPasswords } from './passwords.ts';
import { toProblem } from './problems.ts';
import { type DocumentsConfig, settings } from './settings.ts';
import { documentsStep } from './step.ts';
import { templatesOf } from './templates/orgs.ts';
import { documentsWithin } from './within.ts';

type DocumentsHost = Host<typeof contract.metrics>;

const SWEEP_EVERY_MS = 5 * 60_000;

/** The documents as a module: a DOCX template and data become a PDF, at a click, in a batch, or from a Salesforce record. */
export const documents: Workload<DocumentsConfig, Documents, typeof contract> = {
  name: 'documents',
  settings,
  contract,
  migrations: MIGRATIONS,
  takesOrgs: true,

  declare: ({ passwordKeys, slots }, { orgs }) => ({
    kinds: [
      ...documentKinds({ passwords: createPasswords(passwordKeys) }).map((kind) => ({
        kind,
        needs: ['chunks'] as const,
        ...(kind.kind === DOCUMENT && { makes: 'document' as const, room: slots }),
      })),
      ...orgs.map(({ name, retries }) => ({
        kind: salesforceDocumentKind(name, retries),
        org: name,
        makes: 'document' as const,
        room: slots,
      })),
    ],
  }),

  examine,

  async open(host, config) {
    const { store, queue, registry, orgs, telemetry, log } = host;
    const { slots, officePath, timeoutMs, workdir } = config;
    const office = await openOffice({
      log,
      timeoutMs,
      workdir,
      officePath,
      onEvent: (event) => countConversions(event, telemetry),
      slots,
    });
    const fonts = await installedFonts();
    const storage = config.storage && openStorage(config.storage, telemetry.call);
    const service = await openDocuments({
      store,
      queue,
      office: measured(office, host),
      build: host.version,
      clock: host.clock,
      log,
      metrics: metricsOf(host),
      keepMs: config.keepMs,
      passwords: createPasswords(config.passwordKeys),
      storage,
      ...(orgs.length > 0 && { templatesElsewhere: templatesOf(orgs, telemetry.call) }),
      ...(fonts !== null && { installedFonts: fonts }),
      images: { allowedHosts: config.imageHosts, fetch: imagesBy(host) },
    });
    const waiting = createWaitingRecords({ orgs, registry, files: service.files });
    const whole = createWholeUploads();
    return {
      service,
      handlers: (scope) => handlersOf(documentsWithin(service, scope), scope, waiting, whole),
      checks: [officeCheck(office), ...(storage === null ? [] : [storageCheck(storage)])],
      gauges(set) {
        const { activeJobs, queuedJobs } = office.stats();
        set('conversion_pool_active', activeJobs);
        set('conversion_pool_queued', queuedJobs);
        const { entryCount, currentSize } = service.templates.cacheStats();
        set('template_cache_entries', entryCount);
        set('template_cache_bytes', currentSize);
      },
      ended: service.ended,
      budgets: async () => documentBudgets(office.stats(), service.templates.cacheStats()),
      chores: [{ name: 'sweep', everyMs: SWEEP_EVERY_MS, runOnce: service.sweep.runOnce }],
      steps: { documents: documentsStep(service, host.steps) },
      toProblem,
      erase: async (subject) => ({ ...(await service.erase(subject)) }),
      async close() {
        await Promise.all([office.close(), service.close()]);
        await storage?.close();
      },
    };
  },
};

function measured(office: Office, { telemetry }: DocumentsHost): Office {
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

function countConversions(event: OfficeEvent, { count }: DocumentsHost['telemetry']): void {
  if (event.type === 'converted') count('conversions_total', 1, { outcome: 'completed' });
  if (event.type === 'failed')
    count('conversions_total', 1, { outcome: event.code === 'canceled' ? 'canceled' : 'failed' });
  if (event.type === 'files_left') count('conversion_cleanup_failures_total', 1);
}

function metricsOf({ telemetry: { record, count } }: DocumentsHost): DocumentMetrics {
  return {
    duration: (dimensions, ms) => record('docgen_duration_ms', ms, { ...dimensions }),
    step: (step, mode, ms) => record('docgen_step_ms', ms, { step, mode }),
    failed: (reason, dimensions) => count('docgen_failures_total', 1, { reason, ...dimensions }),
    cacheHit: (templateId) => count('template_cache_hit', 1, { templateId }),
    cacheMiss: (templateId) => count('template_cache_miss', 1, { templateId }),
    cacheEviction: () => count('template_cache_evictions_total', 1),
  };
}

/** The workload has checked that the host is on the list; the host of the workload, that it is on the public internet. */
function imagesBy({ fetchPublic }: DocumentsHost): FetchImage {
  return async (url, options) => {
    try {
      return await fetchPublic(url, { dependency: 'image', accept: 'image/*', ...options });
    } catch (error) {
      if (!(error instanceof FetchRefused)) throw error;
      const { message, retryable } = error;
      throw new DocumentError('validation_error', `The image at ${message}`, { retryable });
    }
  };
}
