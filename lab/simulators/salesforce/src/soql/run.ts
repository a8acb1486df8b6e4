import type { Row, Value } from '../data/database.ts';
import { normalizeId, prefixOf } from '../ids.ts';
import type { SObject } from '../schema/sobject.ts';
import { runAggregates } from './aggregates.ts';
import type { Name, Query } from './ast.ts';
import { malformed, queryError } from './malformed.ts';
import { sortRows } from './order.ts';
import { type Scope, resolvePath } from './paths.ts';
import { parse } from './parser.ts';
import type { Json } from './render.ts';
import { compileSelect } from './select.ts';
import { type Predicate, checkLinkFilter, compileWhere, idsAskedFor } from './where.ts';

export interface Result {
  readonly totalSize: number;
  readonly records: readonly Json[];
}

export function runQuery(scope: Scope, query: Query): Result {
  const object = objectNamed(scope, query.from);
  checkLinkFilter(object, query.where);
  if (query.select.some(({ kind }) => kind === 'count')) {
    if (query.select.length > 1) {
      throw malformed(scope.source, query.from.at, 'COUNT() must be alone in the select list');
    }
    const matching = countOf(filtered(scope, object, query));
    return { totalSize: Math.min(matching, query.limit ?? matching), records: [] };
  }
  if (query.groupBy.length > 0 || query.select.some(({ kind }) => kind === 'aggregate')) {
    const records = runAggregates(scope, object, query, [...filtered(scope, object, query)]);
    return { totalSize: records.length, records };
  }
  const render = compileSelect(scope, object, query, (child, from, parent) => {
    const rows = childRows(scope, child, from, parent);
    const one = compileSelect(scope, child, from, noGrandchildren(scope, from));
    return rows.map(one);
  });
  const rows = rowsOf(scope, object, query);
  return { totalSize: rows.length, records: rows.map(render) };
}

/** The records of a query, in its order. */
export function rowsOf(scope: Scope, object: SObject, query: Query): Row[] {
  const rows = sortRows(scope, object, query, [...filtered(scope, object, query)]);
  const end = query.limit === null ? undefined : query.offset + query.limit;
  return rows.slice(query.offset, end);
}

export function parseAndFind(scope: Scope): { query: Query; object: SObject } {
  const query = parse(scope.source);
  return { query, object: objectNamed(scope, query.from) };
}

function objectNamed(scope: Scope, name: Name): SObject {
  const object = scope.schema.find(name.text);
  if (object !== undefined && !object.isEvent) return object;
  throw queryError(
    'INVALID_TYPE',
    scope.source,
    name.at,
    `sObject type '${name.text}' is not supported. If you are attempting to use a custom object, be sure to append the '__c' after the entity name. Please reference your WSDL or the describe call for the appropriate names.`,
  );
}

function* filtered(scope: Scope, object: SObject, query: Query): Iterable<Row> {
  const isWanted = compileWhere(scope, object, query, (sub) => semiJoin(scope, sub));
  for (const row of candidates(scope, object, query)) if (isWanted(row)) yield row;
}

function* candidates(scope: Scope, object: SObject, query: Query): Iterable<Row> {
  const ids = idsAskedFor(query.where);
  if (ids !== null) {
    const known = new Set(ids.map((id) => normalizeId(id) ?? id));
    for (const id of [...known].toSorted()) {
      const row = prefixOf(id) === object.keyPrefix ? scope.view.get(id) : undefined;
      if (row !== undefined && (scope.withDeleted || row['IsDeleted'] !== true)) yield row;
    }
    return;
  }
  yield* scope.view.rows(object);
  if (scope.withDeleted) yield* scope.view.bin(object);
}

/** `… IN (SELECT AccountId FROM Contact WHERE …)`: one field, one level. */
function semiJoin(scope: Scope, query: Query): ReadonlySet<Value> {
  const object = objectNamed(scope, query.from);
  const item = query.select[0];
  if (item?.kind !== 'field' || query.select.length > 1) {
    throw malformed(scope.source, query.from.at, 'A nested query must select one field');
  }
  const path = resolvePath(scope, object, query, item.name);
  const values = rowsOf(scope, object, query).map(path.read);
  return new Set(values.filter((value) => value !== null));
}

function childRows(scope: Scope, child: SObject, query: Query, isMine: Predicate): Row[] {
  const isWanted = compileWhere(scope, child, query, (sub) => semiJoin(scope, sub));
  const mine = [...scope.view.rows(child)].filter((row) => isMine(row) && isWanted(row));
  const rows = sortRows(scope, child, query, mine);
  return rows.slice(query.offset, query.limit === null ? undefined : query.offset + query.limit);
}

function noGrandchildren(scope: Scope, query: Query): () => never {
  return () => {
    throw malformed(scope.source, query.from.at, 'Children of children are not simulated');
  };
}

function countOf(rows: Iterable<Row>): number {
  let count = 0;
  for (const _ of rows) count += 1;
  return count;
}
