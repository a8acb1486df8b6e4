import type { CopiedRows } from '@millrace/sql-source';
import { checkUnique, firstKey, keyOf } from './key.ts';

export interface CheckedRows {
  readonly bytes: Buffer;
  readonly rows: number;
  /** Of the last row. */
  readonly key: readonly string[];
  /** A row comes behind it, and its key is another one: whoever goes on after this key misses none. */
  readonly hasMore: boolean;
}

/**
 * The first `most` rows of a COPY, which is given one row more than that: the row behind the last one, to be looked at and left out.
 * With that row, the COPY is over before its last batch is given.
 */
export async function* checkedRows(
  copied: AsyncIterable<CopiedRows>,
  places: readonly number[],
  most: number,
): AsyncGenerator<CheckedRows, void> {
  let taken = 0;
  let held: Omit<CheckedRows, 'hasMore'> | null = null;
  let last: CheckedRows | null = null;
  for await (const batch of copied) {
    taken += batch.rows;
    if (held !== null) {
      checkUnique(held.key, firstKey(batch.bytes, places));
      const passed: CheckedRows = { ...held, hasMore: true };
      if (taken > most && batch.rows === 1) last = passed;
      else yield passed;
      held = null;
    }
    const { bytes, rows, lastRow } = batch;
    if (taken <= most) held = { bytes, rows, key: keyOf(lastRow, places) };
    else if (rows > 1) last = withoutLast(batch, places);
  }
  if (last !== null) yield last;
  if (held !== null) yield { ...held, hasMore: false };
}

function withoutLast(batch: CopiedRows, places: readonly number[]): CheckedRows {
  const { bytes, rows, lastRow, ends = [] } = batch;
  const end = bytes.length - lastRow.length;
  const key = keyOf(bytes.subarray(ends[rows - 3] ?? 0, end), places);
  checkUnique(key, keyOf(lastRow, places));
  return { bytes: bytes.subarray(0, end), rows: rows - 1, key, hasMore: true };
}
