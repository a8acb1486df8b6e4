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
}

/** Those whose names have the text, by their names as people sort them: capitals aside, 2 before 10. */
export function tablesLike(tables: readonly Table[], text: string): Table[] {
  const wanted = text.trim().toLowerCase();
  return tables
    .filter(({ name }) => name.toLowerCase().includes(wanted))
    .toSorted((a, b) => ORDER.compare(a.name, b.name));
}

const ORDER = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });
