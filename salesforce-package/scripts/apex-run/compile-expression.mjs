// Expressions, one function for each kind.

import { find } from './scope.mjs';
import { findClass } from './program.mjs';
import { Instance, TypeName, coerceTo } from './model.mjs';
import {
  ApexError,
  QueryResult,
  arithmetic,
  coerce,
  compare,
  equal,
  isNumber,
  textOf,
} from './values.mjs';

/**
 * @typedef {import('./parse-expression.mjs').Expression} Expression
 * @typedef {import('./program.mjs').Class} Class
 * @typedef {import('./run.mjs').Frame} Frame
 * @typedef {import('./scope.mjs').Scope} Scope
 * @typedef {import('./scope.mjs').Step} Step
 */

/** @type {Record<string, (node: Expression, scope: Scope) => Step>} */
const KINDS = {
  literal:
    ({ value }) =>
    () =>
      value,
  this: () => (frame) => frame.self,
  name,
  member,
  call,
  ownCall,
  item: (node, scope) => {
    const [target, index] = [
      expressionOf(node['target'], scope),
      expressionOf(node['index'], scope),
    ];
    return (frame) => frame.run.platform.call(target(frame), 'get', [index(frame)]);
  },
  new: create,
  cast: (node, scope) => {
    const value = expressionOf(node['value'], scope);
    return (frame) => cast(value(frame), node['type'], frame);
  },
  instanceof: (node, scope) => {
    const value = expressionOf(node['value'], scope);
    return (frame) => frame.run.isInstance(value(frame), node['type'], frame.cls);
  },
  query: (node, scope) => {
    const { query } = node;
    const binds = query.binds.map((/** @type {Expression} */ each) => expressionOf(each, scope));
    return (frame) =>
      frame.run.platform.query(
        query,
        binds.map((/** @type {Step} */ each) => each(frame)),
        frame,
      );
  },
  choice: (node, scope) => {
    const test = truthOf(node['test'], scope);
    const [then, otherwise] = [
      expressionOf(node['then'], scope),
      expressionOf(node['otherwise'], scope),
    ];
    return (frame) => (test(frame) ? then(frame) : otherwise(frame));
  },
  not: (node, scope) => {
    const value = truthOf(node['value'], scope);
    return (frame) => !value(frame);
  },
  minus: (node, scope) => {
    const value = expressionOf(node['value'], scope);
    return (frame) => arithmetic('-', 0, value(frame));
  },
  assign: (node, scope) => {
    const { operator, target } = node;
    const value = expressionOf(node['value'], scope);
    const before = operator === '' ? undefined : expressionOf(target, scope);
    const store = storeOf(target, scope);
    return (frame) => {
      const given = value(frame);
      const stored = before === undefined ? given : arithmetic(operator, before(frame), given);
      store(frame, stored);
      return stored;
    };
  },
  step: (node, scope) => {
    const target = expressionOf(node['target'], scope);
    const store = storeOf(node['target'], scope);
    return (frame) => {
      const before = target(frame);
      const after = arithmetic(node['operator'], before, 1);
      store(frame, after);
      return node['before'] ? before : after;
    };
  },
  binary,
};

/** @param {Expression} node @param {Scope} scope @returns {Step} */
export function expressionOf(node, scope) {
  const make = KINDS[node.kind];
  if (make === undefined)
    throw new Error(`${scope.place}:${node.line} ${node.kind} cannot be run.`);
  return make(node, scope);
}

/** @param {Expression} node @param {Scope} scope @returns {(frame: Frame) => boolean} */
export function truthOf(node, scope) {
  const value = expressionOf(node, scope);
  return (frame) => {
    const found = value(frame);
    if (typeof found === 'boolean') return found;
    if (found === null) throw isNull(node, scope);
    throw new Error(`${scope.place}:${node.line} is not a Boolean: ${textOf(found)}`);
  };
}

/** @param {Expression} node @param {Scope} scope @returns {Step} */
function binary(node, scope) {
  const { operator } = node;
  if (operator === '&&' || operator === '||') {
    const [left, right] = [truthOf(node['left'], scope), truthOf(node['right'], scope)];
    return operator === '&&'
      ? (frame) => left(frame) && right(frame)
      : (frame) => left(frame) || right(frame);
  }
  const [left, right] = [expressionOf(node['left'], scope), expressionOf(node['right'], scope)];
  switch (operator) {
    case '==':
      return (frame) => equal(left(frame), right(frame));
    case '!=':
      return (frame) => !equal(left(frame), right(frame));
    case '<':
      return compared(left, right, (order) => order < 0);
    case '<=':
      return compared(left, right, (order) => order <= 0);
    case '>':
      return compared(left, right, (order) => order > 0);
    case '>=':
      return compared(left, right, (order) => order >= 0);
    default:
      return (frame) => arithmetic(operator, left(frame), right(frame));
  }
}

