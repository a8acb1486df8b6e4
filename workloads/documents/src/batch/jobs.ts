import type { JobRequest, JobSummary, Queue } from '@millrace/engine';
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
    key: `${id}/${run}`,
    tenant,
    correlationId,
    ...(submitter !== null && { submitter }),
    ...(priority !== null && { priority }),
  };
}

/** The key says which item a job is about, so that a run that begins again makes no job twice. */
export function itemKey({ id, run }: Pick<BatchRecord, 'id' | 'run'>, item: number): string {
  return `${id}/${run}/${item}`;
}

type ItemJob = JobSummary & { readonly run: number; readonly item: number };

/** The jobs of the batch's items, by page. Others may share the correlation id: the key tells them apart. */
export async function* jobsOf(
  queue: Pick<Queue, 'list'>,
  { id, correlationId, tenant }: BatchRecord,
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
      const [batch, run, item] = (job.key ?? '').split('/');
      return batch === id ? [{ ...job, run: Number(run), item: Number(item) }] : [];
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
