import { QueryError } from './run-sql.ts';
import {
  type Json,
  type Tree,
  inside,
  isTree,
  kindOf,
  nameIn,
  quoted,
  textIn,
  treesIn,
  untranslated,
} from './syntax.ts';

/** Where a name of a table leads to. */
export interface Place {
  readonly schema: string;
  readonly table: string;
  readonly columns: readonly string[];
  /** DuckDB's type of each, by its name in small letters. */
  readonly types: ReadonlyMap<string, string>;
}

/** Null: no data extension or data view has this name. `prefix` is `Ent` or empty. */
export type Find = (prefix: string, name: string) => Place | null;

export interface SourceParts {
  readonly find: Find;
  /** Rewrites a query that stands for a table. */
  query(json: Json): Tree;
  expression(json: Json | undefined): Json;
}

/** A table as a query calls it. */
export interface NamedPlace {
  /** In small letters. */
  readonly alias: string;
  /** Null: a query in place of a table. */
  readonly types: ReadonlyMap<string, string> | null;
}

/** What FROM and its joins have. */
export function placesOf(select: Tree, find: Find): NamedPlace[] {
  const from = isTree(select['from']) ? treesIn(select['from']['expressions']) : [];
  const joined = treesIn(select['joins']).map((join) => join['this'] ?? null);
  return [...from, ...joined].map((source) => {
    const table = inside(source, 'table') ?? hintedTable(source);
    const of = table ?? inside(source, 'subquery');
    const name = nameIn(of?.['alias']) ?? nameIn(of?.['name']) ?? '';
    const found = table && find(nameIn(table['schema']) ?? '', nameIn(table['name']) ?? '');
    return { alias: name.toLowerCase(), types: found?.types ?? null };
  });
}

/** A table, or a query in its place. */
export function rewriteSource(json: Json, parts: SourceParts): Tree {
  const query = inside(json, 'subquery');
  if (query !== null) {
    const alias = nameIn(query['alias']);
    if (alias === null)
      throw new QueryError("Incorrect syntax near ')'. A derived table needs a name.");
    const values = inside(query['this'], 'values');
    const inner = values === null ? parts.query(query['this'] ?? null) : listed(values, parts);
    return { subquery: { ...query, this: inner, alias: quoted(alias) } };
  }
  const table = inside(json, 'table') ?? hintedTable(json);
  if (table === null) throw notKnown(sourceName(json));
  const name = nameIn(table['name']) ?? '';
  const prefix = nameIn(table['schema']) ?? '';
  const isPlain = table['catalog'] === null || table['catalog'] === undefined;
  const found = isPlain ? parts.find(prefix, name) : null;
  if (found === null) throw notKnown(prefix === '' ? name : `${prefix}.${name}`);
  return {
    table: {
      ...table,
      name: quoted(found.table),
      schema: quoted(found.schema),
      catalog: null,
      alias: quoted(nameIn(table['alias']) ?? name),
      alias_explicit_as: true,
      column_aliases: withoutHints(table['column_aliases']),
      hints: [],
    },
  };
}

/** `FROM (VALUES (…), (…)) AS x(v)`. */
function listed(values: Tree, parts: SourceParts): Tree {
  const rows = treesIn(values['expressions']).map((row) => ({
    ...row,
    expressions: parts.expression(row['expressions']),
  }));
  return { values: { ...values, expressions: rows } };
}

/** `Customers AS c (NOLOCK)` is read as a table whose column is called so. */
function withoutHints(names: Json | undefined): Json {
  return treesIn(names).filter((name) => nameIn(name)?.toUpperCase() !== 'NOLOCK');
}

/** `Customers (NOLOCK)` is read as a call of a function. */
function hintedTable(json: Json): Tree | null {
  const aliased = inside(json, 'alias');
  const called = inside(aliased?.['this'] ?? json, 'function');
  const hints = treesIn(called?.['args']).map((each) => nameIn(inside(each, 'column')?.['name']));
  const isHinted = hints.length > 0 && hints.every((hint) => hint?.toUpperCase() === 'NOLOCK');
  const name = textIn(called ?? null, 'name');
  if (!isHinted || name === null) return null;
  return {
    name: quoted(name),
    schema: null,
    catalog: null,
    alias: aliased?.['alias'] ?? null,
    alias_explicit_as: true,
    column_aliases: [],
    trailing_comments: [],
    when: null,
    only: false,
    final_: false,
    hints: [],
  };
}

function sourceName(json: Json): string {
  const [kind, source] = kindOf(json) ?? ['', null];
  const called = inside(json, 'function') ?? inside(inside(json, 'alias')?.['this'], 'function');
  return textIn(called ?? null, 'name') ?? textIn(source, 'name') ?? kind;
}

function notKnown(name: string): QueryError {
  return new QueryError(
    `${name} is not a known data extension or system data view. You can only query existing data extensions or system data views.`,
  );
}

const JOINS = ['Inner', 'Left', 'Right', 'Full', 'Cross', 'Implicit'];

export function rewriteJoin(join: Tree, parts: SourceParts): Tree {
  const kind = textIn(join, 'kind') ?? '';
  const source = rewriteSource(join['this'] ?? null, parts);
  if (kind === 'CrossApply' || kind === 'OuterApply') {
    const query = inside(source, 'subquery');
    if (query === null) throw untranslated('APPLY with something other than a query');
    return {
      ...join,
      this: { subquery: { ...query, lateral: true } },
      kind: kind === 'CrossApply' ? 'Inner' : 'Left',
      use_outer_keyword: false,
      on: { boolean: { value: true } },
    };
  }
  if (!JOINS.includes(kind)) throw untranslated(`The join ${kind}`);
  return { ...join, this: source, on: parts.expression(join['on'] ?? null) };
}
