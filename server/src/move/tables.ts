import type { Session, Statement } from '@millrace/store-postgres';

/** A table of the schema, as the catalogue of its database describes it. */
export interface Table {
  readonly name: string;
  /** With their types: the rows of two tables are the same texts only where these are the same. */
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** Tables whose rows have to be there before its own. */
  readonly refersTo: readonly string[];
}

// What was dropped from a table leaves an attribute behind, which no row shows.
const TABLES: Statement = {
  name: '',
  text: `
SELECT c.relname AS name,
       (SELECT json_agg(json_build_object('name', quote_ident(a.attname), 'type', format_type(a.atttypid, a.atttypmod)) ORDER BY a.attnum)
          FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped)::text AS columns,
       (SELECT coalesce(json_agg(DISTINCT other.relname), '[]')
          FROM pg_constraint f JOIN pg_class other ON other.oid = f.confrelid
         WHERE f.conrelid = c.oid AND f.contype = 'f' AND f.confrelid <> c.oid)::text AS refers_to
  FROM pg_class c WHERE c.relnamespace = to_regnamespace('millrace') AND c.relkind = 'r' ORDER BY c.relname`,
};

type Row = { name: string; columns: string; refers_to: string };

/** Each after those that it refers to. */
export async function tablesOf(session: Session): Promise<Table[]> {
  const rows = await session.query<Row>(TABLES, []);
  const left = rows.map((row) => ({
    name: row.name,
    columns: JSON.parse(row.columns) as Table['columns'],
    refersTo: JSON.parse(row.refers_to) as string[],
  }));
  const ordered: Table[] = [];
  while (left.length > 0) {
    const isThere = (name: string): boolean => ordered.some((table) => table.name === name);
    const next = left.findIndex(({ refersTo }) => refersTo.every(isThere));
    if (next === -1) throw new Error('The foreign keys of the schema form a cycle.');
    ordered.push(...left.splice(next, 1));
  }
  return ordered;
}

/** As it is written in a statement. */
export function inSchema(name: string): string {
  return `millrace."${name}"`;
}
