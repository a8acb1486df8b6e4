// Most batches are right as COPY wrote them. Here they are looked through once, byte by byte and field by field without a
// string or an object: half of what reading them as values takes. Where it is not sure, it stops, and the record is read field by field.

import type { Column, ColumnType } from '../columns.ts';
import { COMMA, LF, type Records } from './records.ts';
import { readMoment } from './scan.ts';

const QUOTE = 0x22;
const CR = 0x0d;
const SEMICOLON = 0x3b;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
/** The digits of a number that is a finite double for sure. */
const FINITE_LENGTH = 300;

/** Bytes that end a field, or need quotes. */
const SPECIAL = flags([QUOTE, CR, SEMICOLON, COMMA, LF]);
/**
 * A text that begins with one of them may be a formula: blanks, controls, the signs of formulas, and bytes that begin a character which is
 * a blank, such a sign in full width, or has no width (a test goes through all characters).
 */
const SUSPICIOUS = flags([
  ...Array.from({ length: 0x21 }, (_, byte) => byte),
  0x7f, 0x3d, 0x2b, 0x2d, 0x40,
  0xc2, 0xcd, 0xd8, 0xdb, 0xdc, 0xe0, 0xe1, 0xe2, 0xe3, 0xef, 0xf0, 0xf3,
]); // prettier-ignore

function flags(bytes: readonly number[]): Uint8Array {
  const set = new Uint8Array(256);
  for (const byte of bytes) set[byte] = 1;
  return set;
}

/** Returns where the field ends, or -1 where it has to be read with care. */
type FieldSkim = (bytes: Buffer, start: number) => number;

export interface SkimOptions {
  readonly columns: readonly Pick<Column, 'type' | 'isGuarded'>[];
  readonly isGuarded: boolean;
}

export interface Skim {
  /** Moves `records` on over whole records that need no change, `most` of them; to the beginning of one that may, otherwise. */
  records(records: Records, most: number): void;
  /** Whether the field of `column` that begins here is right up to there. */
  stays(column: number, bytes: Buffer, start: number, end: number): boolean;
}

export function createSkim({ columns, isGuarded }: SkimOptions): Skim {
  const fields = columns.map((column) =>
    skimOf(column.type, isGuarded && column.isGuarded !== false),
  );
  const last = fields.length - 1;
  function skimRecords(records: Records, most: number): void {
    const { bytes } = records;
    let at = records.at;
    for (let rows = 0; rows < most && at < bytes.length; rows++) {
      for (let i = 0; i <= last; i++) {
        const first = bytes[at];
        // A null stays.
        const end = first === COMMA || first === LF ? at : (fields[i]?.(bytes, at) ?? -1);
        if (end === -1 || bytes[end] !== (i === last ? LF : COMMA)) return;
        at = end + 1;
      }
      records.at = at;
      records.rows++;
    }
  }
  return {
    records: skimRecords,
    stays: (column, bytes, start, end) => fields[column]?.(bytes, start) === end,
  };
}

function skimOf(type: ColumnType, isGuarded: boolean): FieldSkim {
  switch (type) {
    case 'text':
      return isGuarded ? guardedText : plainText;
    case 'number':
    case 'decimal':
      return plainNumber;
    case 'double':
      return (bytes, start) => {
        const end = plainNumber(bytes, start);
        return end - start > FINITE_LENGTH ? -1 : end;
      };
    case 'boolean':
      return boolean;
    case 'date':
      return createDate();
  }
}

function guardedText(bytes: Buffer, start: number): number {
  const first = bytes[start] ?? 0;
  const isQuoted = first === QUOTE;
  const begins = isQuoted ? (bytes[start + 1] ?? 0) : first;
  if (SUSPICIOUS[begins] === 1) return -1;
  return isQuoted ? quotedText(bytes, start) : unquotedText(bytes, start);
}

function plainText(bytes: Buffer, start: number): number {
  return bytes[start] === QUOTE ? quotedText(bytes, start) : unquotedText(bytes, start);
}

function unquotedText(bytes: Buffer, start: number): number {
  let at = start;
  while (SPECIAL[bytes[at] ?? 0] === 0) at++;
  const end = bytes[at];
  return end === COMMA || end === LF ? at : -1;
}

