import type { Log, Queue } from '@millrace/engine';
import type { ObjectStorage } from '@millrace/object-storage';
import { OfficeError } from '@millrace/office';
import { type Migrations, type PostgresStore, migrate } from '@millrace/store-postgres';
import type { EndedJob } from '@millrace/workload-kit';
import { type Archive, openArchive } from './batch/archive.ts';
import { type Belongings, createBelongings } from './belongings.ts';
import { type Batches, createBatches } from './batch/batches.ts';
import { type MadeRow, madeRows } from './batch/made-rows.ts';
import type { Envelope, OutputFormat } from './contract/envelope.ts';
import { type Erase, createErase } from './files/erase.ts';
import { DocumentError, fromOfficeError, refusalOf } from './errors.ts';
import { DEFAULT_KEEP_MS, type Files, createFiles } from './files/files.ts';
import { createObjects } from './files/objects.ts';
import { type Generate, createGenerate, measuredJob } from './one/generate.ts';
import { seqOf } from './ids.ts';
import { type ImageRules, fetchImages } from './one/images.ts';
import { type DocumentMetrics, NO_LOG, NO_METRICS, type Stopwatch } from './observe.ts';
import { createOutputs } from './one/outputs.ts';
import { type Passwords, createPasswords } from './passwords.ts';
import {
  type Made,
  type OfficeLike,
  type MakeOptions,
  type Workshop,
  convert,
  make,
  merge,
} from './one/produce.ts';
import { type RunDocument, createRunDocument } from './one/run-document.ts';
import { type BatchUpkeep, createUpkeep } from './batch/upkeep.ts';
import { type Sweep, createSweep } from './files/sweep.ts';
import { type TemplateThreads, openTemplateThreads } from './templates/threads.ts';
import type { TemplateSource } from './templates/compiled.ts';
import { createUnsettled } from './unsettled.ts';
import { notFound } from './templates/refusals.ts';
import { type Reader, type Templates, createTemplates, isSeen } from './templates/templates.ts';

export interface Documents extends RunDocument {
  readonly templates: Templates;
  readonly files: Files;
  readonly batches: Batches;
  /** For the kind `document.batch`. */
  readonly upkeep: BatchUpkeep;
  readonly generate: Generate;
  /** Makes a document whose bytes the caller keeps (in a Salesforce org, say). */
  make(envelope: Envelope, options: MakeOptions): Promise<Made>;
  /** Counts the document of a job whose end is written. */
  ended(job: EndedJob): void;
  /** A document that is not kept, for the author of its template. */
  preview(
    idOrName: string,
    data: Record<string, unknown>,
    options?: PreviewOptions,
  ): Promise<Uint8Array>;
  /** Whose a template, a file or a batch is. */
  readonly belongings: Belongings;
  /** All documents of a batch that is over, as one ZIP. */
  archive(batchId: string, tenant?: string): Promise<Archive>;
  /** The rows of a batch with what became of each. */
  madeRows(batchId: string): AsyncIterable<MadeRow>;
  /** Removes what is kept about someone; the queue's `erase` empties the jobs. */
  readonly erase: Erase;
  /** Call it every few minutes, in any replica. */
  readonly sweep: Sweep;
  /** Ends its threads. */
  close(): Promise<void>;
}

