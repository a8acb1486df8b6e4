import {
  type ObjectStorage,
  ObjectStorageError,
  type PartName,
  type UploadName,
  readObject,
} from '@millrace/object-storage';
import type { ByteRange } from '@millrace/workload-kit';
import { randomUUID } from 'node:crypto';
import { DocumentError } from '../errors.ts';

/** Bytes of documents in an object storage: a bucket, or a container of Azure. */
export interface Objects {
  /** A key that nobody has used, and nobody uses again. */
  newKey(): string;
  /** All of it or nothing. Throws a `DocumentError` for what the storage says; what the source throws as it is. */
  write(key: string, source: AsyncIterable<Uint8Array>): Promise<void>;
  read(key: string, range: ByteRange): AsyncGenerator<Uint8Array>;
  /** That there is none is no error. */
  remove(key: string): Promise<void>;
  /** Ends uploads that nobody finishes any more. */
  sweepUploads(now: number): Promise<number>;
}

/** Beside those of reports, where they share a bucket. */
const FOLDER = 'documents/';
/** What is gathered for a part: S3 wants 5 MiB at least, and 10,000 parts at the most. */
const PART_BYTES = 8 * 1024 * 1024;
/** No upload takes as long. */
const OLD_UPLOAD_MS = 86_400_000;

export function createObjects(storage: ObjectStorage): Objects {
  async function write(key: string, source: AsyncIterable<Uint8Array>): Promise<void> {
    const parts: PartName[] = [];
    let upload: UploadName | null = null;
    let held: Uint8Array[] = [];
    let heldBytes = 0;
    let size = 0;
    try {
      for await (const chunk of source) {
        held.push(chunk);
        heldBytes += chunk.length;
        size += chunk.length;
        if (heldBytes < PART_BYTES) continue;
        upload ??= await storage.createUpload(key);
        parts.push(await storage.uploadPart(upload, { number: parts.length + 1, bytes: held }));
        held = [];
        heldBytes = 0;
      }
      if (upload === null) return void (await storage.put(key, held));
      if (heldBytes > 0)
        parts.push(await storage.uploadPart(upload, { number: parts.length + 1, bytes: held }));
      await complete(upload, parts, size);
    } catch (error) {
      if (upload !== null) await storage.abortUpload(upload).catch(() => {}); // the sweep does it later
      throw error instanceof ObjectStorageError ? notStored(error, storage.place) : error;
    }
  }

  /** The answer may be lost: asked again, the storage finds the upload gone. Nobody else has the key, so its size says enough. */
  async function complete(upload: UploadName, parts: readonly PartName[], size: number) {
    try {
      await storage.completeUpload(upload, parts);
    } catch (error) {
      if ((await storage.head(upload.key).catch(() => null))?.size !== size) throw error;
    }
  }

  return {
    newKey: () => `${FOLDER}${randomUUID()}`,
    write,
    async *read(key, range) {
      try {
        yield* readObject(storage, { key }, range);
      } catch (error) {
        throw error instanceof ObjectStorageError ? notRead(error, storage.place) : error;
      }
    },
    remove: (key) => storage.delete(key),
    async sweepUploads(now) {
      let ended = 0;
      for await (const page of storage.listUploads(FOLDER))
        for (const { key, uploadId, startedAt } of page) {
          if (startedAt > now - OLD_UPLOAD_MS) continue;
          await storage.abortUpload({ key, uploadId });
          ended += 1;
        }
      return ended;
    },
  };
}

function notStored(error: ObjectStorageError, place: string): DocumentError {
  const { message, retryable, code } = error;
  return new DocumentError(
    'upload_failed',
    `The document could not be stored in ${place}. ${message}`,
    { retryable, detail: code, cause: error },
  );
}

function notRead(error: ObjectStorageError, place: string): DocumentError {
  const { message, retryable, code } = error;
  if (code === 'NoSuchKey')
    return new DocumentError('file_not_found', `The file is not in ${place} any more.`, {
      cause: error,
    });
  return new DocumentError(
    'file_unavailable',
    `The file cannot be read from ${place}. ${message}`,
    {
      retryable,
      detail: code,
      cause: error,
    },
  );
}
