import type { FinishedState, PruneParams, Pruned } from '@millrace/engine';
import { soqlText, soqlTime } from '@millrace/salesforce';
import type { Context } from './context.ts';
import { ofKind, soql, texts } from './select.ts';
import { updateRows } from './update.ts';

const AT_ONCE = 200;
const STATES: readonly FinishedState[] = ['SUCCEEDED', 'FAILED', 'CANCELED'];

export async function prune(context: Context, { keep, otherwise }: PruneParams): Promise<Pruned> {
  const { salesforce, names, defaultKind } = context;
  const { field } = names;
  const now = salesforce.now();
  const over = (kind: string, times: PruneParams['otherwise']): string[] =>
    STATES.map(
      (state) =>
        `(${kind} AND ${field.status} = ${soqlText(state)} AND ${field.finishedAt} < ${soqlTime(now - times[state])})`,
    );
  const known = Object.keys(keep);
  const others = [
    ...(known.length === 0 ? [] : [`${field.kind} NOT IN (${texts(known)})`]),
    ...(known.includes(defaultKind) ? [`${field.kind} != null`] : []),
  ].join(' AND ');
  const where = [
    ...Object.entries(keep).flatMap(([kind, times]) => over(ofKind(context, kind), times)),
    ...over(others === '' ? 'Id != null' : `(${others})`, otherwise),
  ].join(' OR ');
  const rows = await salesforce.query<{ Id: string }>(
    soql('Id', context, where, { limit: AT_ONCE }),
  );
  if (rows.length === 0) return { count: 0, more: false };
  const removed = await salesforce.collections.remove(rows.map(({ Id }) => Id));
  return {
    count: removed.filter(({ success }) => success).length,
    more: rows.length === AT_ONCE,
  };
}

/** The record stays: that there was a document, and why it failed, is not about the person. */
export async function erase(context: Context, subject: string): Promise<number> {
  const { salesforce, names } = context;
  const rows = await salesforce.query<{ Id: string }>(
    soql('Id', context, `${names.field.subject} = ${soqlText(subject)}`),
  );
  const erased = await updateRows(
    context,
    rows.map(({ Id: id }) => ({ id, values: { request: null, result: null, error: null } })),
  );
  return erased.filter((done) => done).length;
}
