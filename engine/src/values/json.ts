import { MillraceError } from '../errors.ts';

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** A value already serialised: the engine serialises once, stores keep and return the text as it is. */
export type JsonText = string;

export const MAX_JSON_BYTES = 1_000_000;

/** Serialises what a person or a handler gave us, or says why no store could keep it. */
export function toJsonText(value: unknown, what: string, maxBytes = MAX_JSON_BYTES): JsonText {
  const text = orNotJson(what, () => {
    refuseLoss(value, what);
    return JSON.stringify(value) ?? 'null';
  });
  // A UTF-16 unit is at most three bytes: most texts need no exact count.
  if (text.length * 3 > maxBytes && byteLength(text) > maxBytes) {
    throw new MillraceError(
      'payload_too_large',
      `The ${what} has ${byteLength(text)} bytes; at most ${maxBytes} are kept. Store the data elsewhere and pass its address.`,
    );
  }
  // A database may write 1e300 out in full: three hundred digits for six characters.
  if (HUGE_NUMBER.test(text)) {
    const bytes = byteLength(text) + orNotJson(what, () => digitsMore(JSON.parse(text)));
    if (bytes > maxBytes)
      throw new MillraceError(
        'payload_too_large',
        `The ${what} has ${bytes} bytes with its numbers written out; at most ${maxBytes} are kept. Give numbers such as 1e300 as texts.`,
      );
  }
  // JSON.stringify writes NUL as \u0000 and lone surrogates as \ud8xx…\udfxx: look closer only when one may be there,
  // and at what was written: the value itself may have a toJSON.
  if (text.includes('\\u0000') || text.includes('\\ud')) {
    orNotJson(what, () => refuseUnstorableText(JSON.parse(text), what, '$'));
  }
  return text;
}

const HUGE_NUMBER = /\de[+-]\d/;

/** How many digits the numbers have that JSON writes with an exponent. */
function digitsMore(value: unknown): number {
  if (typeof value === 'number')
    return Math.abs(Number(/e([+-]\d+)$/.exec(String(value))?.[1] ?? 0));
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + digitsMore(item), 0);
  if (value === null || typeof value !== 'object') return 0;
  return Object.values(value).reduce((sum: number, item) => sum + digitsMore(item), 0);
}

/**
 * JSON writes NaN and holes as null, a Map as {} and leaves functions out, all without a word: what came back would not
 * be what was given. Only `undefined` may go, at the top and as a member, where it reads back as it was.
 */
function refuseLoss(value: unknown, what: string): void {
  if (typeof value === 'string' || value === null || value === undefined) return;
  let lost: Loss | null;
  try {
    lost = findLoss(value);
  } catch (error) {
    // Too deep, or a cycle: JSON has the better words for it.
    if (error instanceof RangeError) JSON.stringify(value);
    throw error;
  }
  if (lost === null) return;
  throw new MillraceError(
    'invalid_payload',
    `The ${what} holds ${lost.found} at $${lost.place}, which JSON cannot carry. Give a text, a finite number, true, false, null, an array or an object of these; an object that keeps its data elsewhere needs a toJSON().`,
  );
}

interface Loss {
  readonly found: string;
  readonly place: string;
}

/** The path to the value is put together on the way back up: nearly all values are fine and need none. */
function findLoss(value: unknown): Loss | null {
  if (typeof value === 'number')
    return Number.isFinite(value) ? null : { found: String(value), place: '' };
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return null;
  if (typeof value !== 'object') return { found: nameOf(value), place: '' };
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const lost = findLoss(value[index]);
      if (lost !== null) return { ...lost, place: `[${index}]${lost.place}` };
    }
    return null;
  }
  if ('toJSON' in value && typeof value.toJSON === 'function') return lossByItsOwn(value);
  if (!isPlain(value) && hidesItself(value)) return { found: nameOf(value), place: '' };
  for (const key of Object.keys(value)) {
    const member = (value as Record<string, unknown>)[key];
    const lost = member === undefined ? null : findLoss(member);
    if (lost !== null) return { ...lost, place: `.${key}${lost.place}` };
  }
  return null;
}

