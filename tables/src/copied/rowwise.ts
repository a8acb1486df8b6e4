import { put, type Output } from './output.ts';
import { hasMore, readField, type Records } from './records.ts';

/** Writes the values of one column. */
export interface FieldWriter {
  /** Empty text is a value; elsewhere it is missing. */
  readonly isText: boolean;
  value(bytes: Buffer, start: number, end: number): void;
  missing(): void;
}

export interface RowWriter {
  readonly open: Uint8Array;
  readonly close: Uint8Array;
  /** Leading fields of each record that are read and not written. */
  readonly hidden: number;
  readonly fields: readonly FieldWriter[];
}

/** Rows from where `records` stand, until `out` has `bytes` or `rows` were written. Returns how many were. */
export function putRows(
  records: Records,
  { open, close, hidden, fields }: RowWriter,
  out: Output,
  until: { readonly bytes: number; readonly rows: number },
): number {
  let rows = 0;
  while (rows < until.rows && out.length < until.bytes && hasMore(records)) {
    put(out, open);
    for (let i = 0; i < hidden; i++) readField(records, i);
    for (let i = 0; i < fields.length; i++) {
      readField(records, hidden + i);
      const field = fields[i];
      if (field === undefined) continue;
      if (records.isNull || (records.start === records.end && !field.isText)) field.missing();
      else field.value(records.value, records.start, records.end);
    }
    put(out, close);
    rows++;
  }
  return rows;
}
