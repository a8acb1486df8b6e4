import { constants, mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { outputFailure } from '../errors.ts';
import { nameOf } from '../names.ts';

/** Files of the folder are named by data from the database: a name that is none of ours could lead elsewhere. */
export function pathOf(folder: string, name: string): string {
  if (nameOf(name) === null) throw new Error('This is no name of a report file.');
  return join(folder, name);
}

/** Makes the folder for this account alone. One that is there keeps its rights: the files have their own. */
export async function ensureFolder(folder: string): Promise<void> {
  const made = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (made === undefined) return;
  // The entries of all that was made, from the folder itself up to the one that was there.
  for (let path = folder; path.length >= made.length; path = dirname(path))
    await syncFolder(dirname(path));
}

/** An entry of a folder survives a power cut only after this. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Of an error of the system, such as ENOENT; empty for any other. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'errno' in error && 'code' in error ? String(error.code) : '';
}

/** What the disk says, as the failure of a job; anything else as it is. */
export async function onDisk<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw failureOf(error, folder);
  }
}

function failureOf(error: unknown, folder: string): unknown {
  const code = codeOf(error);
  const goesOn = 'The report goes on from its last chunk with the next try.';
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return outputFailure(
        'output_full',
        `There is no room left in ${folder} (${code}). Make room there, or choose another folder. ${goesOn}`,
        { cause: error },
      );
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
    case 'ENOTDIR':
      return outputFailure(
        'output_not_writable',
        `Nothing can be written to ${folder} (${code}). Give this service's account the right to write there. ${goesOn}`,
        { cause: error },
      );
    case 'EFBIG':
      return outputFailure(
        'output_too_large',
        `The file system of ${folder} takes no file of this size (EFBIG). Export in smaller pieces, or to another folder.`,
        { cause: error },
      );
    case '':
      return error;
    default:
      return outputFailure(
        'output_failed',
        `Writing to ${folder} failed (${code}). Check the disk. ${goesOn}`,
        { cause: error },
      );
  }
}
