import type { Documents, RowFormat } from '@millrace/documents';
import { defined } from '../defined.ts';
import { type Handlers, ok } from '../http/handler.ts';
import { download } from './download.ts';
import { batchJson } from './json/document.ts';

type Names =
  | 'createBatch'
  | 'listBatches'
  | 'getBatch'
  | 'listBatchItems'
  | 'cancelBatch'
  | 'retryBatch'
  | 'downloadBatch'
  | 'downloadMerged';

const FORMATS: Readonly<Record<string, RowFormat>> = {
  'application/json': 'json',
  'application/x-ndjson': 'jsonl',
  'text/csv': 'csv',
};

export function batchHandlers({ batches, archive }: Documents): Handlers<Names> {
  return {
    async createBatch({
      query: { priority, subject, ...settings },
      upload,
      caller,
      correlationId,
    }) {
      const source = {
        format: FORMATS[upload?.type ?? ''] ?? 'json',
        bytes: upload?.bytes ?? new Uint8Array(),
      };
      const context = { correlationId, submitter: caller?.name, priority, subject };
      const batch = await batches.create(defined(settings), source, context);
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
    async downloadBatch({ params: { id }, headers }) {
      return download(await archive(id), headers.range);
    },
    async downloadMerged({ params: { id }, headers }) {
      return download(await batches.merged(id), headers.range);
    },
  };
}
