import { type Place, TemplateError } from '../errors.ts';
import { parseMoment, toNumber } from '../helpers/format.ts';
import { readMoment, readNumber, writtenLike } from '../helpers/read-text.ts';
import { textOf } from './scope.ts';

/** What conditions compare: values with types of their own, and the text of spreadsheets. */
export interface Reading {
  /** Set for rows of a spreadsheet: text is read as this locale writes it. */
  readonly dataLocale?: string | undefined;
}

export function isEqual(left: unknown, right: unknown, on: Reading): boolean {
  const [a, b] = alike(left, right, on);
  if (a === null || a === undefined || b === null || b === undefined)
    return (a ?? null) === (b ?? null);
  const [x, y] = [toNumber(a), toNumber(b)];
  if (typeof a !== typeof b && x !== undefined && y !== undefined) return x === y;
  return typeof a === typeof b ? a === b : textOf(a) === textOf(b);
}

/** The text of a spreadsheet beside a number or a date is read as one: `1.234,50` is more than 1000. */
function alike(a: unknown, b: unknown, { dataLocale }: Reading): [unknown, unknown] {
  if (dataLocale === undefined) return [a, b];
  const read = (text: unknown, other: unknown): unknown => {
    if (typeof text !== 'string' || text === '') return text;
    if (typeof other === 'number') return readNumber(text, dataLocale) ?? text;
    if (typeof other !== 'string' || parseMoment(other) === undefined) return text;
    const moment = readMoment(text, dataLocale);
    return moment === undefined
      ? text
      : new Date(moment.time).toISOString().slice(0, other.trim().length);
  };
  return [read(a, b), read(b, a)];
}

/** An empty cell is neither more nor less. Beside a number there has to be one; two dates or numbers are compared as such. */
export function order(
  left: unknown,
  right: unknown,
  { dataLocale }: Reading,
  place: Place | undefined,
): number {
  const [a, b] = alike(left, right, { dataLocale });
  if (isBlank(a) || isBlank(b)) return NaN;
  if (dataLocale !== undefined && typeof a === 'string' && typeof b === 'string') {
    const times = [readMoment(a, dataLocale)?.time, readMoment(b, dataLocale)?.time];
    const [x, y] = times.includes(undefined)
      ? [readNumber(a, dataLocale), readNumber(b, dataLocale)]
      : times;
    return x === undefined || y === undefined ? plainOrder(a, b) : x - y;
  }
  const text = typeof a === 'number' ? b : typeof b === 'number' ? a : null;
  if (typeof text === 'string' && (dataLocale !== undefined || toNumber(text) === undefined))
    throw unread('number', text, { dataLocale, place });
  return plainOrder(a, b);
}

function isBlank(value: unknown): boolean {
  return typeof value === 'string' && value.trim() === '';
}

/** Numbers as numbers, everything else as text, which orders ISO dates too. NaN when one is missing. */
function plainOrder(a: unknown, b: unknown): number {
  if (a === null || a === undefined || b === null || b === undefined) return NaN;
  const [x, y] = [toNumber(a), toNumber(b)];
  if (x !== undefined && y !== undefined) return x - y;
  const [s, t] = [textOf(a), textOf(b)];
  return s < t ? -1 : s > t ? 1 : 0;
}

/** A value that is to be a number or a date, and the path where it stands, if that is known. */
export function unread(
  what: 'number' | 'date',
  value: unknown,
  { dataLocale, place, at }: Reading & { place: Place | undefined; at?: string | undefined },
): TemplateError {
  const text = textOf(value);
  const shown = text === '' ? 'The value' : `"${text.slice(0, 60)}"`;
  const where = at === undefined ? '' : ` at ${at}`;
  const snippet = place === undefined ? '' : ` for ${place.snippet}`;
  const like =
    dataLocale === undefined
      ? `data writes ${what === 'number' ? '1234.5' : '2026-11-30'}`
      : `${dataLocale} writes ${writtenLike(dataLocale)[what]}`;
  return new TemplateError(
    'bad_value',
    `${shown} cannot be read as a ${what}${where}${snippet}: ${like}.`,
    place,
  );
}
