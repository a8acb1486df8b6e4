import type { Database, Session, Statement } from '@millrace/store-postgres';
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { DocumentError } from '../errors.ts';

/** Bytes in chunks of 1 MiB: none of them is ever whole in memory unless the caller has it so. */

export interface Content {
  readonly seq: number;
  readonly size: number;
  readonly sha256: string;
  /** For a ZIP that is written without reading the bytes first. */
  readonly crc32: number;
}

/** From `from` up to but without `to`. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
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

const BEGIN: Statement = {
  name: 'documents_begin_content',
  text: `
INSERT INTO millrace.document_contents (size, sha256, crc32, created_at)
VALUES (0, '', 0, millrace.clock()) RETURNING seq`,
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
  text: `SELECT encode(bytes, 'base64') AS bytes FROM millrace.document_chunks WHERE content = $1 AND number = $2`,
};

export async function putContent(
  session: Session,
  source: Uint8Array | AsyncIterable<Uint8Array>,
  maxBytes = Number.MAX_SAFE_INTEGER,
): Promise<Content> {
  if (source instanceof Uint8Array && source.length > maxBytes) throw tooLarge(maxBytes);
  return source instanceof Uint8Array && source.length <= CHUNK_BYTES
    ? putSmall(session, source)
    : putStream(session, source instanceof Uint8Array ? [source] : source, maxBytes);
}

async function putSmall(session: Session, bytes: Uint8Array): Promise<Content> {
  const facts = {
    size: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    crc32: crc32(bytes),
  };
  const [row] = await session.query<{ seq: number }>(PUT_ONE, [
    facts.size,
    facts.sha256,
    facts.crc32,
    base64(bytes),
  ]);
  return { seq: row?.seq ?? 0, ...facts };
}

/** A stream that breaks off leaves a content that nothing points at: the sweep removes it. */
async function putStream(
  session: Session,
  source: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<Content> {
  const [row] = await session.query<{ seq: number }>(BEGIN, []);
  const seq = row?.seq ?? 0;
  const hash = createHash('sha256');
  let size = 0;
  let crc = 0;
  let number = 0;
  for await (const chunk of chunked(source)) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    hash.update(chunk);
    crc = crc32(chunk, crc);
    await session.query(PUT_CHUNK, [seq, number, base64(chunk)]);
    number += 1;
  }
  const facts = { size, sha256: hash.digest('hex'), crc32: crc };
  const ended = await session.query(END, [seq, facts.size, facts.sha256, facts.crc32]);
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
  database: Database,
  content: Pick<Content, 'seq' | 'size'>,
  range: ByteRange = { from: 0, to: content.size },
): AsyncGenerator<Uint8Array> {
  const { from, to } = range;
  for (let number = Math.floor(from / CHUNK_BYTES); number * CHUNK_BYTES < to; number++) {
    const [row] = await database.query<{ bytes: string }>(CHUNK, [content.seq, number]);
    if (row === undefined)
      throw new DocumentError('file_not_found', 'The file was removed while it was read.');
    const start = number * CHUNK_BYTES;
    yield Buffer.from(row.bytes, 'base64').subarray(Math.max(0, from - start), to - start);
  }
}

export function checkRange(range: ByteRange | undefined, size: number): ByteRange {
  if (range === undefined) return { from: 0, to: size };
  const { from, to } = range;
  if (!Number.isInteger(from) || !Number.isInteger(to) || from < 0 || from > to || to > size)
    throw new DocumentError('invalid_range', `The file has ${size} bytes; ask for a part of them.`);
  return range;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

function tooLarge(maxBytes: number): DocumentError {
  return new DocumentError('file_too_large', `A file has at most ${maxBytes} bytes.`);
}
