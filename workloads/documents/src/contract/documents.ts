import { type Contract, moment, page, trueOrFalse } from '@millrace/workload-kit/contract';
import { z } from 'zod';
import { envelopeSchema, pdfOptionsSchema } from './envelope.ts';
import { file, fileExample } from './files.ts';
import { ROWS, filling, sheet } from './uploads.ts';

const timings = z.object({
  template: z.number(),
  merge: z.number(),
  wait: z.number().describe('For a free conversion process.'),
  convert: z.number(),
  store: z.number(),
  total: z.number(),
});

export const batchCounts = z.object({
  pending: z.number(),
  running: z.number(),
  succeeded: z.number(),
  failed: z.number(),
  canceled: z.number(),
  warned: z.number().describe('Of the succeeded: their documents lack something; see the items.'),
});

export const batch = z.object({
  id: z.string().describe('Such as "batch-3".'),
  state: z.enum(['LOADING', 'RUNNING', 'FINISHED', 'CANCELED']),
  total: z.number(),
  counts: batchCounts,
  templateId: z.string(),
  locale: z.string().describe('Of the documents.'),
  dataLocale: z
    .string()
    .nullable()
    .describe('How the rows write numbers and dates; null where they are typed.'),
  preview: z.number().nullable().describe('Only so many of the first rows.'),
  source: z
    .object({
      format: z.enum(['csv', 'xlsx', 'json', 'jsonl', 'rows']),
      encoding: z.string().nullable().describe('Of CSV: "utf-8", or what it turned out to be.'),
      sheet: z.string().nullable().describe('Of XLSX.'),
      rows: z.number().describe('That were read; a preview has fewer.'),
      blank: z.number().describe('Blank rows, which were skipped.'),
    })
    .nullable()
    .describe('Where the rows came from; null while they come.'),
  jobId: z.string().nullable(),
  correlationId: z.string(),
  submitter: z.string().nullable(),
  createdAt: moment,
  finishedAt: moment.nullable(),
  expiresAt: moment,
});
export type Batch = z.infer<typeof batch>;

export const itemState = z.enum(['PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELED']);

export const batchItem = z.object({
  item: z.number().describe('From 1, as the rows came.'),
  line: z.number().describe('Of the upload.'),
  state: itemState,
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  warning: z.string().nullable().describe('What the document lacks, such as characters of a font.'),
  fileId: z.string().nullable(),
  name: z.string().nullable().describe('Of its document, once it is made.'),
  docxFileId: z.string().nullable(),
  jobId: z.string().nullable(),
});

const batchExample: Batch = {
  id: 'batch-3',
  state: 'FINISHED',
  total: 1_000,
  counts: { pending: 0, running: 0, succeeded: 998, failed: 2, canceled: 0, warned: 0 },
  templateId: 'tpl-7',
  locale: 'en-US',
  dataLocale: 'en-US',
  preview: null,
  source: { format: 'csv', encoding: 'utf-8', sheet: null, rows: 1_000, blank: 0 },
  jobId: 'pg-99',
  correlationId: '9f1c0c1e-3f0a-4b59-8a3e-1f2d3c4b5a69',
  submitter: 'ada@example.com',
  createdAt: '2026-01-31T09:30:00.000Z',
  finishedAt: '2026-01-31T09:30:41.000Z',
  expiresAt: '2026-02-07T09:30:00.000Z',
};
const byBatch = z.strictObject({ id: z.string().min(1).max(100) });
const next = z.string().nullable().describe('The cursor of the next page.');

/** With which the package's Apex shows the lease of the record that its call is for. */
export const LEASE_HEADER = 'millrace-lease';

/** The password of a batch's PDFs, written as in a URL: an address is logged on its way, a header is not. */
export const PASSWORD_HEADER = 'millrace-pdf-password';

const { pdfA, watermark, pageRange } = pdfOptionsSchema.shape;

