import type { Database, Session, Statement } from '@millrace/store-postgres';
import type { ByteRange } from '@millrace/workload-kit';
import { type BatchRecord, batchRows } from '../records.ts';
import { sha256 } from '../../one/canonical.ts';
import { type ContentStore, checkRange, putContent, readContent } from '../../files/contents.ts';
import { DocumentError, storing } from '../../errors.ts';
import type { Files } from '../../files/files.ts';
import { removeUnused } from '../../files/forget.ts';
import { seqOf } from '../../ids.ts';
import { type MadeFile, madeFiles } from '../item-list.ts';
import { type Answer, type MergeThread, startMergeThread } from './merge-thread.ts';
import { uniqueNames } from '../../one/names.ts';

/** All documents of a batch as one PDF. It is made when first asked for, and then kept as a file. */
export interface MergedPdf {
  readonly name: string;
  readonly mediaType: 'application/pdf';
  readonly size: number;
  readonly documents: number;
  readonly etag: string;
  read(range?: ByteRange): AsyncIterable<Uint8Array>;
}

export type Merged = (batchId: string, tenant?: string) => Promise<MergedPdf>;

type Kept = { content: number; size: number; sha256: string };

/** Of the documents together. At some 15 MB a second this is over a minute, and the first caller waits for it. */
export const MOST_MERGED_BYTES = 1024 * 1024 * 1024;

/**
 * Tries, each after documents were removed or made while the last one was merged. Three: nobody removes documents
 * that often.
 */
const ROUNDS = 3;

// The name of a merged file tells what is in it, so that another one is made after a retry. $1 batch id $2 part
const FIND: Statement = {
  name: 'documents_find_merged',
  text: `
SELECT f.content, c.size, c.sha256
  FROM millrace.document_files f JOIN millrace.document_contents c ON c.seq = f.content
 WHERE f.job = $1 AND f.part = $2`,
};

// Who removes a document of the batch waits here, or has been before: see forget.ts. $1 batch
const LOCK_BATCH: Statement = {
  name: 'documents_lock_batch',
  text: `SELECT run FROM millrace.document_batches WHERE seq = $1 FOR UPDATE`,
};

// $1 batch
const COUNT_MADE: Statement = {
  name: 'documents_count_made',
  text: `
SELECT count(*)::int AS n FROM millrace.document_items i JOIN millrace.document_files f ON f.seq = i.output
 WHERE i.batch = $1 AND i.state = 'SUCCEEDED'`,
};

// Gone with its batch, not a week after it. $1 file $2 batch
const EXPIRE_WITH_BATCH: Statement = {
  name: 'documents_expire_merged',
  text: `
UPDATE millrace.document_files SET expires_at = (SELECT expires_at FROM millrace.document_batches WHERE seq = $2)
 WHERE seq = $1`,
};

// $1 batch id $2 part
const SUPERSEDED: Statement = {
  name: 'documents_superseded_merged',
  text: `DELETE FROM millrace.document_files WHERE job = $1 AND part <> $2 RETURNING content`,
};

export function createMerged(
  parts: ContentStore & {
    files: Pick<Files, 'record'>;
    maxBytes?: number | undefined;
    startThread?: typeof startMergeThread | undefined;
  },
): Merged {
  const { database, files, maxBytes = MOST_MERGED_BYTES, startThread = startMergeThread } = parts;
  const building = new Map<string, Promise<Kept | null>>();
  let last: Promise<unknown> = Promise.resolve();

  /** Runs merges one at a time, since each takes a core and much reading; callers for the same batch share one. */
  function inTurn(key: string, work: () => Promise<Kept | null>): Promise<Kept | null> {
    const there = building.get(key);
    if (there !== undefined) return there;
    const built = last.then(work, work).finally(() => building.delete(key));
    building.set(key, built);
    last = built.catch(() => {});
    return built;
  }

  async function build(batch: BatchRecord, made: readonly MadeFile[], part: string) {
    const thread = startThread({ title: batch.id });
    try {
      const { seq } = await putContent(parts, mergedBytes(parts, thread, made));
      return await database.transaction((session) =>
        keep(session, files, batch, { content: seq, part, documents: made.length }),
      );
    } catch (error) {
      if (isGone(error)) return null;
      throw storing(error);
    } finally {
      await thread.close();
    }
  }

  return async (id, tenant = '') => {
    for (let round = 1; round <= ROUNDS; round++) {
      const batch = await mergeable(database, id, tenant);
      const made = await madeFiles(database, batch.seq);
      check(id, made, maxBytes);
      const part = `merged/${sha256(JSON.stringify(made.map(({ item, name, content }) => [item, name, content])))}`;
      const kept =
        (await find(database, id, part)) ??
        (await inTurn(`${id} ${part}`, () => build(batch, made, part)));
      // Documents were removed or made while it was merged: once more, with those that are there now.
      if (kept === null) continue;
      const { size, content } = kept;
      return {
        name: `${id}.pdf`,
        mediaType: 'application/pdf',
        size,
        documents: made.length,
        etag: kept.sha256,
        read: (range) => readContent(parts, { seq: content, size }, checkRange(range, size)),
      };
    }
    throw new DocumentError('upload_failed', `The batch ${id} changes while it is merged.`, {
      retryable: true,
    });
  };
}

