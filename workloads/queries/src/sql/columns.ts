import type { Field } from '@millrace/marketing-cloud';

import { type Document, readWithin } from './document.ts';
import { infer } from './infer.ts';
import { type Kind, LONG_TEXT, kindOf, united } from './kinds.ts';
import { type Item, type Query, type Select, readQuery, readSelect } from './shape.ts';
import type { Source } from './sources.ts';
import { VIEWS } from './views.ts';

/** A column of the target data extension. Never a primary key, never required: what comes out is kept as it is. */
export type OutputColumn = Pick<Field, 'name' | 'type' | 'maxLength' | 'scale'>;

/** A data extension or system data view that a query reads. */
export interface Table {
  readonly name: string;
  /** `Ent.`: of the parent account. */
  readonly isEnterprise: boolean;
}

/** The fields of a data extension by its name, case aside; null: unknown. System data views are known without it. */
export type Catalogue = (table: Table) => readonly Field[] | null;

export const NO_CATALOGUE: Catalogue = () => null;

/**
 * The columns that the target of a query must have, in the order of its SELECT list. Null where the names cannot be known:
 * the text is no query that we can read, an expression has no name, or `*` stands for fields that nobody knows.
 */
export function columnsOf(sql: string, catalogue: Catalogue): OutputColumn[] | null {
  const doc = readWithin(sql);
  const query = doc === null ? null : readQuery(doc, 0, doc.code.length);
  const columns = doc === null || query === null ? null : queryColumns(doc, query, catalogue);
  const named = columns?.map(({ name, kind }) => ({
    name: fieldNameOf(name),
    ...(kind ?? LONG_TEXT),
  }));
  return named?.every(({ name }) => name !== '') === true ? named : null;
}

/** The field that a column goes into: SQL keeps the space of `AS [Name ]`, a field has none at its ends. */
export function fieldNameOf(column: string): string {
  return column.trim();
}

/** All as text of any length, for the one rerun after a failure that Marketing Cloud did not explain. */
export function allText(columns: readonly OutputColumn[]): OutputColumn[] {
  return columns.map(({ name }) => ({ name, type: 'Text', maxLength: null }));
}

/** All data extensions and views that a query names after FROM and JOIN, wherever they stand, each once. */
export function tablesOf(sql: string): Table[] {
  const doc = readWithin(sql);
  if (doc === null) return [];
  const found = new Map<string, Table>();
  for (const [index, token] of doc.code.entries()) {
    if (token.word !== 'SELECT') continue;
    for (const source of readSelect(doc, index, doc.code.length).sources) {
      const table = tableOf(source);
      if (table !== null) found.set(`${table.isEnterprise}.${table.name.toLowerCase()}`, table);
    }
  }
  return [...found.values()];
}

function tableOf(source: Source): Table | null {
  const name = source.path.at(-1);
  if (source.kind !== 'table' || name === undefined) return null;
  return { name, isEnterprise: source.path.at(-2)?.toLowerCase() === 'ent' };
}

export interface Column {
  readonly name: string;
  /** Null: unknown. */
  readonly kind: Kind | null;
}

export function queryColumns(
  doc: Document,
  query: Query,
  catalogue: Catalogue,
  outer: Scope | null = null,
): Column[] | null {
  const [first, ...others] = query.selects.map((select) =>
    selectColumns(doc, select, catalogue, outer),
  );
  if (first === undefined || first === null) return null;
  // Names come from the first operand of UNION, types from all of them.
  return first.map((column, index) => ({
    name: column.name,
    kind: others.reduce((kind, other) => united(kind, other?.[index]?.kind ?? null), column.kind),
  }));
}

function selectColumns(
  doc: Document,
  select: Select,
  catalogue: Catalogue,
  outer: Scope | null,
): Column[] | null {
  const scope = openScope(doc, select, catalogue, outer);
  const columns: Column[] = [];
  for (const item of select.items) {
    if (item.star !== null) {
      const fields = starColumns(item.star, select, scope, catalogue);
      if (fields === null) return null;
      // By a loop: a spread of too many arguments is an error.
      for (const field of fields) columns.push(field);
    } else columns.push({ name: item.name ?? '', kind: infer(doc, item.from, item.to, scope) });
  }
  return columns;
}

