export type { Archive } from './batch/archive.ts';
export type { BatchState } from './batch/records.ts';
export { DOCUMENT, DOCUMENT_BATCH } from './batch/jobs.ts';
export type { Batch, BatchContext, Batches } from './batch/batches.ts';
export { canonicalJson, requestHashOf } from './one/canonical.ts';
export type { ByteRange } from '@millrace/workload-kit';
export {
  type Documents,
  type DocumentsParams,
  type PreviewOptions,
  openDocuments,
} from './documents.ts';
export {
  type BatchSettings,
  type BatchSettingsInput,
  type Envelope,
  type EnvelopeInput,
  type OutputFormat,
  type PdfOptions,
  batchSettingsSchema,
  envelopeSchema,
  pdfOptionsSchema,
} from './contract/envelope.ts';
export { parseEnvelope } from './one/request.ts';
export type { Erase, Erased } from './files/erase.ts';
export {
  DocumentError,
  type DocumentErrorCode,
  type FailureReason,
  failureOf,
  reasonOf,
} from './errors.ts';
export type { FileFacts, Files, StoredFile } from './files/files.ts';
export type { Body, Generate, GenerateContext, Generated } from './one/generate.ts';
export type { FetchImage, ImageRules } from './one/images.ts';
export type { BatchItem } from './batch/item-list.ts';
export { INVALID_ROW, type ItemCounts, type ItemState } from './batch/items.ts';
export { documentKinds } from './kinds.ts';
export { documents } from './workload.ts';
export { mediaTypeOf, outputName, safeName } from './one/names.ts';
export type { Dimensions, DocumentMetrics, Timings } from './observe.ts';
export type { Made, OfficeLike, ProduceOptions } from './one/produce.ts';
export type { Row } from './batch/rows/row.ts';
export type { RowFormat, RowSource } from './batch/rows/rows.ts';
export type { BatchSource } from './batch/records.ts';
export type { FailedRows } from './batch/corrections.ts';
export type { DocumentResult } from './one/run-document.ts';
export { linksOf, salesforceDocumentKind } from './one/salesforce-kind.ts';
export type { Sweep, Swept } from './files/sweep.ts';
export type { TemplateCacheStats } from './templates/cache.ts';
export type { TemplateThreads } from './templates/threads.ts';
export type { TemplateInfo } from './templates/records.ts';
export type { Compiled, TemplateSource } from './templates/compiled.ts';
export type { Templates } from './templates/templates.ts';