async function mergeable(database: Database, id: string, tenant: string): Promise<BatchRecord> {
  const seq = seqOf('batch', id);
  const batch = seq === null ? null : await batchRows.get(database, seq, tenant);
  if (batch === null) throw new DocumentError('batch_not_found', `There is no batch "${id}".`);
  if (batch.state === 'LOADING' || batch.state === 'RUNNING')
    throw new DocumentError('batch_not_finished', `The batch ${id} is not over yet.`);
  const { outputFormat, pdf } = batch.settings;
  if (outputFormat !== 'PDF')
    throw new DocumentError(
      'batch_not_pdf',
      `The batch ${id} made DOCX files, and only PDFs are merged.`,
    );
  if (pdf?.password !== undefined)
    throw new DocumentError('merge_failed', `The documents of the batch ${id} have a password.`);
  return batch;
}

function check(id: string, made: readonly MadeFile[], maxBytes: number): void {
  if (made.length === 0)
    throw new DocumentError(
      'nothing_to_merge',
      `The batch ${id} has no documents, or they have expired.`,
    );
  const bytes = made.reduce((sum, { size }) => sum + size, 0);
  if (bytes > maxBytes)
    throw new DocumentError(
      'merge_too_large',
      `The documents of the batch ${id} have ${bytes} bytes together; at most ${maxBytes} are merged.`,
    );
}

function isGone(error: unknown): boolean {
  return error instanceof DocumentError && error.code === 'file_not_found';
}

async function find(session: Session, id: string, part: string): Promise<Kept | null> {
  return (await session.query<Kept>(FIND, [id, part]))[0] ?? null;
}

async function* mergedBytes(
  store: ContentStore,
  thread: MergeThread,
  made: readonly MadeFile[],
): AsyncGenerator<Uint8Array> {
  const unique = uniqueNames();
  for (const file of made) {
    const answer = await thread.add(unique(file.name), await wholeOf(store, file));
    yield bytesOr(answer, `Item ${file.item} (line ${file.line}), "${file.name}",`);
  }
  yield bytesOr(await thread.end(), 'The whole');
}

const REASONS = {
  password: 'it has a password',
  broken: 'it is not a PDF that can be read',
  too_much: 'it takes too long or too much memory',
};

function bytesOr(answer: Answer, what: string): Uint8Array {
  if (answer.type === 'added') return answer.bytes;
  throw new DocumentError('merge_failed', `${what} cannot be merged: ${REASONS[answer.why]}.`);
}

async function wholeOf(
  store: ContentStore,
  { content, size }: MadeFile,
): Promise<Uint8Array<ArrayBuffer>> {
  const whole = new Uint8Array(size);
  let at = 0;
  for await (const chunk of readContent(store, { seq: content, size })) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/** Keeps the merged PDF as a file; null when the batch has other documents by now than those that were merged. */
async function keep(
  session: Session,
  files: Pick<Files, 'record'>,
  batch: BatchRecord,
  { content, part, documents }: { content: number; part: string; documents: number },
): Promise<Kept | null> {
  const { seq, id, tenant, correlationId, submitter, settings } = batch;
  const [locked] = await session.query<{ run: number }>(LOCK_BATCH, [seq]);
  const [made] = await session.query<{ n: number }>(COUNT_MADE, [seq]);
  // A retry counts the run up; what is removed is missing from the count.
  if (locked?.run !== batch.run || made?.n !== documents) {
    await removeUnused(session, [content]);
    return null;
  }
  const file = await files.record(session, content, {
    name: `${id}.pdf`,
    tenant,
    templateId: settings.templateId,
    batchId: id,
    of: { job: id, part },
    correlationId,
    submitter: submitter ?? undefined,
  });
  await session.query(EXPIRE_WITH_BATCH, [seqOf('file', file.id), seq]);
  const old = await session.query<{ content: number }>(SUPERSEDED, [id, part]);
  // Another replica may have merged the same meanwhile: then it is the one that is kept.
  await removeUnused(session, [content, ...old.map((each) => each.content)]);
  return find(session, id, part);
}
