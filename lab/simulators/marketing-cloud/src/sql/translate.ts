import type { SqlParser } from './duckdb.ts';
import { translateExpression } from './expressions.ts';
import { QueryError } from './run-sql.ts';
import { joinedByXml } from './xml-path.ts';
import { checkAliases } from './scope.ts';
import {
  type Find,
  type NamedPlace,
  placesOf,
  rewriteJoin,
  rewriteSource,
  type SourceParts,
} from './sources.ts';
import {
  binary,
  call,
  inside,
  isTree,
  type Json,
  kindOf,
  literalNumber,
  nameIn,
  quoted,
  type Tree,
  treesIn,
  untranslated,
} from './syntax.ts';

export interface Translation {
  /** The value of GETDATE: `2026-05-20 04:00:00.789`. */
  readonly now: string;
  readonly find: Find;
  readonly parser: SqlParser;
  /** Tables of the queries around this one, the nearest first. */
  readonly outer?: readonly NamedPlace[];
}

/**
 * T-SQL as Marketing Cloud takes it, in DuckDB's words. The tree is rewritten by a list of what is known: what is not on it is an
 * error, because DuckDB gives many things T-SQL's names and another meaning.
 */
export function translate(sql: string, translation: Translation): string {
  const { parser } = translation;
  const statement = rewriteQuery(onlySelect(sql, parser), translation, 'top');
  const generated = parser.generate([statement], DUCKDB);
  const [text] = generated.sql ?? [];
  if (!generated.success || text === undefined) throw untranslated('That statement');
  return text;
}

// The parser's own names for the dialects.
const TSQL = 'tsql';
const DUCKDB = 'duckdb';

/** Marketing Cloud's own words, as users report them. */
const ONLY_SELECT =
  'Only SELECT queries are valid. The query cannot have variables, temporary tables, common table expressions or several statements.';

function onlySelect(sql: string, parser: SqlParser): Json {
  const bare = withoutComments(sql);
  // The query stands in parentheses: SQL Server's message 102.
  if (bare.trimEnd().endsWith(';')) throw new QueryError("Incorrect syntax near ';'.");
  const parsed = parser.parse(bare, TSQL);
  if (!parsed.success) throw new QueryError(`Incorrect syntax. ${parsed.error ?? ''}`.trim());
  const statements = (Array.isArray(parsed.ast) ? parsed.ast : [parsed.ast]) as Json[];
  const [statement] = statements;
  const kind = kindOf(statement)?.[0] ?? '';
  if (statements.length !== 1 || statement === undefined || !QUERIES.includes(kind)) {
    throw new QueryError(ONLY_SELECT);
  }
  return statement;
}

const SET_OPERATIONS = ['union', 'intersect', 'except'];
const QUERIES = ['select', 'subquery', ...SET_OPERATIONS];

/**
 * `top`: the whole query, which Marketing Cloud makes a derived table. `derived`: its columns need names. `value`: it stands for a value. `joined`: its rows are
 * joined in their order.
 */
type Position = 'top' | 'derived' | 'value' | 'joined';

function rewriteQuery(json: Json, translation: Translation, position: Position): Tree {
  const [kind, query] = kindOf(json) ?? ['', null];
  if (!isTree(query)) throw untranslated('That query');
  if (query['with'] !== null && query['with'] !== undefined) throw new QueryError(ONLY_SELECT);
  if (kind === 'select') {
    const xml = position === 'value' ? joinedByXml(query) : null;
    if (xml !== null) return xml.join({ select: rewriteSelect(xml.select, translation, 'joined') });
    return { select: rewriteSelect(query, translation, position) };
  }
  if (kind === 'subquery') {
    return {
      subquery: { ...query, this: rewriteQuery(query['this'] ?? null, translation, position) },
    };
  }
  if (!SET_OPERATIONS.includes(kind)) throw untranslated('That query');
  if (isTree(query['order_by'])) throw new QueryError(ORDER_INSIDE);
  const part = position === 'top' ? 'derived' : position;
  return {
    [kind]: {
      ...query,
      left: rewriteQuery(query['left'] ?? null, translation, part),
      right: rewriteQuery(query['right'] ?? null, translation, 'value'),
      order_by: null,
    },
  };
}

