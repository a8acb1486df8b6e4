import type { Client } from '@millrace/api';

export type CatalogAnswer = Awaited<ReturnType<Client['getCatalog']>>;

/** One table with its fields: asked for when somebody opens it, or names it in a query. */
export function tableQuery(api: Client, mid: string | null, name: string) {
  return {
    queryKey: ['catalog', mid, name],
    queryFn: () => api.getCatalog({ query: { dataExtension: name, ...(mid !== null && { mid }) } }),
    staleTime: 300_000,
  };
}

export interface Table {
  readonly name: string;
  readonly fields: CatalogAnswer['dataViews'][number]['fields'] | null;
  /** Outermost first; data views have none. */
  readonly folders?: readonly string[];
}

/** A line of the list. */
export type Line =
  | {
      readonly kind: 'folder';
      readonly key: string;
      readonly name: string;
      readonly depth: number;
      readonly tables: number;
    }
  | { readonly kind: 'table'; readonly key: string; readonly table: Table; readonly depth: number };

interface Folder {
  readonly tables: Table[];
  readonly folders: Map<string, Folder>;
}

/** Folders before the tables beside them, and what is in those that are open. A folder that everything is in is left out. */
export function linesOf(tables: readonly Table[], isOpen: (folder: string) => boolean): Line[] {
  const root = newFolder();
  for (const table of tables) {
    let folder = root;
    for (const name of table.folders ?? []) {
      const inner = folder.folders.get(name) ?? newFolder();
      folder.folders.set(name, inner);
      folder = inner;
    }
    folder.tables.push(table);
  }
  let [top, path] = [root, ''];
  while (top.tables.length === 0 && top.folders.size === 1)
    for (const [name, only] of top.folders) [top, path] = [only, `${path}${name}/`];
  const lines: Line[] = [];
  addLines(lines, top, path, 0, isOpen);
  return lines;
}

function newFolder(): Folder {
  return { tables: [], folders: new Map() };
}

function addLines(
  lines: Line[],
  { tables, folders }: Folder,
  path: string,
  depth: number,
  isOpen: (folder: string) => boolean,
): void {
  const inner = [...folders].toSorted(([a], [b]) => ORDER.compare(a, b));
  for (const [name, folder] of inner) {
    const key = `${path}${name}/`;
    lines.push({ kind: 'folder', key, name, depth, tables: countIn(folder) });
    if (isOpen(key)) addLines(lines, folder, key, depth + 1, isOpen);
  }
  for (const table of tables)
    lines.push({ kind: 'table', key: `${path}${table.name}`, table, depth });
}

function countIn({ tables, folders }: Folder): number {
  return [...folders.values()].reduce((sum, folder) => sum + countIn(folder), tables.length);
}

/** Those whose names have the text, by their names as people sort them: capitals aside, 2 before 10. */
export function tablesLike(tables: readonly Table[], text: string): Table[] {
  const wanted = text.trim().toLowerCase();
  return tables
    .filter(({ name }) => name.toLowerCase().includes(wanted))
    .toSorted((a, b) => ORDER.compare(a.name, b.name));
}

const ORDER = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });
