import { nearest } from '../contract/nearest.ts';
import { type Day, endOf, isoDay, readDay } from './calendar.ts';
import { compareNumbers, readDecimal, readWhole } from './numbers.ts';
import type { Parameter, ParameterType } from './types.ts';
import {
  DATE_WORDS,
  type DayRange,
  MONTH_WORDS,
  RANGE_WORDS,
  dateByWords,
  monthByWords,
  rangeByWords,
} from './words.ts';

/** A value in its one way to be written, or a sentence about what to write instead. */
export type ReadValue = { readonly value: string } | { readonly wrong: string };

/** Whoever needs more of them gives a report a table to join with. */
const MOST_CHARACTERS = 1_000;

/** One value of a parameter; of a list one of its values. Bounds are looked at too. */
export function readValue(parameter: Parameter, text: string, today: Day): ReadValue {
  const read = readUnbound(parameter, trimmed(parameter, text), today);
  if ('wrong' in read) return read;
  const wrong = outOfBounds(parameter, read.value, today);
  return wrong === null ? read : { wrong };
}

/** A text may begin with a blank on purpose; nothing else does. */
function trimmed({ type }: Parameter, text: string): string {
  return type === 'text' || type === 'choice' ? text : text.trim();
}

export function readUnbound(parameter: Parameter, text: string, today: Day): ReadValue {
  switch (parameter.type) {
    case 'text':
      return readText(text);
    case 'whole number':
      return orElse(readWhole(text), 'Write a whole number, such as 19.');
    case 'decimal':
      return orElse(
        readDecimal(text),
        'Write a number with a point before its fraction, such as 12.5.',
      );
    case 'boolean':
      return orElse(BOOLEANS.get(text.toLowerCase()) ?? null, 'Write true or false.');
    case 'choice':
      return readChoice(parameter, text);
    case 'date':
      return orElse(
        isoOf(readDate(text, today)),
        `Write a date such as 2026-01-31, or words such as ${DATE_WORDS}.`,
      );
    case 'month':
      return orElse(
        isoOf(readMonth(text, today))?.slice(0, 7) ?? null,
        `Write a month such as 2026-01, or words such as ${MONTH_WORDS}.`,
      );
    case 'date range':
      return readRange(text, today);
  }
}

function orElse(value: string | null, wrong: string): ReadValue {
  return value === null ? { wrong } : { value };
}

function isoOf(day: Day | null): string | null {
  return day === null ? null : isoDay(day);
}

const BOOLEANS = new Map([
  ['true', 'true'],
  ['yes', 'true'],
  ['on', 'true'],
  ['1', 'true'],
  ['false', 'false'],
  ['no', 'false'],
  ['off', 'false'],
  ['0', 'false'],
]);

function readText(text: string): ReadValue {
  return text.includes('\u0000') || !text.isWellFormed()
    ? { wrong: 'It holds a NUL character or half of a surrogate pair. Remove it.' }
    : { value: text };
}

function readChoice({ choices }: Parameter, text: string): ReadValue {
  if (choices.some(({ value }) => value === text)) return { value: text };
  const values = choices.map(({ value }) => value);
  const meant = nearest(text, values);
  const few = values.slice(0, 20).join(', ');
  return {
    wrong:
      meant === null
        ? `Write one of ${few}${values.length > 20 ? ', …' : ''}.`
        : `There is no "${text}" here. Did you mean "${meant}"?`,
  };
}

function readDate(text: string, today: Day): Day | null {
  return readDay(text) ?? dateByWords(text, today);
}

/** The first day of it. */
function readMonth(text: string, today: Day): Day | null {
  return readDay(`${text}-01`) ?? monthByWords(text, today);
}

function readRange(text: string, today: Day): ReadValue {
  const range = rangeOf(text, today);
  const [from, to] = [isoOf(range?.from ?? null), isoOf(range?.to ?? null)];
  if (range === null || from === null || to === null)
    return {
      wrong: `Write two dates such as 2026-01-01..2026-01-31, a month such as 2026-01, or words such as ${RANGE_WORDS}.`,
    };
  return range.from > range.to
    ? { wrong: `It ends on ${to}, before it begins on ${from}.` }
    : { value: `${from}..${to}` };
}

function rangeOf(text: string, today: Day): DayRange | null {
  const [first = '', second, ...more] = text.split('..');
  if (second !== undefined && more.length === 0) {
    const [from, to] = [readDate(first.trim(), today), readDate(second.trim(), today)];
    return from === null || to === null ? null : { from, to };
  }
  const day = readDay(text);
  if (day !== null) return { from: day, to: day };
  const month = readDay(`${text}-01`);
  if (month !== null) return { from: month, to: endOf(month, 'month') };
  return rangeByWords(text, today);
}

/** The two days of a range as `readValue` writes it. */
export function edgesOf(range: string): readonly [from: string, to: string] {
  const [from = '', to = ''] = range.split('..');
  return [from, to];
}

function outOfBounds(parameter: Parameter, value: string, today: Day): string | null {
  const { type } = parameter;
  const [min, max] = [boundOf(parameter, 'min', today), boundOf(parameter, 'max', today)];
  if (type === 'text') {
    const length = Array.from(value).length;
    const most = Number(max ?? MOST_CHARACTERS);
    if (length > most) return `It has ${length} characters, and may have ${most}.`;
    return length < Number(min ?? 0) ? `It needs ${min} characters.` : null;
  }
  const [least, most] = type === 'date range' ? edgesOf(value) : [value, value];
  if (min !== null && compareValues(type, least, min) < 0)
    return isNumber(type) ? `Write a number of at least ${min}.` : `It begins before ${min}.`;
  if (max !== null && compareValues(type, most, max) > 0)
    return isNumber(type) ? `Write a number of at most ${max}.` : `It is after ${max}.`;
  return null;
}

/** Dates and months in ISO's way are in the order of their letters. */
export function compareValues(type: ParameterType, a: string, b: string): number {
  if (isNumber(type)) return compareNumbers(a, b);
  return a < b ? -1 : a > b ? 1 : 0;
}

function isNumber(type: ParameterType): boolean {
  return type === 'whole number' || type === 'decimal';
}

/** A bound may be words too: `max: today`. */
function boundOf(parameter: Parameter, which: 'min' | 'max', today: Day): string | null {
  const bound = parameter[which];
  if (bound === null) return null;
  const read = readBound(parameter, bound, today);
  return 'value' in read ? read.value : null;
}

/** Of what type a bound is: the length of a text is a number, the edge of a range a date. */
export function readBound(parameter: Parameter, bound: string, today: Day): ReadValue {
  if (parameter.type === 'text')
    return orElse(/^\d{1,6}$/.test(bound) ? bound : null, 'Write a number of characters.');
  const type = parameter.type === 'date range' ? 'date' : parameter.type;
  return readUnbound({ ...parameter, type }, bound, today);
}

/** Whether a text is itself, whichever day is today. */
export function isLiteral(parameter: Parameter, text: string): boolean {
  const [some, other] = [20_000, 21_111].map((today) => readUnbound(parameter, text, today));
  return JSON.stringify(some) === JSON.stringify(other);
}