/** SQL Server's message 1033. */
const ORDER_INSIDE =
  'The ORDER BY clause is invalid in views, inline functions, derived tables, subqueries, and common table expressions, unless TOP, OFFSET or FOR XML is also specified.';

/** The clauses that a SELECT may have; whatever else it has that is not empty is no T-SQL, or not translated. */
const PARTS_OF_SELECT = [
  'expressions',
  'from',
  'joins',
  'where_clause',
  'group_by',
  'having',
  'distinct',
  'order_by',
  'top',
  'offset',
  'fetch',
];

function rewriteSelect(given: Tree, translation: Translation, position: Position): Tree {
  const select: Tree = {
    ...given,
    expressions: treesIn(given['expressions']).map(withoutBrackets).map(namedByEquation),
    group_by: withRollup(given['group_by'] ?? null),
  };
  if (isTree(select['into'])) throw new QueryError(ONLY_SELECT);
  for (const [name, value] of Object.entries(select)) {
    const isEmpty =
      value === null || value === false || (Array.isArray(value) && value.length === 0);
    if (!isEmpty && !PARTS_OF_SELECT.includes(name)) {
      throw new QueryError(`Incorrect syntax near '${name.replaceAll('_', ' ').toUpperCase()}'.`);
    }
  }
  checkColumns(select, position);
  if (position !== 'value') {
    checkAliases(select, (prefix, name) => translation.find(prefix, name)?.columns ?? null);
  }
  const own = placesOf(select, translation.find);
  const within = { ...translation, outer: [...own, ...(translation.outer ?? [])] };
  const expression = (json: Json | undefined): Json => rewrite(json ?? null, within, own);
  const parts: SourceParts = {
    find: translation.find,
    query: (query) => rewriteQuery(query, within, 'derived'),
    expression,
  };
  const top = isTree(select['top']) ? select['top'] : null;
  const keepsOrder =
    top !== null || isTree(select['offset']) || isTree(select['fetch']) || position === 'joined';
  if (isTree(select['order_by']) && !keepsOrder) throw new QueryError(ORDER_INSIDE);
  const order = keepsOrder ? expression(select['order_by']) : null;
  return {
    ...select,
    leading_comments: [],
    expressions: expression(select['expressions']),
    from: isTree(select['from'])
      ? {
          ...select['from'],
          expressions: treesIn(select['from']['expressions']).map((each) =>
            rewriteSource(each, parts),
          ),
        }
      : null,
    joins: treesIn(select['joins']).map((join) => rewriteJoin(join, parts)),
    where_clause: expression(select['where_clause']),
    group_by: expression(select['group_by']),
    having: expression(select['having']),
    order_by: order,
    offset: expression(select['offset']),
    fetch: expression(select['fetch']),
    top: null,
    ...(top !== null && limitedBy(top, order)),
  };
}

/** `Name = value` in the list is `value AS Name`. */
function namedByEquation(json: Tree): Tree {
  const equation = inside(json, 'eq');
  const column = inside(equation?.['left'], 'column');
  const name = nameIn(column?.['name']);
  if (equation === null || name === null || nameIn(column?.['table']) !== null) return json;
  return {
    alias: {
      this: equation['right'] ?? null,
      alias: quoted(name),
      column_aliases: [],
      alias_explicit_as: true,
      pre_alias_comments: [],
      trailing_comments: [],
    },
  };
}

/** A column in brackets keeps its name. */
function withoutBrackets(json: Tree): Tree {
  const bracketed = inside(json, 'paren')?.['this'] ?? null;
  if (!isTree(bracketed)) return json;
  const isColumn = inside(bracketed, 'column') !== null || inside(bracketed, 'paren') !== null;
  return isColumn ? withoutBrackets(bracketed) : json;
}

/** `GROUP BY a, b WITH ROLLUP`, the older spelling of `GROUP BY ROLLUP(a, b)`. */
function withRollup(groupBy: Json): Json {
  if (!isTree(groupBy)) return groupBy;
  const all = treesIn(groupBy['expressions']);
  const word = kindOf(all.at(-1))?.[0] ?? '';
  if (word !== 'rollup' && word !== 'cube') return groupBy;
  return { ...groupBy, expressions: [call(word, ...all.slice(0, -1))] };
}

