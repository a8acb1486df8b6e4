// Queries over the tables of the org, from the parse tree of a query.

import { ApexParserFactory } from '@apexdevtools/apex-parser';
import { childOf, findAll, simplified } from '../lib/apex-tree.mjs';
import { literal } from './expressions.mjs';
import { part } from './model.mjs';
import { SObject } from './org.mjs';
import { ApexError, QueryResult, compare, textOf } from './values.mjs';

/**
 * @typedef {import('../lib/apex-tree.mjs').Node} Node
 * @typedef {import('./org.mjs').Org} Org
 * @typedef {import('./schema.mjs').ObjectType} ObjectType
 * @typedef {Map<string, unknown>} Row
 * @typedef {{ org: Org, query: Node, bound: (expression: Node) => unknown, withSharing: boolean, userMode: boolean }} Asked
 */

/** A query given as text. @param {string} text @returns {Node} */
export function parseQuery(text) {
  const parser = ApexParserFactory.createParser(text, true);
  try {
    return simplified(parser.query());
  } catch (error) {
    throw new ApexError(
      'QueryException',
      `${error instanceof Error ? error.message : ''} in ${text}`,
    );
  }
}

/** @param {Asked} asked @returns {QueryResult | number} records, or how many */
export function runQuery(asked) {
  const { org, query } = asked;
  const type = org.type(part(query, 'fromNameList').text);
  const userMode = asked.userMode || /USER_MODE/i.test(childOf(query, 'withClause')?.text ?? '');
  if (userMode && !org.mayReadObject(type))
    throw new ApexError('QueryException', `sObject type '${type.name}' is not supported.`);
  const paths = findAll(part(query, 'selectList'), 'selectEntry').map(({ text }) => text);
  if (type.name === 'UserRecordAccess') return recordAccess(asked);

  const where = childOf(query, 'whereClause');
  let rows = [...org.table(type).values()].filter(
    (row) =>
      (!(asked.withSharing || userMode) || org.maySee(type, row)) &&
      (where === undefined || holds(part(where, 'whereLogicalExpression'), type, row, asked)),
  );
  const order = childOf(query, 'orderByClause');
  if (order !== undefined) rows = sorted(rows, findAll(order, 'fieldOrder'), type, org);
  const limit = childOf(query, 'limitClause');
  if (limit !== undefined) rows = rows.slice(0, Number(limitOf(limit, asked)));

  org.limits.queries += 1;
  org.limits.queryRows += rows.length;
  if (/^COUNT\(\)$/i.test(paths[0] ?? '')) return rows.length;
  return new QueryResult(rows.map((row) => selected(type, row, paths, org, userMode)));
}

/** @param {Node} node @param {Asked} asked */
function limitOf(node, asked) {
  const bound = childOf(node, 'boundExpression');
  return bound ? asked.bound(part(bound, 'expression')) : node.children[1]?.text;
}

/** @param {Node} node @param {ObjectType} type @param {Row} row @param {Asked} asked @returns {boolean} */
function holds(node, type, row, asked) {
  const parts = node.children.filter(({ rule }) => rule === 'whereConditionalExpression');
  const each = (/** @type {Node} */ condition) => {
    const nested = childOf(condition, 'whereLogicalExpression');
    if (nested !== undefined) return holds(nested, type, row, asked);
    return comparison(
      part(part(condition, 'whereFieldExpression'), 'fieldExpression'),
      type,
      row,
      asked,
    );
  };
  const isOr = node.children.some(({ rule, text }) => rule === '' && text.toUpperCase() === 'OR');
  return isOr ? parts.some(each) : parts.every(each);
}

/** @param {Node} node @param {ObjectType} type @param {Row} row @param {Asked} asked @returns {boolean} */
function comparison(node, type, row, asked) {
  const left = valueAt(asked.org, type, row, part(node, 'fieldName').text);
  const operator = part(node, 'comparisonOperator').text.toUpperCase();
  const given = part(node, 'value');
  const bound = childOf(given, 'boundExpression');
  const right = bound ? asked.bound(part(bound, 'expression')) : literal(given.text);
  if (operator === 'IN')
    return /** @type {{ items: unknown[] }} */ (right).items.some((item) => alike(left, item));
  if (operator === '=') return alike(left, right);
  if (operator === '!=') return !alike(left, right);
  if (operator === 'LIKE')
    return new RegExp(`^${textOf(right).replaceAll('%', '.*')}$`, 'is').test(textOf(left));
  if (left === null || right === null) return false;
  const order = compare(left, right);
  return { '<': order < 0, '<=': order <= 0, '>': order > 0, '>=': order >= 0 }[operator] ?? false;
}

