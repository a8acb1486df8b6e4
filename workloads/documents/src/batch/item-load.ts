import { storableText } from '@millrace/engine';
import { type Session, type Statement, numbers, texts } from '@millrace/store-postgres';
import { INVALID_ROW } from './items.ts';
import { fromRow } from '../one/names.ts';
import { ROW_LIMITS, ROW_TOO_LONG, type Row } from './rows/row.ts';

/** From rows to items: those of a new batch, and those that correct failed ones. */

// $1 batch $2 item[] $3 line[] $4 state[] $5 data[] $6 cells[] $7 error code[] $8 error message[] $9 subject[]
const INSERT: Statement = {
  name: 'documents_add_items',
  text: `
INSERT INTO millrace.document_items (batch, item, line, state, data, cells, error_code, error_message, subject)
SELECT $1, * FROM unnest($2::text::int[], $3::text::int[], $4::text::text[], $5::text::text[], $6::text::text[], $7::text::text[],
                         $8::text::text[], $9::text::text[])`,
};

// $1 batch $2 run $3 line[] $4 state[] $5 data[] $6 cells[] $7 error code[] $8 error message[] $9 subject[]
const CORRECT: Statement = {
  name: 'documents_correct_items',
  text: `
UPDATE millrace.document_items i
   SET state = u.state, run = $2, job = NULL, data = u.data, cells = u.cells, error_code = u.code,
       error_message = u.message, subject = coalesce(u.subject, i.subject)
  FROM unnest($3::text::int[], $4::text::text[], $5::text::text[], $6::text::text[], $7::text::text[], $8::text::text[],
              $9::text::text[]) AS u(line, state, data, cells, code, message, subject)
 WHERE i.batch = $1 AND i.line = u.line AND i.state = 'FAILED'
RETURNING i.line, i.item`,
};

/** The longest subject that the queue takes. */
const LONGEST_SUBJECT = 200;

export interface Subjects {
  /** May name fields of the row: `{{CustomerId}}`. */
  readonly subject?: string | undefined;
}

/** Numbered from `first`. */
export async function addItems(
  session: Session,
  batch: number,
  first: number,
  rows: readonly Row[],
  { subject }: Subjects,
): Promise<void> {
  const lines = rows.map(({ line }) => line);
  const ids = rows.map((_, index) => first + index);
  await session.query(INSERT, [
    batch,
    numbers(ids),
    numbers(lines),
    ...columnsOf(rows, ids, subject),
  ]);
}

/** The lines that were failed ones of the batch, and now have what the rows say. */
export async function correctItems(
  session: Session,
  { batch, run }: { readonly batch: number; readonly run: number },
  rows: readonly (Row & { readonly corrects: number })[],
  { subject }: Subjects,
): Promise<Set<number>> {
  const lines = rows.map(({ corrects }) => corrects);
  const found = await session.query<{ line: number }>(CORRECT, [
    batch,
    run,
    numbers(lines),
    ...columnsOf(rows, lines, subject),
  ]);
  return new Set(found.map(({ line }) => line));
}

function columnsOf(rows: readonly Row[], ids: readonly number[], subject: string | undefined) {
  const stored = rows.map(storable);
  return [
    texts(stored.map(({ data }) => (data === null ? 'FAILED' : 'PENDING'))),
    texts(stored.map(({ data }) => data)),
    texts(stored.map(({ cells }) => cells)),
    texts(stored.map(({ error }) => (error === null ? null : INVALID_ROW))),
    texts(stored.map(({ error }) => error)),
    texts(rows.map((row, index) => subjectOf(subject, row, ids[index] ?? 0))),
  ];
}

function subjectOf(pattern: string | undefined, row: Row, item: number): string | null {
  const data = 'error' in row ? row.placed : row.data;
  if (pattern === undefined || data === undefined) return null;
  return storableText(fromRow(pattern, data, item), LONGEST_SUBJECT) || null;
}

interface Storable {
  readonly data: string | null;
  /** Of a row that cannot be read: what it had, to be given back. */
  readonly cells: string | null;
  readonly error: string | null;
}

function storable(row: Row): Storable {
  const isShort = (json: string) => Buffer.byteLength(json) <= ROW_LIMITS.rowBytes;
  if ('error' in row) {
    const cells = row.cells === undefined ? null : JSON.stringify(row.cells);
    const error = storableText(row.error, 2_000);
    return { data: null, cells: cells !== null && isShort(cells) ? cells : null, error };
  }
  const data = JSON.stringify(row.data);
  if (isShort(data)) return { data, cells: null, error: null };
  return { data: null, cells: null, error: ROW_TOO_LONG };
}