/** With null, every comparison is false. @param {Step} left @param {Step} right @param {(order: number) => boolean} fits @returns {Step} */
function compared(left, right, fits) {
  return (frame) => {
    const [a, b] = [left(frame), right(frame)];
    return a !== null && b !== null && fits(compare(a, b));
  };
}

/** A variable, else a field, else a static of this class or an outer one. @param {Scope} scope @param {string} name */
function placeOf(scope, name) {
  const local = find(scope, name);
  if (local !== undefined) return { local };
  const field = scope.isStatic ? undefined : scope.cls.fields.find((each) => each.name === name);
  if (field !== undefined) return { field };
  for (let cls = /** @type {Class | undefined} */ (scope.cls); cls !== undefined; cls = cls.outer) {
    const variable = cls.statics.find((each) => each.name === name);
    if (variable !== undefined) return { variable, cls };
  }
  return undefined;
}

/** @param {Expression} node @param {Scope} scope @returns {Step} */
function name(node, scope) {
  const { name: word } = node;
  const place = placeOf(scope, word);
  if (place?.local) {
    const { slot } = place.local;
    return (frame) => frame.slots[slot];
  }
  if (place?.field) return (frame) => frame.self?.values.get(word) ?? null;
  if (place?.cls) {
    const { cls } = place;
    return (frame) => frame.run.staticsOf(cls).get(word);
  }
  const type = new TypeName(word);
  const isClass = findClass(scope.cls.program, word, scope.cls) !== undefined;
  return (frame) => {
    if (isClass || word.includes('<') || frame.run.platform.isType(word)) return type;
    throw new Error(`${scope.place}:${node.line} There is no ${word}.`);
  };
}

/** The class that an expression names, if it does. @param {Expression} node @param {Scope} scope */
function classNamed(node, scope) {
  if (node.kind !== 'name' || placeOf(scope, node['name']) !== undefined) return undefined;
  return findClass(scope.cls.program, node['name'], scope.cls);
}

/** @param {Expression} node @param {Scope} scope @returns {Step} */
function member(node, scope) {
  const { name: word, isSafe } = node;
  if (word === 'class') return () => new TypeName(node['target'].name);
  const cls = classNamed(node['target'], scope);
  if (cls?.statics.some((each) => each.name === word))
    return (frame) => frame.run.staticsOf(cls).get(word);
  const target = expressionOf(node['target'], scope);
  return (frame) => {
    const found = target(frame);
    const given = found instanceof QueryResult ? found.only() : found;
    if (given === null) {
      if (isSafe) return null;
      throw isNull(node['target'], scope);
    }
    return memberOf(given, word, frame);
  };
}

/** @param {unknown} target @param {string} word @param {Frame} frame */
function memberOf(target, word, frame) {
  if (target instanceof TypeName) {
    const cls = frame.run.findClass(target.name, frame.cls);
    if (cls === undefined) return frame.run.platform.getStatic(target.name, word);
    if (cls.inner.has(word)) return new TypeName(`${target.name}.${word}`);
    if (cls.statics.some((each) => each.name === word)) return frame.run.staticsOf(cls).get(word);
    throw new Error(`${cls.name} has no ${word}.`);
  }
  if (target instanceof Instance) {
    const value = target.values.get(word);
    if (value === undefined) throw new Error(`${target.cls.name} has no ${word}.`);
    return value;
  }
  return frame.run.platform.get(target, word);
}

/** @param {Expression} node @param {Scope} scope @returns {Step} */
function call(node, scope) {
  const { name: word, isSafe } = node;
  const args = argsOf(node['args'], scope);
  const methods = classNamed(node['target'], scope)?.methods.get(word);
  if (methods !== undefined) {
    return (frame) => {
      const given = args(frame);
      const found = frame.run.choose(methods, given);
      if (found === undefined) throw new Error(`${scope.place}:${node.line} ${word} does not fit.`);
      return frame.run.invoke(found, null, given);
    };
  }
  const target = expressionOf(node['target'], scope);
  return (frame) => {
    const given = target(frame);
    if (given !== null) return frame.run.callOn(given, word, args(frame), frame);
    if (isSafe) return null;
    throw isNull(node['target'], scope);
  };
}