/** The columns that `*` or `t.*` stands for; null where a source's are unknown. */
function starColumns(
  star: NonNullable<Item['star']>,
  select: Select,
  scope: Scope,
  catalogue: Catalogue,
): Column[] | null {
  if (select.isOpaque || select.sources.length === 0) return null;
  const columns: Column[] = [];
  let isFound = false;
  for (const [index, source] of select.sources.entries()) {
    if (star.qualifier !== null && !isCalled(source, star.qualifier)) continue;
    const fields = scope.columns(index);
    if (fields === null || isOpen(source, catalogue)) return null;
    isFound = true;
    for (const field of fields) columns.push(field);
  }
  return isFound ? columns : null;
}

/** Whether the account adds fields of its own, and the catalogue does not know them. */
function isOpen(source: Source, catalogue: Catalogue): boolean {
  const table = tableOf(source);
  return (
    table !== null &&
    VIEWS.get(table.name.toLowerCase())?.isOpen === true &&
    catalogue(table) === null
  );
}

function isCalled(source: Source, name: string): boolean {
  return (source.alias ?? source.path.at(-1) ?? '').toLowerCase() === name.toLowerCase();
}

interface Scope {
  /** Of the source with this index; null: unknown. */
  columns(index: number): readonly Column[] | null;
  column(path: readonly string[]): Kind | null;
  query(from: number, to: number): Kind | null;
}

/**
 * What names mean within a SELECT. `outer`: of the SELECT that it stands in, for what it has not got itself. Sources are
 * derived in their order and each once, so that a query in FROM sees those before it, as APPLY does, and never itself; names
 * are looked up in one map, however many columns and sources there are.
 */
function openScope(
  doc: Document,
  select: Select,
  catalogue: Catalogue,
  outer: Scope | null,
): Scope {
  const lists: (readonly Column[] | null)[] = [];
  const owners = new Set<string>();
  /** By `owner.name` and by `.name`, in lower case. A name that two sources have is no name of SQL Server without its owner. */
  const kinds = new Map<string, Kind | null>();
  let isOpened = false;

  const scope: Scope = {
    columns(index) {
      open();
      return lists[index] ?? null;
    },
    column(path) {
      open();
      const owner = path.at(-2)?.toLowerCase() ?? '';
      const kind = kinds.get(`${owner}.${path.at(-1)?.toLowerCase()}`);
      if (kind !== undefined) return kind;
      return owners.has(owner) ? null : (outer?.column(path) ?? null);
    },
    query(from, to) {
      const query = readQuery(doc, from, to);
      return query === null
        ? null
        : (queryColumns(doc, query, catalogue, scope)?.[0]?.kind ?? null);
    },
  };

  function open(): void {
    if (isOpened) return;
    isOpened = true;
    for (const source of select.sources) {
      const columns = sourceColumns(doc, source, catalogue, scope);
      const owner = (source.alias ?? source.path.at(-1) ?? '').toLowerCase();
      lists.push(columns);
      for (const { name, kind } of columns ?? []) {
        kinds.set(`${owner}.${name.toLowerCase()}`, kind);
        kinds.set(`.${name.toLowerCase()}`, kind);
      }
      owners.add(owner);
    }
  }

  return scope;
}

function sourceColumns(
  doc: Document,
  source: Source,
  catalogue: Catalogue,
  scope: Scope,
): readonly Column[] | null {
  const columns =
    source.kind === 'query'
      ? derivedColumns(doc, source, catalogue, scope)
      : tableColumns(source, catalogue);
  const { columnNames } = source;
  return columnNames === null
    ? columns
    : columnNames.map((name, at) => ({ name, kind: columns?.[at]?.kind ?? null }));
}

function derivedColumns(
  doc: Document,
  source: Source,
  catalogue: Catalogue,
  scope: Scope,
): Column[] | null {
  const query = readQuery(doc, source.from, source.to);
  return query === null ? null : queryColumns(doc, query, catalogue, scope);
}

function tableColumns(source: Source, catalogue: Catalogue): Column[] | null {
  const table = tableOf(source);
  if (table === null) return null;
  const fields = catalogue(table) ?? VIEWS.get(table.name.toLowerCase())?.fields;
  return fields?.map((field) => ({ name: field.name, kind: kindOf(field) })) ?? null;
}
