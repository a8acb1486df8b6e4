// Expressions, one function for each kind of the grammar.

import { childOf } from '../lib/apex-tree.mjs';
import { Instance, TypeName, part, parts } from './model.mjs';
import { typeText } from './program.mjs';
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
 * @typedef {import('../lib/apex-tree.mjs').Node} Node
 * @typedef {import('./program.mjs').Class} Class
 * @typedef {import('./model.mjs').Frame} Frame
 * @typedef {import('./model.mjs').Run} Run
 */

/** @param {Run} run */
export function expressionsOf(run) {
  /** @type {Record<string, (node: Node, frame: Frame) => unknown>} */
  const kinds = {
    PrimaryExpression: (node, frame) => primary(part(node, 'primary'), frame),
    SubExpression: (node, frame) => value(operand(node, 0), frame),
    MethodCallExpression: (node, frame) => ownCall(part(node, 'methodCall'), frame),
    DotExpression: dot,
    ArrayExpression: (node, frame) =>
      run.platform.call(value(operand(node, 0), frame), 'get', [value(operand(node, 1), frame)]),
    NewExpression: (node, frame) => create(part(node, 'creator'), frame),
    CastExpression: (node, frame) =>
      cast(value(operand(node, 0), frame), typeText(childOf(node, 'typeRef')), frame),
    InstanceOfExpression: (node, frame) =>
      run.isInstance(value(operand(node, 0), frame), typeText(childOf(node, 'typeRef')), frame.cls),
    AssignExpression: assignment,
    CondExpression: (node, frame) =>
      value(operand(node, truth(operand(node, 0), frame) ? 1 : 2), frame),
    LogAndExpression: (node, frame) =>
      truth(operand(node, 0), frame) && truth(operand(node, 1), frame),
    LogOrExpression: (node, frame) =>
      truth(operand(node, 0), frame) || truth(operand(node, 1), frame),
    NegExpression: (node, frame) => !truth(operand(node, 0), frame),
    EqualityExpression: (node, frame) => {
      const alike = equal(value(operand(node, 0), frame), value(operand(node, 1), frame));
      return operator(node) === '==' ? alike : !alike;
    },
    CmpExpression: comparison,
    Arth1Expression: calculation,
    Arth2Expression: calculation,
    PostOpExpression: (node, frame) => step(node, frame).before,
    PreOpExpression: (node, frame) =>
      operator(node) === '-'
        ? arithmetic('-', 0, value(operand(node, 0), frame))
        : step(node, frame).after,
  };

  /** @param {Node} node @param {Frame} frame @returns {unknown} */
  function value(node, frame) {
    const evaluate = kinds[node.kind];
    if (evaluate === undefined)
      throw new Error(`${frame.cls.name}:${node.line} ${node.kind} cannot be run: ${node.text}`);
    return evaluate(node, frame);
  }

  /** @param {Node} node @param {Frame} frame */
  function truth(node, frame) {
    const found = value(node, frame);
    if (typeof found !== 'boolean')
      throw new Error(`${frame.cls.name}:${node.line} is not a Boolean: ${node.text}`);
    return found;
  }

  /** The values of an expressionList below a node. @param {Node} node @param {Frame} frame */
  function args(node, frame) {
    const list = childOf(node, 'expressionList');
    return list === undefined ? [] : parts(list, 'expression').map((each) => value(each, frame));
  }

  /** @param {Node} node @param {Frame} frame @returns {unknown} */
  function primary(node, frame) {
    switch (node.kind) {
      case 'ThisPrimary':
        return frame.self;
      case 'LiteralPrimary':
        return literal(node.text);
      case 'SoqlPrimary':
        return run.platform.query(part(part(node, 'soqlLiteral'), 'query'), frame);
      case 'TypeRefPrimary':
        return new TypeName(typeText(childOf(node, 'typeRef')));
      case 'IdPrimary': {
        const name = node.text.toLowerCase();
        const found = run.lookUp(frame, name);
        if (found !== undefined) return found.value;
        if (run.findClass(name, frame.cls) || run.platform.isType(name)) return new TypeName(name);
        throw new Error(`${frame.cls.name}:${node.line} There is no ${node.text}.`);
      }
      default:
        throw new Error(`${frame.cls.name}:${node.line} ${node.kind} cannot be run.`);
    }
  }

  /** A method of this class or an outer one, or another constructor. @param {Node} node @param {Frame} frame */
  function ownCall(node, frame) {
    const name = node.children[0]?.text.toLowerCase() ?? '';
    const given = args(node, frame);
    if (name === 'this') {
      const other = run.choose(frame.cls.constructors, given);
      return other && run.invoke(other, frame.self, given);
    }
    for (
      let cls = /** @type {Class | undefined} */ (frame.cls);
      cls !== undefined;
      cls = cls.outer
    ) {
      const found = run.choose(cls.methods.get(name) ?? [], given);
      if (found !== undefined) return run.invoke(found, found.isStatic ? null : frame.self, given);
    }
    throw new Error(
      `${frame.cls.name}:${node.line} There is no method ${name} with ${given.length} arguments.`,
    );
  }

  /** @param {Node} node @param {Frame} frame */
  function dot(node, frame) {
    const left = operand(node, 0);
    const given = value(left, frame);
    const call = childOf(node, 'dotMethodCall');
    const target = given instanceof QueryResult && call === undefined ? given.only() : given;
    if (target === null) {
      if (operator(node) === '?.') return null;
      throw new ApexError(
        'NullPointerException',
        `${frame.cls.name}:${left.line} ${left.text} is null.`,
      );
    }
    if (call === undefined) return member(target, part(node, 'anyId').text.toLowerCase(), frame);
    return callOn(target, part(call, 'anyId').text.toLowerCase(), args(call, frame), frame);
  }

  /** @param {unknown} target @param {string} name @param {unknown[]} given @param {Frame} frame */
  function callOn(target, name, given, frame) {
    if (target instanceof TypeName) {
      const cls = run.findClass(target.name, frame.cls);
      const found = cls && run.choose(cls.methods.get(name) ?? [], given);
      if (found) return run.invoke(found, null, given);
      return run.platform.callStatic(target.name, name, given, frame);
    }
    if (target instanceof Instance) {
      const found = run.choose(target.cls.methods.get(name) ?? [], given);
      if (found === undefined) throw new Error(`${target.cls.name} has no method ${name}.`);
      return run.invoke(found, target, given);
    }
    return run.platform.call(target, name, given);
  }

  /** @param {unknown} target @param {string} name @param {Frame} frame */
  function member(target, name, frame) {
    if (target instanceof TypeName) {
      const cls = run.findClass(target.name, frame.cls);
      if (cls === undefined) return run.platform.getStatic(target.name, name);
      if (cls.inner.has(name)) return new TypeName(`${target.name}.${name}`);
      if (cls.statics.some((each) => each.name === name)) return run.staticsOf(cls).get(name);
      throw new Error(`${cls.name} has no ${name}.`);
    }
    if (target instanceof Instance) {
      if (!target.values.has(name)) throw new Error(`${target.cls.name} has no ${name}.`);
      return target.values.get(name);
    }
    return run.platform.get(target, name);
  }

  /** @param {Node} node @param {Frame} frame */
  function assignment(node, frame) {
    const [target, sign] = [operand(node, 0), operator(node)];
    const given = value(operand(node, 1), frame);
    const stored =
      sign === '=' ? given : arithmetic(sign.slice(0, -1), value(target, frame), given);
    store(target, stored, frame);
    return stored;
  }

  /** @param {Node} target @param {unknown} given @param {Frame} frame */
  function store(target, given, frame) {
    if (target.kind === 'PrimaryExpression')
      return run.assign(frame, target.text.toLowerCase(), given);
    const owner = value(operand(target, 0), frame);
    if (target.kind === 'ArrayExpression')
      return run.platform.call(owner, 'set', [value(operand(target, 1), frame), given]);
    const name = part(target, 'anyId').text.toLowerCase();
    if (owner instanceof Instance) {
      const type = owner.cls.fields.find((each) => each.name === name)?.type;
      if (type === undefined) throw new Error(`${owner.cls.name} has no ${name}.`);
      return owner.values.set(name, run.coerce(given, type));
    }
    const cls = owner instanceof TypeName ? run.findClass(owner.name, frame.cls) : undefined;
    return cls === undefined
      ? run.platform.set(owner, name, given)
      : run.staticsOf(cls).set(name, given);
  }

  /** ++ and --. @param {Node} node @param {Frame} frame */
  function step(node, frame) {
    const before = value(operand(node, 0), frame);
    const after = arithmetic(operator(node).charAt(0), before, 1);
    store(operand(node, 0), after, frame);
    return { before, after };
  }

  /** @param {Node} node @param {Frame} frame */
  function calculation(node, frame) {
    return arithmetic(
      operator(node),
      value(operand(node, 0), frame),
      value(operand(node, 1), frame),
    );
  }

  /** With null, every comparison is false. @param {Node} node @param {Frame} frame */
  function comparison(node, frame) {
    const [a, b] = [value(operand(node, 0), frame), value(operand(node, 1), frame)];
    if (a === null || b === null) return false;
    const order = compare(a, b);
    return (
      { '<': order < 0, '<=': order <= 0, '>': order > 0, '>=': order >= 0 }[operator(node)] ??
      false
    );
  }

  /** @param {unknown} given @param {string} type @param {Frame} frame */
  function cast(given, type, frame) {
    if (given === null || type === 'object') return given;
    if (isNumber(given) && ['decimal', 'double', 'long', 'integer'].includes(type)) {
      if (type === 'integer' && typeof given !== 'number')
        throw new ApexError('TypeException', `Not an Integer: ${textOf(given)}`);
      return coerce(given, type);
    }
    if (!run.isInstance(given, type, frame.cls))
      throw new ApexError('TypeException', `Invalid conversion to ${type} of ${textOf(given)}`);
    return given;
  }

  /** @param {Node} creator @param {Frame} frame */
  function create(creator, frame) {
    const type = part(creator, 'createdName').text.toLowerCase();
    const rest = childOf(creator, 'classCreatorRest');
    const cls = run.findClass(type, frame.cls);
    if (cls !== undefined && rest !== undefined) {
      const given = args(part(rest, 'arguments'), frame);
      if (cls.superName.endsWith('exception'))
        return new ApexError(cls.name, textOf(given[0] ?? 'Script-thrown exception'));
      return run.construct(cls, given);
    }
    const list = rest && childOf(part(rest, 'arguments'), 'expressionList');
    const given = list === undefined ? [] : parts(list, 'expression');
    const pairs = childOf(creator, 'mapCreatorRest');
    const items = childOf(creator, 'setCreatorRest');
    const isNamed = given.some(({ kind }) => kind === 'AssignExpression'); // new Account(Name = 'Acme')
    return run.platform.create(type, {
      args: isNamed ? [] : given.map((each) => value(each, frame)),
      named: isNamed
        ? given.map((each) => [operand(each, 0).text, value(operand(each, 1), frame)])
        : [],
      items: items && parts(items, 'expression').map((each) => value(each, frame)),
      pairs:
        pairs &&
        parts(pairs, 'mapCreatorRestPair').map((pair) => [
          value(operand(pair, 0), frame),
          value(operand(pair, 1), frame),
        ]),
    });
  }

  return { value, truth, args, callOn };
}

/** @param {Node} node @param {number} i */
function operand(node, i) {
  const found = parts(node, 'expression')[i];
  if (found === undefined)
    throw new Error(`${node.kind} on line ${node.line} has no operand ${i + 1}.`);
  return found;
}

/** `>=` is two tokens. @param {Node} node */
function operator(node) {
  return parts(node, '')
    .map(({ text }) => text)
    .join('');
}

const ESCAPES = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' };

/** @param {string} text */
export function literal(text) {
  if (text.startsWith("'"))
    return text
      .slice(1, -1)
      .replace(/\\(u[0-9a-fA-F]{4}|.)/g, (_, escape) =>
        escape.length === 5
          ? String.fromCharCode(Number.parseInt(escape.slice(1), 16))
          : (ESCAPES[/** @type {keyof typeof ESCAPES} */ (escape)] ?? escape),
      );
  const word = text.toLowerCase();
  if (word === 'true' || word === 'false') return word === 'true';
  if (word === 'null') return null;
  if (word.endsWith('l')) return BigInt(word.slice(0, -1));
  return word.includes('.') ? coerce(Number(word), 'decimal') : Number(word);
}
