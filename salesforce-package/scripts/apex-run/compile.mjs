// Methods as functions of JavaScript, made once from their trees: walking the trees took 20 times as long. Variables have
// places in a frame, which are known when a method is compiled.

import { expressionOf } from './compile-expression.mjs';
import { statementOf } from './compile-statement.mjs';

/**
 * @typedef {import('./program.mjs').Class} Class
 * @typedef {import('./program.mjs').Code} Code
 * @typedef {import('./program.mjs').Method} Method
 * @typedef {import('./run.mjs').Frame} Frame
 * @typedef {(frame: Frame) => unknown} Step
 *
 * @typedef {object} Scope the variables that can be seen
 * @property {Class} cls
 * @property {boolean} isStatic
 * @property {Map<string, { slot: number, type: string }>} names
 * @property {Scope | undefined} outer
 * @property {{ size: number }} method how many places it needs
 * @property {string} place what a statement belongs to
 */

/** @param {Method} method @returns {Code} */
export function codeOf(method) {
  if (method.code !== undefined) return method.code;
  const { cls, isStatic, body, name } = method;
  if (body === undefined) throw new Error(`${name} has no body.`);
  const scope = scopeOf(cls, isStatic, name);
  for (const { name: parameter, type } of method.parameters) declare(scope, parameter, type);
  const run = statementOf(body, scope);
  return (method.code = { size: scope.method.size, run });
}

/** What a field or static variable begins with. @param {Class} cls @param {import('./program.mjs').Variable} variable @returns {Code} */
export function initOf(cls, variable) {
  if (variable.code !== undefined) return variable.code;
  if (variable.init === undefined) throw new Error(`${variable.name} begins with nothing.`);
  const scope = scopeOf(cls, cls.statics.includes(variable), '<init>');
  return (variable.code = { size: 0, run: expressionOf(variable.init, scope) });
}

/** @param {Class} cls @param {boolean} isStatic @param {string} name @returns {Scope} */
function scopeOf(cls, isStatic, name) {
  return {
    cls,
    isStatic,
    names: new Map(),
    outer: undefined,
    method: { size: 0 },
    place: `${cls.name}.${name}`,
  };
}

/** @param {Scope} outer @returns {Scope} */
export function within(outer) {
  return { ...outer, names: new Map(), outer };
}

/** @param {Scope} scope @param {string} name @param {string} type @returns {number} its place */
export function declare(scope, name, type) {
  const slot = scope.method.size;
  scope.method.size += 1;
  scope.names.set(name, { slot, type });
  return slot;
}

/** @param {Scope} scope @param {string} name */
export function find(scope, name) {
  for (let each = /** @type {Scope | undefined} */ (scope); each !== undefined; each = each.outer) {
    const found = each.names.get(name);
    if (found !== undefined) return found;
  }
  return undefined;
}
