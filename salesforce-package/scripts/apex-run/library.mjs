// Methods of the platform's own types, by the kind of their value. Names in lower case. Only what our classes and
// tests use: whatever else is called stops the run with its name.

import { isUtf8 } from 'node:buffer';
import {
  ApexDate,
  ApexError,
  ApexMap,
  ApexSet,
  Blob,
  Datetime,
  Decimal,
  Double,
  List,
  Time,
  compare,
  equal,
  isNumber,
  keyOf,
  same,
  textOf,
  toDecimal,
} from './values.mjs';

/** @typedef {Record<string, (...args: any[]) => unknown>} Methods a receiver, then the arguments */

/** Java's regular expressions, as far as ours differ. @param {string} pattern @param {string} [flags] */
export function regex(pattern, flags = '') {
  return new RegExp(pattern.replaceAll('\\p{Cntrl}', '\\x00-\\x1f\\x7f'), flags);
}

/** @type {Methods} */
const texts = {
  length: (text) => text.length,
  substring: (text, from, to = text.length) => {
    if (from < 0 || to > text.length || from > to)
      throw new ApexError(
        'StringException',
        `Starting position out of bounds: ${from}, ${to} of ${text.length}`,
      );
    return text.slice(from, to);
  },
  left: (text, count) => text.slice(0, Math.max(0, count)),
  right: (text, count) => (count >= text.length ? text : text.slice(text.length - count)),
  replace: (text, from, to) => text.replaceAll(from, () => to),
  replaceall: (text, from, to) => text.replace(regex(from, 'g'), to),
  replacefirst: (text, from, to) => text.replace(regex(from), to),
  startswith: (text, other) => text.startsWith(other),
  endswith: (text, other) => text.endsWith(other),
  contains: (text, other) => text.includes(other),
  containsignorecase: (text, other) => text.toLowerCase().includes(other.toLowerCase()),
  containsonly: (text, characters) =>
    [...text].every((character) => characters.includes(character)),
  equals: (text, other) => text === other,
  equalsignorecase: (text, other) => other !== null && text.toLowerCase() === other.toLowerCase(),
  compareto: (text, other) => compare(text, other),
  trim: (text) => text.trim(),
  tolowercase: (text) => text.toLowerCase(),
  touppercase: (text) => text.toUpperCase(),
  isasciiprintable: (text) => /^[\x20-\x7e]*$/.test(text),
  getchars: (text) => new List([...Array(text.length).keys()].map((i) => text.charCodeAt(i))),
  substringbefore: (text, mark) => (text.includes(mark) ? text.slice(0, text.indexOf(mark)) : text),
  substringafter: (text, mark) =>
    text.includes(mark) ? text.slice(text.indexOf(mark) + mark.length) : '',
  substringafterlast: (text, mark) =>
    text.includes(mark) ? text.slice(text.lastIndexOf(mark) + mark.length) : '',
  removestart: (text, part) => (text.startsWith(part) ? text.slice(part.length) : text),
  removeendignorecase: (text, part) =>
    text.toLowerCase().endsWith(part.toLowerCase())
      ? text.slice(0, text.length - part.length)
      : text,
  leftpad: (text, size, filler = ' ') => text.padStart(size, filler),
  rightpad: (text, size, filler = ' ') => text.padEnd(size, filler),
  repeat: (text, count) => text.repeat(count),
  split: (text, mark, limit) => {
    const parts = text.split(regex(mark));
    // Java leaves out empty parts at the end unless the limit is negative.
    if (limit === undefined) while (parts.length > 1 && parts.at(-1) === '') parts.pop();
    return new List(parts);
  },
};

/** @type {Methods} */
const numbers = {
  intvalue: (value) => Math.trunc(Number(textOf(value))),
  longvalue: (value) => BigInt(toDecimal(value).setScale(0).toString()),
  toplainstring: (value) => toDecimal(value).toString(),
  setscale: (value, scale, mode = 'HALF_UP') => toDecimal(value).setScale(scale, textOf(mode)),
  round: (value, mode = 'HALF_EVEN') =>
    BigInt(toDecimal(value).setScale(0, textOf(mode)).toString()),
  abs: (value) => {
    const { unscaled, scale } = toDecimal(value);
    return new Decimal(unscaled < 0n ? -unscaled : unscaled, scale);
  },
};

