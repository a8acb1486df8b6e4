import type { Readable } from 'node:stream';
import type { Deadline } from '../calls/deadline.ts';
import { failure } from '../calls/wire.ts';
import { ObjectStorageError } from '../errors.ts';

/** The bytes of an answer. The time runs only while we wait for the storage, not while the reader takes his. */
export async function* streamOf(
  body: Readable,
  size: number,
  deadline: Deadline,
): AsyncGenerator<Uint8Array> {
  let left = size;
  try {
    deadline.rearm();
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      deadline.pause();
      left -= chunk.length;
      if (left < 0) throw cut(size, size - left);
      yield chunk;
      deadline.rearm();
    }
    if (left > 0) throw cut(size, size - left);
  } catch (error) {
    throw failure(error, true, deadline);
  } finally {
    deadline.clear();
    body.on('error', () => {}).destroy();
  }
}

function cut(size: number, came: number): ObjectStorageError {
  return new ObjectStorageError(`${came} bytes of an object came instead of ${size}.`, {
    code: 'unreachable',
    kind: 'unavailable',
    outcome: 'unknown',
  });
}
