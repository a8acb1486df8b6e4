// Rows of a sheet without the places of their cells (`r="B2"`), which the standard lets one leave out: half the bytes,
// and less than half the time. Power BI and Dynamics write such files, and Excel opens them (docs/decisions/0020). What
// is null is `<c/>`, so that the cells behind it stay in their columns.

import type { Column, Notes, Writer } from '../columns.ts';
import { CELL_CHARACTERS, cellOf, dateCell, headerCells } from '../xlsx/cells.ts';
import { openWorkbook, PIECE, type XlsxOptions, type XlsxState } from '../xlsx/workbook.ts';
import { createOutput, put, putText, reserve, type Output } from './output.ts';
import { hasMore, type Records } from './records.ts';
import { putRows, type FieldWriter } from './rowwise.ts';
import { isPlainNumber, readMoment } from './scan.ts';

/** Up to here, a number without an exponent has no digit too many for Excel. */
const EXACT_LENGTH = 15;
const ROW = Buffer.from('<row>');
const ROW_END = Buffer.from('</row>');
const EMPTY = Buffer.from('<c/>');
const NUMBER = Buffer.from('<c><v>');
const VALUE_END = Buffer.from('</v></c>');
const TEXT = Buffer.from('<c t="inlineStr"><is><t>');
const TEXT_END = Buffer.from('</t></is></c>');
const TRUE = Buffer.from('<c t="b"><v>1</v></c>');
const FALSE = Buffer.from('<c t="b"><v>0</v></c>');

interface CopiedXlsxParams {
  readonly columns: readonly Column[];
  readonly hidden: number;
  readonly options: XlsxOptions;
  readonly notes: Notes;
  readonly from: XlsxState | null;
}

export function createCopiedXlsx(params: CopiedXlsxParams): Writer<XlsxState, Records> {
  const { columns, hidden, options, notes, from } = params;
  const header = () => `<row>${headerCells(columns, notes).join('')}</row>`;
  const book = openWorkbook({ columns, header, options, from });
  const out = createOutput(PIECE + PIECE / 4);
  const fields = columns.map(({ type }) => cellWriter(type, out, notes));
  const row = { open: ROW, close: ROW_END, hidden, fields };

  return {
    begin: book.begin,
    *write(records) {
      while (hasMore(records)) {
        if (book.room() === 0) yield* book.nextSheet();
        out.length = 0;
        const rows = putRows(records, row, out, { bytes: PIECE, rows: book.room() });
        yield* book.segment(out.bytes.subarray(0, out.length), rows);
      }
    },
    end: book.end,
    state: book.state,
  };
}

type Put = (bytes: Buffer, start: number, end: number) => boolean;

function cellWriter(type: Column['type'], out: Output, notes: Notes): FieldWriter {
  const rest = cellOf(type, notes);
  const fast = fastOf(type, out);
  return {
    isText: type === 'text',
    value(bytes, start, end) {
      if (fast(bytes, start, end)) return;
      putCell(out, rest(bytes.toString('utf8', start, end)));
    },
    missing: () => put(out, EMPTY),
  };
}

/** `rest` begins with the quote behind a place. */
function putCell(out: Output, rest: string): void {
  putText(out, `<c${rest.slice(1)}`);
}

/** Writes what needs no string; false, and nothing is written. */
function fastOf(type: Column['type'], out: Output): Put {
  switch (type) {
    case 'text':
      return (bytes, start, end) => putString(out, bytes, start, end);
    case 'number':
    case 'decimal':
    case 'double':
      return (bytes, start, end) => {
        if (end - start > EXACT_LENGTH || !isPlainNumber(bytes, start, end)) return false;
        put(out, NUMBER);
        put(out, bytes, start, end);
        put(out, VALUE_END);
        return true;
      };
    case 'boolean':
      return (bytes, start, end) => {
        if (end - start !== 1) return false;
        const letter = bytes[start];
        if (letter !== 0x74 && letter !== 0x66) return false;
        put(out, letter === 0x74 ? TRUE : FALSE);
        return true;
      };
    case 'date':
      return dateWriter(out);
  }
}

function dateWriter(out: Output): Put {
  const moment = { ms: 0, isDay: false };
  return (bytes, start, end) => {
    if (!readMoment(bytes, start, end, moment)) return false;
    const rest = dateCell(moment);
    if (rest === null) return false;
    putCell(out, rest);
    return true;
  };
}

const AMPERSAND = 0x26;
const LESS = 0x3c;
const GREATER = 0x3e;
const UNDERSCORE = 0x5f;
const LETTER_X = 0x78;
const ENTITIES: Readonly<Record<number, Uint8Array>> = {
  [AMPERSAND]: Buffer.from('&amp;'),
  [LESS]: Buffer.from('&lt;'),
  [GREATER]: Buffer.from('&gt;'),
};
const LONGEST_ENTITY = 5;

/** Everything that `textCell` looks at twice is left to it: see `needsCare`. */
function putString(out: Output, from: Buffer, start: number, end: number): boolean {
  if (end - start > CELL_CHARACTERS || isOuterBlank(from, start, end)) return false;
  const before = out.length;
  reserve(out, (end - start) * LONGEST_ENTITY + TEXT.length + TEXT_END.length);
  put(out, TEXT);
  const to = out.bytes;
  let at = out.length;
  for (let i = start; i < end; i++) {
    const byte = from[i] ?? 0;
    if (byte === AMPERSAND || byte === LESS || byte === GREATER) {
      out.length = at;
      put(out, ENTITIES[byte] ?? EMPTY);
      at = out.length;
    } else if (needsCare(from, i, byte)) {
      out.length = before;
      return false;
    } else {
      to[at++] = byte;
    }
  }
  out.length = at;
  put(out, TEXT_END);
  return true;
}

/** Control characters, what may seem to be the escape of one, U+FFFE and U+FFFF (EF BF BE, EF BF BF). */
function needsCare(from: Buffer, i: number, byte: number): boolean {
  if (byte < 0x20) return byte !== 0x09 && byte !== 0x0a;
  if (byte === UNDERSCORE) return from[i + 1] === LETTER_X;
  return byte === 0xef && from[i + 1] === 0xbf && (from[i + 2] ?? 0) >= 0xbe;
}

/** May the first or the last character be a blank? Beside ASCII these are U+00A0, U+1680, U+2000 to 205F, U+3000, U+FEFF. */
function isOuterBlank(from: Buffer, start: number, end: number): boolean {
  if (start === end) return false;
  if ((from[start] ?? 0) <= 0x20 || (from[end - 1] ?? 0) <= 0x20) return true;
  if (mayBeBlank(from[start], from[start + 1])) return true;
  return mayBeBlank(from[end - 3], from[end - 2]) || mayBeBlank(from[end - 2], from[end - 1]);
}

function mayBeBlank(first = 0, second = 0): boolean {
  switch (first) {
    case 0xc2:
      return second === 0xa0;
    case 0xe1:
      return second === 0x9a;
    case 0xe2:
    case 0xe3:
      return second === 0x80 || second === 0x81;
    case 0xef:
      return second === 0xbb;
    default:
      return false;
  }
}
