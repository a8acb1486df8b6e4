import { QueryError } from './run-sql.ts';
import { type Json, type Tree, inside, isTree, kindOf, nameIn, treesIn } from './syntax.ts';

/** The columns of a table. Null: there is no such table. */
export type ColumnsOf = (prefix: string, name: string) => readonly string[] | null;

/**
 * DuckDB lets WHERE, GROUP BY and the list itself use the names that the list gives; SQL Server does not (message 207). Such a
 * query would run here and fail there.
 */
export function checkAliases(select: Tree, columnsOf: ColumnsOf): void {
  const aliases = new Map<string, string>();
  for (const item of treesIn(select['expressions'])) {
    const name = nameIn(inside(item, 'alias')?.['alias']);
    if (name !== null) aliases.set(name.toLowerCase(), name);
  }
  const known = knownColumns(select, columnsOf);
  if (aliases.size === 0 || known === null) return;
  const values = treesIn(select['expressions']).map(
    (item) => inside(item, 'alias')?.['this'] ?? item,
  );
  for (const name of namesIn([
    ...values,
    select['where_clause'],
    select['group_by'],
    select['having'],
  ])) {
    if (aliases.has(name.toLowerCase()) && !known.has(name.toLowerCase())) {
      throw new QueryError(`Invalid column name '${name}'.`);
    }
  }
}

/** The columns of all tables and queries of FROM together. Null: those of one of them are not known. */
function knownColumns(select: Tree, columnsOf: ColumnsOf): Set<string> | null {
  const from = isTree(select['from']) ? treesIn(select['from']['expressions']) : [];
  const joined = treesIn(select['joins']).map((join) => join['this']);
  const known = new Set<string>();
  for (const source of [...from, ...joined]) {
    const columns = sourceColumns(source, columnsOf);
    if (columns === null) return null;
    for (const column of columns) known.add(column.toLowerCase());
  }
  return known;
}

function sourceColumns(source: Json | undefined, columnsOf: ColumnsOf): readonly string[] | null {
  const table = inside(source, 'table');
  if (table !== null) return columnsOf(nameIn(table['schema']) ?? '', nameIn(table['name']) ?? '');
  const query = inside(inside(source, 'subquery')?.['this'], 'select');
  if (query === null) return null;
  const names = treesIn(query['expressions']).map(
    (item) => nameIn(inside(item, 'alias')?.['alias']) ?? nameIn(inside(item, 'column')?.['name']),
  );
  return names.includes(null) ? null : (names as string[]);
}

/** The names of columns that no table is named for. A query inside has names of its own. */
function namesIn(json: Json | undefined | readonly (Json | undefined)[]): string[] {
  if (Array.isArray(json)) return (json as readonly Json[]).flatMap(namesIn);
  if (!isTree(json as Json)) return [];
  const tree = json as Tree;
  const column = inside(tree, 'column');
  if (column !== null) {
    const name = nameIn(column['name']);
    return name !== null && nameIn(column['table']) === null ? [name] : [];
  }
  const kind = kindOf(tree)?.[0] ?? '';
  if (['select', 'subquery', 'union', 'intersect', 'except'].includes(kind)) return [];
  return Object.values(tree).flatMap(namesIn);
}