/** SQL Server's messages 8155 and 8156, and what Marketing Cloud says of `*` beside a join. */
function checkColumns(select: Tree, position: Position): void {
  const columns = treesIn(select['expressions']);
  const hasStar = columns.some((column) => {
    const star = inside(column, 'star');
    return star !== null && nameIn(star['table']) === null;
  });
  if (position === 'top' && hasStar && treesIn(select['joins']).length > 0) {
    throw new QueryError('SELECT * is not valid in a query with a JOIN. Name the columns.');
  }
  if (position === 'value') return;
  for (const [place, column] of columns.entries()) {
    const kind = kindOf(column)?.[0] ?? '';
    if (!['alias', 'column', 'star'].includes(kind)) {
      const owner = position === 'top' ? 'querydef' : 'a derived table';
      throw new QueryError(`No column name was specified for column ${place + 1} of '${owner}'.`);
    }
  }
}

/** TOP n, TOP n PERCENT, TOP n WITH TIES. */
function limitedBy(top: Tree, order: Json): Tree {
  const amount = top['this'] ?? null;
  if (top['with_ties'] !== true)
    return { limit: { this: amount, percent: top['percent'] ?? false } };
  if (!isTree(order)) {
    throw new QueryError(
      'The TOP N WITH TIES clause is not allowed without a corresponding ORDER BY clause.',
    );
  }
  if (top['percent'] === true) throw untranslated('TOP PERCENT WITH TIES');
  const [by, ...others] = treesIn(order['expressions']);
  const place = by?.['this'] ?? null;
  if (inside(place, 'window_function') !== null) {
    // The first of each group: ROW_NUMBER is 1 there, and in no group less.
    const isFirst = others.length === 0 && literalNumber(amount) === 1 && by?.['desc'] !== true;
    if (!isFirst) throw untranslated('TOP WITH TIES by a window function, other than TOP 1');
    return { qualify: { this: binary('lte', place, amount) } };
  }
  const over = {
    window_name: null,
    partition_by: [],
    order_by: order['expressions'] ?? [],
    frame: null,
    alias: null,
  };
  const rank = { window_function: { this: { rank: {} }, over } };
  return { qualify: { this: binary('lte', rank, amount) } };
}

/** `own`: the tables of the query that it stands in, which hide those around. */
function rewrite(json: Json, translation: Translation, own: readonly NamedPlace[]): Json {
  const { outer = [] } = translation;
  return translateExpression(json, {
    now: translation.now,
    query: (query) => rewriteQuery(query, translation, 'value'),
    outerTypeOf(table, name) {
      const column = name.toLowerCase();
      const isMeant = ({ alias, types }: NamedPlace): boolean =>
        table === null ? types === null || types.has(column) : alias === table.toLowerCase();
      const found = outer.find(isMeant);
      return found === undefined || own.includes(found) ? null : (found.types?.get(column) ?? null);
    },
  });
}

/** A text, a name in brackets or quotes, a comment to the end of its line, or the begin of one that nests. */
const PARTS = /'(?:[^']|'')*'|\[(?:[^\]]|\]\])*\]|"(?:[^"]|"")*"|--[^\n]*|\/\*/g;

/**
 * Blanks in the place of comments: the parser hangs comments onto what is before them, in nodes of many kinds. Places stay, for its
 * errors. Comments nest, as in SQL Server; one without an end takes the rest.
 */
export function withoutComments(sql: string): string {
  let found = '';
  let from = 0;
  PARTS.lastIndex = 0;
  for (let part = PARTS.exec(sql); part !== null; part = PARTS.exec(sql)) {
    const isLine = part[0].startsWith('--');
    if (!isLine && part[0] !== '/*') continue;
    const end = isLine ? PARTS.lastIndex : endOfComment(sql, part.index);
    found += sql.slice(from, part.index) + sql.slice(part.index, end).replaceAll(/[^\r\n]/g, ' ');
    from = PARTS.lastIndex = end;
  }
  return found + sql.slice(from);
}

function endOfComment(sql: string, start: number): number {
  const marks = /\/\*|\*\//g;
  marks.lastIndex = start;
  let depth = 0;
  for (let mark = marks.exec(sql); mark !== null; mark = marks.exec(sql)) {
    depth += mark[0] === '/*' ? 1 : -1;
    if (depth === 0) return marks.lastIndex;
  }
  return sql.length;
}
