// What a running program is made of, besides values: instances, frames, and the parts of the interpreter.

import { childOf } from '../lib/apex-tree.mjs';

/**
 * @typedef {import('../lib/apex-tree.mjs').Node} Node
 * @typedef {import('./program.mjs').Class} Class
 * @typedef {import('./program.mjs').Method} Method
 * @typedef {{ cls: Class, self: Instance | null, scopes: Map<string, unknown>[], types: Map<string, string> }} Frame
 *
 * @typedef {object} Platform what is not written in Apex
 * @property {(type: string) => boolean} isType a type of the platform or an object of the org, in lower case
 * @property {(value: unknown, name: string, args: unknown[]) => unknown} call a method of a value
 * @property {(type: string, name: string, args: unknown[], frame: Frame) => unknown} callStatic
 * @property {(value: unknown, name: string) => unknown} get a member of a value
 * @property {(value: unknown, name: string, member: unknown) => void} set
 * @property {(type: string, name: string) => unknown} getStatic
 * @property {(type: string, given: Given) => unknown} create
 * @property {(value: unknown, type: string) => boolean | undefined} isInstance undefined: not a type of the platform
 * @property {(query: Node, frame: Frame) => unknown} query
 * @property {(kind: string, value: unknown) => void} write insert, update or delete
 * @property {(user: unknown, block: () => void) => void} runAs
 *
 * @typedef {object} Given what stands after `new`: (a, b), (Name = a), {a, b} or {a => b}
 * @property {unknown[]} args
 * @property {[string, unknown][]} named
 * @property {unknown[] | undefined} items
 * @property {[unknown, unknown][] | undefined} pairs
 *
 * @typedef {{ classes: Map<string, Class>, platform: Platform, forgetStatics: () => void }
 *   & ReturnType<typeof import('./calls.mjs').callsOf>
 *   & ReturnType<typeof import('./statements.mjs').statementsOf>
 *   & ReturnType<typeof import('./expressions.mjs').expressionsOf>} Run
 */

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

/** @param {Class} cls @param {Instance | null} self @returns {Frame} */
export function frameOf(cls, self) {
  return { cls, self, scopes: [new Map()], types: new Map() };
}

/** @param {Node} node @param {string} rule @returns {Node} */
export function part(node, rule) {
  const found = childOf(node, rule);
  if (found === undefined) throw new Error(`${node.rule} on line ${node.line} has no ${rule}.`);
  return found;
}

/** @param {Node} node @param {string} rule @returns {Node[]} */
export function parts(node, rule) {
  return node.children.filter((child) => child.rule === rule);
}
