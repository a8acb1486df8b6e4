import { TableError } from '../errors.ts';

const QUOTE = '"';
const QUOTE_CODE = 0x22;
const COMMA_CODE = 0x2c;
const LF_CODE = 0x0a;

/**
 * The rows of `COPY … (FORMAT csv)` as text and null. From a string: its slices cost nothing, where each field that is
 * read from bytes costs a call.
 */
export function rowsOfCopy(bytes: Uint8Array): (string | null)[][] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
  if (text !== '' && !text.endsWith('\n')) throw damaged();
  const rows: (string | null)[][] = [];
  for (let at = 0; at < text.length;) {
    const end = text.indexOf('\n', at);
    const line = text.slice(at, end);
    if (line.includes(QUOTE)) {
      at = readQuoted(text, at, rows);
      continue;
    }
    rows.push(line.split(',').map((field) => (field === '' ? null : field)));
    at = end + 1;
  }
  return rows;
}

/** One record as COPY reads and writes it, with its LF: text in quotes, so that an empty one is not taken for null. */
export function copyRecord(values: readonly (string | null)[]): string {
  const fields = values.map((text) => (text === null ? '' : `"${text.replaceAll(QUOTE, '""')}"`));
  return `${fields.join(',')}\n`;
}

/** Behind the LF that ends the record which begins at `from`. */
export function recordEnd(bytes: Uint8Array, from = 0): number {
  let isQuoted = false;
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE_CODE) isQuoted = !isQuoted;
    else if (byte === LF_CODE && !isQuoted) return at + 1;
  }
  throw damaged();
}

/** One record with quotes in it, which may go on for many lines. Returns where the next begins. */
function readQuoted(text: string, from: number, rows: (string | null)[][]): number {
  const row: (string | null)[] = [];
  for (let at = from; ;) {
    let end: number;
    if (text.charCodeAt(at) === QUOTE_CODE) {
      const close = closingQuote(text, at + 1);
      const field = text.slice(at + 1, close);
      row.push(field.includes(QUOTE) ? field.replaceAll('""', '"') : field);
      end = close + 1;
    } else {
      end = fieldEnd(text, at);
      row.push(end === at ? null : text.slice(at, end));
    }
    at = end + 1;
    const separator = text.charCodeAt(end);
    if (separator === COMMA_CODE) continue;
    if (separator !== LF_CODE) throw damaged();
    rows.push(row);
    return at;
  }
}

function closingQuote(text: string, from: number): number {
  for (let at = from; ;) {
    const quote = text.indexOf(QUOTE, at);
    if (quote === -1) throw damaged();
    if (text.charCodeAt(quote + 1) !== QUOTE_CODE) return quote;
    at = quote + 2;
  }
}

function fieldEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  const comma = text.indexOf(',', from);
  return comma === -1 || end < comma ? end : comma;
}

function damaged(): TableError {
  return new TableError('bad_row', 'The batch is not whole records of COPY … (FORMAT csv).');
}
