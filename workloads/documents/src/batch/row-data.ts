import { keysOf } from '@millrace/docx';
import type { BatchSettings } from '../contract/envelope.ts';
import { withoutBlanks } from './empty-fields.ts';
import type { BatchSource } from './records.ts';
import { put } from './rows/table.ts';

type Row = Readonly<Record<string, unknown>>;

/**
 * The record that a template gets for a row: the check before a batch and the batch itself have the same. In a strict batch an empty
 * cell is missing, and what no column has is left empty, where the batch was allowed to do without.
 */
export function rowData(
  given: Row,
  { options }: Pick<BatchSettings, 'options'>,
  source: Pick<BatchSource, 'columns' | 'left'> | null,
): Row {
  if (source?.columns === undefined || !options.strict) return given;
  const row = withoutBlanks(given);
  for (const path of source.left ?? []) leaveEmpty(row, keysOf(path));
  return row;
}

/** Null is there and prints nothing. A cell in the way is a value of its own, and stays. */
function leaveEmpty(row: Record<string, unknown>, path: readonly string[]): void {
  let at: unknown = row;
  for (const key of path) {
    if (typeof at !== 'object' || at === null) return;
    if (!Object.hasOwn(at, key)) return put(row, path, null);
    at = (at as Row)[key];
  }
}
