// The meaning of a value in a column of each type. `null` where it means nothing there: the formats then write its text, or
// refuse it.

import type { Value } from './columns.ts';

/** JSON's grammar. `007` and `+5` are not in it: whoever wrote them may mean the zeros. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d{1,4})?$/;
const EXPONENT = /[eE]/;
const FRACTION_OR_EXPONENT = /[.eE]/;
/** Beyond 15 digits Excel shows zeros in place of the rest. */
const DOUBLE_DIGITS = 15;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;

/** Nothing to write. */
export function isMissing(value: Value, isText: boolean): value is null | undefined | '' {
  return value === null || value === undefined || (value === '' && !isText);
}

export function textOf(value: Exclude<Value, null | undefined>): string {
  if (typeof value === 'string') return value;
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString();
  return String(value);
}

/** A number as JSON writes it, with all its digits. */
export function numberText(value: Value): string | null {
  if (typeof value === 'string') return NUMBER.test(value) ? value : null;
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : null;
  return typeof value === 'bigint' ? String(value) : null;
}

/** The text of a number that a double can hold: 1e400 is none. */
export function doubleText(value: Value): string | null {
  const text = numberText(value);
  return text !== null && Number.isFinite(Number(text)) ? text : null;
}

/** `True` and `False` are Marketing Cloud's, `t` and `f` are Postgres's, 1 and 0 are of a bit. */
export function booleanOf(value: Value): boolean | null {
  if (typeof value === 'boolean') return value;
  switch (typeof value === 'string' ? value.toLowerCase() : value) {
    case 'true':
    case 't':
    case '1':
    case 1:
      return true;
    case 'false':
    case 'f':
    case '0':
    case 0:
      return false;
    default:
      return null;
  }
}

/** Can a reader that makes doubles of all numbers give back every digit of it? */
export function isExactInDouble(text: string): boolean {
  const double = Number(text);
  if (!FRACTION_OR_EXPONENT.test(text)) return Number.isSafeInteger(double);
  const digits = significantDigits(text);
  return (
    digits.length <= DOUBLE_DIGITS && Number.isFinite(double) && (double !== 0 || digits === '')
  );
}

/** Would Excel show it with all its digits? */
export function isExactInExcel(text: string): boolean {
  // Nearly all, and spared the expressions.
  if (text.length <= DOUBLE_DIGITS && !EXPONENT.test(text)) return true;
  return significantDigits(text).length <= DOUBLE_DIGITS && isExactInDouble(text);
}

/** From the end: a pattern would begin at each of the 16,000 zeros that a numeric may have after its point. */
function withoutZeros(text: string): string {
  let end = text.length;
  while (text[end - 1] === '0') end -= 1;
  if (end < text.length && text[end - 1] === '.') end -= 1;
  return text.slice(0, end);
}

function significantDigits(text: string): string {
  const [mantissa = ''] = text.split(/[eE]/);
  const plain = mantissa.includes('.') ? withoutZeros(mantissa) : mantissa;
  return plain.replace(/^-?[0.]*/, '').replace('.', '');
}

/** The same as `unscaled` where the answer has at most 15 digits and the text no exponent; null elsewhere. */
export function smallUnscaled(text: string, scale: number): number | null {
  const isNegative = text.charCodeAt(0) === MINUS;
  let size = 0;
  /** Digits after the point; none was seen as long as it is below zero. */
  let fraction = -1;
  for (let i = isNegative ? 1 : 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === POINT) fraction = 0;
    else if (code < ZERO || code > ZERO + 9) return null;
    else {
      size = size * 10 + code - ZERO;
      if (fraction >= 0) fraction++;
    }
  }
  fraction = Math.max(fraction, 0);
  if (fraction > scale || text.length + scale - fraction > DOUBLE_DIGITS) return null;
  const scaled = size * 10 ** (scale - fraction);
  return isNegative ? -scaled : scaled;
}

/** A decimal times ten to the power of `scale`; null if digits would be left over. */
export function unscaled(text: string, scale: number): bigint | null {
  if (scale === 0 && !FRACTION_OR_EXPONENT.test(text)) return BigInt(text);
  const [mantissa = '', exponent = '0'] = text.split(/[eE]/);
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = (whole + fraction).replace(/^-/, '');
  const shift = Number(exponent) - fraction.length + scale;
  if (/^0*$/.test(digits)) return 0n;
  const cut = shift < 0 ? digits.length + shift : digits.length;
  if (/[^0]/.test(digits.slice(Math.max(cut, 0)))) return null;
  const kept = BigInt(digits.slice(0, Math.max(cut, 0)) + '0'.repeat(Math.max(shift, 0)));
  return text.startsWith('-') ? -kept : kept;
}
