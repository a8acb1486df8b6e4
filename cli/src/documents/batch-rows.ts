import { type Client, MAX_PAGE } from '@millrace/api';
import { type Batch } from '@millrace/documents/contract';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../line/exit.ts';

type Item = Awaited<ReturnType<Client['listBatchItems']>>['items'][number];

/** The rows that failed, in their order; at most so many of them. */
export async function failedRows(context: Context, batch: Batch, most: number): Promise<Item[]> {
  return batch.counts.failed === 0 ? [] : rowsOf(context, batch, { state: 'FAILED' }, most);
}

/** The rows whose documents lack something. */
export async function warnedRows(context: Context, batch: Batch, most: number): Promise<Item[]> {
  return batch.counts.warned === 0 ? [] : rowsOf(context, batch, { warned: 'true' }, most);
}

async function rowsOf(
  { client }: Context,
  { id }: Batch,
  filter: { readonly state?: 'FAILED'; readonly warned?: 'true' },
  most: number,
): Promise<Item[]> {
  const found: Item[] = [];
  let cursor: string | undefined;
  while (found.length < most) {
    const limit = Math.min(most - found.length, MAX_PAGE);
    const query = { ...filter, limit, cursor };
    const { items, next } = await client.listBatchItems({ params: { id }, query });
    found.push(...items);
    if (next === null) break;
    cursor = next;
  }
  return found;
}

export function isOver({ state }: Batch): boolean {
  return state === 'FINISHED' || state === 'CANCELED';
}

/** Rows that will not change any more. */
export function doneOf({ counts: { succeeded, failed, canceled } }: Batch): number {
  return succeeded + failed + canceled;
}

/** 1 when a row has no document and will not get one by itself. */
export function exitCodeForBatch(batch: Batch): ExitCode {
  return isOver(batch) && doneOf(batch) > batch.counts.succeeded ? EXIT.failed : EXIT.ok;
}