/** Right unless the quotes are there for nothing. */
function quotedText(bytes: Buffer, start: number): number {
  let isNeeded = bytes[start + 1] === QUOTE;
  for (let at = start + 1; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (SPECIAL[byte] === 0) continue;
    if (byte === QUOTE) {
      if (bytes[at + 1] !== QUOTE) return isNeeded ? at + 1 : -1;
      at++;
    }
    isNeeded = true;
  }
  return -1;
}

/** `-12.50`: JSON's grammar without an exponent, up to whatever comes behind. */
function plainNumber(bytes: Buffer, start: number): number {
  let at = bytes[start] === MINUS ? start + 1 : start;
  const first = bytes[at] ?? 0;
  if (first < ZERO || first > NINE) return -1;
  at++;
  if (first !== ZERO) at = digitsEnd(bytes, at);
  if (bytes[at] !== POINT) return at;
  const end = digitsEnd(bytes, at + 1);
  return end === at + 1 ? -1 : end;
}

function digitsEnd(bytes: Buffer, start: number): number {
  let at = start;
  for (;;) {
    const byte = bytes[at] ?? 0;
    if (byte < ZERO || byte > NINE) return at;
    at++;
  }
}

const TRUE = Buffer.from('true').readUInt32BE();
const FALS = Buffer.from('fals').readUInt32BE();
const LETTER_E = 0x65;

function boolean(bytes: Buffer, start: number): number {
  if (start + 5 > bytes.length) return -1;
  const four =
    ((bytes[start] ?? 0) << 24) |
    ((bytes[start + 1] ?? 0) << 16) |
    ((bytes[start + 2] ?? 0) << 8) |
    (bytes[start + 3] ?? 0);
  if (four === TRUE) return start + 4;
  return four === FALS && bytes[start + 4] === LETTER_E ? start + 5 : -1;
}

/** A value that is not quickly seen to be a date is read as one. */
function createDate(): FieldSkim {
  const moment = { ms: 0, isDay: false };
  return (bytes, start) => {
    const end = plainMoment(bytes, start);
    if (end !== -1) return end;
    const until = fieldEnd(bytes, start);
    return readMoment(bytes, start, until, moment) ? until : -1;
  };
}

function fieldEnd(bytes: Buffer, start: number): number {
  for (let at = start; ; at++) {
    const byte = bytes[at] ?? LF;
    if (byte === COMMA || byte === LF) return at;
  }
}

const COLON = 0x3a;
const BLANK = 0x20;
const PLUS = 0x2b;

/** `2026-01-28`, `2026-01-28 06:00:00.123456+00`: a day that every month has. -1: perhaps another date, perhaps none. */
function plainMoment(bytes: Buffer, start: number): number {
  const day = start + 10;
  if (
    !(digits(bytes, start) <= 99 && digits(bytes, start + 2) <= 99) ||
    bytes[start + 4] !== MINUS ||
    bytes[start + 7] !== MINUS ||
    !isWithin(digits(bytes, start + 5), 1, 12) ||
    !isWithin(digits(bytes, start + 8), 1, 28)
  )
    return -1;
  if (bytes[day] !== BLANK) return isEnd(bytes[day]) ? day : -1;
  if (
    bytes[day + 3] !== COLON ||
    bytes[day + 6] !== COLON ||
    digits(bytes, day + 1) > 23 ||
    digits(bytes, day + 4) > 59 ||
    digits(bytes, day + 7) > 59
  )
    return -1;
  let at = day + 9;
  if (bytes[at] === POINT) {
    const fraction = at + 1;
    at = digitsEnd(bytes, fraction);
    if (at === fraction || at > fraction + 6) return -1;
  }
  if (bytes[at] === PLUS && bytes[at + 1] === ZERO && bytes[at + 2] === ZERO) at += 3;
  return isEnd(bytes[at]) ? at : -1;
}

function isEnd(byte: number | undefined): boolean {
  return byte === COMMA || byte === LF;
}

function isWithin(value: number, least: number, most: number): boolean {
  return value >= least && value <= most;
}

/** Two of them; 100 where one is none. */
function digits(bytes: Buffer, at: number): number {
  const tens = (bytes[at] ?? 0) - ZERO;
  const ones = (bytes[at + 1] ?? 0) - ZERO;
  return tens < 0 || tens > 9 || ones < 0 || ones > 9 ? 100 : tens * 10 + ones;
}
