import { gathered, openPieces, shapeOf, type Table, type TableState } from '../table.ts';
import type { CopiedRows } from '../types.ts';
import { openCopiedWriter, type CopiedTableOptions } from './writers.ts';

/**
 * A table whose rows come from Postgres as bytes, `COPY (SELECT …) TO STDOUT (FORMAT csv)`. Values, notes and states are those
 * of `createTable`, of whose bytes only XLSX's differ; no value is made into a string that does not have to be.
 */
export function createCopiedTable(
  options: CopiedTableOptions,
  from?: TableState,
): Table<CopiedRows> {
  const pieces = openPieces(
    {
      shape: shapeOf(options, ['copied', options.hidden ?? 0]),
      open: (notes, format) => openCopiedWriter(options, notes, format),
      count: ({ rows }: CopiedRows) => rows,
    },
    from,
  );
  return gathered(pieces);
}
