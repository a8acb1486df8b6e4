import { StoreUnavailable } from '@millrace/engine';
import type { Session, Statement } from '@millrace/store-postgres';
import { outputFailure } from '../errors.ts';

/** As documents are kept: a row of this size is read and sent at once. */
export const CHUNK_BYTES = 1024 * 1024;

// $1 name
const CREATE: Statement = {
  name: 'reports_create_file',
  text: `INSERT INTO millrace.report_files (name, created_at) VALUES ($1, millrace.clock())`,
};

// A file that was removed takes no more chunks. The lock keeps a sweep from removing it between the two. $1 name $2 begin $3 bytes
const ADD: Statement = {
  name: 'reports_add_chunk',
  text: `
INSERT INTO millrace.report_chunks (file, begin, bytes)
SELECT seq, $2::bigint, decode($3, 'base64') FROM millrace.report_files WHERE name = $1 FOR KEY SHARE RETURNING file`,
};

// $1 name
const SIZE: Statement = {
  name: 'reports_file_size',
  text: `
SELECT coalesce((SELECT begin + octet_length(bytes) FROM millrace.report_chunks WHERE file = seq ORDER BY begin DESC LIMIT 1), 0)::float8
       AS size
  FROM millrace.report_files WHERE name = $1`,
};

// The chunk that has this byte. It is found first and encoded then: where the planner sorts, on a table that is not analysed yet, each chunk of the file would
// be encoded for one that is wanted. $1 name $2 position
const CHUNK: Statement = {
  name: 'reports_chunk',
  text: `
SELECT found.begin::float8 AS begin, encode(found.bytes, 'base64') AS bytes
  FROM (SELECT begin, bytes FROM millrace.report_chunks
         WHERE file = (SELECT seq FROM millrace.report_files WHERE name = $1) AND begin <= $2::bigint ORDER BY begin DESC LIMIT 1) AS found`,
};

// $1 name
const REMOVE: Statement = {
  name: 'reports_remove_file',
  text: `DELETE FROM millrace.report_files WHERE name = $1`,
};

// By the clock of whoever sweeps, as of the other places. $1 before, ms $2 after $3 limit
const OLD: Statement = {
  name: 'reports_old_files',
  text: `
SELECT seq::float8 AS seq, name FROM millrace.report_files
 WHERE created_at < to_timestamp($1::float8 / 1000) AND seq > $2 ORDER BY seq LIMIT $3`,
};

export const fileRows = {
  async create(session: Session, name: string): Promise<void> {
    await session.query(CREATE, [name]);
  },
  /** False: the file is gone. */
  async add(session: Session, name: string, begin: number, bytes: Uint8Array): Promise<boolean> {
    return (await session.query(ADD, [name, begin, base64(bytes)])).length > 0;
  },
  /** Null: there is no such file. */
  async size(session: Session, name: string): Promise<number | null> {
    const [row] = await session.query<{ size: number }>(SIZE, [name]);
    return row?.size ?? null;
  },
  async chunk(session: Session, name: string, position: number) {
    const [row] = await session.query<{ begin: number; bytes: string }>(CHUNK, [name, position]);
    if (row === undefined) return null;
    return { begin: row.begin, bytes: Buffer.from(row.bytes, 'base64') };
  },
  async remove(session: Session, name: string): Promise<void> {
    await session.query(REMOVE, [name]);
  },
  old(
    session: Session,
    before: number,
    after: number,
    limit: number,
  ): Promise<{ seq: number; name: string }[]> {
    return session.query<{ seq: number; name: string }>(OLD, [before, after, limit]);
  },
};

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

/** What the database says while a file is written, as the failure of a job; anything else as it is. */
export async function inDatabase<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    throw outputFailure(
      'output_failed',
      `The database that files are kept in does not answer: ${error.message}`,
      { cause: error },
    );
  }
}
