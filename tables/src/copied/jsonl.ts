import { jsonOf, memberKey } from '../jsonl.ts';
import { PIECE } from '../text.ts';
import type { Column, Notes, Writer } from '../columns.ts';
import { createOutput, put, putText, reserve, takenFrom, type Output } from './output.ts';
import { hasMore, type Records } from './records.ts';
import { putRows, type FieldWriter } from './rowwise.ts';
import { isPlainNumber, readMoment } from './scan.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_PRINTED = 0x20;
const NULL = Buffer.from('null');
const TRUE = Buffer.from('true');
const FALSE = Buffer.from('false');
/** The digits of a number that is exact in a double with any sign and point. */
const EXACT_LENGTH = 15;

interface CopiedJsonLinesParams {
  readonly columns: readonly Column[];
  readonly hidden: number;
  readonly notes: Notes;
}

export function createCopiedJsonLines(params: CopiedJsonLinesParams): Writer<null, Records> {
  const { columns, hidden, notes } = params;
  const out = createOutput(PIECE + PIECE / 4);
  const row = {
    open: new Uint8Array(),
    close: Buffer.from('}\n'),
    hidden,
    fields: columns.map((column, i) => memberWriter(column, i, out, notes)),
  };

  return {
    begin: () => [],
    *write(records) {
      while (hasMore(records)) {
        out.length = 0;
        putRows(records, row, out, { bytes: PIECE, rows: Infinity });
        yield takenFrom(out);
      }
    },
    end: () => [],
    state: () => null,
  };
}

type Put = (bytes: Buffer, start: number, end: number) => boolean;

function memberWriter(column: Column, i: number, out: Output, notes: Notes): FieldWriter {
  const key = Buffer.from(memberKey(column.name, i));
  const json = jsonOf(column, notes);
  const fast = column.isJson === true ? putJson(out) : fastOf(column.type, out);
  return {
    isText: column.type === 'text',
    value(bytes, start, end) {
      put(out, key);
      if (!fast(bytes, start, end)) putText(out, json(bytes.toString('utf8', start, end)));
    },
    missing() {
      put(out, key);
      put(out, NULL);
    },
  };
}

/** Writes what needs no string; false, and nothing is written. */
function fastOf(type: Column['type'], out: Output): Put {
  const moment = { ms: 0, isDay: false };
  switch (type) {
    case 'text':
      return (bytes, start, end) => putString(out, bytes, start, end);
    case 'number':
    case 'double':
      return (bytes, start, end) => {
        if (end - start > EXACT_LENGTH || !isPlainNumber(bytes, start, end)) return false;
        put(out, bytes, start, end);
        return true;
      };
    case 'decimal':
      return (bytes, start, end) =>
        isPlainNumber(bytes, start, end) && putQuoted(out, bytes, start, end);
    case 'boolean':
      return (bytes, start, end) => {
        if (end - start !== 1) return false;
        const letter = bytes[start];
        if (letter !== 0x74 && letter !== 0x66) return false;
        put(out, letter === 0x74 ? TRUE : FALSE);
        return true;
      };
    case 'date':
      return (bytes, start, end) =>
        readMoment(bytes, start, end, moment) && putQuoted(out, bytes, start, end);
  }
}

/** As it is, unless it has line ends. */
function putJson(out: Output): Put {
  return (bytes, start, end) => {
    for (let at = start; at < end; at++) if ((bytes[at] ?? 0) < FIRST_PRINTED) return false;
    put(out, bytes, start, end);
    return true;
  };
}

function putQuoted(out: Output, bytes: Buffer, start: number, end: number): boolean {
  reserve(out, end - start + 2);
  out.bytes[out.length++] = QUOTE;
  put(out, bytes, start, end);
  out.bytes[out.length++] = QUOTE;
  return true;
}

/** Control characters are left to JSON.stringify. */
function putString(out: Output, from: Buffer, start: number, end: number): boolean {
  reserve(out, (end - start) * 2 + 2);
  const to = out.bytes;
  let at = out.length;
  to[at++] = QUOTE;
  for (let i = start; i < end; i++) {
    const byte = from[i] ?? 0;
    if (byte < FIRST_PRINTED) return false;
    if (byte === QUOTE || byte === BACKSLASH) to[at++] = BACKSLASH;
    to[at++] = byte;
  }
  to[at++] = QUOTE;
  out.length = at;
  return true;
}
