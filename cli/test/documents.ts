import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@millrace/api';
import type { Batch, Envelope, File, LintReport, Template } from '@millrace/documents/contract';
import { onTestFinished } from 'vitest';
import { type Call, type Handlers, refusal } from './contract-server.ts';
import { MINUTE, SECOND, at } from './jobs.ts';
import { type Fixture, fixture } from './run.ts';

export type Item = Awaited<ReturnType<Client['listBatchItems']>>['items'][number];

/** A service that makes documents: what it was sent stays to be looked at. */
export interface Documents {
  templates: Template[];
  lint: LintReport;
  batches: Batch[];
  items: Item[];
  /** The warnings of each generated document. */
  warnings: string[];
  readonly uploads: { readonly type: string; readonly text: string }[];
  readonly envelopes: Envelope[];
  readonly queries: Call['query'][];
}

export const PDF = Buffer.from('%PDF-1.7 \u00ff\u0000 not really');
export const FAILED_ROWS = '\ufeffmillrace line,millrace error,Number\r\n5,Wrong.,x\r\n';
export const ZIP = Buffer.from('PK\u0003\u0004 not really');

export const CLEAN: LintReport = {
  ok: true,
  problems: [],
  fields: [
    {
      path: 'Account.Name',
      kind: 'value',
      required: true,
      conditional: false,
      part: 'word/document.xml',
      paragraph: 2,
    },
  ],
  fonts: ['Liberation Sans'],
  missingFonts: [],
};

export function aTemplate(changes: Partial<Template> = {}): Template {
  return {
    id: 'tpl-7',
    name: 'invoice',
    version: 3,
    sha256: '4c1f',
    size: 30_412,
    createdAt: at(-5 * MINUTE),
    createdBy: 'ada@example.com',
    owner: null,
    ...changes,
  };
}

export function aBatch(succeeded: number, failed: number, changes: Partial<Batch> = {}): Batch {
  const total = 4;
  const over = succeeded + failed === total;
  return {
    id: 'batch-3',
    state: over ? 'FINISHED' : 'RUNNING',
    total,
    counts: {
      pending: total - succeeded - failed,
      running: 0,
      succeeded,
      failed,
      canceled: 0,
      warned: 0,
    },
    templateId: 'tpl-7',
    locale: 'en-US',
    dataLocale: 'en-US',
    preview: null,
    source: { format: 'csv', encoding: 'utf-8', sheet: null, rows: total, blank: 0 },
    jobId: 'pg-99',
    correlationId: 'c-1',
    submitter: null,
    createdAt: at(0),
    finishedAt: over ? at(41 * SECOND) : null,
    expiresAt: at(7 * 24 * 60 * MINUTE),
    ...changes,
  };
}

export function aFailedRow(line: number): Item {
  return {
    item: line - 1,
    line,
    state: 'FAILED',
    error: { code: 'validation_error', message: 'The field Amount is missing.' },
    warning: null,
    fileId: null,
    name: null,
    docxFileId: null,
    jobId: null,
  };
}

const FILE: File = {
  id: 'file-12',
  name: 'invoice.pdf',
  mediaType: 'application/pdf',
  size: PDF.length,
  sha256: '9b0d',
  templateId: 'tpl-7',
  batchId: null,
  correlationId: 'c-1',
  submitter: null,
  createdAt: at(0),
  expiresAt: at(MINUTE),
  url: '/files/file-12/content',
};

/** A service with documents, and a folder for what is written. */
export async function documentsFixture(): Promise<
  Fixture & { documents: Documents; folder: string }