/**
 * Objects with a toJSON (a date, a URL, a decimal) say themselves what they are in JSON; an invalid date says null,
 * which is a loss.
 */
function lossByItsOwn(value: object): Loss | null {
  if (value instanceof Date)
    return Number.isNaN(value.getTime()) ? { found: 'an invalid date', place: '' } : null;
  const given = (value as { toJSON(): unknown }).toJSON();
  return given === undefined ? null : findLoss(given);
}

/** Whether something in it, such as a date, is not read back as what it was given as. For values that `toJsonText` has taken. */
export function changesInJson(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(changesInJson);
  if ('toJSON' in value && typeof value.toJSON === 'function') return true;
  return Object.values(value).some(changesInJson);
}

/** True for a plain object, also of another realm (`vm`), whose Object.prototype is not ours. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return (
    prototype === Object.prototype ||
    prototype === null ||
    Object.getPrototypeOf(prototype) === null
  );
}

/** An object of a class is carried by its own members, as a row of a database library is; these keep theirs elsewhere. */
function hidesItself(value: object): boolean {
  return (
    value instanceof Map ||
    value instanceof Set ||
    value instanceof Error ||
    ArrayBuffer.isView(value) ||
    Object.keys(value).length === 0
  );
}

function nameOf(value: unknown): string {
  if (value === undefined) return 'undefined';
  if (typeof value === 'bigint') return 'a BigInt';
  if (typeof value !== 'object' || value === null) return `a ${typeof value}`;
  const { constructor } = value;
  return typeof constructor === 'function' && constructor.name !== ''
    ? `an object of the class ${constructor.name}`
    : 'an object of a class';
}

/** A cycle, a toJSON that throws, or something so deep that the stack ends first. */
function orNotJson<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof MillraceError) throw cause;
    throw new MillraceError('invalid_payload', `The ${what} is not JSON: ${String(cause)}.`, {
      cause,
    });
  }
}

function refuseUnstorableText(value: unknown, what: string, path: string): void {
  if (typeof value === 'string') {
    if (value.includes('\u0000')) throw unstorable(what, path, 'a NUL character');
    if (!value.isWellFormed()) throw unstorable(what, path, 'half of a surrogate pair');
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      refuseUnstorableText(item, what, `${path}[${index}]`);
  } else if (value !== null && typeof value === 'object') {
    for (const [key, item] of Object.entries(value)) {
      refuseUnstorableText(key, what, `${path}, a key`);
      refuseUnstorableText(item, what, `${path}.${key}`);
    }
  }
}

function unstorable(what: string, path: string, found: string): MillraceError {
  return new MillraceError(
    'invalid_text',
    `The ${what} holds ${found} at ${path}. Remove it: no store can keep it.`,
  );
}

/** Whether two texts mean the same: a store may keep the value and write it in its own way (jsonb orders the keys). */
export function isSameJson(a: JsonText, b: JsonText): boolean {
  return a === b || isSame(JSON.parse(a), JSON.parse(b));
}

function isSame(a: unknown, b: unknown): boolean {
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const entries = Object.entries(a);
  const others = new Map(Object.entries(b));
  return (
    entries.length === others.size &&
    entries.every(([key, value]) => others.has(key) && isSame(value, others.get(key)))
  );
}

export function checkText(text: string, what: string, maxLength: number): string {
  // Programs may be JavaScript: a number or an object would be kept as whatever text the store makes of it.
  if (typeof text !== 'string' || text.length === 0 || text.length > maxLength) {
    throw new MillraceError(
      'invalid_text',
      `The ${what} must be a text of 1 to ${maxLength} characters.`,
    );
  }
  refuseUnstorableText(text, what, '$');
  return text;
}

export function byteLength(text: string): number {
  let bytes = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x800) bytes += 2;
    else if (unit >= 0xd800 && unit < 0xdc00) {
      bytes += 4;
      i++;
    } else bytes += 3;
  }
  return bytes;
}
