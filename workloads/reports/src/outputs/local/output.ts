import { type Hash, createHash } from 'node:crypto';
import { type FileHandle, constants, open, rm } from 'node:fs/promises';
import { LostOutput, outputFailure } from '../errors.ts';
import { newName } from '../names.ts';
import { MOST_PARTS, type Part, behind, bytesOf, partsOf } from '../parts.ts';
import type { LocalPlace, OpenParams, Output } from '../types.ts';
import { codeOf, ensureFolder, onDisk, pathOf, syncFolder } from './folder.ts';

interface Opened {
  readonly handle: FileHandle;
  readonly hash: Hash;
  readonly before: readonly Part[];
  /** Bytes of its own file. */
  own: number;
}

/** A megabyte keeps the disk busy; more would only be memory. */
const READ_BYTES = 1024 * 1024;

/** A file of this execution's own, behind those that the place names. */
export async function openLocal(
  folder: string,
  folderId: string | null,
  params: OpenParams,
): Promise<Output> {
  const { job, epoch, at, signal } = params;
  const name = newName(job, epoch);
  const path = pathOf(folder, name);
  if (at !== null && at.kind !== 'local')
    throw new LostOutput('The file was begun elsewhere, and files are written to a folder now.');
  const opened = await onDisk(folder, async () => {
    await ensureFolder(folder);
    const handle = await open(path, 'wx', 0o600);
    return orRemove(path, handle, async () => {
      const file = at === null ? begun(handle) : await resume({ folder, handle, at, signal });
      await syncFolder(folder);
      return file;
    });
  });
  return outputOf({ folder, folderId, name, path, opened, signal });
}

function begun(handle: FileHandle): Opened {
  return { handle, hash: createHash('sha256'), before: [], own: 0 };
}

/** What is there stays where it is, unless it is in very many files. An execution that lost its lease may still write behind it. */
async function resume(params: {
  readonly folder: string;
  readonly handle: FileHandle;
  readonly at: LocalPlace;
  readonly signal: AbortSignal;
}): Promise<Opened> {
  const { folder, handle, at, signal } = params;
  const opened = begun(handle);
  const parts = partsOf(at).filter(({ bytes }) => bytes > 0);
  const isCopied = parts.length > MOST_PARTS;
  for (const part of parts)
    for await (const bytes of readPart(folder, part, signal)) {
      opened.hash.update(bytes);
      if (!isCopied) continue;
      await writeAll(handle, bytes, opened.own);
      opened.own += bytes.length;
    }
  if (opened.hash.copy().digest('hex') !== at.sha256)
    throw new LostOutput(`The file ${at.name} in ${folder} is not what was written to it.`);
  return isCopied ? opened : { ...opened, before: parts };
}

/** The bytes are read into the same place again and again: whoever gets them keeps none. */
async function* readPart(
  folder: string,
  { name, bytes: size }: Part,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const handle = await open(pathOf(folder, name), constants.O_RDONLY | constants.O_NOFOLLOW).catch(
    (error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error;
      throw new LostOutput(
        `The file ${name} of an earlier execution is not in ${folder}. Where several machines work, give them one folder, or S3.`,
      );
    },
  );
  try {
    const buffer = Buffer.allocUnsafe(READ_BYTES);
    for (let at = 0; at < size;) {
      signal.throwIfAborted();
      const { bytesRead } = await handle.read(buffer, 0, Math.min(READ_BYTES, size - at), at);
      if (bytesRead === 0)
        throw new LostOutput(
          `The file ${name} in ${folder} has ${at} bytes and had ${size} when the last chunk was saved.`,
        );
      yield buffer.subarray(0, bytesRead);
      at += bytesRead;
    }
  } finally {
    await handle.close();
  }
}

async function writeAll(handle: FileHandle, bytes: Uint8Array, from: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, from + done);
    done += bytesWritten;
  }
}

/** What this execution made is of no use where it cannot go on. */
async function orRemove<T>(path: string, handle: FileHandle, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await handle.close();
    await rm(path, { force: true });
    throw error;
  }
}

function outputOf(params: {
  readonly folder: string;
  readonly folderId: string | null;
  readonly name: string;
  readonly path: string;
  readonly opened: Opened;
  readonly signal: AbortSignal;
}): Output {
  const { folder, folderId, name, path, opened, signal } = params;
  const { handle, hash, before } = opened;
  const begin = bytesOf(before);
  let size = begin + opened.own;
  let isOpen = true;
  /** After an error nobody knows what the disk has: a second fsync says that all is well. */
  let isBroken = false;
  /** A place of this file was given out, so a cursor may name it. */
  let isNamed = false;

  async function guarded<T>(work: () => Promise<T>): Promise<T> {
    if (!isOpen || isBroken) throw new Error('This output has ended.');
    signal.throwIfAborted();
    try {
      return await onDisk(folder, work);
    } catch (error) {
      isBroken = true;
      throw error;
    }
  }

  async function makeSafe(): Promise<void> {
    await handle.datasync();
    const { nlink } = await handle.stat();
    if (nlink === 0)
      throw outputFailure(
        'output_taken',
        `The file ${name} was removed from ${folder} while it was written.`,
      );
  }

  return {
    canSync: true,
    write: (bytes) =>
      guarded(async () => {
        const writing = writeAll(handle, bytes, size - begin);
        hash.update(bytes);
        await writing;
        size += bytes.length;
      }),
    sync: () =>
      guarded(async () => {
        await makeSafe();
        isNamed = true;
        const sha256 = hash.copy().digest('hex');
        return { kind: 'local', name, bytes: size, sha256, ...behind(before) };
      }),
    finish: () =>
      guarded(async () => {
        await makeSafe();
        isNamed = true;
        isOpen = false;
        await handle.close();
        const whose = folderId === null ? {} : { folder: folderId };
        const file = { kind: 'local' as const, name, bytes: size, ...behind(before), ...whose };
        return { file, bytes: size, sha256: hash.digest('hex') };
      }),
    async abandon() {
      if (!isOpen) return;
      isOpen = false;
      await handle.close();
      // On a disk that is full, what no cursor names is in the way of the next try.
      if (!isNamed) await rm(path, { force: true });
    },
  };
}
