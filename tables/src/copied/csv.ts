// What COPY wrote is what the file gets, but for the fields that have to be otherwise: formulas, `t` for true, what is
// hidden. A batch without any goes through untouched; its bytes are looked at once and not copied.

import { csvParts, type CsvOptions } from '../csv.ts';
import { PIECE } from '../text.ts';
import type { Column, ColumnType, Notes, Writer } from '../types.ts';
import { createOutput, put, putText, reserve } from './output.ts';
import { hasMore, readField, type Records } from './records.ts';
import { isPlainNumber, readMoment } from './scan.ts';

/** What a batch is expected to be longer for the fields that changed. */
const GROWTH = 1.125;

interface CopiedCsvParams {
  readonly columns: readonly Column[];
  readonly hidden: number;
  readonly options: CsvOptions;
  readonly notes: Notes;
}

export function createCopiedCsv(params: CopiedCsvParams): Writer<null, Records> {
  const { columns, hidden, options, notes } = params;
  const { header, fields, missing, lineEnd } = csvParts(columns, options, notes);
  const isCrlf = lineEnd !== '\n';
  const stays = columns.map(({ type }) => staysOf(type, options.formulaGuard !== false));

  function fieldChanged(records: Records, i: number): string | null {
    const { bytes, value, start, end, place, at, isNull } = records;
    if (isNull) return missing === '' ? null : missing;
    if (stays[i]?.(value, start, end) === true) return null;
    const text = fields[i]?.(value.toString('utf8', start, end), missing) ?? '';
    return text === bytes.toString('utf8', place, at - 1) ? null : text;
  }

  /** The bytes of all rows; those of the batch where nothing changes. */
  function changed(records: Records): Uint8Array {
    const { bytes } = records;
    const out = createOutput(0);
    /** From here on, the batch is not in `out` yet. */
    let kept = 0;
    const leaveOut = (from: number, to: number, instead: string) => {
      if (out.length === 0) reserve(out, Math.ceil(bytes.length * GROWTH));
      put(out, bytes, kept, from);
      if (instead !== '') putText(out, instead);
      kept = to;
    };
    while (hasMore(records)) {
      const rowStart = records.at;
      for (let i = 0; i < hidden; i++) readField(records, i);
      if (hidden > 0) leaveOut(rowStart, records.at, '');
      for (let i = 0; i < columns.length; i++) {
        readField(records, hidden + i);
        const instead = fieldChanged(records, i);
        if (instead !== null) leaveOut(records.place, records.at - 1, instead);
      }
      if (isCrlf) leaveOut(records.at - 1, records.at, lineEnd);
    }
    if (kept === 0 && out.length === 0) return bytes;
    put(out, bytes, kept);
    return out.bytes.subarray(0, out.length);
  }

  return {
    begin: () => [header()],
    *write(records) {
      const bytes = changed(records);
      for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
    },
    end: () => [],
    state: () => null,
  };
}

/** Is the field right as COPY wrote it? Where it is not sure, false. */
function staysOf(
  type: ColumnType,
  isGuarded: boolean,
): (bytes: Buffer, start: number, end: number) => boolean {
  const moment = { ms: 0, isDay: false };
  switch (type) {
    case 'text':
      return (bytes, start, end) =>
        !(isGuarded && mayBeFormula(bytes[start])) && !hasSemicolon(bytes, start, end);
    case 'number':
    case 'decimal':
      return isPlainNumber;
    case 'double':
      return (bytes, start, end) =>
        end - start <= FINITE_LENGTH && isPlainNumber(bytes, start, end);
    case 'boolean':
      return (bytes, start, end) =>
        isWord(TRUE, bytes, start, end) || isWord(FALSE, bytes, start, end);
    case 'date':
      return (bytes, start, end) => readMoment(bytes, start, end, moment);
  }
}

/** So many digits are a finite double. */
const FINITE_LENGTH = 300;
const TRUE = Buffer.from('true');
const FALSE = Buffer.from('false');

function isWord(word: Uint8Array, bytes: Buffer, start: number, end: number): boolean {
  if (end - start !== word.length) return false;
  for (let i = 0; i < word.length; i++) if (bytes[start + i] !== word[i]) return false;
  return true;
}

/**
 * Not by letters and digits, nor by what begins with a byte of which Unicode has no blank, no sign of a formula in full
 * width and nothing without a width (a test goes through all characters).
 */
function mayBeFormula(first = 0x41): boolean {
  if (first < 0x80) return !((first >= 0x41 && first < 0x7f) || (first >= 0x30 && first <= 0x39));
  return SUSPICIOUS.has(first);
}

const SUSPICIOUS: ReadonlySet<number> = new Set([
  0xc2, 0xcd, 0xd8, 0xdb, 0xdc, 0xe0, 0xe1, 0xe2, 0xe3, 0xef, 0xf0, 0xf3,
]);

const SEMICOLON = 0x3b;

function hasSemicolon(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at] === SEMICOLON) return true;
  return false;
}
