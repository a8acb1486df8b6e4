import type { Database, Statement } from '@millrace/store-postgres';
import type { ItemState } from './items.ts';

/** A row of a batch with what became of it, for a report of what was made. */
export type MadeRow = Readonly<Record<string, unknown>>;

// A page ends after so many bytes, too: a row may have 10 MB. The length of a text is known without reading it.
// $1 batch $2 after $3 limit $4 bytes
const ROWS: Statement = {
  name: 'documents_rows_made',
  text: `
SELECT i.item, i.state, i.data, i.error_message, f.name
  FROM (SELECT item, state, data, error_message, output,
               sum(octet_length(data)) OVER (ORDER BY item ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
          FROM millrace.document_items WHERE batch = $1 AND item > $2 ORDER BY item LIMIT $3) i
       LEFT JOIN LATERAL (SELECT name FROM millrace.document_files WHERE seq = i.output OFFSET 0) f ON true
 WHERE coalesce(i.before, 0) < $4::bigint
 ORDER BY i.item`,
};

type ItemRow = {
  item: number;
  state: ItemState;
  data: string | null;
  error_message: string | null;
  name: string | null;
};

const AT_ONCE = 500;
const BYTES_AT_ONCE = 10_000_000;

/** In the order of the rows. What is said about the document has names that no column of a query has by chance. */
export async function* madeRows(database: Database, batch: number): AsyncGenerator<MadeRow> {
  for (let after = 0; ;) {
    const rows = await database.query<ItemRow>(ROWS, [batch, after, AT_ONCE, BYTES_AT_ONCE]);
    if (rows.length === 0) return;
    for (const { item, state, data, error_message: error, name } of rows)
      yield {
        ...(data === null ? {} : (JSON.parse(data) as Record<string, unknown>)),
        documentNumber: item,
        documentName: name,
        documentState: state,
        documentError: error,
      };
    after = rows.at(-1)?.item ?? after;
  }
}
