import { type Session, type Statement, numbers, texts } from '@millrace/store-postgres';
import { idOf } from '../ids.ts';

/** Bytes go when nothing points at them any more, and at once when someone wants them gone. */

// $1 batch[]
const LOCK_BATCHES: Statement = {
  name: 'documents_lock_batches',
  text: `SELECT FROM millrace.document_batches WHERE seq = ANY ($1::text::bigint[]) ORDER BY seq FOR UPDATE`,
};

// $1 batch id[]
const FORGET_MERGED: Statement = {
  name: 'documents_forget_merged',
  text: `DELETE FROM millrace.document_files WHERE job = ANY ($1::text::text[]) RETURNING content`,
};

// Nobody can point at a content while its row is locked: a cache hit that wants to waits here. $1 seq[]
const LOCK_CONTENTS: Statement = {
  name: 'documents_lock_contents',
  text: `SELECT seq FROM millrace.document_contents WHERE seq = ANY ($1::text::bigint[]) ORDER BY seq FOR UPDATE`,
};

// $1 seq[]
const FORGET_OUTPUTS: Statement = {
  name: 'documents_forget_outputs',
  text: `
DELETE FROM millrace.document_outputs o
 WHERE (o.output = ANY ($1::text::bigint[]) OR o.docx = ANY ($1::text::bigint[]))
   AND NOT EXISTS (SELECT FROM millrace.document_files f
                    WHERE f.content IN (o.output, o.docx) AND f.content = ANY ($1::text::bigint[]))`,
};

// An object is removed once the transaction is over (gone.ts). $1 seq[]
const REMOVE_CONTENTS: Statement = {
  name: 'documents_remove_contents',
  text: `
WITH gone AS (
DELETE FROM millrace.document_contents c
 WHERE c.seq = ANY ($1::text::bigint[])
   AND c.seq NOT IN (SELECT f.content FROM millrace.document_files f WHERE f.content = ANY ($1::text::bigint[]))
   AND c.seq NOT IN (SELECT o.output FROM millrace.document_outputs o WHERE o.output = ANY ($1::text::bigint[]))
   AND c.seq NOT IN (SELECT o.docx FROM millrace.document_outputs o WHERE o.docx = ANY ($1::text::bigint[]))
RETURNING seq, object
), noted AS (
  INSERT INTO millrace.document_objects_gone (object, since)
  SELECT object, millrace.clock() FROM gone WHERE object IS NOT NULL
)
SELECT seq FROM gone`,
};

/** A file that has just been removed. */
export type Forgotten = { content: number; batch: number | null };

/** Who removes a file wants it gone: neither the cache nor a merged PDF of its batch may hand it out again. */
export async function forgetContents(session: Session, files: readonly Forgotten[]): Promise<void> {
  const batches = [...new Set(files.flatMap(({ batch }) => batch ?? []))];
  await lockBatches(session, batches);
  const merged = await session.query<{ content: number }>(FORGET_MERGED, [
    texts(batches.map((batch) => idOf('batch', batch))),
  ]);
  const contents = numbers([...files, ...merged].map(({ content }) => content));
  await session.query(LOCK_CONTENTS, [contents]);
  await session.query(FORGET_OUTPUTS, [contents]);
  await session.query(REMOVE_CONTENTS, [contents]);
}

/** Whoever keeps a merged PDF has the lock while it counts what is in it: see merged.ts. */
export async function lockBatches(session: Session, batches: readonly number[]): Promise<void> {
  await session.query(LOCK_BATCHES, [numbers(batches)]);
}

/** Contents that nothing points at any more. In two statements, so that the second sees who came while it locked. */
export async function removeUnused(session: Session, contents: readonly number[]): Promise<number> {
  if (contents.length === 0) return 0;
  const seqs = numbers(contents);
  await session.query(LOCK_CONTENTS, [seqs]);
  return (await session.query(REMOVE_CONTENTS, [seqs])).length;
}
