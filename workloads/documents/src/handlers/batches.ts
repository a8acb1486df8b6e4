import {
  type HandlersOf,
  type Upload,
  defined,
  download,
  fileHeaders,
  ok,
} from '@millrace/workload-kit';
import { type RowFormat, type RowSource, xlsxTooLarge } from '../batch/rows/rows.ts';
import type { Reading } from '../batch/rows/table.ts';
import { readTable } from '../batch/rows/read-table.ts';
import { type documentContracts, PASSWORD_HEADER } from '../contract/documents.ts';
import type { rowContracts } from '../contract/rows.ts';
import { DocumentError } from '../errors.ts';
import type { DocumentsWithin } from '../within.ts';
import { batchJson } from './json.ts';
import type { WholeUploads } from './uploads.ts';

const FORMATS: Readonly<Record<string, RowFormat>> = {
  'application/json': 'json',
  'application/x-ndjson': 'jsonl',
  'text/csv': 'csv',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
};

interface Given extends Reading {
  readonly upload: Upload | null;
  readonly by: string | undefined;
  readonly sheet: string | undefined;
}

/** An XLSX is read whole, and counts among the files that are; all else is read as it comes. */
function usingRows<T>(
  whole: WholeUploads,
  { upload, ...reading }: Given,
  use: (source: RowSource) => Promise<T>,
): Promise<T> {
  const format = FORMATS[upload?.type ?? ''] ?? 'json';
  const { by } = reading;
  if (format === 'xlsx')
    return whole(upload, (bytes) => use({ ...reading, format, bytes }), {
      by,
      tooLarge: xlsxTooLarge,
    });
  return use({ ...reading, format, bytes: upload?.bytes ?? new Uint8Array() });
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

export function batchHandlers(
  { batches, archive }: DocumentsWithin,
  whole: WholeUploads,
): HandlersOf<Omit<typeof documentContracts, 'generate'> & typeof rowContracts> {
  return {
    async readRows({ query: { sheet, dataLocale }, upload, caller }) {
      const given = { upload, by: caller?.name, sheet };
      return ok(await usingRows(whole, given, (source) => readTable(source, dataLocale)));
    },
    async checkRows({ query, upload, caller, signal }) {
      const { sheet, columns, same, ...settings } = query;
      const given = { upload, by: caller?.name, sheet, names: columns, same };
      const check = (source: RowSource) => batches.check(settingsOf(settings), source, signal);
      return ok(await usingRows(whole, given, check));
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
      const given = { upload, by: caller?.name, sheet, names: columns, same };
      const batch = await usingRows(whole, given, (source) =>
        batches.create(settingsOf(settings), source, context),
      );
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
    async correctBatch({ params: { id }, query: { sheet }, upload, caller }) {
      const given = { upload, by: caller?.name, sheet };
      return ok(await usingRows(whole, given, (source) => batches.correct(id, source)));
    },
    async downloadBatch({ params: { id }, headers }) {
      return download(await archive(id), headers.range);
    },
    async downloadMerged({ params: { id }, headers }) {
      return download(await batches.merged(id), headers.range);
    },
  };
}
