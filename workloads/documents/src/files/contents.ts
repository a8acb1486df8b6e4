import type { Database, Statement } from '@millrace/store-postgres';
import type { ByteRange } from '@millrace/workload-kit';
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { DocumentError } from '../errors.ts';
import type { Objects } from './objects.ts';

/**
 * Bytes in chunks of 1 MiB, or as an object of a storage: none of them is ever whole in memory unless the caller has it so. What is in the
 * one place is read from there, also when new bytes go to the other.
 */

/** Where bytes go. */
export interface ContentStore {
  readonly database: Database;
  /** Left out: to the database. */
  readonly objects?: Objects | null | undefined;
}

export interface Content {
  readonly seq: number;
  readonly size: number;
  readonly sha256: string;
  /** For a ZIP that is written without reading the bytes first. */
  readonly crc32: number;
}

export const CHUNK_BYTES = 1024 * 1024;

// $1 size $2 sha256 $3 crc32 $4 bytes
const PUT_ONE: Statement = {
  name: 'documents_put_content',
  text: `
WITH content AS (
  INSERT INTO millrace.document_contents (size, sha256, crc32, created_at)
  VALUES ($1, $2, $3, millrace.clock()) RETURNING seq
), chunk AS (
  INSERT INTO millrace.document_chunks (content, number, bytes)
  SELECT seq, 0, decode($4, 'base64') FROM content
)
SELECT seq FROM content`,
};

// $1 object
const BEGIN: Statement = {
  name: 'documents_begin_content',
  text: `
INSERT INTO millrace.document_contents (size, sha256, crc32, created_at, object)
VALUES (0, '', 0, millrace.clock(), $1) RETURNING seq`,
};

// $1 content $2 number $3 bytes
const PUT_CHUNK: Statement = {
  name: 'documents_put_chunk',
  text: `INSERT INTO millrace.document_chunks (content, number, bytes) VALUES ($1, $2, decode($3, 'base64'))`,
};

// $1 content $2 size $3 sha256 $4 crc32
const END: Statement = {
  name: 'documents_end_content',
  text: `UPDATE millrace.document_contents SET size = $2, sha256 = $3, crc32 = $4 WHERE seq = $1 RETURNING seq`,
};

// $1 content $2 number
const CHUNK: Statement = {
  name: 'documents_chunk',
  text: `
SELECT c.object, encode(k.bytes, 'base64') AS bytes
  FROM millrace.document_contents c LEFT JOIN millrace.document_chunks k ON k.content = c.seq AND k.number = $2
 WHERE c.seq = $1`,
};

export async function putContent(
  store: ContentStore,
  source: Uint8Array | AsyncIterable<Uint8Array>,
  maxBytes = Number.MAX_SAFE_INTEGER,
): Promise<Content> {
  if (source instanceof Uint8Array && source.length > maxBytes) throw tooLarge(maxBytes);
  const { database, objects = null } = store;
  return objects === null && source instanceof Uint8Array && source.length <= CHUNK_BYTES
    ? putSmall(database, source)
    : putStream(store, source instanceof Uint8Array ? [source] : source, maxBytes);
}

async function putSmall(database: Database, bytes: Uint8Array): Promise<Content> {
  const facts = {
    size: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    crc32: crc32(bytes),
  };
  const [row] = await database.query<{ seq: number }>(PUT_ONE, [
    facts.size,
    facts.sha256,
    facts.crc32,
    base64(bytes),
  ]);
  return { seq: row?.seq ?? 0, ...facts };
}

/** A stream that breaks off leaves a content that nothing points at: the sweep removes it. */
async function putStream(
  { database, objects = null }: ContentStore,
  source: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<Content> {
  // Its row comes before the object: what is in the storage is known here, whatever breaks.
  const key = objects?.newKey() ?? null;
  const [row] = await database.query<{ seq: number }>(BEGIN, [key]);
  const seq = row?.seq ?? 0;
  const hash = createHash('sha256');
  let size = 0;
  let crc = 0;

  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunked(source)) {
      size += chunk.length;
      if (size > maxBytes) throw tooLarge(maxBytes);
      hash.update(chunk);
      crc = crc32(chunk, crc);
      yield chunk;
    }
  }

  if (objects === null || key === null) {
    let number = 0;
    for await (const chunk of counted()) {
      await database.query(PUT_CHUNK, [seq, number, base64(chunk)]);
      number += 1;
    }
  } else await objects.write(key, counted());
  const facts = { size, sha256: hash.digest('hex'), crc32: crc };
  const ended = await database.query(END, [seq, facts.size, facts.sha256, facts.crc32]);
  if (ended.length === 0 && objects !== null && key !== null) await objects.remove(key);
  if (ended.length === 0)
    throw new DocumentError('upload_failed', 'The upload took too long, and was swept.', {
      retryable: true,
    });
  return { seq, ...facts };
}

async function* chunked(
  source: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let gathered: Uint8Array[] = [];
  let size = 0;
  for await (const given of source) {
    let rest = given;
    while (rest.length > 0) {
      const part = rest.subarray(0, CHUNK_BYTES - size);
      rest = rest.subarray(part.length);
      gathered.push(part);
      size += part.length;
      if (size < CHUNK_BYTES) continue;
      yield Buffer.concat(gathered);
      gathered = [];
      size = 0;
    }
  }
  if (size > 0) yield Buffer.concat(gathered);
}

/** Chunk by chunk, one query each: a slow reader holds no connection between them. */
export async function* readContent(
  { database, objects = null }: ContentStore,
  content: Pick<Content, 'seq' | 'size'>,
  range: ByteRange = { from: 0, to: content.size },
): AsyncGenerator<Uint8Array> {
  const { from, to } = range;
  for (let number = Math.floor(from / CHUNK_BYTES); number * CHUNK_BYTES < to; number++) {
    const [row] = await database.query<{ object: string | null; bytes: string | null }>(CHUNK, [
      content.seq,
      number,
    ]);
    const object = row?.object ?? null;
    if (object !== null) return yield* objectsOf(objects).read(object, range);
    const bytes = row?.bytes ?? null;
    if (bytes === null)
      throw new DocumentError('file_not_found', 'The file was removed while it was read.');
    const start = number * CHUNK_BYTES;
    yield Buffer.from(bytes, 'base64').subarray(Math.max(0, from - start), to - start);
  }
}

export function checkRange(range: ByteRange | undefined, size: number): ByteRange {
  if (range === undefined) return { from: 0, to: size };
  const { from, to } = range;
  if (!Number.isInteger(from) || !Number.isInteger(to) || from < 0 || from > to || to > size)
    throw new DocumentError('invalid_range', `The file has ${size} bytes; ask for a part of them.`);
  return range;
}

function objectsOf(objects: Objects | null): Objects {
  if (objects !== null) return objects;
  throw new DocumentError(
    'file_unavailable',
    'The file is in an object storage, and DOCUMENTS_S3_* or DOCUMENTS_AZURE_* no longer say which.',
  );
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

function tooLarge(maxBytes: number): DocumentError {
  return new DocumentError('file_too_large', `A file has at most ${maxBytes} bytes.`);
}