> {
  const given = await fixture();
  const documents: Documents = {
    templates: [aTemplate()],
    lint: CLEAN,
    batches: [],
    items: [],
    warnings: [],
    uploads: [],
    envelopes: [],
    queries: [],
  };
  Object.assign(given.service.handlers, templateHandlers(documents), batchHandlers(documents));
  const folder = await mkdtemp(join(tmpdir(), 'millrace-cli-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return { ...given, documents, folder };
}

function keepUpload({ uploads }: Documents, { upload }: Call): void {
  if (upload !== null) uploads.push({ type: upload.type, text: upload.bytes.toString() });
}

function templatesOf({ templates }: Documents, id: string | undefined): Template[] {
  const found = templates.filter((each) => each.id === id || each.name === id);
  if (found.length === 0) throw refusal('template_not_found', `There is no template "${id}".`);
  return found;
}

function templateHandlers(documents: Documents): Handlers {
  return {
    listTemplates: () => ({ templates: documents.templates, next: null }),
    addTemplate(call) {
      keepUpload(documents, call);
      if (!documents.lint.ok) throw refusal('template_invalid', 'The block is not closed.');
      const name = call.params['id'] ?? '';
      return { template: aTemplate({ name }), created: name !== 'there', lint: documents.lint };
    },
    getTemplate({ params }) {
      const [template = aTemplate()] = templatesOf(documents, params['id']);
      return { template, lint: documents.lint };
    },
    listTemplateVersions({ params, query }) {
      const [{ name } = aTemplate()] = templatesOf(documents, params['id']);
      const all = documents.templates.filter((each) => each.name === name);
      // One a page: whoever reads only the first page misses the others.
      const first = Number(query['cursor'] ?? 0);
      const next = first + 1 < all.length ? String(first + 1) : null;
      return { templates: all.slice(first, first + 1), next };
    },
    deleteTemplate: ({ params }) => ({
      removed: templatesOf(documents, params['id']).map(({ id }) => id),
    }),
    generate({ body }) {
      const envelope = body as Envelope;
      templatesOf(documents, envelope.templateId);
      documents.envelopes.push(envelope);
      const timings = { template: 0, merge: 1, wait: 0, convert: 50, store: 3, total: 54 };
      const { warnings } = documents;
      const made = { file: FILE, docx: null, cached: false, timings, correlationId: 'c-1' };
      return warnings.length === 0 ? made : { ...made, warnings };
    },
    downloadFile: () => new Response(new Uint8Array(PDF)),
  };
}

/** Each look at a batch sees the next of `batches`; the last one stays. */
function batchHandlers(documents: Documents): Handlers {
  const current = (id: string | undefined): Batch => {
    const [batch] = documents.batches;
    if (batch?.id !== id || batch === undefined)
      throw refusal('batch_not_found', `There is no batch "${id}".`);
    return batch;
  };
  return {
    createBatch(call) {
      keepUpload(documents, call);
      documents.queries.push(call.query);
      templatesOf(documents, String(call.query['templateId']));
      return current('batch-3');
    },
    getBatch({ params }) {
      if (documents.batches.length > 1) documents.batches.shift();
      return current(params['id']);
    },
    listBatchItems({ params, query: { limit, cursor, warned } }) {
      current(params['id']);
      const first = Number(cursor ?? 0);
      const next = first + Number(limit);
      const items = documents.items.filter(
        ({ warning }) => (warning !== null) === (warned !== undefined),
      );
      return { items: items.slice(first, next), next: next < items.length ? String(next) : null };
    },
    cancelBatch: ({ params }) => ({ canceled: current(params['id']).counts.pending }),
    retryBatch: ({ params }) => ({ retried: current(params['id']).counts.failed }),
    downloadFailed({ params }) {
      current(params['id']);
      return new Response(FAILED_ROWS, { headers: { 'content-type': 'text/csv' } });
    },
    correctBatch(call) {
      keepUpload(documents, call);
      documents.queries.push(call.query);
      return { retried: current(call.params['id']).counts.failed };
    },
    downloadBatch({ params }) {
      current(params['id']);
      return new Response(new Uint8Array(ZIP));
    },
    downloadMerged({ params }) {
      current(params['id']);
      return new Response(new Uint8Array(PDF));
    },
    listBatches({ query: { limit, cursor } }) {
      // Two a page, whatever was asked for.
      const first = Number(cursor ?? 0);
      const next = first + Math.min(2, Number(limit));
      const { batches } = documents;
      const more = next < batches.length ? String(next) : null;
      return { batches: batches.slice(first, next), next: more };
    },
  };
}
