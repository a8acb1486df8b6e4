// The exact inverse of what Postgres writes with COPY … (FORMAT csv): fields between commas, quoted where they hold a
// comma, a quote, CR or LF; a quote inside is doubled; an empty field without quotes is null, with quotes empty text.

import { TableError } from '../errors.ts';
import { reserve, type Output } from './output.ts';

export const COMMA = 0x2c;
export const LF = 0x0a;
const QUOTE = 0x22;

/** A batch that is read field by field: `readField` moves on, and says where the value is. */
export interface Records {
  readonly bytes: Buffer;
  readonly width: number;
  /** Behind the field that was read. */
  at: number;
  /** Records read, the one that is being read not included. */
  rows: number;
  /** Where the field begins in the batch, its quote included. */
  place: number;
  /** The value: in the batch, or in a copy where its quotes are not doubled. */
  value: Buffer;
  start: number;
  end: number;
  isNull: boolean;
  readonly unquoted: Output;
}

export function openRecords(given: Uint8Array, width: number, unquoted: Output): Records {
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.length);
  if (bytes.length > 0 && bytes[bytes.length - 1] !== LF) {
    throw new TableError('bad_row', 'The last record of the batch is not whole: it has no LF.');
  }
  const none = { at: 0, rows: 0, place: 0, value: bytes, start: 0, end: 0, isNull: true };
  return { bytes, width, ...none, unquoted };
}

export function hasMore(records: Records): boolean {
  return records.at < records.bytes.length;
}

/** The next field of a record; `column` counts from 0. */
export function readField(records: Records, column: number): void {
  const { bytes } = records;
  let at = records.at;
  records.place = at;
  if (bytes[at] === QUOTE) {
    at = readQuoted(records);
  } else {
    // Ends at the LF of the batch's end at the latest.
    let byte = bytes[at];
    while (byte !== COMMA && byte !== LF) byte = bytes[++at];
    records.value = bytes;
    records.start = records.place;
    records.end = at;
    records.isNull = at === records.place;
  }
  const isLast = column === records.width - 1;
  if (bytes[at] !== (isLast ? LF : COMMA)) throw otherWidth(records.rows, records.width);
  records.at = at + 1;
  if (isLast) records.rows++;
}

/** Returns where the field ends, its quote included. */
function readQuoted(records: Records): number {
  const { bytes } = records;
  const start = records.at + 1;
  let at = start;
  let doubled = 0;
  for (;;) {
    while (at < bytes.length && bytes[at] !== QUOTE) at++;
    if (at >= bytes.length) throw otherWidth(records.rows, records.width);
    if (bytes[at + 1] !== QUOTE) break;
    doubled++;
    at += 2;
  }
  records.isNull = false;
  records.value = bytes;
  records.start = start;
  records.end = at;
  if (doubled > 0) singleQuotes(records);
  return at + 1;
}

function singleQuotes(records: Records): void {
  const { bytes, start, end, unquoted } = records;
  unquoted.length = 0;
  reserve(unquoted, end - start);
  const to = unquoted.bytes;
  let length = 0;
  for (let at = start; at < end; at++) {
    const byte = bytes[at] ?? 0;
    to[length++] = byte;
    if (byte === QUOTE) at++;
  }
  records.value = to;
  records.start = 0;
  records.end = length;
}

export function otherWidth(before: number, width: number): TableError {
  return new TableError(
    'bad_row',
    `Record ${before + 1} of the batch does not have the ${width} fields that its table has.`,
  );
}

export function otherCount(found: number, rows: number): TableError {
  return new TableError('bad_row', `The batch is said to have ${rows} records and has ${found}.`);
}
