import { type Moment, parseMoment, toNumber } from '../helpers/format.ts';
import { isFigure, readMoment, readNumber } from '../helpers/read-text.ts';
import { textOf } from './scope.ts';
import { type Found, type Reading, unread } from './unread.ts';

/**
 * Comparisons in rows of a spreadsheet, where numbers and dates may be text. What the template itself names says what is
 * compared: dates beside "2026-12-31", numbers beside 1000, words beside "Anna". A cell that cannot be read as that is
 * an error: compared as text, 01.01.27 would be earlier than the end of 2026, and 1.000 € less than 900.
 */
export interface Operand extends Found {
  /** Written in the template, not in the data. */
  readonly isLiteral: boolean;
}

export type Sheet = Reading & { readonly dataLocale: string };

export function orderInSheet(left: Operand, right: Operand, on: Sheet): number {
  const both = [left, right] as const;
  const telling = tellingOf(both);
  if (telling.some((one) => isDate(one, on))) {
    const [a, b] = both.map((one) => must('date', one, dateIn(one, on), on));
    return a && b ? orderOfDates(a, b) : NaN;
  }
  const numeric = both.some(({ value }) => typeof value === 'number');
  if (numeric || telling.some((one) => numberIn(one, on) !== undefined)) {
    const [a = NaN, b = NaN] = both.map((one) => must('number', one, numberIn(one, on), on));
    return a - b;
  }
  const figure = telling.find(({ value }) => isFigure(textOf(value)));
  if (figure) throw unread('number', figure, on);
  const [s, t] = [textOf(left.value), textOf(right.value)];
  return s < t ? -1 : s > t ? 1 : 0;
}

/**
 * Two texts are equal as they stand, 01067 is not 1067. Beside a date or a number, a word such as "open" is another, and
 * what looks like a date or a number without being one is an error.
 */
export function equalInSheet(left: Operand, right: Operand, on: Sheet): boolean {
  const both = [left, right] as const;
  const [a, b] = [left.value, right.value];
  if (typeof a === 'string' && (a === b || a.trim() === '')) return a === textOf(b);
  if (typeof b === 'string' && b.trim() === '') return false;
  if (tellingOf(both).some((one) => isDate(one, on))) {
    const [x, y] = both.map((one) => {
      const date = dateIn(one, on);
      return /\p{Nd}/u.test(textOf(one.value)) ? must('date', one, date, on) : date;
    });
    return x !== undefined && y !== undefined && orderOfDates(x, y) === 0;
  }
  if (both.some(({ value }) => typeof value === 'number')) {
    const [x, y] = both.map((one) => {
      const number = numberIn(one, on);
      return isFigure(textOf(one.value)) ? must('number', one, number, on) : number;
    });
    return x !== undefined && x === y;
  }
  return textOf(a) === textOf(b);
}

/** Who says what is compared: the template if it names a value, else either cell. */
function tellingOf(both: readonly Operand[]): readonly Operand[] {
  const literals = both.filter(({ isLiteral }) => isLiteral);
  return literals.length > 0 ? literals : both;
}

function must<T>(what: 'number' | 'date', one: Operand, read: T | undefined, on: Sheet): T {
  if (read === undefined) throw unread(what, one, on);
  return read;
}

/** The template may write "1000.00", as its own numbers are; a cell is written as its locale has it. */
function numberIn({ value, isLiteral }: Operand, { dataLocale }: Sheet): number | undefined {
  if (typeof value !== 'string') return toNumber(value);
  return readNumber(value, dataLocale) ?? (isLiteral ? toNumber(value) : undefined);
}

interface SheetDate extends Moment {
  /** As it is written: `2026-11-16`, whatever the zone behind it. */
  readonly day: string;
}

function isDate(one: Operand, on: Sheet): boolean {
  return dateIn(one, on) !== undefined;
}

function dateIn({ value }: Operand, { dataLocale }: Sheet): SheetDate | undefined {
  // A number is no date: 46342 would be a minute of 1970.
  const text = value instanceof Date ? textOf(value) : value;
  if (typeof text !== 'string') return undefined;
  const moment = parseMoment(text) ?? readMoment(text, dataLocale);
  if (moment === undefined) return undefined;
  const day = moment.zoned ? text.trim() : new Date(moment.time).toISOString();
  return { ...moment, day: day.slice(0, 10) };
}

/** A day beside a time of day is compared by the day: any hour of 31 December is within the year. */
function orderOfDates(a: SheetDate, b: SheetDate): number {
  if (!a.dateOnly && !b.dateOnly) return a.time - b.time;
  return a.day < b.day ? -1 : a.day > b.day ? 1 : 0;
}
