import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Files with secrets: nobody but this user may read them. */
export interface PrivateFiles {
  /** Null where there is none. Throws an UnsafeFileError where others could read it or have written it, or it is no file. */
  read(path: string): Promise<string | null>;
  /** The names in a folder; none where there is no such folder. */
  list(folder: string): Promise<string[]>;
  /** Whole or not at all. Its folder is made, and closed to others. */
  write(path: string, text: string): Promise<void>;
  /** Locks a path between processes; returns the function that releases it, or null while another process holds it. */
  lock(path: string): Promise<(() => Promise<void>) | null>;
}

export class UnsafeFileError extends Error {
  override readonly name = 'UnsafeFileError';
}

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
const OF_OTHERS = 0o077;

/**
 * Whoever was killed leaves the lock behind. Twenty seconds is the longest that the issuer is waited for
 * under it (two requests), so one that is older belongs to nobody.
 */
const LOCK_STALE_MS = 30_000;

/** `userId` is null on Windows, where files have neither owner nor mode: their folder has to do. */
export function createPrivateFiles(userId: number | null): PrivateFiles {
  return {
    async read(path) {
      // To open a named pipe waits for whoever writes to it, unless it is opened so.
      const flags = constants.O_RDONLY | constants.O_NONBLOCK;
      const handle = await unless('ENOENT', open(path, flags));
      if (handle === null) return null;
      try {
        // Checks the open file, not its name: the name could be another file by now.
        const found = await handle.stat();
        const { uid, mode } = found;
        if (!found.isFile()) throw new UnsafeFileError(`${path} is not a file. Remove it.`);
        if (userId !== null) checkOwn(path, uid === userId, mode);
        return await handle.readFile('utf8');
      } finally {
        await handle.close();
      }
    },
    async list(folder) {
      return (await unless('ENOENT', readdir(folder))) ?? [];
    },
    async write(path, text) {
      await makeFolder(dirname(path));
      const draft = `${path}.${randomUUID()}.tmp`;
      try {
        await writeNew(draft, text);
        await rename(draft, path);
      } catch (thrown) {
        await rm(draft, { force: true });
        throw thrown;
      }
    },
    async lock(path) {
      await makeFolder(dirname(path));
      const file = `${path}.lock`;
      const handle = await unless('EEXIST', open(file, 'wx', FILE_MODE));
      if (handle === null) {
        await removeStale(file);
        return null;
      }
      await handle.close();
      return () => rm(file, { force: true });
    },
  };
}

function checkOwn(path: string, isMine: boolean, mode: number): void {
  if (!isMine) throw new UnsafeFileError(`${path} belongs to another user.`);
  if ((mode & OF_OTHERS) !== 0) {
    throw new UnsafeFileError(`Others may read ${path}. "chmod 600" closes it.`);
  }
}

async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
  await chmod(folder, FOLDER_MODE); // it may have been there before
}

async function writeNew(path: string, text: string): Promise<void> {
  const handle = await open(path, 'wx', FILE_MODE);
  try {
    await handle.writeFile(text);
    await handle.sync(); // else a power cut after the rename could leave an empty file
  } finally {
    await handle.close();
  }
}

async function removeStale(lock: string): Promise<void> {
  const found = await unless('ENOENT', stat(lock));
  if (found !== null && Date.now() - found.mtimeMs > LOCK_STALE_MS) await rm(lock, { force: true });
}

async function unless<T>(code: string, work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === code) return null;
    throw thrown;
  }
}
