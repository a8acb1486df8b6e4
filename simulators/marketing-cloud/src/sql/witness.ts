import { type Json, type Tree, call, inside, isTree, kindOf, number, text } from './syntax.ts';

/** Calls a macro that has a form for each type (typed-macros.ts). */
export function byType(macro: string, ...values: readonly Json[]): Json {
  // NULL alone has no type, and stays what it is.
  if (values.length === 1 && kindOf(values[0])?.[0] === 'null') return values[0] ?? null;
  if (!values.some(isAggregated)) return call(macro, ...values);
  return call(`${macro}_as`, ...values, ...values.map(witnessOf));
}

/** The same, with an argument whose type does not matter. */
export function byTypeWith(macro: string, value: Json, argument: Json): Json {
  if (kindOf(value)?.[0] === 'null') return value;
  if (!isAggregated(value)) return call(macro, value, argument);
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

/** Whether there is an aggregate or a window function in it, queries inside left out. */
function isAggregated(json: Json | undefined): boolean {
  if (Array.isArray(json)) return (json as readonly Json[]).some(isAggregated);
  if (!isTree(json)) return false;
  const kind = kindOf(json)?.[0] ?? '';
  if (QUERIES.includes(kind)) return false;
  return standIn(json) !== null || Object.values(json).some(isAggregated);
}

/** An expression of the same type without aggregates. */
function witnessOf(json: Json): Json {
  if (Array.isArray(json)) return (json as readonly Json[]).map(witnessOf);
  if (!isTree(json)) return json;
  const kind = kindOf(json)?.[0] ?? '';
  if (QUERIES.includes(kind)) return json;
  const found = standIn(json);
  if (found !== null) return witnessOf(found);
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, witnessOf(value)]));
}

/** An expression with the type of this aggregate. Null: it is no aggregate. */
function standIn(json: Tree): Json | null {
  const [kind, node] = kindOf(json) ?? ['', null];
  if (kind === 'window_function' && isTree(node)) return node['this'] ?? null;
  if (NUMBERS.includes(kind)) return number(1);
  if (kind === 'string_agg') return text('');
  if (OF_THEIR_ARGUMENT.includes(kind) && isTree(node)) return node['this'] ?? null;
  const name = inside(json, 'function')?.['name'];
  return typeof name === 'string' && STATISTICS.test(name) ? number(1) : null;
}
