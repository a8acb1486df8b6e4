export type { Archive } from './archive.ts';
export type { BatchState } from './batch-rows.ts';
export { DOCUMENT, DOCUMENT_BATCH } from './batch-jobs.ts';
export type { Batch, BatchContext, Batches } from './batches.ts';
export { canonicalJson, requestHashOf } from './canonical.ts';
export type { ByteRange } from './contents.ts';
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
  parseEnvelope,
  pdfOptionsSchema,
} from './envelope.ts';
export type { Erase, Erased } from './erase.ts';
export {
  DocumentError,
  type DocumentErrorCode,
  type FailureReason,
  failureOf,
  reasonOf,
} from './errors.ts';
export type { FileFacts, Files, StoredFile } from './files.ts';
export type { Body, Generate, GenerateContext, Generated } from './generate.ts';
export type { Page, PageParams } from './ids.ts';
export type { FetchImage, ImageRules } from './images.ts';
export type { BatchItem } from './item-list.ts';
export { INVALID_ROW, type ItemCounts, type ItemState } from './items.ts';
export { documentKinds } from './kinds.ts';
export { mediaTypeOf, outputName, safeName } from './names.ts';
export type { Dimensions, DocumentMetrics, Timings } from './observe.ts';
export type { Made, OfficeLike, ProduceOptions } from './produce.ts';
export type { Row } from './row.ts';
export type { RowFormat, RowSource } from './rows.ts';
export type { BatchSource } from './load.ts';
export type { FailedRows } from './corrections.ts';
export type { DocumentResult } from './run-document.ts';
export { linksOf, salesforceDocumentKind } from './salesforce-kind.ts';
export type { Sweep, Swept } from './sweep.ts';
export type { TemplateCacheStats } from './template-cache.ts';
export type { TemplateThreads } from './template-threads.ts';
export type { TemplateInfo } from './template-rows.ts';
export type { Compiled, TemplateSource, Templates } from './templates.ts';
