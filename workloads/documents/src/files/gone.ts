import { type Statement, texts } from '@millrace/store-postgres';
import type { ContentStore } from './contents.ts';

// $1 limit
const GONE: Statement = {
  name: 'documents_objects_gone',
  text: `SELECT object FROM millrace.document_objects_gone ORDER BY since LIMIT $1`,
};

// $1 object[]
const REMOVED: Statement = {
  name: 'documents_objects_removed',
  text: `DELETE FROM millrace.document_objects_gone WHERE object = ANY ($1::text::text[])`,
};

const AT_ONCE = 200;

/** Removes the objects whose contents are gone. Those of a storage that is no longer configured stay on the list. */
export async function removeObjects({ database, objects = null }: ContentStore): Promise<number> {
  if (objects === null) return 0;
  for (let removed = 0; ;) {
    const rows = await database.query<{ object: string }>(GONE, [AT_ONCE]);
    for (const { object } of rows) await objects.remove(object);
    if (rows.length > 0) await database.query(REMOVED, [texts(rows.map(({ object }) => object))]);
    removed += rows.length;
    if (rows.length < AT_ONCE) return removed;
  }
}
