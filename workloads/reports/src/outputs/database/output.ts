import { type Hash, createHash } from 'node:crypto';
import type { Database } from '@millrace/store-postgres';
import { LostOutput, outputFailure } from '../errors.ts';
import { newName } from '../names.ts';
import { MOST_PARTS, type Part, behind, bytesOf, partsOf } from '../parts.ts';
import type { DatabasePlace, OpenParams, Output } from '../types.ts';
import { CHUNK_BYTES, fileRows, inDatabase } from './rows.ts';

/** A file of this execution's own, behind those that the place names. */
export async function openInDatabase(database: Database, params: OpenParams): Promise<Output> {
  const { job, epoch, at, signal } = params;
  if (at !== null && at.kind !== 'database')
    throw new LostOutput('The file was begun elsewhere, and files are kept in the database now.');
  const name = newName(job, epoch);
  const opened = await inDatabase(async () => {
    await fileRows.create(database, name);
    try {
      return at === null ? begun() : await resume(database, { name, at, signal });
    } catch (error) {
      await fileRows.remove(database, name).catch(() => {}); // the sweep does it later
      throw error;
    }
  });
  return outputOf({ database, name, opened, signal });
}

interface Opened {
  readonly hash: Hash;
  readonly before: readonly Part[];
  /** Bytes of its own file. */
  own: number;
}

function begun(): Opened {
  return { hash: createHash('sha256'), before: [], own: 0 };
}

/** What is there stays where it is, unless it is in very many files. An execution that lost its lease may still write behind it. */
async function resume(
  database: Database,
  params: { readonly name: string; readonly at: DatabasePlace; readonly signal: AbortSignal },
): Promise<Opened> {
  const { name, at, signal } = params;
  const opened = begun();
  const parts = partsOf(at).filter(({ bytes }) => bytes > 0);
  const isCopied = parts.length > MOST_PARTS;
  for (const part of parts)
    for (let position = 0; position < part.bytes;) {
      signal.throwIfAborted();
      const chunk = await fileRows.chunk(database, part.name, position);
      const bytes = chunk?.bytes.subarray(position - chunk.begin, part.bytes - chunk.begin);
      if (bytes === undefined || bytes.length === 0)
        throw new LostOutput(
          `The file ${part.name} of an earlier execution is not in the database.`,
        );
      opened.hash.update(bytes);
      position += bytes.length;
      if (!isCopied) continue;
      if (!(await fileRows.add(database, name, opened.own, bytes))) throw taken(name);
      opened.own += bytes.length;
    }
  if (opened.hash.copy().digest('hex') !== at.sha256)
    throw new LostOutput(`The file ${at.name} in the database is not what was written to it.`);
  return isCopied ? opened : { ...opened, before: parts };
}

function outputOf(params: {
  readonly database: Database;
  readonly name: string;
  readonly opened: Opened;
  readonly signal: AbortSignal;
}): Output {
  const { database, name, signal } = params;
  const { hash, before } = params.opened;
  const begin = bytesOf(before);
  /** Bytes that are in rows. */
  let size = begin + params.opened.own;
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let isOpen = true;
  /** Nobody knows whether a write whose answer was lost was done. */
  let isBroken = false;
  /** A place of this file was given out, so a cursor may name it. */
  let isNamed = false;

  async function guarded<T>(work: () => Promise<T>): Promise<T> {
    if (!isOpen || isBroken) throw new Error('This output has ended.');
    signal.throwIfAborted();
    try {
      return await inDatabase(work);
    } catch (error) {
      isBroken = true;
      throw error;
    }
  }

  async function flush(): Promise<void> {
    if (heldBytes === 0) return;
    const all = Buffer.concat(held, heldBytes);
    held = [];
    heldBytes = 0;
    for (let from = 0; from < all.length; from += CHUNK_BYTES) {
      const bytes = all.subarray(from, from + CHUNK_BYTES);
      if (!(await fileRows.add(database, name, size - begin, bytes))) throw taken(name);
      size += bytes.length;
    }
  }

  return {
    canSync: true,
    write: (bytes) =>
      guarded(async () => {
        hash.update(bytes);
        held.push(bytes);
        heldBytes += bytes.length;
        if (heldBytes >= CHUNK_BYTES) await flush();
      }),
    sync: () =>
      guarded(async () => {
        await flush();
        isNamed = true;
        const sha256 = hash.copy().digest('hex');
        return { kind: 'database', name, bytes: size, sha256, ...behind(before) };
      }),
    finish: () =>
      guarded(async () => {
        await flush();
        // What was flushed earlier may have been swept since.
        if ((await fileRows.size(database, name)) !== size - begin) throw taken(name);
        isOpen = false;
        const file = { kind: 'database' as const, name, bytes: size, ...behind(before) };
        return { file, bytes: size, sha256: hash.digest('hex') };
      }),
    async abandon() {
      if (!isOpen) return;
      isOpen = false;
      if (!isNamed) await fileRows.remove(database, name).catch(() => {}); // the sweep does it later
    },
  };
}

function taken(name: string): Error {
  return outputFailure(
    'output_taken',
    `The file ${name} was removed from the database while it was written.`,
  );
}
