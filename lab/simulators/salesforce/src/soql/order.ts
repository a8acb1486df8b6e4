import type { Row } from '../data/database.ts';
import { type SObject, isFilterable } from '../schema/sobject.ts';
import { type Query, isAggregate } from './ast.ts';
import { sortKey } from './compare.ts';
import { malformed, queryError } from './malformed.ts';
import { type Scope, resolvePath } from './paths.ts';

type Key = string | number | null;

/** By the ORDER BY of the query; what it does not decide stays in the order of creation. */
export function sortRows(scope: Scope, object: SObject, query: Query, rows: Row[]): Row[] {
  if (query.forUpdate) return rows.toSorted((a, b) => (a.Id < b.Id ? -1 : 1)); // in the order of locking
  if (query.orderBy.length === 0) return rows;
  const keys = query.orderBy.map((order) => {
    if (isAggregate(order.by)) {
      throw malformed(
        scope.source,
        order.by.name.at,
        'Ordered field must be grouped or aggregated',
      );
    }
    const path = resolvePath(scope, object, query, order.by);
    if (!isFilterable(path.field)) {
      throw queryError(
        'INVALID_FIELD',
        scope.source,
        order.by.at,
        `field '${path.field.name}' can not be sorted in a query call`,
      );
    }
    return (row: Row): Key => {
      const value = path.read(row);
      return value === null ? null : sortKey(path.field, value);
    };
  });
  const keyed = rows.map((row) => ({ row, keys: keys.map((key) => key(row)) }));
  return keyed.toSorted((a, b) => compareKeys(query.orderBy, a.keys, b.keys)).map(({ row }) => row);
}

/** Empty fields come first unless the query says otherwise, whichever way it sorts. */
export function compareKeys(
  orderBy: Query['orderBy'],
  left: readonly Key[],
  right: readonly Key[],
): number {
  for (const [index, { descending, nullsLast }] of orderBy.entries()) {
    const [a = null, b = null] = [left[index], right[index]];
    if (a === b) continue;
    if (a === null || b === null) return (a === null) === nullsLast ? 1 : -1;
    return a < b === descending ? 1 : -1;
  }
  return 0;
}
