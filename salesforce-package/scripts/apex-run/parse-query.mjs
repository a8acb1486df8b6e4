// SOQL: in square brackets in Apex, or given as text.

import { readerOf, tokensOf, unquoted } from './tokens.mjs';
import { ApexError } from './values.mjs';

/**
 * @typedef {import('./tokens.mjs').Reader} Reader
 * @typedef {{ literal: unknown } | { bind: number } | { items: Operand[] }} Operand a bind is the place of its expression
 * @typedef {{ or: Condition[] } | { and: Condition[] } | { not: Condition } | { path: string, operator: string, right: Operand }} Condition
 * @typedef {object} Query
 * @property {string[]} paths
 * @property {boolean} isCount
 * @property {string} from
 * @property {Condition | undefined} where
 * @property {boolean} userMode
 * @property {{ path: string, descending: boolean, nullsLast: boolean }[]} order
 * @property {Operand | undefined} limit
 * @property {boolean} forUpdate
 * @property {unknown[]} binds what stands after each `:`, an expression or a name
 */

const KEPT = 500;
/** @type {Map<string, Query>} */
const known = new Map();

/** A query given as text; what is bound has names. @param {string} text @returns {Query} */
export function queryOf(text) {
  const found = known.get(text);
  if (found !== undefined) return found;
  try {
    const reader = readerOf(tokensOf(text));
    const query = parseQuery(reader, () => reader.name());
    if (reader.peek().kind !== 'end') reader.fail('the end');
    if (known.size >= KEPT) known.clear();
    known.set(text, query);
    return query;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new ApexError('QueryException', `${error.message} in ${text}`);
  }
}

/** @param {Reader} reader @param {() => unknown} bound reads what stands after a `:` @returns {Query} */
export function parseQuery(reader, bound) {
  const { take, expect } = reader;
  /** @type {unknown[]} */
  const binds = [];
  expect('select');
  const isCount = reader.is('count') && reader.is('(', 1) && reader.is(')', 2);
  const paths = isCount ? [] : listOf(reader, () => pathOf(reader));
  if (isCount) for (let i = 0; i < 3; i += 1) reader.next();
  expect('from');
  const from = reader.name();
  const where = take('where') ? logical() : undefined;
  const userMode = take('with') && /user_mode/.test(reader.next().low);
  /** @type {Query['order']} */
  const order = take('order') ? (expect('by'), listOf(reader, ordered)) : [];
  const limit = take('limit') ? operand() : undefined;
  const forUpdate = take('for') && (expect('update'), true);
  // As on the platform, which no checker of types notices.
  if (forUpdate && order.length > 0) reader.fail('no ORDER BY together with FOR UPDATE');
  return { paths, isCount, from, where, userMode, order, limit, forUpdate, binds };

  function ordered() {
    const path = pathOf(reader);
    const descending = take('desc') || (take('asc'), false);
    const nullsLast = take('nulls') && reader.next().low === 'last';
    return { path, descending, nullsLast };
  }

  /** @returns {Condition} */
  function logical() {
    const first = condition();
    const word = reader.is('or') ? 'or' : 'and';
    if (!reader.is(word)) return first;
    const all = [first];
    while (take(word)) all.push(condition());
    return word === 'or' ? { or: all } : { and: all };
  }

  /** @returns {Condition} */
  function condition() {
    if (take('not')) return { not: condition() };
    if (take('(')) {
      const inner = logical();
      expect(')');
      return inner;
    }
    const path = pathOf(reader);
    const negated = take('not');
    const operator = reader.next().low;
    const right = operand();
    const whole = { path, operator, right };
    return negated ? { not: whole } : whole;
  }

  /** @returns {Operand} */
  function operand() {
    if (take(':')) return { bind: binds.push(bound()) - 1 };
    if (take('(')) {
      const items = listOf(reader, operand);
      expect(')');
      return { items };
    }
    const minus = take('-') ? -1 : 1;
    const { kind, text, low } = reader.next();
    if (kind === 'text') return { literal: unquoted(text) };
    if (kind === 'number') return { literal: minus * Number(text) };
    if (low === 'null') return { literal: null };
    if (low === 'true' || low === 'false') return { literal: low === 'true' };
    return reader.fail('a value');
  }
}

/** @template T @param {Reader} reader @param {() => T} read */
function listOf(reader, read) {
  const items = [read()];
  while (reader.take(',')) items.push(read());
  return items;
}

/** @param {Reader} reader */
function pathOf(reader) {
  let path = reader.name();
  while (reader.take('.')) path += `.${reader.name()}`;
  return path;
}
