import { castTo } from './casts.ts';
import { likeRegex, translateFunction } from './functions.ts';
import { QueryError } from './run-sql.ts';
import {
  type Json,
  type Tree,
  binary,
  call,
  inside,
  isTree,
  kindOf,
  literalText,
  nameIn,
  quoted,
  text,
  textIn,
  untranslated,
} from './syntax.ts';
import { byType, withOuterType } from './witness.ts';
import { xmlValue } from './xml-path.ts';
import { atTimeZone } from './zones.ts';

export interface Around {
  readonly now: string;
  /** Rewrites a query that stands for a value, or for a list of them. */
  query(json: Json): Json;
  /** Of a column of a query around this one, whose type DuckDB does not look up; null: it is none, or not known. */
  outerTypeOf(table: string | null, name: string): string | null;
}

/** Kinds that mean the same in both, once what is in them has been rewritten. */
const SAME = new Set(
  `alias and or not eq neq lt lte gt gte is_null between in exists paren case coalesce neg mul
   bitwise_and bitwise_or sum min max upper lower ceil floor abs sqrt ln exp star null
   window_function row_number rank dense_rank percent_rank cume_dist n_tile lag lead first_value last_value
   string_agg ordered any all tuple`.split(/\s+/),
);

const QUERIES = new Set(['select', 'subquery', 'union', 'intersect', 'except']);

/** Members of a node that have one member themselves and are no expressions. */
const HOLDERS = new Set(['this', 'expressions', 'num_buckets', 'name', 'value']);

type Rule = (node: Tree, around: Around) => Json;

const RULES: Readonly<Record<string, Rule>> = {
  column: (node, around) => column(node, around),
  literal: (node) => literal(node),
  function: (node, around) =>
    translateFunction(
      { ...node, args: translateExpression(node['args'] ?? [], around) },
      around.now,
    ),
  ...Object.fromEntries(
    ['eq', 'neq', 'lt', 'lte', 'gt', 'gte'].map((kind) => [
      kind,
      (node: Tree, around: Around) => compared(kind, node, around),
    ]),
  ),
  add: (node, around) => byType('mc_add', ...sides(node, around)),
  sub: (node, around) => byType('mc_subtract', ...sides(node, around)),
  div: (node, around) => divided('div', node, around),
  mod: (node, around) => divided('mod', node, around),
  like: (node, around) => like(node, around),
  if_func: (node, around) =>
    call(
      'if',
      member(node, 'condition', around),
      member(node, 'true_value', around),
      member(node, 'false_value', around),
    ),
  cast: (node, around) => castTo(member(node, 'this', around), node['to'], undefined, false),
  try_cast: (node, around) => castTo(member(node, 'this', around), node['to'], undefined, true),
  length: (node, around) => call('mc_len', byType('mc_text', member(node, 'this', around))),
  substring: (node, around) =>
    call(
      'mc_substring',
      byType('mc_text', member(node, 'this', around)),
      member(node, 'start', around),
      member(node, 'length', around),
    ),
  trim: (node, around) => trim(node, around),
  year: (node, around) =>
    call('mc_datepart_year', byType('mc_datetime', member(node, 'this', around))),
  month: (node, around) =>
    call('mc_datepart_month', byType('mc_datetime', member(node, 'this', around))),
  day: (node, around) =>
    call('mc_datepart_day', byType('mc_datetime', member(node, 'this', around))),
  at_time_zone: (node, around) => atTimeZone(node, (json) => translateExpression(json, around)),
  method_call: (node, around) => translateExpression(xmlValue(node), around),
  collation: (node, around) => collated(node, around),
  rand: () => call('random'),
  json_value: (node, around) =>
    call('json_extract_string', member(node, 'this', around), member(node, 'path', around)),
  count: (node, around) => count(node, around),
  avg: (node, around) => average(node, around, (aggregate) => aggregate),
  within_group: (node, around) => withinGroup(node, around),
  var: (node) => ({ var: node }),
  data_type: (node) => ({ data_type: node }),
};

export function translateExpression(json: Json, around: Around): Json {
  if (Array.isArray(json))
    return (json as readonly Json[]).map((each) => translateExpression(each, around));
  if (!isTree(json)) return json;
  const [kind, node] = kindOf(json) ?? ['', null];
  if (QUERIES.has(kind)) return around.query(json);
  const averaged = inside(inside(json, 'window_function')?.['this'], 'avg');
  if (averaged !== null) return averageOver(json, averaged, around);
  const rule = Object.hasOwn(RULES, kind) ? RULES[kind] : undefined;
  if (rule !== undefined && isTree(node)) return rule(node, around);
  const isKind = /^[a-z_]+$/.test(kind) && !HOLDERS.has(kind);
  if (isKind && !SAME.has(kind)) throw untranslated(kind.replaceAll('_', ' ').toUpperCase());
  return members(json, around);
}

