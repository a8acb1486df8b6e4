export type TableErrorCode =
  /** The columns do not make a table. */
  | 'bad_columns'
  /** An option has no meaning for the format, or is not offered by this Node. */
  | 'bad_option'
  /** The saved state is of another table. */
  | 'bad_state'
  /** A row has more or fewer values than the table has columns. */
  | 'bad_row'
  /** The format cannot hold the value in a column of this type, not even as text. */
  | 'bad_value'
  /** Written to after its end, or after an error. */
  | 'table_closed';

export class TableError extends Error {
  override readonly name = 'TableError';
  readonly code: TableErrorCode;

  constructor(code: TableErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
