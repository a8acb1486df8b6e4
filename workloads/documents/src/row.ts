/** The rows of a batch, one by one. A row that cannot be read is a row with an error: it never ends the batch. */
export type Row =
  | { readonly line: number; readonly data: Readonly<Record<string, unknown>> }
  | { readonly line: number; readonly error: string };

/** A JSON array is parsed as a whole; the other formats are read row by row. */
export const ROW_LIMITS = { rowBytes: 1_000_000, jsonBytes: 100_000_000 };
