import { recordEnd } from '@millrace/tables';

const COMMA = 0x2c;

export interface KeptRows {
  readonly bytes: Buffer;
  readonly rows: number;
  /** Rows that changed after the report began. */
  readonly leftOut: number;
}

/**
 * The records whose first field, the mark, is empty. They are left out here and not by the SQL, so that they are counted: in the snapshot
 * that they are missing from, and once. A count by a statement of its own would be about another snapshot, and would count rows that
 * are in the file and changed after they were read.
 */
export function withoutMarked(bytes: Buffer, rows: number): KeptRows {
  const kept: Buffer[] = [];
  let leftOut = 0;
  let from = 0;
  for (let at = 0; at < bytes.length;) {
    const end = recordEnd(bytes, at);
    if (bytes[at] !== COMMA) {
      leftOut += 1;
      if (at > from) kept.push(bytes.subarray(from, at));
      from = end;
    }
    at = end;
  }
  if (leftOut === 0) return { bytes, rows, leftOut };
  kept.push(bytes.subarray(from));
  return { bytes: Buffer.concat(kept), rows: rows - leftOut, leftOut };
}
