import type { Context } from '../context.ts';
import type { Row } from './row.ts';
import { select } from './select.ts';
import { updateRows } from './update.ts';
import { soqlText } from '@millrace/salesforce';

/**
 * The record stays: that there was a document, and with which code it failed, is not about the person. One that runs
 * also loses its Subject__c: by that its worker learns, when it settles, that nothing of it may be kept.
 */
export async function erase(context: Context, subject: string): Promise<number> {
  const where = `${context.names.field.subject} = ${soqlText(subject)}`;
  const rows = await select(context, where);
  const erased = await empty(context, rows);
  const waiting = new Set(rows.filter(({ status }) => status === 'QUEUED').map(({ id }) => id));
  if (waiting.size > 0) {
    // Records that were claimed between our reading and our writing, with the data of before.
    const begun = (await select(context, where)).filter(
      ({ id, status }) => waiting.has(id) && status !== 'QUEUED',
    );
    await empty(context, begun);
  }
  return erased;
}

async function empty(context: Context, rows: readonly Row[]): Promise<number> {
  const values = { request: null, result: null, error: null, key: null };
  const emptied = await updateRows(
    context,
    rows.map(({ id, status }) => ({
      id,
      values: status === 'PROCESSING' ? { ...values, subject: null } : values,
    })),
  );
  return emptied.filter((done) => done).length;
}
