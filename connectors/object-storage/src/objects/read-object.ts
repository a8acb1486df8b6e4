import { ObjectStorageError } from '../errors.ts';
import type { ByteRange, ObjectStorage } from '../types.ts';

/** A line that breaks this often without a byte is down. */
const MOST_BREAKS = 5;

/** The bytes of an object. Where the line breaks it goes on from there: the ETag says that it is the same object, where keys are used again. */
export async function* readObject(
  storage: Pick<ObjectStorage, 'get'>,
  object: { readonly key: string; readonly etag?: string },
  range: ByteRange,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let at = range.from;
  let breaks = 0;
  while (at < range.to) {
    const { body } = await storage.get(object.key, {
      range: { from: at, to: range.to },
      ...(object.etag !== undefined && { etag: object.etag }),
      ...(signal !== undefined && { signal }),
    });
    const before = at;
    try {
      for await (const bytes of body) {
        at += bytes.length;
        yield bytes;
      }
    } catch (error) {
      breaks = at > before ? 0 : breaks + 1;
      const isBroken = error instanceof ObjectStorageError && error.retryable;
      if (!isBroken || breaks > MOST_BREAKS) throw error;
    }
  }
}
