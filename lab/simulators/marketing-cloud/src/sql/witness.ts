import { type Json, type Tree, call, inside, isTree, kindOf, number, text } from './syntax.ts';

/** Columns of a query around the one that they stand in, with their types: DuckDB does not know these either when it chooses. */
const outerTypes = new WeakMap<Tree, string>();

export function withOuterType(column: Tree, type: string | null): Tree {
  if (type !== null) outerTypes.set(column, type);
  return column;
}

/** Something of the type; what is not named here is a number with a fraction. */
function constantOf(type: string): Json {
  if (type === 'VARCHAR') return text('');
  if (type === 'INTEGER' || type === 'BIGINT') return number(1);
  if (type === 'BOOLEAN') return { boolean: { value: true } };
  if (type === 'TIMESTAMP') return call('make_timestamp', number(0));
  return number(1.5);
}

/** Calls a macro that has a form for each type (typed-macros.ts). */
export function byType(macro: string, ...values: readonly Json[]): Json {
  // NULL alone has no type, and stays what it is.
  if (values.length === 1 && kindOf(values[0])?.[0] === 'null') return values[0] ?? null;
  if (!values.some(needsWitness)) return call(macro, ...values);
  return call(`${macro}_as`, ...values, ...values.map(witnessOf));
}

/** The same, with an argument whose type does not matter. */
export function byTypeWith(macro: string, value: Json, argument: Json): Json {
  if (kindOf(value)?.[0] === 'null') return value;
  if (!needsWitness(value)) return call(macro, value, argument);
  return call(`${macro}_as`, value, argument, witnessOf(value));
}

const NUMBERS = [
  'sum',
  'avg',
  'count',
  'row_number',
  'rank',
  'dense_rank',
  'percent_rank',
  'cume_dist',
  'n_tile',
];
const OF_THEIR_ARGUMENT = ['min', 'max', 'lag', 'lead', 'first_value', 'last_value'];
const STATISTICS = /^(stddev|var)_(samp|pop)$/;
const QUERIES = ['select', 'subquery', 'union', 'intersect', 'except'];

/** Whether there is an aggregate, a window function or a column of a query around in it, queries inside left out. */
function needsWitness(json: Json | undefined): boolean {
  if (Array.isArray(json)) return (json as readonly Json[]).some(needsWitness);
  if (!isTree(json)) return false;
  const kind = kindOf(json)?.[0] ?? '';
  if (QUERIES.includes(kind)) return false;
  return standIn(json) !== null || Object.values(json).some(needsWitness);
}

/** An expression of the same type without any of these. */
function witnessOf(json: Json): Json {
  if (Array.isArray(json)) return (json as readonly Json[]).map(witnessOf);
  if (!isTree(json)) return json;
  const kind = kindOf(json)?.[0] ?? '';
  if (QUERIES.includes(kind)) return json;
  const found = standIn(json);
  if (found !== null) return witnessOf(found);
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, witnessOf(value)]));
}

/** An expression with the type of this aggregate or column. Null: it is neither. */
function standIn(json: Tree): Json | null {
  const type = outerTypes.get(json);
  if (type !== undefined) return constantOf(type);
  const [kind, node] = kindOf(json) ?? ['', null];
  if (kind === 'window_function' && isTree(node)) return node['this'] ?? null;
  if (NUMBERS.includes(kind)) return number(1);
  if (kind === 'string_agg') return text('');
  if (OF_THEIR_ARGUMENT.includes(kind) && isTree(node)) return node['this'] ?? null;
  const name = inside(json, 'function')?.['name'];
  return typeof name === 'string' && STATISTICS.test(name) ? number(1) : null;
}
