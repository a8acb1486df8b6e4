import { StoreUnavailable } from '@millrace/engine';
import type { Database } from '@millrace/store-postgres';
import { FileError } from '../errors.ts';
import { nameOf } from '../names.ts';
import { partsOf, rangesIn } from '../parts.ts';
import {
  type ByteRange,
  type DatabaseFile,
  type OpenParams,
  type Output,
  SWEEP_AGE_MS,
  type SweepParams,
} from '../types.ts';
import { openInDatabase } from './output.ts';
import { fileRows } from './rows.ts';

/** Files in the database of the queue, which all replicas share. */
export interface DatabaseFiles {
  open(params: OpenParams): Promise<Output>;
  read(file: DatabaseFile, range?: ByteRange, signal?: AbortSignal): AsyncIterable<Uint8Array>;
  remove(file: DatabaseFile): Promise<void>;
  sweep(params: SweepParams): Promise<number>;
}

const SWEEP_AT_ONCE = 100;

export function createDatabaseFiles(database: Database): DatabaseFiles {
  return {
    open: (params) => openInDatabase(database, params),
    read: (file, range, signal) => readFile(database, file, range, signal),
    async remove(file) {
      for (const { name } of partsOf(file)) await fileRows.remove(database, name);
    },
    async sweep({ wanted, now, signal }) {
      let removed = 0;
      let after = 0;
      for (;;) {
        signal?.throwIfAborted();
        const rows = await fileRows.old(database, now - SWEEP_AGE_MS, after, SWEEP_AT_ONCE);
        const files = rows.flatMap(({ name }) => nameOf(name) ?? []);
        const kept = files.length === 0 ? new Set<string>() : await wanted(files);
        const unwanted = files.filter(({ name }) => !kept.has(name));
        for (const { name } of unwanted) await fileRows.remove(database, name);
        removed += unwanted.length;
        after = rows.at(-1)?.seq ?? after;
        if (rows.length < SWEEP_AT_ONCE) return removed;
      }
    },
  };
}

/** Chunk by chunk, one query each: a slow reader holds no connection between them. */
async function* readFile(
  database: Database,
  file: DatabaseFile,
  range: ByteRange = { from: 0, to: file.bytes },
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const parts = rangesIn(partsOf(file), range);
  for (const { part, isLast } of parts) {
    const size = await reading(() => fileRows.size(database, part.name));
    if (size === null) throw gone();
    // Behind a part of an earlier execution there may be more, which no cursor named.
    if (isLast ? size === part.bytes : size >= part.bytes) continue;
    throw new FileError(
      'file_damaged',
      `The file ${part.name} in the database has ${size} bytes and had ${part.bytes} when it was finished. Run the report again.`,
    );
  }
  for (const { part, range: within } of parts)
    for (let at = within.from; at < within.to;) {
      signal?.throwIfAborted();
      const position = at;
      const chunk = await reading(() => fileRows.chunk(database, part.name, position));
      const bytes = chunk?.bytes.subarray(at - chunk.begin, within.to - chunk.begin);
      if (bytes === undefined || bytes.length === 0) throw gone();
      yield bytes;
      at += bytes.length;
    }
}

function gone(): FileError {
  return new FileError(
    'file_gone',
    'The file is not in the database any more: run the report again.',
  );
}

async function reading<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    throw new FileError('storage_unavailable', 'The database does not answer.', { cause: error });
  }
}
