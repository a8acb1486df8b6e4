// Queries over the records of an org.

import { SObject } from './records.mjs';
import { ApexError, QueryResult, compare, textOf } from './values.mjs';

/**
 * @typedef {import('./parse-query.mjs').Query} Query
 * @typedef {import('./parse-query.mjs').Condition} Condition
 * @typedef {import('./parse-query.mjs').Operand} Operand
 * @typedef {import('./records.mjs').Store} Store
 * @typedef {import('./records.mjs').Row} Row
 * @typedef {import('./schema.mjs').ObjectType} ObjectType
 * @typedef {{ org: Store, limits: ReturnType<typeof import('./limits.mjs').createLimits>, query: Query, bound: unknown[], withSharing: boolean, userMode: boolean }} Asked
 */

/** @param {Asked} asked @returns {QueryResult | number} records, or how many */
export function runQuery(asked) {
  const { org, query, limits } = asked;
  const type = org.type(query.from);
  const userMode = asked.userMode || query.userMode;
  limits.spend('queries');
  if (userMode && !org.mayReadObject(type))
    throw new ApexError('QueryException', `sObject type '${type.name}' is not supported.`);
  if (type.name === 'UserRecordAccess') return recordAccess(asked);
  // In user mode the conditions and the order count too ("Enforce User Mode for Database Operations").
  if (userMode)
    columnsOf(org, type, [...pathsOf(query.where), ...query.order.map(({ path }) => path)], true);

  const find = () => found(asked, type, userMode);
  let rows = find();
  if (query.forUpdate) {
    // Whoever changes one of them now is waited for; then they are read again.
    org.lock(rows.map((row) => textOf(org.read(row, org.field(type, 'id')))));
    rows = find();
  }
  limits.spend('queryRows', rows.length);
  if (query.isCount) return rows.length;
  const columns = columnsOf(org, type, query.paths, userMode);
  return new QueryResult(rows.map((row) => selected(org, type, row, columns)));
}

/** @param {Condition | undefined} condition @returns {string[]} */
function pathsOf(condition) {
  if (condition === undefined) return [];
  if ('and' in condition) return condition.and.flatMap(pathsOf);
  if ('or' in condition) return condition.or.flatMap(pathsOf);
  return 'not' in condition ? pathsOf(condition.not) : [condition.path];
}

/** @param {Asked} asked @param {ObjectType} type @param {boolean} userMode */
function found(asked, type, userMode) {
  const { org, query } = asked;
  const fits = query.where === undefined ? () => true : conditionOf(query.where, type, asked);
  const isShared = asked.withSharing || userMode;
  /** @type {Row[]} */
  let rows = [];
  for (const row of candidates(asked, type))
    if (fits(row) && (!isShared || org.maySee(type, row))) rows.push(row);
  if (query.order.length > 0) rows = sorted(rows, query.order, type, org);
  return query.limit === undefined ? rows : rows.slice(0, Number(operandOf(query.limit, asked)));
}

/** All records, or those whose Ids are asked for. @param {Asked} asked @param {ObjectType} type @returns {Iterable<Row>} */
function candidates({ org, query, bound }, type) {
  const { where } = query;
  const parts = where === undefined ? [] : 'and' in where ? where.and : [where];
  for (const part of parts) {
    if (!('path' in part) || part.path.toLowerCase() !== 'id' || !('bind' in part.right)) continue;
    const given = bound[part.right.bind];
    if (part.operator !== '=' && part.operator !== 'in') continue;
    const ids = part.operator === 'in' ? itemsOf(given) : [given];
    return [...new Set(ids)].flatMap((id) =>
      typeof id === 'string' ? (org.byId(type, id) ?? []) : [],
    );
  }
  return org.rows(type);
}

/** @param {unknown} list @returns {unknown[]} */
function itemsOf(list) {
  return Array.isArray(list) ? list : /** @type {{ items: unknown[] }} */ (list?.items ?? []);
}

/** @param {Operand} operand @param {Asked} asked @returns {unknown} */
function operandOf(operand, asked) {
  if ('bind' in operand) return asked.bound[operand.bind] ?? null;
  return 'items' in operand ? operand.items.map((each) => operandOf(each, asked)) : operand.literal;
}

/** @param {Condition} condition @param {ObjectType} type @param {Asked} asked @returns {(row: Row) => boolean} */
function conditionOf(condition, type, asked) {
  if ('or' in condition) {
    const parts = condition.or.map((each) => conditionOf(each, type, asked));
    return (row) => parts.some((part) => part(row));
  }
  if ('and' in condition) {
    const parts = condition.and.map((each) => conditionOf(each, type, asked));
    return (row) => parts.every((part) => part(row));
  }
  if ('not' in condition) {
    const part = conditionOf(condition.not, type, asked);
    return (row) => !part(row);
  }
  const left = readerOf(asked.org, type, condition.path);
  const right = operandOf(condition.right, asked);
  switch (condition.operator) {
    case 'in': {
      const keys = new Set(itemsOf(right).map(keyOf));
      return (row) => keys.has(keyOf(left(row)));
    }
    case '=':
      return (row) => alike(left(row), right);
    case '!=':
      return (row) => !alike(left(row), right);
    case 'like': {
      const pattern = new RegExp(`^${textOf(right).replaceAll('%', '.*')}$`, 'is');
      return (row) => pattern.test(textOf(left(row)));
    }
    default: {
      const fits = ORDERS[condition.operator];
      if (fits === undefined)
        throw new ApexError('QueryException', `unexpected ${condition.operator}`);
      return (row) => {
        const value = left(row);
        return value !== null && right !== null && fits(compare(value, right));
      };
    }
  }
}

