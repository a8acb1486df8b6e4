import { type FileHandle, access, constants, lstat, open, opendir, rm } from 'node:fs/promises';
import { FileError } from '../errors.ts';
import { nameOf } from '../names.ts';
import { type Part, partsOf, rangesIn } from '../parts.ts';
import {
  type ByteRange,
  type LocalFile,
  type OpenParams,
  type Output,
  type OutputName,
  SWEEP_AGE_MS,
  type SweepParams,
} from '../types.ts';
import { codeOf, ensureFolder, onDisk, pathOf } from './folder.ts';
import { openLocal } from './output.ts';

/** Files in a folder of this machine, or one that all machines share. */
export interface LocalFiles {
  open(params: OpenParams): Promise<Output>;
  read(file: LocalFile, range?: ByteRange, signal?: AbortSignal): AsyncIterable<Uint8Array>;
  remove(file: LocalFile): Promise<void>;
  sweep(params: SweepParams): Promise<number>;
  check(): Promise<void>;
}

const READ_BYTES = 256 * 1024;
const SWEEP_AT_ONCE = 500;

/** `folderId`: what the files say of where they are. */
export function createLocalFiles(folder: string, folderId: string | null = null): LocalFiles {
  const remove = (name: string): Promise<void> => rm(pathOf(folder, name), { force: true });

  /** Those of ours that are old enough. What else is in the folder is not touched. */
  async function* oldFiles(now: number): AsyncGenerator<OutputName> {
    let entries;
    try {
      entries = await opendir(folder);
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return;
      throw error;
    }
    for await (const { name } of entries) {
      const found = nameOf(name);
      const facts = found === null ? null : await lstatOrNull(pathOf(folder, name));
      if (found !== null && facts?.isFile() === true && facts.mtimeMs < now - SWEEP_AGE_MS)
        yield found;
    }
  }

  async function removeUnwanted(
    files: readonly OutputName[],
    wanted: SweepParams['wanted'],
  ): Promise<number> {
    if (files.length === 0) return 0;
    const kept = await wanted(files);
    const unwanted = files.filter(({ name }) => !kept.has(name));
    for (const { name } of unwanted) await remove(name);
    return unwanted.length;
  }

  return {
    open: (params) => openLocal(folder, folderId, params),
    read: (file, range, signal) => readFile(folder, file, range, signal),
    remove: (file) =>
      onDisk(folder, async () => {
        for (const { name } of partsOf(file)) await remove(name);
      }),
    async sweep({ wanted, now, signal }) {
      let removed = 0;
      let batch: OutputName[] = [];
      for await (const file of oldFiles(now)) {
        signal?.throwIfAborted();
        batch.push(file);
        if (batch.length < SWEEP_AT_ONCE) continue;
        removed += await removeUnwanted(batch, wanted);
        batch = [];
      }
      return removed + (await removeUnwanted(batch, wanted));
    },
    check: () =>
      onDisk(folder, async () => {
        await ensureFolder(folder);
        await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
      }),
  };
}

async function lstatOrNull(path: string) {
  try {
    return await lstat(path);
  } catch (error) {
    // Another replica swept it.
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** A file that is removed meanwhile is read to its end: it goes away with its last reader. */
async function* readFile(
  folder: string,
  file: LocalFile,
  range: ByteRange = { from: 0, to: file.bytes },
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const opened: (Ranged & { readonly handle: FileHandle })[] = [];
  try {
    for (const ranged of rangesIn(partsOf(file), range))
      opened.push({ ...ranged, handle: await openToRead(folder, ranged.part) });
    for (const { part, isLast, handle } of opened) {
      const { size } = await handle.stat();
      // Behind a part of an earlier execution there may be more, which no cursor named.
      if (isLast ? size !== part.bytes : size < part.bytes) throw damaged(folder, part, size);
    }
    for (const each of opened) yield* readRange(folder, each, signal);
  } finally {
    for (const { handle } of opened) await handle.close();
  }
}

type Ranged = ReturnType<typeof rangesIn>[number];

async function* readRange(
  folder: string,
  { part, range, handle }: Ranged & { readonly handle: FileHandle },
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for (let at = range.from; at < range.to;) {
    signal?.throwIfAborted();
    const length = Math.min(READ_BYTES, range.to - at);
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(length), 0, length, at);
    if (bytesRead === 0) throw damaged(folder, part, at);
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
  }
}

async function openToRead(folder: string, { name }: Part): Promise<FileHandle> {
  try {
    return await open(pathOf(folder, name), constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT')
      throw new FileError(
        'file_gone',
        `The file is not in ${folder} any more. It was removed, or another machine wrote it: run the report again.`,
        { cause: error },
      );
    if (code === '') throw error;
    throw new FileError('storage_unavailable', `The file in ${folder} cannot be read (${code}).`, {
      cause: error,
    });
  }
}

function damaged(folder: string, { name, bytes }: Part, size: number): FileError {
  return new FileError(
    'file_damaged',
    `The file ${name} in ${folder} has ${size} bytes and had ${bytes} when it was finished. Run the report again.`,
  );
}
