import { momentOf, type Moment } from '../dates.ts';
import type { Column, ColumnType, Notes, Row, Value } from '../columns.ts';
import { booleanOf, doubleText, isExactInExcel, isMissing, numberText, textOf } from '../values.ts';
import { STYLES } from './files.ts';

/** Excel's limit for a cell. A longer one and Excel calls the file damaged. */
export const CELL_CHARACTERS = 32_767;
export const CUT_MARK = '… [cut]';

/**
 * The characters that XML does not take: `&<>`, most control characters, halves of surrogate pairs, U+FFFE and U+FFFF. All but the first
 * three are written as `_xHHHH_`, and so is an underscore that such a thing seems to begin with.
 */
const SPECIAL = /[&<>\p{Cc}\p{Cs}\uFFFE\uFFFF]|_(?=x[\dA-Fa-f]{4}_)/gu;
const IS_SPECIAL = new RegExp(SPECIAL.source, 'u');
const OUTER_BLANK = /^\s|\s$/;
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

const DAY_MS = 86_400_000;
/** Excel counts from here, but for the 60 days before March 1900, when it has a 29 February that never was. */
const DAY_ZERO = Date.UTC(1899, 11, 30);
const FIRST_SERIAL = 61;
const LAST_SERIAL = 2_958_466; // the day after 31 December 9999

/** A row of a sheet as XML; `number` counts from 1. Cells without a value are left out. */
export function rowWriter(
  columns: readonly Column[],
  notes: Notes,
): (row: Row, number: number) => string {
  const cells = columns.map(({ type }, i) => ({
    start: `<c r="${columnLetters(i)}`,
    isText: type === 'text',
    rest: cellOf(type, notes),
  }));
  return (row, number) => {
    let xml = `<row r="${number}">`;
    for (let i = 0; i < cells.length; i++) {
      const cell = cells[i];
      const value = row[i];
      if (cell === undefined || isMissing(value, cell.isText)) continue;
      xml += cell.start + number + cell.rest(value);
    }
    return `${xml}</row>`;
  };
}

export function headerRow(columns: readonly Column[], notes: Notes): string {
  const cells = columns.map(
    ({ name }, i) => `<c r="${columnLetters(i)}1" s="${STYLES.header}${textCell(name, notes)}`,
  );
  return `<row r="1">${cells.join('')}</row>`;
}

/** Without their places. */
export function headerCells(columns: readonly Column[], notes: Notes): string[] {
  return columns.map(({ name }) => `<c s="${STYLES.header}${textCell(name, notes)}`);
}

/** A, B, … Z, AA, … */
export function columnLetters(index: number): string {
  const last = String.fromCharCode(65 + (index % 26));
  return index < 26 ? last : columnLetters(Math.floor(index / 26) - 1) + last;
}

type Given = Exclude<Value, null | undefined>;

/** The text after the place of a cell: `"><v>12</v></c>`. */
export function cellOf(type: ColumnType, notes: Notes): (value: Given) => string {
  const read = CELLS[type];
  return (value) => {
    const rest = read(value);
    if (rest !== null) return rest;
    if (type !== 'text') notes.asText++;
    return textCell(textOf(value), notes);
  };
}

/** The text after the cell's place; null where the cell has to be text. */
const CELLS: Record<ColumnType, (value: Given) => string | null> = {
  text: () => null,
  number: numberCell,
  decimal: numberCell,
  double: (value) => {
    const text = doubleText(value);
    return text === null ? null : `"><v>${text}</v></c>`;
  },
  boolean: (value) => {
    const boolean = booleanOf(value);
    return boolean === null ? null : `" t="b"><v>${boolean ? 1 : 0}</v></c>`;
  },
  date: (value) => {
    const moment = momentOf(value);
    return moment === null ? null : dateCell(moment);
  },
};

function numberCell(value: Given): string | null {
  const text = numberText(value);
  if (text === null) return null;
  // A double with a fraction is exact in a double, and nobody reads its seventeenth digit as part of a key.
  const isDouble = typeof value === 'number' && !Number.isInteger(value);
  return isDouble || isExactInExcel(text) ? `"><v>${text}</v></c>` : null;
}

export function dateCell({ ms, isDay }: Pick<Moment, 'ms' | 'isDay'>): string | null {
  const serial = (ms - DAY_ZERO) / DAY_MS;
  if (serial < FIRST_SERIAL || serial >= LAST_SERIAL) return null;
  const style = isDay ? STYLES.day : ms % 1000 === 0 ? STYLES.second : STYLES.millisecond;
  return `" s="${style}"><v>${serial}</v></c>`;
}

function textCell(text: string, notes: Notes): string {
  const kept = text.length > CELL_CHARACTERS ? cut(text, notes) : text;
  const space = OUTER_BLANK.test(kept) ? ' xml:space="preserve"' : '';
  return `" t="inlineStr"><is><t${space}>${escaped(kept)}</t></is></c>`;
}

function cut(text: string, notes: Notes): string {
  notes.cut++;
  const kept = text.slice(0, CELL_CHARACTERS - CUT_MARK.length);
  // Not through the middle of a surrogate pair.
  const last = kept.charCodeAt(kept.length - 1);
  return (last >= 0xd800 && last < 0xdc00 ? kept.slice(0, -1) : kept) + CUT_MARK;
}

export function escaped(text: string): string {
  return IS_SPECIAL.test(text) ? text.replace(SPECIAL, escape) : text;
}

function escape(character: string): string {
  const entity = ENTITIES[character];
  if (entity !== undefined) return entity;
  const code = character.charCodeAt(0);
  if (character === '\t' || character === '\n' || (code >= 0x7f && code <= 0x9f)) return character;
  return `_x${code.toString(16).toUpperCase().padStart(4, '0')}_`;
}
