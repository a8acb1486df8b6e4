/** The rows of a batch, one by one. A row that cannot be read is a row with an error: it never ends the batch. */
export type Row = { readonly line: number } & (
  | { readonly data: Readonly<Record<string, unknown>> }
  /** `cells` as they came, to be given back for correction, and in `placed` whom the row is about, as far as one sees. */
  | {
      readonly error: string;
      readonly cells?: readonly Cell[];
      readonly placed?: Readonly<Record<string, unknown>>;
    }
) & {
    /** The line of the batch that this row corrects, where the file says so. */
    readonly corrects?: number;
  };

/** What a cell of a spreadsheet holds. A CSV has text only, and the two truths as spreadsheets write them. */
export type Cell = string | number | boolean;

/** A line of a spreadsheet before anybody has looked at its header. */
export interface TableLine {
  readonly line: number;
  readonly cells: readonly Cell[];
  readonly error?: string;
  /** Rows between the one before and this one in which nothing stands. */
  readonly blankAbove?: number;
}

/**
 * What an upload may take. Every format is read row by row.
 *
 * - `rowBytes`: one row, in whichever format: a line of JSON Lines, an element of a JSON array, the cells of a CSV or XLSX.
 * - `tableBytes`: all rows of an XLSX together. Many of its cells may name one text, so that 11 kB can be 6 GB of rows.
 * - `headerBytes`: the first row of a table. Its names stand in answers and messages.
 * - `namedBytes`: the names of the columns times the rows. Each row is stored with them, and a name may be as long as the header.
 * - `columns`: as many as a sheet of a spreadsheet program has.
 * - `cells`: rows times columns, or times the levels of their names. A row has a field for each column, also where the file has no
 *   cell for it.
 */
export const ROW_LIMITS = {
  rowBytes: 10_000_000,
  headerBytes: 1_000_000,
  namedBytes: 500_000_000,
  tableBytes: 200_000_000,
  columns: 16_384,
  cells: 20_000_000,
};

export const ROW_TOO_LONG = `The row has more than ${ROW_LIMITS.rowBytes / 1_000_000} MB.`;

/** The bytes of a cell in a CSV in UTF-8, without quotes, and the delimiter after it. */
export function bytesOfCell(cell: Cell): number {
  return (typeof cell === 'string' ? Buffer.byteLength(cell) : String(cell).length) + 1;
}

export function bytesOfCells(cells: readonly Cell[]): number {
  return cells.reduce<number>((sum, cell) => sum + bytesOfCell(cell), 0);
}
