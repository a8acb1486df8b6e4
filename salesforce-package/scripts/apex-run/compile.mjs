// Methods as functions of JavaScript, made once from their trees: walking the trees took 20 times as long. Variables have
// places in a frame, which are known when a method is compiled.

import { expressionOf } from './compile-expression.mjs';
import { statementOf } from './compile-statement.mjs';
import { declare, scopeOf } from './scope.mjs';

/**
 * @typedef {import('./program.mjs').Class} Class
 * @typedef {import('./program.mjs').Code} Code
 * @typedef {import('./program.mjs').Method} Method
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