/** @type {Methods} */
const lists = {
  add: (list, first, second) =>
    void (second === undefined ? list.items.push(first) : list.items.splice(first, 0, second)),
  addall: (list, others) => void list.items.push(...others.items),
  get: (list, i) => {
    if (!(i >= 0 && i < list.items.length))
      throw new ApexError('ListException', `List index out of bounds: ${i}`);
    return list.items[i];
  },
  set: (list, i, value) => void (list.items[i] = value),
  size: (list) => list.items.length,
  isempty: (list) => list.items.length === 0,
  remove: (list, i) => list.items.splice(i, 1)[0],
  clone: (list) => new List([...list.items]),
  contains: (list, item) => list.items.some((/** @type {unknown} */ each) => same(each, item)),
};

/** @type {Methods} */
const sets = {
  add: (set, item) => set.add(item),
  addall: (set, others) => {
    const before = set.entries.size;
    for (const item of others.items) set.add(item);
    return set.entries.size > before;
  },
  contains: (set, item) => set.entries.has(keyOf(item)),
  containsall: (set, others) =>
    others.items.every((/** @type {unknown} */ item) => sets['contains']?.(set, item)),
  size: (set) => set.entries.size,
  isempty: (set) => set.entries.size === 0,
  remove: (set, item) => set.entries.delete(keyOf(item)),
  retainall: (set, others) => {
    const kept = new Set(others.items.map(keyOf));
    const before = set.entries.size;
    for (const key of set.entries.keys()) if (!kept.has(key)) set.entries.delete(key);
    return set.entries.size < before;
  },
  removeall: (set, others) =>
    others.items
      .map((/** @type {unknown} */ item) => set.entries.delete(keyOf(item)))
      .includes(true),
};

/** @type {Methods} */
const maps = {
  get: (map, key) => map.get(key),
  put: (map, key, value) => map.put(key, value),
  containskey: (map, key) => map.entries.has(keyOf(key)),
  keyset: (map) => new ApexSet(map.keys()),
  values: (map) => new List(map.values()),
  size: (map) => map.entries.size,
  isempty: (map) => map.entries.size === 0,
  remove: (map, key) => {
    const before = map.get(key);
    map.entries.delete(keyOf(key));
    return before;
  },
};

const SECOND = 1000;

/** @type {Methods} */
const datetimes = {
  gettime: (moment) => BigInt(moment.ms),
  addseconds: (moment, count) => new Datetime(moment.ms + count * SECOND),
  addminutes: (moment, count) => new Datetime(moment.ms + count * 60 * SECOND),
  adddays: (moment, count) => new Datetime(moment.ms + count * 86_400 * SECOND),
  addhours: (moment, count) => new Datetime(moment.ms + count * 3600 * SECOND),
  dategmt: (moment) => {
    const date = new Date(moment.ms);
    return new ApexDate(date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate());
  },
  timegmt: (moment) => new Time(((moment.ms % 86_400_000) + 86_400_000) % 86_400_000),
  format: (moment) => textOf(moment),
};

/** @type {Methods} */
const dates = { year: ({ year }) => year, month: ({ month }) => month, day: ({ day }) => day };

/** @type {Methods} */
const times = {
  hour: ({ ms }) => Math.floor(ms / 3_600_000),
  minute: ({ ms }) => Math.floor(ms / 60_000) % 60,
  second: ({ ms }) => Math.floor(ms / SECOND) % 60,
  millisecond: ({ ms }) => ms % SECOND,
};

/** @type {Methods} */
const errors = {
  getmessage: (error) => error.message,
  setmessage: (error, message) => void (error.message = message),
};

/** @type {Methods} */
const blobs = {
  tostring: (blob) => {
    if (isUtf8(blob.bytes)) return textOf(blob);
    throw new ApexError('StringException', 'BLOB is not a valid UTF-8 string');
  },
  size: (blob) => blob.bytes.length,
};

/** @param {unknown} value @returns {Methods | undefined} */
export function methodsOf(value) {
  if (typeof value === 'string') return texts;
  if (isNumber(value)) return numbers;
  if (value instanceof List) return lists;
  if (value instanceof ApexSet) return sets;
  if (value instanceof ApexMap) return maps;
  if (value instanceof Datetime) return datetimes;
  if (value instanceof ApexDate) return dates;
  if (value instanceof Time) return times;
  if (value instanceof ApexError) return errors;
  if (value instanceof Blob) return blobs;
  return undefined;
}

