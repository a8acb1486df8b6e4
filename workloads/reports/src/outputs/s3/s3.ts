import { type ObjectStorage, readObject } from '@millrace/object-storage';
import { nameOf } from '../names.ts';
import {
  type ByteRange,
  type OpenParams,
  type Output,
  type OutputName,
  type S3File,
  SWEEP_AGE_MS,
  type SweepParams,
  type Swept,
} from '../types.ts';
import { fileErrorOf } from './failures.ts';
import { openS3 } from './output.ts';
import { partBytes as usualPartBytes } from './parts.ts';

/** Files as objects of S3-compatible storage. */
export interface S3Files {
  open(params: OpenParams): Promise<Output>;
  read(file: S3File, range?: ByteRange, signal?: AbortSignal): AsyncIterable<Uint8Array>;
  remove(file: S3File): Promise<void>;
  sweep(params: SweepParams): Promise<Swept>;
  check(): Promise<void>;
}

export interface S3FilesParams {
  readonly storage: ObjectStorage;
  /**
   * This installation's own folder below the storage's prefix: two installations both have a job pg-1, and each would sweep the other's
   * file.
   */
  readonly namespace: string;
  /** How much is gathered for a part that begins there. */
  readonly partBytes?: (offset: number) => number;
}

interface Found<T> {
  readonly file: OutputName;
  readonly entry: T;
}

export function createS3Files(params: S3FilesParams): S3Files {
  const { storage, namespace, partBytes = usualPartBytes } = params;
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(namespace))
    throw new Error('The namespace of the files must have 1 to 64 letters, digits, _ and -.');

  /** Those of ours that are old enough. What else is in the bucket is not touched. */
  function oldOnes<T extends { readonly key: string }>(
    entries: readonly T[],
    madeAt: (entry: T) => number,
    now: number,
  ): Found<T>[] {
    return entries.flatMap((entry) => {
      const file = nameOf(entry.key.slice(namespace.length + 1));
      return file !== null && madeAt(entry) < now - SWEEP_AGE_MS ? [{ file, entry }] : [];
    });
  }

  async function removeUnwanted<T>(
    found: readonly Found<T>[],
    wanted: SweepParams['wanted'],
    remove: (entry: T) => Promise<void>,
  ): Promise<number> {
    if (found.length === 0) return 0;
    const kept = await wanted(found.map(({ file }) => file));
    const unwanted = found.filter(({ file }) => !kept.has(file.name));
    for (const { entry } of unwanted) await remove(entry);
    return unwanted.length;
  }

  async function* read(
    file: S3File,
    range: ByteRange = { from: 0, to: file.bytes },
    signal?: AbortSignal,
  ): AsyncGenerator<Uint8Array> {
    try {
      yield* readObject(storage, file, range, signal);
    } catch (error) {
      signal?.throwIfAborted();
      throw fileErrorOf(error, storage.place);
    }
  }

  return {
    open: (open) => openS3({ ...open, storage, namespace, partBytes }),
    read,
    remove: ({ key }) => storage.delete(key),
    async sweep({ wanted, now, signal }) {
      const options = signal === undefined ? {} : { signal };
      const swept = { files: 0, uploads: 0 };
      for await (const page of storage.list(`${namespace}/`, options))
        swept.files += await removeUnwanted(
          oldOnes(page, ({ modifiedAt }) => modifiedAt, now),
          wanted,
          ({ key }) => storage.delete(key, options),
        );
      for await (const page of storage.listUploads(`${namespace}/`, options))
        swept.uploads += await removeUnwanted(
          oldOnes(page, ({ startedAt }) => startedAt, now),
          wanted,
          (upload) => storage.abortUpload(upload, options),
        );
      return swept;
    },
    check: () => storage.check(),
  };
}
