import { type Hash, createHash } from 'node:crypto';
import type { Database } from '@millrace/store-postgres';
import { LostOutput, outputFailure } from '../errors.ts';
import { newName } from '../names.ts';
import type { DatabasePlace, OpenParams, Output } from '../types.ts';
import { CHUNK_BYTES, fileRows, inDatabase } from './rows.ts';

/** A file of this execution's own: empty, or with what the place stands for. */
export async function openInDatabase(database: Database, params: OpenParams): Promise<Output> {
  const { job, epoch, at, signal } = params;
  if (at !== null && at.kind !== 'database')
    throw new LostOutput('The file was begun elsewhere, and files are kept in the database now.');
  const name = newName(job, epoch);
  const hash = createHash('sha256');
  await inDatabase(async () => {
    await fileRows.create(database, name);
    if (at === null) return;
    try {
      await copyPrefix(database, { name, at, hash, signal });
    } catch (error) {
      await fileRows.remove(database, name).catch(() => {}); // the sweep does it later
      throw error;
    }
  });
  return outputOf({ database, name, hash, at, signal });
}

/** The original may still be written to by an execution that lost its lease, behind the place. */
async function copyPrefix(
  database: Database,
  params: {
    readonly name: string;
    readonly at: DatabasePlace;
    readonly hash: Hash;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { name, at, hash, signal } = params;
  for (let size = 0; size < at.bytes;) {
    signal.throwIfAborted();
    const bytes = await fileRows.copy(database, name, at.name, size);
    if (bytes === null)
      throw new LostOutput(`The file ${at.name} of the last execution is not in the database.`);
    hash.update(bytes);
    size += bytes.length;
  }
  if (hash.copy().digest('hex') !== at.sha256)
    throw new LostOutput(`The file ${at.name} in the database is not what was written to it.`);
}

function outputOf(params: {
  readonly database: Database;
  readonly name: string;
  readonly hash: Hash;
  readonly at: DatabasePlace | null;
  readonly signal: AbortSignal;
}): Output {
  const { database, name, hash, signal } = params;
  /** Bytes that are in rows. */
  let size = params.at?.bytes ?? 0;
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let isOpen = true;
  /** Nobody knows whether a write whose answer was lost was done. */
  let isBroken = false;
  /** A place of this file was given out, so a cursor may name it. */
  let isNamed = false;
  /** The file that was copied: of no use once a cursor names this one. */
  let superseded = params.at?.name ?? null;

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
      if (!(await fileRows.add(database, name, size, bytes))) throw taken(name);
      size += bytes.length;
    }
  }

  /** The place that was given out before is saved by now. */
  async function removeSuperseded(): Promise<void> {
    if (!isNamed || superseded === null) return;
    await fileRows.remove(database, superseded).catch(() => {}); // the sweep does it later
    superseded = null;
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
        await removeSuperseded();
        isNamed = true;
        return { kind: 'database', name, bytes: size, sha256: hash.copy().digest('hex') };
      }),
    finish: () =>
      guarded(async () => {
        await flush();
        // What was flushed earlier may have been swept since.
        if ((await fileRows.size(database, name)) !== size) throw taken(name);
        await removeSuperseded();
        isOpen = false;
        const file = { kind: 'database' as const, name, bytes: size };
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
