// What a running program is made of, besides values.

import { QueryResult, coerce as plainly } from './values.mjs';

/** @typedef {import('./program.mjs').Class} Class */

export class Instance {
  /** @param {Class} cls */
  constructor(cls) {
    this.cls = cls;
    /** @type {Map<string, unknown>} */
    this.values = new Map();
  }

  toString() {
    return `${this.cls.name}:${JSON.stringify([...this.values.keys()])}`;
  }
}

export class TypeName {
  /** @param {string} name in lower case */
  constructor(name) {
    this.name = name;
  }
}

/** How a statement ends that is not followed by the next one. */
export class Returned {
  /** @param {unknown} value */
  constructor(value) {
    this.value = value;
  }
}
export const BREAK = Symbol('break');
export const CONTINUE = Symbol('continue');

const PLAIN = new Set(['object', 'string', 'id', 'integer', 'boolean', 'void', 'sobject', 'blob']);
const NUMBERS = new Set(['long', 'decimal', 'double', 'datetime']);

/** What a variable of a type keeps. A query's only record, where one record is asked for. @param {unknown} value @param {string} type */
export function coerceTo(value, type) {
  if (value === undefined) return null;
  if (PLAIN.has(type)) return value;
  if (NUMBERS.has(type)) return plainly(value, type);
  return value instanceof QueryResult && !type.startsWith('list<') ? value.only() : value;
}
