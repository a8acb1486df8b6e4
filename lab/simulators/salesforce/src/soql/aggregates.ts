import type { Row, Value } from '../data/database.ts';
import { type Field, type SObject, isFilterable } from '../schema/sobject.ts';
import {
  type Aggregate,
  type AggregateName,
  type Condition,
  type Name,
  type Operand,
  type Query,
  isAggregate,
} from './ast.ts';
import { comparable, sortKey, testOf } from './compare.ts';
import { malformed } from './malformed.ts';
import { compareKeys } from './order.ts';
import { type Path, type Scope, resolvePath } from './paths.ts';
import { type Json, renderValue } from './render.ts';

/** Rows that agree in the fields they are grouped by. */
type Group = readonly Row[];

interface Column {
  readonly field: Field;
  value(group: Group): Value;
}

/** GROUP BY, HAVING, and ORDER BY of groups. Without GROUP BY all rows are one group, be it empty. */
export function runAggregates(scope: Scope, object: SObject, query: Query, rows: Group): Json[] {
  const groupPaths = query.groupBy.map((name) => groupPath(scope, object, query, name));
  const column = (operand: Operand): Column => columnOf(scope, object, query, groupPaths, operand);
  const columns = namedColumns(scope, query, column);
  const isWanted = query.having === null ? () => true : havingOf(scope, query.having, column);
  const orders = query.orderBy.map(({ by }) => column(by));
  const groups = grouped(rows, groupPaths).filter(isWanted);
  const keyed = groups.map((group) => ({
    group,
    keys: orders.map((order) => keyOf(order, group)),
  }));
  const sorted = keyed.toSorted((a, b) => compareKeys(query.orderBy, a.keys, b.keys));
  const end = query.limit === null ? undefined : query.offset + query.limit;
  return sorted.slice(query.offset, end).map(({ group }) => ({
    attributes: { type: 'AggregateResult' },
    ...Object.fromEntries(columns.map(([name, each]) => [name, shown(scope, each, group)])),
  }));
}

function groupPath(scope: Scope, object: SObject, query: Query, name: Name): Path {
  const path = resolvePath(scope, object, query, name);
  if (isFilterable(path.field) && path.field.type !== 'datetime') return path;
  throw malformed(
    scope.source,
    name.at,
    `field '${path.field.name}' can not be grouped in a query call`,
  );
}

function grouped(rows: Group, paths: readonly Path[]): Group[] {
  if (paths.length === 0) return [rows];
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const key = JSON.stringify(paths.map((path) => comparable(path.field, path.read(row))));
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return [...groups.values()];
}

/** Aggregates without a name of their own are `expr0`, `expr1` and so on. */
function namedColumns(
  scope: Scope,
  query: Query,
  column: (operand: Operand) => Column,
): [string, Column][] {
  let unnamed = 0;
  return query.select.map((item) => {
    if (item.kind === 'aggregate') {
      const name = item.alias ?? `expr${unnamed}`;
      if (item.alias === null) unnamed += 1;
      return [name, column(item.call)];
    }
    if (item.kind === 'field') {
      return [item.alias ?? item.name.text.split('.').at(-1) ?? '', column(item.name)];
    }
    throw malformed(scope.source, query.from.at, 'Only fields and aggregates can be selected here');
  });
}

function columnOf(
  scope: Scope,
  object: SObject,
  query: Query,
  groupPaths: readonly Path[],
  operand: Operand,
): Column {
  if (isAggregate(operand)) return aggregateColumn(scope, object, query, operand);
  const named = query.select.find(
    (item) => item.kind === 'aggregate' && item.alias?.toLowerCase() === operand.text.toLowerCase(),
  );
  if (named?.kind === 'aggregate') return aggregateColumn(scope, object, query, named.call);
  const path = resolvePath(scope, object, query, operand);
  const isGrouped = groupPaths.some(
    (each) => each.field === path.field && each.lookups.length === path.lookups.length,
  );
  if (!isGrouped) {
    throw malformed(
      scope.source,
      operand.at,
      `Field must be grouped or aggregated: ${operand.text}`,
    );
  }
  return {
    field: path.field,
    value: (group) => (group[0] === undefined ? null : path.read(group[0])),
  };
}

function aggregateColumn(
  scope: Scope,
  object: SObject,
  query: Query,
  { call, name }: Aggregate,
): Column {
  const path = resolvePath(scope, object, query, name);
  const { field } = path;
  const isNumeric = field.type === 'double' || field.type === 'int';
  const isAllowed =
    isFilterable(field) &&
    (call === 'SUM' || call === 'AVG'
      ? isNumeric
      : call.startsWith('COUNT') || field.type !== 'boolean');
  if (!isAllowed) {
    throw malformed(
      scope.source,
      name.at,
      `field ${field.name} does not support aggregate operator ${call}`,
    );
  }
  const counts = call.startsWith('COUNT');
  return {
    field: counts ? { ...field, type: 'int' } : field,
    value: (group) =>
      aggregate(
        call,
        field,
        group.map(path.read).filter((value) => value !== null),
      ),
  };
}

function aggregate(call: AggregateName, field: Field, values: readonly Value[]): Value {
  if (call === 'COUNT') return values.length;
  if (call === 'COUNT_DISTINCT')
    return new Set(values.map((value) => comparable(field, value))).size;
  if (values.length === 0) return null;
  if (call === 'SUM' || call === 'AVG') {
    const sum = values.reduce<number>((total, value) => total + Number(value), 0);
    return call === 'SUM' ? sum : sum / values.length;
  }
  return values.reduce((best, value) => {
    const [a, b] = [sortKey(field, value), sortKey(field, best)];
    return (call === 'MIN' ? a < b : a > b) ? value : best;
  });
}

function keyOf({ field, value }: Column, group: Group): string | number | null {
  const found = value(group);
  return found === null ? null : sortKey(field, found);
}

function shown(scope: Scope, { field, value }: Column, group: Group): Json {
  const found = value(group);
  return renderValue(scope.version, field, group[0] ?? { Id: '' }, found);
}

function havingOf(
  scope: Scope,
  condition: Condition,
  column: (operand: Operand) => Column,
): (group: Group) => boolean {
  switch (condition.kind) {
    case 'and':
    case 'or': {
      const parts = condition.parts.map((part) => havingOf(scope, part, column));
      return condition.kind === 'and'
        ? (group) => parts.every((part) => part(group))
        : (group) => parts.some((part) => part(group));
    }
    case 'not': {
      const part = havingOf(scope, condition.part, column);
      return (group) => !part(group);
    }
    case 'compare': {
      const { field, value } = column(condition.left);
      const test = testOf(scope, field, condition.operator, condition.right);
      return (group) => test(value(group));
    }
    case 'in':
      throw malformed(scope.source, condition.left.at, 'IN is not simulated in HAVING');
  }
}
