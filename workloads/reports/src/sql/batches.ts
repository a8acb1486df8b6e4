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
 * The batches of a COPY of at most `limit` rows. Where it has as many, others come behind them: the last batch was read to be looked
 * at, and is left out. The batch before it is given when the COPY is over, so that the next statement can begin.
 */
export async function* checkedRows(
  copied: AsyncIterable<CopiedRows>,
  places: readonly number[],
  limit: number,
): AsyncGenerator<CheckedRows, void> {
  let taken = 0;
  let held: Omit<CheckedRows, 'hasMore'> | null = null;
  let last: CheckedRows | null = null;
  for await (const { bytes, rows, lastRow } of copied) {
    taken += rows;
    if (held !== null) {
      checkUnique(held.key, firstKey(bytes, places));
      const passed: CheckedRows = { ...held, hasMore: true };
      if (taken >= limit) last = passed;
      else yield passed;
    }
    held = { bytes, rows, key: keyOf(lastRow, places) };
  }
  if (last !== null) yield last;
  else if (held !== null) yield { ...held, hasMore: false };
}
