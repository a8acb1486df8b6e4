// Expressions, by the rank of their operators.

import { parseQuery } from './parse-query.mjs';
import { unquoted } from './tokens.mjs';
import { coerce } from './values.mjs';

/**
 * @typedef {import('./tokens.mjs').Reader} Reader
 * @typedef {{ kind: string, line: number, [part: string]: any }} Expression
 */

const RANKS = [
  ['||'],
  ['&&'],
  ['==', '!='],
  ['<', '<=', '>', '>=', 'instanceof'],
  ['+', '-'],
  ['*', '/', '%'],
];
const ASSIGNMENTS = ['=', '+=', '-=', '*=', '/='];

/** @param {Reader} reader @returns {Expression} */
export function parseExpression(reader) {
  const { line } = reader.peek();
  const left = ranked(reader, 0);
  if (reader.take('?')) {
    const then = parseExpression(reader);
    reader.expect(':');
    return { kind: 'choice', line, test: left, then, otherwise: parseExpression(reader) };
  }
  const sign = ASSIGNMENTS.find((each) => reader.take(each));
  if (sign === undefined) return left;
  return {
    kind: 'assign',
    line,
    target: left,
    operator: sign.slice(0, -1),
    value: parseExpression(reader),
  };
}

/** @param {Reader} reader @param {number} rank @returns {Expression} */
function ranked(reader, rank) {
  const signs = RANKS[rank];
  if (signs === undefined) return unary(reader);
  let left = ranked(reader, rank + 1);
  for (;;) {
    const { line } = reader.peek();
    const operator = signs.find((each) => reader.take(each));
    if (operator === undefined) return left;
    left =
      operator === 'instanceof'
        ? { kind: 'instanceof', line, value: left, type: typeOf(reader) }
        : { kind: 'binary', line, operator, left, right: ranked(reader, rank + 1) };
  }
}

/** @param {Reader} reader @returns {Expression} */
function unary(reader) {
  const { line } = reader.peek();
  if (reader.take('!')) return { kind: 'not', line, value: unary(reader) };
  if (reader.take('-')) return { kind: 'minus', line, value: unary(reader) };
  if (reader.is('++') || reader.is('--'))
    return {
      kind: 'step',
      line,
      operator: reader.next().text.charAt(0),
      before: false,
      target: unary(reader),
    };
  const type = reader.is('(') ? reader.guess(() => castType(reader)) : undefined;
  if (type !== undefined) return { kind: 'cast', line, type, value: unary(reader) };
  return postfix(reader);
}

/** A type in parentheses, with an operand behind it. @param {Reader} reader */
function castType(reader) {
  reader.expect('(');
  const type = typeOf(reader);
  reader.expect(')');
  const { kind, low } = reader.peek();
  const isOperand =
    (kind === 'name' && low !== 'instanceof') || kind === 'text' || kind === 'number';
  return isOperand || low === '(' || low === '[' ? type : undefined;
}

/** @param {Reader} reader @returns {Expression} */
function postfix(reader) {
  let value = primary(reader);
  for (;;) {
    const { line } = reader.peek();
    if (reader.is('.') || reader.is('?.')) {
      const isSafe = reader.next().text === '?.';
      const name = reader.name().toLowerCase();
      value = reader.is('(')
        ? { kind: 'call', line, target: value, name, args: argsOf(reader), isSafe }
        : { kind: 'member', line, target: value, name, isSafe };
    } else if (reader.take('[')) {
      value = { kind: 'item', line, target: value, index: parseExpression(reader) };
      reader.expect(']');
    } else if (reader.is('++') || reader.is('--')) {
      value = {
        kind: 'step',
        line,
        operator: reader.next().text.charAt(0),
        before: true,
        target: value,
      };
    } else return value;
  }
}

/** @param {Reader} reader @returns {Expression} */
function primary(reader) {
  const { kind, low, text, line } = reader.peek();
  if (kind === 'text') return { kind: 'literal', line, value: unquoted(reader.next().text) };
  if (kind === 'number') return { kind: 'literal', line, value: numberOf(reader.next().low) };
  if (reader.take('(')) {
    const value = parseExpression(reader);
    reader.expect(')');
    return value;
  }
  if (reader.take('[')) {
    const query = parseQuery(reader, () => parseExpression(reader));
    reader.expect(']');
    return { kind: 'query', line, query };
  }
  if (kind !== 'name') return reader.fail('an expression');
  if (reader.take('new')) return creation(reader, line);
  if (reader.take('null')) return { kind: 'literal', line, value: null };
  if (reader.take('true')) return { kind: 'literal', line, value: true };
  if (reader.take('false')) return { kind: 'literal', line, value: false };
  // List<String>.class
  const type = reader.is('<', 1)
    ? reader.guess(() => {
        const found = typeOf(reader);
        return found.includes('<') && reader.is('.') ? found : undefined;
      })
    : undefined;
  if (type !== undefined) return { kind: 'name', line, name: type };
  reader.next();
  if (reader.is('(')) return { kind: 'ownCall', line, name: low, args: argsOf(reader) };
  return low === 'this' ? { kind: 'this', line } : { kind: 'name', line, name: low, text };
}

/** new A(1), new A(Name = 1), new List<A>{ 1 }, new Map<A, B>{ 1 => 2 }. @param {Reader} reader @param {number} line @returns {Expression} */
function creation(reader, line) {
  const type = typeOf(reader);
  if (reader.is('(')) {
    const args = argsOf(reader);
    const isNamed = args.length > 0 && args.every(({ kind }) => kind === 'assign');
    return { kind: 'new', line, type, args: isNamed ? [] : args, named: isNamed ? args : [] };
  }
  reader.expect('{');
  const items = [];
  const pairs = [];
  while (!reader.take('}')) {
    const first = parseExpression(reader);
    if (reader.take('=>')) pairs.push([first, parseExpression(reader)]);
    else items.push(first);
    reader.take(',');
  }
  return {
    kind: 'new',
    line,
    type,
    args: [],
    named: [],
    ...(type.startsWith('map<') ? { pairs } : { items }),
  };
}

/** @param {Reader} reader @returns {Expression[]} */
function argsOf(reader) {
  reader.expect('(');
  const args = [];
  while (!reader.take(')')) {
    args.push(parseExpression(reader));
    reader.take(',');
  }
  return args;
}

/** @param {string} text */
function numberOf(text) {
  if (text.endsWith('l')) return BigInt(text.slice(0, -1));
  if (text.endsWith('d')) return coerce(Number(text.slice(0, -1)), 'double');
  return text.includes('.') ? coerce(Number(text), 'decimal') : Number(text);
}

/** `Map<String, Object>` as map<string,object>. @param {Reader} reader @returns {string} */
export function typeOf(reader) {
  let type = reader.name();
  for (;;) {
    if (reader.take('.')) type += `.${reader.name()}`;
    else if (reader.take('<')) {
      const inner = [typeOf(reader)];
      while (reader.take(',')) inner.push(typeOf(reader));
      reader.expect('>');
      type += `<${inner.join(',')}>`;
    } else if (reader.is('[') && reader.is(']', 1)) {
      reader.next();
      reader.next();
      type = `list<${type}>`;
    } else return type.toLowerCase();
  }
}
