// JSON as Apex reads and writes it: Integer, Long or Decimal, whatever the number needs.

import { ApexError, ApexMap, ApexSet, Decimal, Double, List, isNumber, textOf } from './values.mjs';

/** @param {unknown} value @returns {string} */
export function toJson(value) {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'string' || typeof value === 'boolean') return JSON.stringify(value);
  if (isNumber(value)) return textOf(value);
  if (value instanceof List || value instanceof ApexSet)
    return `[${value.items.map(toJson).join(',')}]`;
  if (value instanceof ApexMap)
    return `{${[...value.entries.values()].map(([key, member]) => `${JSON.stringify(textOf(key))}:${toJson(member)}`).join(',')}}`;
  throw new Error(`Cannot be written as JSON: ${textOf(value)}`);
}

/** @param {string} text @returns {unknown} */
export function fromJson(text) {
  try {
    return fromValue(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) throw new ApexError('JSONException', error.message);
    throw error;
  }
}

/** @param {any} value @returns {unknown} */
function fromValue(value) {
  if (typeof value === 'number') {
    if (!Number.isInteger(value))
      return String(value).includes('e') ? new Double(value) : Decimal.parse(String(value));
    return Math.abs(value) < 2 ** 31 ? value : BigInt(value);
  }
  if (Array.isArray(value)) return new List(value.map(fromValue));
  if (value === null || typeof value !== 'object') return value;
  return new ApexMap(Object.entries(value).map(([key, member]) => [key, fromValue(member)]));
}
