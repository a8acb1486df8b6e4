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
  /** Rows of a sheet between the one before and this one in which nothing stands. */
  readonly blankAbove?: number;
}

/** A JSON array is parsed as a whole; the other formats are read row by row. */
export const ROW_LIMITS = { rowBytes: 1_000_000, jsonBytes: 100_000_000 };