/** @type {Record<string, (order: number) => boolean>} */
const ORDERS = {
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};

/** SOQL ignores case in texts, but not in Ids. @param {unknown} value */
function keyOf(value) {
  if (typeof value !== 'string')
    return typeof value === 'object' && value !== null ? textOf(value) : value;
  return /^[a-zA-Z0-9]{18}$/.test(value) ? value : value.toLowerCase();
}

/** @param {unknown} a @param {unknown} b */
function alike(a, b) {
  if (a === b) return true;
  if (a === null || b === null) return false;
  if (typeof a === 'string' && typeof b === 'string')
    return a.length === b.length && keyOf(a) === keyOf(b);
  if (typeof a === 'string' || typeof b === 'string' || typeof a === 'boolean') return false;
  return compare(a, b) === 0;
}

/** What a path gives of a row. @param {Store} org @param {ObjectType} type @param {string} path @returns {(row: Row) => unknown} */
function readerOf(org, type, path) {
  const [first = '', ...rest] = path.split('.');
  if (rest.length === 0) {
    const field = org.field(type, first.toLowerCase());
    return (row) => org.read(row, field);
  }
  const { lookup, target } = parentOf(org, type, first);
  const read = readerOf(org, target, rest.join('.'));
  return (row) => {
    const parent = org.byId(target, textOf(org.read(row, lookup)));
    return parent === undefined ? null : read(parent);
  };
}

/** @param {Store} org @param {ObjectType} type @param {string} relationship */
function parentOf(org, type, relationship) {
  const lookup = [...type.fields.values()].find(
    (each) => each.relationship.toLowerCase() === relationship.toLowerCase(),
  );
  if (lookup === undefined)
    throw new ApexError('QueryException', `Didn't understand relationship '${relationship}'`);
  return { lookup, target: org.type(lookup.targets[0] ?? '') };
}

/** @param {Row[]} rows @param {Query['order']} order @param {ObjectType} type @param {Store} org */
function sorted(rows, order, type, org) {
  const reads = order.map(({ path }) => readerOf(org, type, path));
  const keyed = rows.map((row) => ({ row, keys: reads.map((read) => read(row)) }));
  keyed.sort((a, b) => {
    for (const [i, { descending, nullsLast }] of order.entries()) {
      const [x, y] = [a.keys[i], b.keys[i]];
      if (x === null && y === null) continue;
      if (x === null || y === null) return (x === null) === nullsLast ? 1 : -1;
      const difference = compare(x, y);
      if (difference !== 0) return descending ? -difference : difference;
    }
    return 0;
  });
  return keyed.map(({ row }) => row);
}

/**
 * @typedef {{ name: string, field: import('./schema.mjs').Field }} Column
 * @typedef {{ name: string, lookup: import('./schema.mjs').Field, target: ObjectType, columns: Columns }} Parent
 * @typedef {{ own: Column[], parents: Parent[] }} Columns
 */

/** @param {Store} org @param {ObjectType} type @param {string[]} paths @param {boolean} userMode @returns {Columns} */
function columnsOf(org, type, paths, userMode) {
  /** @type {Column[]} */
  const own = [{ name: 'id', field: org.field(type, 'id') }];
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
    own.push({ name: first.toLowerCase(), field });
  }
  const parents = [...below].map(([relationship, rest]) => {
    const { lookup, target } = parentOf(org, type, relationship);
    if (userMode && !(org.mayReadField(type, lookup) && org.mayReadObject(target)))
      throw new ApexError('QueryException', `Didn't understand relationship '${relationship}'`);
    return {
      name: relationship.toLowerCase(),
      lookup,
      target,
      columns: columnsOf(org, target, rest, userMode),
    };
  });
  return { own, parents };
}

/** @param {Store} org @param {ObjectType} type @param {Row} row @param {Columns} columns @returns {SObject} */
function selected(org, type, row, { own, parents }) {
  const record = new SObject(type, [], true);
  for (const { name, field } of own) record.values.set(name, org.read(row, field));
  for (const { name, lookup, target, columns } of parents) {
    const parent = org.byId(target, textOf(org.read(row, lookup)));
    record.values.set(name, parent === undefined ? null : selected(org, target, parent, columns));
  }
  return record;
}

/** UserRecordAccess: edit access is computed, not stored. @param {Asked} asked */
function recordAccess({ org, bound }) {
  const recordId = bound.map(textOf).find((id) => !id.startsWith('005')) ?? '';
  const values = /** @type {[string, unknown][]} */ ([
    ['recordid', recordId],
    ['haseditaccess', org.mayEdit(recordId)],
  ]);
  return new QueryResult([new SObject(org.type('UserRecordAccess'), values)]);
}