export const documentContracts = {
  generate: {
    method: 'POST',
    path: '/generate',
    summary:
      'Makes a document now. Answers with the file, or with where it is if JSON is accepted.',
    access: 'member',
    large: true,
    body: envelopeSchema,
    response: z.object({
      file,
      docx: file.nullable().describe('With storeMergedDocx.'),
      cached: z.boolean().describe('It had been made before, from the same.'),
      timings: timings.describe('In milliseconds.'),
      correlationId: z.string(),
      warnings: z
        .array(z.string())
        .optional()
        .describe(
          'What is not in the document as it should be, if anything: fields that the data lacks, characters without a font.',
        ),
    }),
    statuses: [200],
    errors: [
      'template_not_found',
      'validation_error',
      'conversion_timeout',
      'busy',
      'conversion_failed',
      'office_missing',
      'lease_not_held',
      'other_request',
    ],
    example: {
      body: {
        templateId: 'invoice',
        outputFileName: 'Invoice 2026-001',
        data: { Account: { Name: 'Acme' } },
      },
      response: {
        file: fileExample,
        docx: null,
        cached: false,
        timings: { template: 0.1, merge: 0.4, wait: 0.1, convert: 52, store: 3, total: 56 },
        correlationId: '9f1c0c1e-3f0a-4b59-8a3e-1f2d3c4b5a69',
      },
    },
  },
  createBatch: {
    method: 'POST',
    path: '/documents/batch',
    summary:
      'One document for each row of an upload: CSV, XLSX, a JSON array or JSON Lines. The header millrace-pdf-password locks the PDFs.',
    access: 'member',
    query: z.strictObject({
      ...filling,
      outputFileName: z
        .string()
        .min(1)
        .max(500)
        .optional()
        .describe('May name fields of the row: "Invoice {{Number}}".'),
      outputFormat: z.enum(['PDF', 'DOCX']).optional(),
      pdfA,
      pdfUa: trueOrFalse.optional(),
      watermark,
      pageRange,
      preview: z.coerce
        .number<number | string>()
        .int()
        .min(1)
        .max(1_000)
        .optional()
        .describe('Makes only so many of the first rows.'),
      priority: z.coerce
        .number<number | string>()
        .int()
        .min(-1_000)
        .max(1_000)
        .optional()
        .describe(
          'Higher first. Unless given, 0 for previews and up to 100 rows; else none, the last.',
        ),
      subject: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe('Whom each document is about, to be erased by: "{{CustomerId}}".'),
    }),
    upload: ROWS,
    response: batch,
    statuses: [201],
    errors: [
      'template_not_found',
      'validation_error',
      'invalid_rows',
      'missing_columns',
      'too_many_rows',
      'busy',
    ],
    example: {
      query: { templateId: 'invoice', outputFileName: 'Invoice {{Number}}' },
      response: { ...batchExample, state: 'RUNNING', finishedAt: null },
    },
  },
  listBatches: {
    method: 'GET',
    path: '/documents/batches',
    summary: 'Batches, newest first.',
    access: 'viewer',
    query: page,
    response: z.object({ batches: z.array(batch), next }),
    statuses: [200],
    errors: ['invalid_cursor'],
    example: { response: { batches: [batchExample], next: null } },
  },
  getBatch: {
    method: 'GET',
    path: '/documents/batches/:id',
    summary: 'How far a batch is.',
    access: 'viewer',
    params: byBatch,
    response: batch,
    statuses: [200],
    errors: ['batch_not_found'],
    example: { params: { id: 'batch-3' }, response: batchExample },
  },
  listBatchItems: {
    method: 'GET',
    path: '/documents/batches/:id/items',
    summary: 'The rows of a batch, in their order, each with its file or its error.',
    access: 'viewer',
    params: byBatch,
    query: page.extend({
      state: itemState.optional(),
      warned: z.enum(['true']).optional().describe('Only those with a warning.'),
    }),
    response: z.object({ items: z.array(batchItem), next }),
    statuses: [200],
    errors: ['batch_not_found', 'invalid_cursor'],
    example: {
      params: { id: 'batch-3' },
      query: { state: 'FAILED' },
      response: {
        items: [
          {
            item: 17,
            line: 18,
            state: 'FAILED',
            error: { code: 'validation_error', message: 'The field Amount is missing.' },
            warning: null,
            fileId: null,
            name: null,
            docxFileId: null,
            jobId: 'pg-116',
          },
        ],
        next: null,
      },
    },
  },
  cancelBatch: {
    method: 'POST',
    path: '/documents/batches/:id/cancel',
    summary: 'Stops a batch; what is made stays.',
    access: 'member',
    audit: { target: 'id', count: ['canceled'] },
    params: byBatch,
    response: z.object({ canceled: z.number() }),
    statuses: [200],
    errors: ['batch_not_found', 'batch_finished'],
    example: { params: { id: 'batch-3' }, response: { canceled: 512 } },
  },
  retryBatch: {
    method: 'POST',
    path: '/documents/batches/:id/retry',
    summary: 'Makes those again that failed or were cancelled.',
    access: 'member',
    audit: { target: 'id', count: ['retried'] },
    params: byBatch,
    response: z.object({ retried: z.number() }),
    statuses: [200],
    errors: ['batch_not_found', 'batch_not_finished', 'nothing_to_retry'],
    example: { params: { id: 'batch-3' }, response: { retried: 2 } },
  },
  downloadFailed: {
    method: 'GET',
    path: '/documents/batches/:id/failed',
    summary:
      'The rows that failed, with line and error, as a file to correct: CSV for spreadsheets, else JSON Lines.',
    access: 'member',
    audit: { target: 'id', once: true },
    params: byBatch,
    response: z.unknown(),
    statuses: [200],
    media: 'application/octet-stream',
    errors: ['batch_not_found'],
    example: { params: { id: 'batch-3' }, response: 'millrace line,millrace error,Name…' },
  },
  correctBatch: {
    method: 'POST',
    path: '/documents/batches/:id/failed',
    summary: 'The corrected rows of that file instead of the failed ones; makes their documents.',
    access: 'member',
    audit: { target: 'id', count: ['retried'] },
    params: byBatch,
    query: z.strictObject({ sheet }),
    upload: ROWS,
    response: z.object({ retried: z.number() }),
    statuses: [200],
    errors: [
      'batch_not_found',
      'batch_not_finished',
      'invalid_rows',
      'missing_columns',
      'too_many_rows',
      'busy',
    ],
    example: { params: { id: 'batch-3' }, response: { retried: 2 } },
  },
  downloadBatch: {
    method: 'GET',
    path: '/documents/batches/:id/archive',
    summary:
      'All documents of a batch that is over, as one ZIP; a part (206) with the header Range.',
    access: 'member',
    audit: { target: 'id', once: true },
    params: byBatch,
    response: z.unknown(),
    statuses: [200, 206],
    media: 'application/octet-stream',
    errors: ['batch_not_found', 'batch_not_finished', 'invalid_range'],
    example: { params: { id: 'batch-3' }, response: 'PK…' },
  },
  downloadMerged: {
    method: 'GET',
    path: '/documents/batches/:id/merged.pdf',
    summary:
      'All PDFs of a batch that is over as one, which the first to ask waits for; a part (206) with the header Range.',
    access: 'member',
    audit: { target: 'id', once: true },
    params: byBatch,
    response: z.unknown(),
    statuses: [200, 206],
    media: 'application/octet-stream',
    errors: [
      'batch_not_found',
      'batch_not_finished',
      'batch_not_pdf',
      'nothing_to_merge',
      'merge_too_large',
      'merge_failed',
      'invalid_range',
    ],
    example: { params: { id: 'batch-3' }, response: '%PDF-…' },
  },
} as const satisfies Record<string, Contract>;
