import { INTERNAL_KEYS, type JobRequest, type JobSummary, type Queue } from '@millrace/engine';
import type { BatchRecord } from './records.ts';
import type { ItemFailure } from './items.ts';

/** The jobs of a batch: its own, and one for each item, known by their keys. */
export const DOCUMENT = 'document';
export const DOCUMENT_BATCH = 'document.batch';

export function batchJob(batch: BatchRecord): JobRequest {
  const { id, run, tenant, correlationId, submitter, priority } = batch;
  return {
    kind: DOCUMENT_BATCH,
    data: { batch: id, run },
    // Of a kind that is not public: nobody else can have made a job with this key.
    key: `${id}/${run}`,
    tenant,
    correlationId,
    ...(submitter !== null && { submitter }),
    ...(priority !== null && { priority }),
  };
}

/**
 * The key says which item a job is about, so that a run that begins again makes no job twice. The kind is public, so the
 * key is one that nobody can take from outside.
 */
export function itemKey({ id, run }: Pick<BatchRecord, 'id' | 'run'>, item: number): string {
  return `${INTERNAL_KEYS}${id}/${run}/${item}`;
}

/** Keys of items once had no prefix: the jobs that were queued with such keys before an upgrade still are the batch's. */
const ITEM_KEY = new RegExp(`^(?:${INTERNAL_KEYS})?(batch-\\d+)/(\\d+)/(\\d+)$`);

type ItemJob = JobSummary & { readonly run: number; readonly item: number };

/**
 * The jobs of the batch's items, by page. Others may share the correlation id: the key tells them apart, and the submitter,
 * because a key without the prefix could be anybody's.
 */
export async function* jobsOf(
  queue: Pick<Queue, 'list'>,
  { id, correlationId, tenant, submitter }: BatchRecord,
  state: 'QUEUED' | 'PROCESSING' | 'FAILED' | 'CANCELED',
): AsyncGenerator<ItemJob[]> {
  let cursor: string | undefined;
  do {
    const { jobs, next } = await queue.list({
      filter: { kind: DOCUMENT, state, correlationId, tenant },
      limit: 500,
      ...(cursor !== undefined && { cursor }),
    });
    const own = jobs.flatMap((job) => {
      const [, batch, run, item] = ITEM_KEY.exec(job.key ?? '') ?? [];
      const isOwn = batch === id && job.submitter === submitter;
      return isOwn ? [{ ...job, run: Number(run), item: Number(item) }] : [];
    });
    if (own.length > 0) yield own;
    cursor = next ?? undefined;
  } while (cursor !== undefined);
}

export function failureOf({ run, item, state, error }: ItemJob): ItemFailure {
  if (state === 'CANCELED')
    return { run, item, state, code: 'canceled', message: 'The job was canceled.' };
  const { code = 'unknown', message = 'The job failed.' } = error ?? {};
  return { run, item, state: 'FAILED', code, message };
}
