import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Context } from '../context.ts';
import { flag, text } from '../line/option.ts';
import { UsageError } from '../line/usage-error.ts';

/** Where a document goes: a file that is not there yet, or standard output. */
export const OUTPUT_OPTIONS = {
  output: text('FILE', 'The output file; - is standard output.', 'o'),
  force: flag('Replaces an existing file.'),
};

export type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

export interface Output {
  /** `-` for standard output. */
  readonly path: string;
  /** Standard output, a device, a pipe: written into, where a file is put in its place. */
  readonly isStream: boolean;
  /** All of it or nothing; gives the number of bytes. */
  write(chunks: Chunks): Promise<number>;
}

/** Refuses at once what could only be refused after the work. */
export async function openOutput(
  context: Context,
  path: string,
  force: true | undefined,
): Promise<Output> {
  if (path === '-') return standardOutput(context);
  const there = await kindOf(path);
  if (there === 'folder') throw new UsageError(`"${path}" is a folder. Give a file in it.`);
  if (there !== null && force === undefined) throw isThere(path);
  const folder = resolve(path, '..');
  if ((await kindOf(folder)) !== 'folder') throw new UsageError(`Folder not found: "${folder}".`);
  await checkWritable(path, folder, there);
  const { interrupted } = context.world;
  return {
    path,
    isStream: there === 'other',
    write: (chunks) => writeFile(path, force === true, chunks, interrupted),
  };
}

/** Tries to write: permissions do not reveal a read-only file system, nor one without files, such as /proc. */
async function checkWritable(path: string, folder: string, there: Kind): Promise<void> {
  if (there === 'other') return;
  const trial = join(folder, `.millrace-${process.pid}-${randomUUID()}`);
  try {
    await (await open(trial, 'wx')).close();
    await rm(trial, { force: true });
  } catch (thrown) {
    throw told(thrown, path);
  }
}

function standardOutput({ out, world, json }: Context): Output {
  if (json) throw new UsageError('Give either --json or -o -: both write to standard output.');
  if (out.isTerminal)
    throw new UsageError('Binary output is not written to a terminal. Use a pipe, or -o FILE.');
  return {
    path: '-',
    isStream: true,
    async write(chunks) {
      let size = 0;
      for await (const chunk of chunks) {
        world.stdout.write(chunk);
        size += chunk.length;
      }
      return size;
    },
  };
}

async function writeFile(
  path: string,
  force: boolean,
  chunks: Chunks,
  interrupted: AbortSignal,
): Promise<number> {
  const there = force ? await kindOf(path) : null;
  if (there === 'other') {
    // A device, a pipe.
    try {
      return await fill(await open(path, 'w'), chunks, interrupted);
    } catch (thrown) {
      throw told(thrown, path);
    }
  }
  // What is to be replaced stays whole until its successor is.
  const place = there === 'file' ? `${path}.${process.pid}.part` : path;
  const handle = await open(place, 'wx').catch((thrown: unknown) => {
    throw told(thrown, path);
  });
  try {
    const size = await fill(handle, chunks, interrupted);
    if (place !== path) await rename(place, path);
    return size;
  } catch (thrown) {
    await rm(place, { force: true });
    throw told(thrown, path);
  }
}

async function fill(handle: FileHandle, chunks: Chunks, interrupted: AbortSignal): Promise<number> {
  let size = 0;
  try {
    for await (const chunk of chunks) {
      interrupted.throwIfAborted();
      await handle.writeFile(chunk);
      size += chunk.length;
    }
    return size;
  } finally {
    await handle.close();
  }
}

type Kind = 'file' | 'folder' | 'other' | null;

async function kindOf(path: string): Promise<Kind> {
  try {
    const stats = await stat(path);
    return stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'other';
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return null;
    throw told(thrown, path);
  }
}

function told(thrown: unknown, path: string): unknown {
  switch (codeOf(thrown)) {
    case 'EEXIST':
      return isThere(path);
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new UsageError(`No permission to write the file "${path}".`);
    case 'ENOTDIR':
      return new UsageError(`The folder of "${path}" does not exist.`);
    case 'ENOSPC':
    case 'EDQUOT':
    case 'EFBIG':
      return new UsageError(`The disk is full: "${path}".`);
    case 'ENOENT':
      // The folder exists: /proc and the like cannot hold files.
      return new UsageError(`Cannot create a file at "${path}".`);
    case 'ENAMETOOLONG':
      return new UsageError(`The file name is too long: "${path}".`);
    default:
      return isOfFiles(thrown)
        ? new UsageError(`The file "${path}" cannot be written: ${String(codeOf(thrown))}.`)
        : thrown;
  }
}

/** Whether an error comes from a system call; network errors have no such name. */
function isOfFiles(thrown: unknown): boolean {
  return (
    thrown instanceof Error &&
    'syscall' in thrown &&
    ['open', 'write', 'rename', 'stat', 'close'].includes(String(thrown.syscall))
  );
}

function isThere(path: string): UsageError {
  return new UsageError(
    `The file "${path}" already exists. Add --force to replace it, or choose another with -o.`,
  );
}

function codeOf(thrown: unknown): unknown {
  return thrown instanceof Error && 'code' in thrown ? thrown.code : null;
}

const ENDINGS = /\.(pdf|docx)$/i;

/** A file in this folder, whatever was asked for: no path parts, nothing that a file system trips over. */
export function fileNameOf(name: string, ending: string): string {
  const plain = name.replaceAll(/[\p{Control}\p{Bidi_Control}/\\<>:"|?*]/gu, '_').trim();
  const stem = plain.replace(ENDINGS, '').replace(/^\.+/, '');
  return `${stem === '' ? 'document' : stem}.${ending}`;
}
