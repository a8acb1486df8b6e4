import { faultOf, patternOfWord } from '../../helpers/date-pattern.ts';
import { readNumberPicture } from '../../helpers/number-picture.ts';
import type { CallExpression, Expression } from '../tags/expression.ts';

/** How a MERGEFIELD's switches change its value, and what is not followed of them. */
export interface Switched {
  readonly value: Expression;
  /** A sentence on each switch that is not followed, or that hardly means what its author thinks. */
  readonly notes: readonly string[];
}

const SWITCH =
  /\\([@#*]|[a-z!])\s*(?:"([^"]*)"|\u201c([^\u201d]*)\u201d|\u201e([^\u201c\u201d]*)[\u201c\u201d]|([^\s\\"]+))?/gi;

/** Calls that only a field of Word makes; a tag cannot write them. */
export const WORD_HELPERS: readonly string[] = [
  'wordDate',
  'wordNumber',
  'caps',
  'firstCap',
  'around',
];

/** Letters by Word's names. Those of MERGEFORMAT and CHARFORMAT are the looks of the field, which its value has anyway. */
const LETTERS: Readonly<Record<string, string | undefined>> = {
  upper: 'upper',
  lower: 'lower',
  caps: 'caps',
  firstcap: 'firstCap',
  mergeformat: undefined,
  charformat: undefined,
};

/** First the format, then its letters, then the texts around it, as Word does it. */
export function switched(path: Expression, switches: string): Switched {
  const notes: string[] = [];
  let value = path;
  let [before, after] = ['', ''];
  const letters: string[] = [];
  for (const [whole, name = '', ...texts] of switches.matchAll(SWITCH)) {
    const text = texts.find((one) => one !== undefined) ?? '';
    if (name === '@') value = dated(path, text, notes);
    else if (name === '#') value = numbered(path, text, notes);
    else if (name === '*') {
      const known = text.toLowerCase();
      const helper = Object.hasOwn(LETTERS, known) ? LETTERS[known] : undefined;
      if (helper !== undefined) letters.push(helper);
      else if (!Object.hasOwn(LETTERS, known)) notes.push(notFollowed(whole));
    } else if (/b/i.test(name)) before = text;
    else if (/f/i.test(name)) after = text;
    else if (!/[mv!]/i.test(name)) notes.push(notFollowed(whole));
  }
  for (const helper of letters) value = call(helper, value);
  if (before !== '' || after !== '') value = call('around', value, literal(before), literal(after));
  return { value, notes };
}

function dated(path: Expression, picture: string, notes: string[]): Expression {
  const pattern = patternOfWord(picture);
  const fault = faultOf(pattern);
  if (fault !== undefined)
    notes.push(`\\@ "${picture}": ${fault}, as in Word. MM is the month, mm minutes.`);
  return call('wordDate', path, literal(pattern));
}

function numbered(path: Expression, picture: string, notes: string[]): Expression {
  if (readNumberPicture(picture) !== undefined) return call('wordNumber', path, literal(picture));
  notes.push(
    `\\# "${picture}" is not followed. Write a tag instead of the field, such as {{number Amount decimals=2}}.`,
  );
  return path;
}

function notFollowed(whole: string): string {
  return `${whole.trim()} is not followed. What it works out comes with the data.`;
}

function call(name: string, ...args: Expression[]): CallExpression {
  return { kind: 'call', name, args, named: new Map() };
}

function literal(value: string): Expression {
  return { kind: 'literal', value };
}