/** undefined: not one of these types. @param {unknown} value @param {string} type @returns {boolean | undefined} */
export function isOfType(value, type) {
  if (type === 'object') return true;
  if (type === 'string') return typeof value === 'string';
  if (type === 'id')
    return typeof value === 'string' && /^[a-zA-Z0-9]{15}([a-zA-Z0-9]{3})?$/.test(value);
  if (type === 'boolean') return typeof value === 'boolean';
  if (type === 'integer') return typeof value === 'number';
  if (type === 'long') return typeof value === 'bigint' || typeof value === 'number';
  if (type === 'decimal') return value instanceof Decimal;
  if (type === 'double') return value instanceof Double;
  if (type === 'date') return value instanceof ApexDate;
  if (type === 'datetime') return value instanceof Datetime;
  if (type === 'time') return value instanceof Time;
  if (type === 'blob') return value instanceof Blob;
  if (type.startsWith('list<')) return value instanceof List;
  if (type.startsWith('set<')) return value instanceof ApexSet;
  if (type.startsWith('map<')) return value instanceof ApexMap;
  return undefined;
}

/** @param {string} digits @param {string} type */
function parsedNumber(digits, type) {
  if (!/^[+-]?\d+$/.test(digits))
    throw new ApexError('TypeException', `Invalid ${type}: ${digits}`);
  return BigInt(digits);
}

/** Static methods that need nothing of the org. @type {Record<string, Methods>} */
export const statics = {
  string: {
    valueof: (value) => textOf(value),
    join: (list, mark) => list.items.map(textOf).join(mark),
    isblank: (text) => text === null || text.trim() === '',
    isnotblank: (text) => text !== null && text.trim() !== '',
  },
  integer: { valueof: (text) => Number(parsedNumber(text, 'integer')) },
  long: { valueof: (text) => parsedNumber(text, 'long') },
  decimal: {
    valueof: (value) => (typeof value === 'string' ? Decimal.parse(value) : toDecimal(value)),
  },
  double: { valueof: (value) => new Double(Number(textOf(value))) },
  id: {
    valueof: (text) => {
      if (!/^[a-zA-Z0-9]{15}([a-zA-Z0-9]{3})?$/.test(text))
        throw new ApexError('StringException', `Invalid id: ${text}`);
      return text.length === 18 ? text : text + checksum(text);
    },
  },
  math: {
    abs: (value) => (typeof value === 'number' ? Math.abs(value) : numbers['abs']?.(value)),
    mod: (a, b) => a % b,
    min: (a, b) => (compare(a, b) <= 0 ? a : b),
    max: (a, b) => (compare(a, b) >= 0 ? a : b),
  },
  date: { newinstance: (year, month, day) => new ApexDate(year, month, day) },
  time: { newinstance: (h, m, s, ms) => new Time(((h * 60 + m) * 60 + s) * SECOND + ms) },
  datetime: {
    newinstancegmt: (y, mo, d, h, mi, s) => new Datetime(Date.UTC(y, mo - 1, d, h, mi, s)),
  },
  blob: { valueof: (text) => new Blob(Buffer.from(text, 'utf8')) },
  pattern: { matches: (pattern, text) => new RegExp(`^(?:${regex(pattern).source})$`).test(text) },
};

/** The last three characters of an Id say which of the others are capital letters. @param {string} id */
export function checksum(id) {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ012345';
  return [0, 5, 10]
    .map((start) => {
      const bits = Array.from(id.slice(start, start + 5)).reduce(
        (sum, c, i) => sum + (/[A-Z]/.test(c) ? 1 << i : 0),
        0,
      );
      return alphabet.charAt(bits);
    })
    .join('');
}

/** Assert.…, with its message. @type {Methods} */
export const assertions = {
  areequal: (wanted, found, why = '') =>
    claim(same(wanted, found), `wanted ${textOf(wanted)}, found ${textOf(found)}`, why),
  arenotequal: (wanted, found, why = '') =>
    claim(!same(wanted, found), `found ${textOf(found)}`, why),
  istrue: (value, why = '') => claim(value === true, 'wanted true', why),
  isfalse: (value, why = '') => claim(value === false, 'wanted false', why),
  isnull: (value, why = '') =>
    claim(equal(value, null), `wanted null, found ${textOf(value)}`, why),
  isnotnull: (value, why = '') => claim(!equal(value, null), 'found null', why),
  fail: (why = '') => claim(false, 'failed', why),
};

/** No catch clause of ours takes it, as on the platform. */
export class AssertionFailure extends Error {}

/** @param {boolean} holds @param {string} what @param {string} why */
function claim(holds, what, why) {
  if (!holds) throw new AssertionFailure(`${what}${why ? ` (${why})` : ''}`);
  return null;
}
