import type { ResultPage } from '@millrace/queries/contract';
import type { Paint } from '../../render/colour.ts';
import { type Column, layOut } from '../../render/table.ts';

type Row = ResultPage['rows'][number];
type ResultColumn = ResultPage['columns'][number];

const NUMBERS: readonly ResultColumn['type'][] = ['number', 'decimal'];

export interface RowTable {
  readonly lines: readonly string[];
  /** Columns that the terminal has no room for. */
  readonly leftOut: number;
}

/** The rows as a table of this width. A number is never cut: half of one is another number. */
export function rowTable(
  columns: readonly ResultColumn[],
  rows: readonly Row[],
  width: number,
  paint: Paint,
): RowTable {
  const { header, line, leftOut } = layOut(columns.map(columnOf), rows, width, paint);
  return { lines: [header(), ...rows.map(line)], leftOut };
}

function columnOf({ name, type }: ResultColumn, index: number): Column<Row> {
  const isNumber = NUMBERS.includes(type);
  return {
    header: name,
    ...(isNumber ? { align: 'right' } : { shrinkTo: 8 }),
    // The first column says which row it is.
    ...(index > 0 && { leaveOut: index }),
    cell: (row) => String(row[name] ?? 'NULL'),
    style: (row) => (row[name] == null ? 'dim' : null),
  };
}
