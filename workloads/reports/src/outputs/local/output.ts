import { type Hash, createHash } from 'node:crypto';
import { type FileHandle, constants, copyFile, open, rm } from 'node:fs/promises';
import { LostOutput, outputFailure } from '../errors.ts';
import { newName } from '../names.ts';
import type { LocalPlace, OpenParams, Output } from '../types.ts';
import { codeOf, ensureFolder, onDisk, pathOf, syncFolder } from './folder.ts';

interface Opened {
  readonly handle: FileHandle;
  readonly hash: Hash;
}

/** A megabyte keeps the disk busy; more would only be memory. */
const READ_BYTES = 1024 * 1024;

/** A file of this execution's own: empty, or with what the place stands for. */
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
    const file = at === null ? await begin(path) : await resume({ folder, path, at, signal });
    return orRemove(path, file.handle, async () => {
      await syncFolder(folder);
      return file;
    });
  });
  return outputOf({ folder, folderId, name, path, opened, at, signal });
}

async function begin(path: string): Promise<Opened> {
  return { handle: await open(path, 'wx', 0o600), hash: createHash('sha256') };
}

/**
 * Copies the file of the cursor and cuts the copy back: where the file system can share blocks (XFS, Btrfs) no bytes are moved. The
 * original may still be written to by an execution that lost its lease, behind the place.
 */
async function resume(params: {
  readonly folder: string;
  readonly path: string;
  readonly at: LocalPlace;
  readonly signal: AbortSignal;
}): Promise<Opened> {
  const { folder, path, at, signal } = params;
  try {
    await copyFile(
      pathOf(folder, at.name),
      path,
      constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE,
    );
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    throw new LostOutput(
      `The file ${at.name} of the last execution is not in ${folder}. Where several machines work, give them one folder, or S3.`,
    );
  }
  const handle = await open(path, 'r+');
  return orRemove(path, handle, async () => {
    const { size } = await handle.stat();
    if (size < at.bytes)
      throw new LostOutput(
        `The file ${at.name} in ${folder} has ${size} bytes and had ${at.bytes} when the last chunk was saved.`,
      );
    await handle.truncate(at.bytes);
    const hash = await hashOf(handle, at.bytes, signal);
    if (hash.copy().digest('hex') !== at.sha256)
      throw new LostOutput(`The file ${at.name} in ${folder} is not what was written to it.`);
    return { handle, hash };
  });
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

async function hashOf(handle: FileHandle, size: number, signal: AbortSignal): Promise<Hash> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(READ_BYTES);
  for (let at = 0; at < size;) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(buffer, 0, Math.min(READ_BYTES, size - at), at);
    if (bytesRead === 0) throw new Error('A file that was just copied has shrunk.');
    hash.update(buffer.subarray(0, bytesRead));
    at += bytesRead;
  }
  return hash;
}

function outputOf(params: {
  readonly folder: string;
  readonly folderId: string | null;
  readonly name: string;
  readonly path: string;
  readonly opened: Opened;
  readonly at: LocalPlace | null;
  readonly signal: AbortSignal;
}): Output {
  const { folder, folderId, name, path, opened, signal } = params;
  const { handle, hash } = opened;
  let size = params.at?.bytes ?? 0;
  let isOpen = true;
  /** After an error nobody knows what the disk has: a second fsync says that all is well. */
  let isBroken = false;
  /** A place of this file was given out, so a cursor may name it. */
  let isNamed = false;
  /** The file that was copied: of no use once a cursor names this one. */
  let superseded = params.at?.name ?? null;

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

  async function writeAll(bytes: Uint8Array): Promise<void> {
    for (let done = 0; done < bytes.length;) {
      const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, size + done);
      done += bytesWritten;
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

  /** The place that was given out before is saved by now. */
  async function removeSuperseded(): Promise<void> {
    if (!isNamed || superseded === null) return;
    await rm(pathOf(folder, superseded), { force: true }).catch(() => {}); // the sweep does it later
    superseded = null;
  }

  return {
    canSync: true,
    write: (bytes) =>
      guarded(async () => {
        const writing = writeAll(bytes);
        hash.update(bytes);
        await writing;
        size += bytes.length;
      }),
    sync: () =>
      guarded(async () => {
        await makeSafe();
        await removeSuperseded();
        isNamed = true;
        return { kind: 'local', name, bytes: size, sha256: hash.copy().digest('hex') };
      }),
    finish: () =>
      guarded(async () => {
        await makeSafe();
        await removeSuperseded();
        isNamed = true;
        isOpen = false;
        await handle.close();
        const whose = folderId === null ? {} : { folder: folderId };
        const file = { kind: 'local' as const, name, bytes: size, ...whose };
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