/** SOQL does not tell upper from lower case in texts, but it does in Ids. @param {unknown} a @param {unknown} b */
function alike(a, b) {
  if (a === null || b === null) return a === b;
  if (typeof a === 'string' && typeof b === 'string')
    return /^[a-zA-Z0-9]{18}$/.test(a) ? a === b : a.toLowerCase() === b.toLowerCase();
  return typeof a === typeof b && (typeof a === 'object' ? compare(a, b) === 0 : a === b);
}

/** @param {Org} org @param {ObjectType} type @param {Row} row @param {string} path @returns {unknown} */
function valueAt(org, type, row, path) {
  const [first = '', ...rest] = path.split('.');
  if (rest.length === 0) {
    org.field(type, first.toLowerCase());
    return row.get(first.toLowerCase()) ?? null;
  }
  const { target, targetRow } = parentOf(org, type, row, first);
  return targetRow === undefined ? null : valueAt(org, target, targetRow, rest.join('.'));
}

/** @param {Org} org @param {ObjectType} type @param {Row} row @param {string} relationship */
function parentOf(org, type, row, relationship) {
  const field = [...type.fields.values()].find(
    (each) => each.relationship.toLowerCase() === relationship.toLowerCase(),
  );
  if (field === undefined)
    throw new ApexError('QueryException', `Didn't understand relationship '${relationship}'`);
  const target = org.type(field.targets[0] ?? '');
  return { target, targetRow: org.table(target).get(textOf(row.get(field.name.toLowerCase()))) };
}

/** @param {Row[]} rows @param {Node[]} orders @param {ObjectType} type @param {Org} org */
function sorted(rows, orders, type, org) {
  const by = orders.map((order) => ({
    path: part(order, 'fieldName').text,
    sign: /DESC/i.test(order.text.slice(part(order, 'fieldName').text.length)) ? -1 : 1,
    nullsLast: /NULLSLAST/i.test(order.text),
  }));
  return rows.toSorted((a, b) => {
    for (const { path, sign, nullsLast } of by) {
      const [x, y] = [valueAt(org, type, a, path), valueAt(org, type, b, path)];
      if (x === null && y === null) continue;
      if (x === null || y === null) return (x === null) === nullsLast ? 1 : -1;
      const order = compare(x, y);
      if (order !== 0) return order * sign;
    }
    return 0;
  });
}

/** @param {ObjectType} type @param {Row} row @param {string[]} paths @param {Org} org @param {boolean} userMode @returns {SObject} */
function selected(type, row, paths, org, userMode) {
  /** @type {Map<string, unknown>} */
  const values = new Map([['id', row.get('id')]]);
  /** @type {Map<string, string[]>} */
  const below = new Map();
  for (const path of paths) {
    const [first = '', ...rest] = path.split('.');
    if (rest.length > 0) {
      below.set(first, [...(below.get(first) ?? []), rest.join('.')]);
      continue;
    }
    const field = type.fields.get(first.toLowerCase());
    if (field === undefined || (userMode && !org.mayReadField(type, field)))
      throw new ApexError('QueryException', `No such column '${first}' on entity '${type.name}'`);
    values.set(first.toLowerCase(), row.get(first.toLowerCase()) ?? null);
  }
  for (const [relationship, rest] of below) {
    const { target, targetRow } = parentOf(org, type, row, relationship);
    values.set(
      relationship.toLowerCase(),
      targetRow ? selected(target, targetRow, rest, org, userMode) : null,
    );
  }
  return new SObject(type, values, new Set(values.keys()));
}

/** Who may edit is computed, not stored: the owner. @param {Asked} asked */
function recordAccess({ org, query, bound }) {
  const [recordId = ''] = findAll(part(query, 'whereClause'), 'boundExpression')
    .map((node) => textOf(bound(part(node, 'expression'))))
    .filter((id) => !id.startsWith('005'));
  const type = org.typeOfId(recordId);
  const row = type && org.table(type).get(recordId);
  const edit = org.isAdmin() || row?.get('ownerid') === org.userId;
  org.limits.queries += 1;
  return new QueryResult([
    new SObject(org.type('UserRecordAccess'), [
      ['recordid', recordId],
      ['haseditaccess', edit],
    ]),
  ]);
}
