import type { Database, Param, Session, Statement } from '@millrace/store-postgres';
import { type Page, type PageParams, numberCursor, page, pageLimit } from '@millrace/workload-kit';
import { type ItemState, fileId } from './items.ts';

/** The items of a batch as people see them, and the files that were made of them. */
export interface BatchItem {
  /** From 1, as the rows came. */
  readonly item: number;
  /** Of the upload. */
  readonly line: number;
  readonly state: ItemState;
  readonly error: { readonly code: string; readonly message: string } | null;
  /** What its document lacks, if anything. */
  readonly warning: string | null;
  readonly fileId: string | null;
  /** Of its document, once it is made. */
  readonly name: string | null;
  readonly docxFileId: string | null;
  readonly jobId: string | null;
}

// Without a file where it was removed: the page is as long all the same. $1 batch $2 after $3 limit
const MADE_FILES: Statement = {
  name: 'documents_made_files',
  text: `
SELECT i.item, i.line, f.name, f.content, c.size, c.crc32
  FROM (SELECT item, line, output FROM millrace.document_items
         WHERE batch = $1 AND state = 'SUCCEEDED' AND item > $2 ORDER BY item LIMIT $3) i
       LEFT JOIN LATERAL (SELECT name, content FROM millrace.document_files WHERE seq = i.output OFFSET 0) f ON true
       LEFT JOIN LATERAL (SELECT size, crc32 FROM millrace.document_contents WHERE seq = f.content OFFSET 0) c ON true
 ORDER BY i.item`,
};

type ItemRow = {
  item: number;
  line: number;
  state: ItemState;
  error_code: string | null;
  error_message: string | null;
  warning: string | null;
  output: number | null;
  name: string | null;
  docx: number | null;
  job: string | null;
};

export interface MadeFile {
  readonly item: number;
  readonly line: number;
  readonly name: string;
  readonly content: number;
  readonly size: number;
  readonly crc32: number;
}

type MadeRow = { item: number; line: number } & (
  | { name: string; content: number; size: number; crc32: number }
  | { name: null; content: null; size: null; crc32: null }
);

const AT_ONCE = 1_000;

/** In the order of the rows. A file that was removed or has expired is left out. */
export async function madeFiles(session: Session, batch: number): Promise<MadeFile[]> {
  const found: MadeFile[] = [];
  for (let after = 0; ;) {
    const rows = await session.query<MadeRow>(MADE_FILES, [batch, after, AT_ONCE]);
    for (const row of rows) if (row.content !== null) found.push(row);
    after = rows.at(-1)?.item ?? after;
    if (rows.length < AT_ONCE) return found;
  }
}

export async function listItems(
  database: Database,
  batch: number,
  params: PageParams & { state?: ItemState | undefined; warned?: 'true' | undefined },
): Promise<Page<BatchItem>> {
  const limit = pageLimit(params);
  const values: Param[] = [batch, numberCursor(params, 0), limit + 1];
  if (params.state !== undefined) values.push(params.state);
  const rows = await database.query<ItemRow>(
    {
      name: '',
      text: `
SELECT i.*, f.name
  FROM (SELECT item, line, state, error_code, error_message, warning, output, docx, job FROM millrace.document_items
         WHERE batch = $1 AND item > $2 ${params.state === undefined ? '' : 'AND state = $4'} ${params.warned === undefined ? '' : 'AND warning IS NOT NULL'}
         ORDER BY item LIMIT $3) i
       LEFT JOIN LATERAL (SELECT name FROM millrace.document_files WHERE seq = i.output OFFSET 0) f ON true
 ORDER BY i.item`,
    },
    values,
  );
  return page(rows.map(itemOf), limit, ({ item }) => String(item));
}

function itemOf(row: ItemRow): BatchItem {
  const { item, line, state, error_code: code, error_message: message } = row;
  return {
    item,
    line,
    state,
    error: code === null ? null : { code, message: message ?? '' },
    warning: row.warning,
    fileId: fileId(row.output),
    name: row.name,
    docxFileId: fileId(row.docx),
    jobId: row.job,
  };
}