export interface PreviewOptions extends Reader {
  readonly outputFormat?: OutputFormat | 'PNG' | undefined;
  readonly locale?: string | undefined;
  readonly timezone?: string | undefined;
  /** How text that is shown as a date or number is written; as `locale` says unless given. */
  readonly dataLocale?: string | undefined;
  /** Of a PNG: 800 pixels. */
  readonly width?: number | undefined;
  readonly tenant?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface DocumentsParams {
  readonly store: Pick<PostgresStore, 'database'>;
  readonly queue: Pick<Queue, 'enqueue' | 'list' | 'cancel'>;
  readonly office: OfficeLike;
  /** The version of what merges. With the office's own it is part of the output cache's key. */
  readonly build: string;
  readonly clock: Stopwatch;
  readonly log?: Log;
  readonly metrics?: DocumentMetrics;
  /** Without it no image is fetched; base64 works all the same. */
  readonly images?: ImageRules;
  /** Templates by ids that are not ours, such as those of a Salesforce org. */
  readonly templatesElsewhere?: TemplateSource;
  /** Where templates are read and filled in; threads of its own, unless given. */
  readonly threads?: TemplateThreads;
  /** 500 MB. */
  readonly templateCacheBytes?: number;
  /** How long files and batches are kept: 7 days. */
  readonly keepMs?: number;
  /** How long the same request gives the same bytes: 24 hours. */
  readonly reuseMs?: number;
  /** In one batch: 100,000. */
  readonly maxRows?: number;
  readonly installedFonts?: readonly string[];
  /** Where bytes of new files go, in place of the database. Whoever opened it closes it. */
  readonly storage?: ObjectStorage | null;
  /** Without it a batch takes no password. */
  readonly passwords?: Passwords;
}

export const MIGRATIONS: Migrations = {
  owner: 'documents',
  folder: new URL('../migrations/', import.meta.url),
};

/** The workload on a database. Sets up or updates its own tables. */
export async function openDocuments(params: DocumentsParams): Promise<Documents> {
  const { store, queue, office, build, clock, images } = params;
  const { log = NO_LOG, metrics = NO_METRICS, keepMs = DEFAULT_KEEP_MS } = params;
  const { passwords = createPasswords([]) } = params;
  const { database } = store;
  await migrate(database, MIGRATIONS);
  const threads = params.threads ?? openTemplateThreads({ cacheBytes: params.templateCacheBytes });
  const templates = createTemplates({
    database,
    metrics,
    threads,
    build,
    installedFonts: params.installedFonts,
    elsewhere: params.templatesElsewhere,
    cacheBytes: params.templateCacheBytes,
  });
  const objects = params.storage ? createObjects(params.storage) : null;
  const kept = { database, objects };
  const files = createFiles({ ...kept, keepMs });
  const outputs = createOutputs({ database, reuseMs: params.reuseMs });
  const workshop: Workshop = { ...kept, templates, outputs, office, images, clock, build };
  const upkeep = createUpkeep({ database, queue });
  const unsettled = createUnsettled(metrics);
  return {
    templates,
    files,
    batches: createBatches({
      ...kept,
      queue,
      upkeep,
      templates,
      passwords,
      keepMs,
      maxRows: params.maxRows,
    }),
    upkeep,
    ...createRunDocument({ workshop, files, unsettled, passwords }),
    generate: createGenerate({ workshop, files, metrics }),
    make: (envelope, options) =>
      measuredJob(unsettled, envelope, options.job, () => make(workshop, envelope, options)),
    ended: unsettled.ended,
    preview: (idOrName, data, options = {}) => preview(workshop, idOrName, data, options),
    belongings: createBelongings(database),
    archive: (batchId, tenant = '') => openArchive(kept, batchId, tenant),
    madeRows: (batchId) => madeRows(database, seqOf('batch', batchId) ?? 0),
    erase: createErase(kept),
    sweep: createSweep({ ...kept, upkeep, log }),
    close: () => threads.close(),
  };
}

async function preview(
  workshop: Workshop,
  idOrName: string,
  data: Record<string, unknown>,
  options: PreviewOptions,
): Promise<Uint8Array> {
  const { locale = 'en-US', timezone = 'UTC', outputFormat = 'PDF', signal, dataLocale } = options;
  const reading = dataLocale === undefined ? {} : { dataLocale };
  const compiled = await workshop.templates.compiled(idOrName, options.tenant);
  if (!isSeen(compiled.info, options)) throw notFound(idOrName);
  try {
    const imagesNeeded = () => compiled.template.imagesNeeded(data, reading);
    const images = await fetchImages({ imagesNeeded }, data, workshop.images, signal);
    const docx = await merge(compiled, { data, locale, timezone, options: reading }, images);
    if (outputFormat === 'DOCX') return docx;
    if (outputFormat === 'PDF')
      return (await convert(workshop, docx, { pdf: undefined }, { lane: 'interactive', signal }))
        .pdf;
    const { thumbnail } = workshop.office;
    if (thumbnail === undefined)
      throw new DocumentError('validation_error', 'This office paints no pictures.');
    return await thumbnail(docx, {
      lane: 'interactive',
      width: options.width ?? 800,
      ...(signal !== undefined && { signal }),
    });
  } catch (error) {
    if (error instanceof OfficeError) throw fromOfficeError(error);
    throw refusalOf(error, 'validation_error');
  }
}
