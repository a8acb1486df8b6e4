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
import type { documentContracts } from '../contract/documents.ts';
import type { rowContracts } from '../contract/rows.ts';
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

export function batchHandlers({
  batches,
  archive,
}: DocumentsWithin): HandlersOf<Omit<typeof documentContracts, 'generate'> & typeof rowContracts> {
  return {
    async readRows({ query: { sheet, dataLocale }, upload }) {
      return ok(await readTable(rowsOf(upload, sheet), dataLocale));
    },
    async createBatch({ query, upload, caller, correlationId }) {
      const {
        priority,
        subject,
        sheet,
        columns,
        same,
        strict,
        allowMissing,
        dataLocale,
        ...settings
      } = query;
      const options = {
        strict: strict === 'true',
        ...(dataLocale !== undefined && { dataLocale }),
      };
      const context = { correlationId, submitter: caller?.name, priority, subject };
      const batch = await batches.create(
        { ...defined(settings), options, allowMissing: allowMissing === 'true' },
        rowsOf(upload, sheet, { names: columns, same }),
        context,
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
