import { type Session, type Statement, numbers } from '@millrace/store-postgres';
import type { ContentStore } from './contents.ts';
import { type Forgotten, forgetContents, lockBatches } from './forget.ts';
import { removeObjects } from './gone.ts';

/** How much there was about someone. */
export interface Erased {
  readonly files: number;
  /** Rows of batches. */
  readonly rows: number;
}

/**
 * Removes every file about someone with its bytes, the merged PDFs that hold one of them, and the data of every row.
 * What was being made at that moment out of a row is let go; out of a job by itself it may still come: erase again
 * once the job has ended. Bytes that were made but not yet named stay in the cache until that expires.
 */
export type Erase = (subject: string) => Promise<Erased>;

// $1 subject $2 limit
const ROWS: Statement = {
  name: 'documents_rows_of_subject',
  text: `SELECT batch, item FROM millrace.document_items WHERE subject = $1 ORDER BY batch, item LIMIT $2`,
};

// The epoch shuts out the execution that has the row, the missing data every one that would begin. The number of its
// file stays: it tells nothing, and leads nowhere. $1 batch[] $2 item[]
const ERASE_ROWS: Statement = {
  name: 'documents_erase_rows',
  text: `
UPDATE millrace.document_items i
   SET subject = NULL, data = NULL, cells = NULL, epoch = i.epoch + 1,
       state = CASE WHEN i.state IN ('PENDING', 'RUNNING') THEN 'CANCELED' ELSE i.state END,
       error_code = CASE WHEN i.state IN ('PENDING', 'RUNNING') THEN 'erased' ELSE i.error_code END,
       error_message = CASE WHEN i.state IN ('PENDING', 'RUNNING') OR i.error_message IS NOT NULL THEN 'Erased.' END
  FROM unnest($1::text::bigint[], $2::text::int[]) AS u(batch, item)
 WHERE i.batch = u.batch AND i.item = u.item
RETURNING i.output, i.docx`,
};

// By themselves, by a job about the subject, or by a record they belong to. The part of a merged PDF has a slash: its
// "job" is a batch. $1 subject $2 limit
const FILES: Statement = {
  name: 'documents_files_of_subject',
  text: `
SELECT seq FROM millrace.document_files
 WHERE subject = $1
    OR origin @> jsonb_build_object('parents', jsonb_build_object('AccountId', $1::text))
    OR origin @> jsonb_build_object('parents', jsonb_build_object('OpportunityId', $1::text))
    OR origin @> jsonb_build_object('parents', jsonb_build_object('CaseId', $1::text))
    OR origin @> jsonb_build_object('parents', jsonb_build_object('RecordId', $1::text))
    OR (job IS NOT NULL AND part NOT LIKE '%/%' AND split_part(job, '-', -1) IN (
         SELECT seq::text FROM millrace.jobs WHERE subject = $1))
 LIMIT $2`,
};

// $1 seq[]
const FORGET_FILES: Statement = {
  name: 'documents_forget_files',
  text: `DELETE FROM millrace.document_files WHERE seq = ANY ($1::text::bigint[]) RETURNING content, batch`,
};

const AT_ONCE = 500;

export function createErase(store: ContentStore): Erase {
  const { database } = store;
  return async (subject) => {
    const erased = { files: 0, rows: 0 };
    for (;;) {
      const round = await database.transaction((session) => eraseSome(session, subject));
      erased.files += round.files;
      erased.rows += round.rows;
      if (!round.isLast) continue;
      await removeObjects(store).catch(() => {}); // the sweep does it later
      return erased;
    }
  };
}

/** In rounds of their own, so that no transaction holds its locks for long. */
async function eraseSome(
  session: Session,
  subject: string,
): Promise<Erased & { readonly isLast: boolean }> {
  const rows = await session.query<{ batch: number; item: number }>(ROWS, [subject, AT_ONCE]);
  // Batches are locked before rows, in the order of a cancel: two that lock the other way round would wait for each
  // other.
  await lockBatches(
    session,
    rows.map(({ batch }) => batch),
  );
  const emptied = await session.query<{ output: number | null; docx: number | null }>(ERASE_ROWS, [
    numbers(rows.map(({ batch }) => batch)),
    numbers(rows.map(({ item }) => item)),
  ]);
  const others = await session.query<{ seq: number }>(FILES, [subject, AT_ONCE]);
  const files = [
    ...emptied.flatMap(({ output, docx }) => [output, docx]),
    ...others.map(({ seq }) => seq),
  ].filter((seq) => seq !== null);
  const gone = await session.query<Forgotten>(FORGET_FILES, [numbers(files)]);
  await forgetContents(session, gone);
  const isLast = rows.length < AT_ONCE && others.length < AT_ONCE;
  return { files: gone.length, rows: rows.length, isLast };
}
