import { StoreUnavailable } from '@millrace/engine';
import type { Context } from './context.ts';
import type { Field } from './fields.ts';
import { record } from './names.ts';

export interface RowUpdate {
  readonly id: string;
  readonly values: Partial<Record<Field, unknown>>;
}

/**
 * Each row by itself; which of them were changed. A row that someone else holds makes it throw: the same updates may be
 * asked for again, and then it may be free.
 */
export async function updateRows(
  { salesforce, names }: Context,
  rows: readonly RowUpdate[],
): Promise<boolean[]> {
  const answers = await salesforce.collections.update(
    names.document,
    rows.map(({ id, values }) => ({ Id: id, ...record(names, values) })),
    { repeatable: true },
  );
  const isHeld = answers.some(({ errors }) =>
    errors.some(({ statusCode }) => statusCode === 'UNABLE_TO_LOCK_ROW'),
  );
  if (isHeld) throw new StoreUnavailable('Salesforce: someone else holds one of the records.');
  return answers.map(({ success }) => success);
}
