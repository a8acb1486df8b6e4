import {
  type HandlersOf,
  type Upload,
  defined,
  download,
  fileHeaders,
  ok,
} from '@millrace/workload-kit';
import type { RowFormat, RowSource } from '../batch/rows/rows.ts';
import type { Reading } from '../batch/rows/table.ts';
import { readTable } from '../batch/rows/read-table.ts';
import { type documentContracts, PASSWORD_HEADER } from '../contract/documents.ts';
import type { rowContracts } from '../contract/rows.ts';
import { DocumentError } from '../errors.ts';
import type { DocumentsWithin } from '../within.ts';
import { batchJson } from './json.ts';

const FORMATS: Readonly<Record<string, RowFormat>> = {
  'application/json': 'json',
  'application/x-ndjson': 'jsonl',
  'text/csv': 'csv',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
};

function rowsOf(
  upload: Upload | null,
  sheet: string | undefined,
  reading: Reading = {},
): RowSource {
  return {
    format: FORMATS[upload?.type ?? ''] ?? 'json',
    bytes: upload?.bytes ?? new Uint8Array(),
    sheet,
    ...reading,
  };
}

type Flag = 'true' | 'false' | undefined;

/** A query has texts only, and no objects. */
function settingsOf<Rest extends { readonly templateId: string }>({
  strict,
  allowMissing,
  dataLocale,
  ...settings
}: Rest & { strict?: Flag; allowMissing?: Flag; dataLocale?: string | undefined }) {
  const options = { strict: strict === 'true', ...(dataLocale !== undefined && { dataLocale }) };
  return { ...defined(settings), options, allowMissing: allowMissing === 'true' };
}

/** Headers have few characters: others are written as in a URL. */
function passwordIn(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  try {
    return decodeURIComponent(String(header));
  } catch {
    throw new DocumentError(
      'validation_error',
      `The header ${PASSWORD_HEADER} is not written as in a URL: a % stands before two digits.`,
    );
  }
}

export function batchHandlers({
  batches,
  archive,
}: DocumentsWithin): HandlersOf<Omit<typeof documentContracts, 'generate'> & typeof rowContracts> {
  return {
    async readRows({ query: { sheet, dataLocale }, upload }) {
      return ok(await readTable(rowsOf(upload, sheet), dataLocale));
    },
    async checkRows({ query, upload, signal }) {
      const { sheet, columns, same, ...settings } = query;
      const source = rowsOf(upload, sheet, { names: columns, same });
      return ok(await batches.check(settingsOf(settings), source, signal));
    },
    async createBatch({ query, upload, caller, correlationId, headers }) {
      const {
        priority,
        subject,
        sheet,
        columns,
        same,
        pdfA,
        pdfUa,
        watermark,
        pageRange,
        ...rest
      } = query;
      const password = passwordIn(headers[PASSWORD_HEADER]);
      const pdf = defined({
        pdfA,
        pdfUa: pdfUa === undefined ? undefined : pdfUa === 'true',
        watermark,
        pageRange,
        password,
      });
      const settings = { ...rest, ...(Object.keys(pdf).length > 0 && { pdf }) };
      const context = { correlationId, submitter: caller?.name, priority, subject };
      const source = rowsOf(upload, sheet, { names: columns, same });
      const batch = await batches.create(settingsOf(settings), source, context);
      return { status: 201, body: batchJson(batch) };
    },
    async listBatches({ query }) {
      const { items, next } = await batches.list(query);
      return ok({ batches: items.map(batchJson), next });
    },
    async getBatch({ params: { id } }) {
      return ok(batchJson(await batches.get(id)));
    },
    async listBatchItems({ params: { id }, query }) {
      const { items, next } = await batches.items(id, query);
      return ok({ items, next });
    },
    async cancelBatch({ params: { id } }) {
      return ok(await batches.cancel(id));
    },
    async retryBatch({ params: { id } }) {
      return ok(await batches.retry(id));
    },
    async downloadFailed({ params: { id } }) {
      const { name, mediaType, read } = await batches.failed(id);
      return { status: 200, body: undefined, bytes: read(), headers: fileHeaders(name, mediaType) };
    },
    async correctBatch({ params: { id }, query: { sheet }, upload }) {
      return ok(await batches.correct(id, rowsOf(upload, sheet)));
    },
    async downloadBatch({ params: { id }, headers }) {
      return download(await archive(id), headers.range);
    },
    async downloadMerged({ params: { id }, headers }) {
      return download(await batches.merged(id), headers.range);
    },
  };
}