function members(tree: Tree, around: Around): Tree {
  const entries = Object.entries(tree).map(([name, value]) => {
    // Names are quoted: DuckDB keeps words for itself that T-SQL does not.
    const own = name === 'alias' && nameIn(value) !== null ? quoted(nameIn(value) ?? '') : null;
    return [name, own ?? translateExpression(value, around)] as const;
  });
  return Object.fromEntries(entries);
}

function member(node: Tree, name: string, around: Around): Json {
  const found = node[name] ?? null;
  if (found === null) throw new QueryError('A function has too few arguments.');
  return translateExpression(found, around);
}

function sides(node: Tree, around: Around): [Json, Json] {
  return [member(node, 'left', around), member(node, 'right', around)];
}

/**
 * For a text and a number, SQL Server compares numbers, and an empty text is 0 ("Data type precedence"); DuckDB refuses the empty
 * text. Only beside a literal: columns that are joined keep the names by which DuckDB joins them fast.
 */
function compared(kind: string, node: Tree, around: Around): Tree {
  const [left, right] = sides(node, around);
  const hasLiteral = [left, right].some((side) => inside(side, 'literal') !== null);
  if (!hasLiteral) return { [kind]: { ...node, left, right } };
  return {
    [kind]: {
      ...node,
      left: byType('mc_compared', left, right),
      right: byType('mc_compared', right, left),
    },
  };
}

function column(node: Tree, around: Around): Tree {
  const name = nameIn(node['name']) ?? '';
  if (name.startsWith('@')) throw new QueryError(`Must declare the scalar variable "${name}".`);
  const table = nameIn(node['table']);
  const made = {
    column: { ...node, name: quoted(name), table: table === null ? null : quoted(table) },
  };
  return withOuterType(made, around.outerTypeOf(table, name));
}

function literal(node: Tree): Tree {
  const type = textIn(node, 'literal_type');
  if (type === 'national_string') return text(textIn(node, 'value') ?? '');
  if (type !== 'string' && type !== 'number') throw untranslated('That literal');
  return { literal: node };
}

function divided(kind: 'div' | 'mod', node: Tree, around: Around): Tree {
  const [left, right] = sides(node, around);
  return binary(kind, left, call('mc_divisor', right));
}

/** Patterns of T-SQL have `[a-c]`, and know no case. */
function like(node: Tree, around: Around): Tree {
  const value = member(node, 'left', around);
  const escape = node['escape'] ?? null;
  const [pattern, mark] = [literalText(node['right']), escape === null ? '' : literalText(escape)];
  if (mark === null || isTree(node['quantifier'])) throw untranslated('That LIKE');
  if (pattern !== null) {
    return call('regexp_full_match', byType('mc_text', value), text(likeRegex(pattern, mark)));
  }
  if (mark !== '') throw untranslated('LIKE with ESCAPE and a pattern that is no literal');
  return call('mc_like', byType('mc_text', value), member(node, 'right', around));
}

function trim(node: Tree, around: Around): Tree {
  const letters =
    (node['characters'] ?? null) === null ? text(' ') : member(node, 'characters', around);
  return call('trim', byType('mc_text', member(node, 'this', around)), letters);
}

/** Texts are compared without regard to case here, as everywhere in Marketing Cloud. */
function collated(node: Tree, around: Around): Json {
  const name = textIn(node, 'collation') ?? '';
  if (!/_CI(_|$)|^database_default$/i.test(name)) throw untranslated(`The collation ${name}`);
  return member(node, 'this', around);
}

/** DuckDB counts distinct texts with regard to case, whatever the collation. */
function count(node: Tree, around: Around): Tree {
  if (node['distinct'] !== true || node['star'] === true) return { count: members(node, around) };
  return { count: { ...node, this: byType('mc_fold', member(node, 'this', around)) } };
}

/** The average of whole numbers is a whole number: a sum that is divided by a count, as T-SQL divides. */
function average(node: Tree, around: Around, placed: (aggregate: Tree) => Tree): Tree {
  const value = member(node, 'this', around);
  const distinct = node['distinct'] === true;
  const sum = placed({ sum: { ...node, this: value, name: 'SUM' } });
  const counted = placed({
    count: { this: value, star: false, distinct, filter: null, original_name: 'COUNT' },
  });
  return { paren: { this: binary('div', sum, counted), trailing_comments: [] } };
}

function averageOver(json: Tree, node: Tree, around: Around): Tree {
  const window = inside(json, 'window_function') ?? {};
  const over = translateExpression(window['over'] ?? null, around);
  return average(node, around, (aggregate) => ({
    window_function: { ...window, this: aggregate, over },
  }));
}

/** STRING_AGG(…) WITHIN GROUP (ORDER BY …). */
function withinGroup(node: Tree, around: Around): Tree {
  const aggregate = inside(node['this'], 'string_agg');
  if (aggregate === null) throw untranslated('WITHIN GROUP');
  const order = translateExpression(node['order_by'] ?? [], around);
  return { string_agg: { ...members(aggregate, around), order_by: order } };
}