/** A method of this class or an outer one, or another constructor. @param {Expression} node @param {Scope} scope @returns {Step} */
function ownCall(node, scope) {
  const { name: word } = node;
  const args = argsOf(node['args'], scope);
  if (word === 'this') {
    return (frame) => {
      const given = args(frame);
      const other = frame.run.choose(scope.cls.constructors, given);
      return other && frame.run.invoke(other, frame.self, given);
    };
  }
  /** @type {import('./program.mjs').Method[]} */
  const methods = [];
  for (let cls = /** @type {Class | undefined} */ (scope.cls); cls !== undefined; cls = cls.outer)
    methods.push(...(cls.methods.get(word) ?? []));
  return (frame) => {
    const given = args(frame);
    const found = frame.run.choose(methods, given);
    if (found === undefined)
      throw new Error(
        `${scope.place}:${node.line} There is no method ${word} with ${given.length} arguments.`,
      );
    return frame.run.invoke(found, found.isStatic ? null : frame.self, given);
  };
}

/** @param {Expression[]} nodes @param {Scope} scope @returns {(frame: Frame) => unknown[]} */
function argsOf(nodes, scope) {
  const steps = nodes.map((each) => expressionOf(each, scope));
  return (frame) => steps.map((step) => step(frame));
}

/** @param {Expression} node @param {Scope} scope @returns {(frame: Frame, given: unknown) => void} */
function storeOf(node, scope) {
  const { name: word } = node;
  if (node.kind === 'name') {
    const place = placeOf(scope, word);
    if (place?.local) {
      const { slot, type } = place.local;
      return (frame, given) => void (frame.slots[slot] = coerceTo(given, type));
    }
    if (place?.field) {
      const { type } = place.field;
      return (frame, given) => void frame.self?.values.set(word, coerceTo(given, type));
    }
    if (place?.cls) {
      const { cls, variable } = place;
      return (frame, given) =>
        void frame.run.staticsOf(cls).set(word, coerceTo(given, variable.type));
    }
    throw new Error(`There is no variable ${word} in ${scope.cls.name}.`);
  }
  const target = expressionOf(node['target'], scope);
  if (node.kind === 'item') {
    const index = expressionOf(node['index'], scope);
    return (frame, given) =>
      void frame.run.platform.call(target(frame), 'set', [index(frame), given]);
  }
  return (frame, given) => {
    const owner = target(frame);
    if (owner === null) throw isNull(node['target'], scope);
    if (owner instanceof Instance) {
      const type = owner.cls.fields.find((each) => each.name === word)?.type;
      if (type === undefined) throw new Error(`${owner.cls.name} has no ${word}.`);
      return void owner.values.set(word, coerceTo(given, type));
    }
    const cls = owner instanceof TypeName ? frame.run.findClass(owner.name, frame.cls) : undefined;
    if (cls === undefined) return frame.run.platform.set(owner, word, given);
    return void frame.run.staticsOf(cls).set(word, given);
  };
}

/** @param {unknown} given @param {string} type @param {Frame} frame */
function cast(given, type, frame) {
  if (given === null || type === 'object') return given;
  if (isNumber(given) && ['decimal', 'double', 'long', 'integer'].includes(type)) {
    if (type === 'integer' && typeof given !== 'number')
      throw new ApexError('TypeException', `Not an Integer: ${textOf(given)}`);
    return coerce(given, type);
  }
  if (!frame.run.isInstance(given, type, frame.cls))
    throw new ApexError('TypeException', `Invalid conversion to ${type} of ${textOf(given)}`);
  return given;
}

/** @param {Expression} node @param {Scope} scope @returns {Step} */
function create(node, scope) {
  const { type } = node;
  const args = argsOf(node['args'], scope);
  const cls = findClass(scope.cls.program, type, scope.cls);
  if (cls?.superName.endsWith('exception'))
    return (frame) => new ApexError(cls.name, textOf(args(frame)[0] ?? 'Script-thrown exception'));
  if (cls !== undefined) return (frame) => frame.run.construct(cls, args(frame));
  const named = node['named'].map((/** @type {any} */ { target, value }) => [
    target.name,
    expressionOf(value, scope),
  ]);
  const items = node['items'] && argsOf(node['items'], scope);
  const pairs = node['pairs']?.map((/** @type {Expression[]} */ pair) => argsOf(pair, scope));
  return (frame) =>
    frame.run.platform.create(type, {
      args: args(frame),
      named: named.map(([word, value]) => [word, value(frame)]),
      items: items?.(frame),
      pairs: pairs?.map((/** @type {(frame: Frame) => unknown[]} */ pair) => pair(frame)),
    });
}

/** @param {Expression} node @param {Scope} scope */
function isNull(node, scope) {
  const what = node['text'] ?? node['name'] ?? node.kind;
  return new ApexError(
    'NullPointerException',
    `Attempt to de-reference a null object: ${what}, ${scope.place}:${node.line}`,
  );
}
