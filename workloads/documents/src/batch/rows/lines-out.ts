import { type Cell, ROW_LIMITS, ROW_TOO_LONG, type TableLine, bytesOfCell } from './row.ts';

/**
 * Rows on their way out of a thread. Whatever is posted is copied, and a text that many cells name is copied for each of
 * them: so rows go by bytes, and wait here until the ones before them are stored. A large table is never in memory twice.
 */
export const AT_ONCE = { rows: 500, cells: 20_000, bytes: 1_000_000 };

export interface LinesOut {
  add(row: TableLine): void;
  flush(): void;
  /** The bytes of all rows so far. */
  bytes(): number;
}

/** `taken` counts the posted rowsets that were stored: the thread sleeps until it has come to its own count. */
export function createLinesOut(
  taken: Int32Array,
  post: (rows: readonly TableLine[]) => void,
): LinesOut {
  let posted = 0;
  let rows: TableLine[] = [];
  let cells = 0;
  let bytes = 0;
  let total = 0;
  // A row gets a field for each column, also where it has no cell for it.
  let columns = 0;

  function flush(): void {
    if (rows.length === 0) return;
    post(rows);
    posted += 1;
    rows = [];
    cells = 0;
    bytes = 0;
    for (;;) {
      const seen = Atomics.load(taken, 0);
      if (seen >= posted) return;
      Atomics.wait(taken, 0, seen);
    }
  }

  return {
    add(row) {
      const size = bytesUpTo(ROW_LIMITS.rowBytes, row.cells);
      const isTooLong = size > ROW_LIMITS.rowBytes;
      rows.push(isTooLong ? { ...row, cells: [], error: ROW_TOO_LONG } : row);
      columns = Math.max(columns, row.cells.length);
      cells += columns;
      bytes += isTooLong ? 0 : size;
      total += isTooLong ? 0 : size;
      if (rows.length >= AT_ONCE.rows || cells >= AT_ONCE.cells || bytes >= AT_ONCE.bytes) flush();
    },
    flush,
    bytes: () => total,
  };
}

/** No further than needed: each of 16,384 cells may name the same text of 10 MB. */
function bytesUpTo(most: number, cells: readonly Cell[]): number {
  let bytes = 0;
  for (const cell of cells) {
    bytes += bytesOfCell(cell);
    if (bytes > most) break;
  }
  return bytes;
}
