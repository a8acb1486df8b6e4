import { type Upload, createRoom } from '@millrace/workload-kit';
import { DocumentError } from '../errors.ts';

/** Reads an upload whole, for as long as it is used. One for all callers: what they hold is counted together. */
export type WholeUploads = <T>(
  upload: Upload | null,
  use: (bytes: Uint8Array) => Promise<T>,
  of?: WholeUpload,
) => Promise<T>;

export interface WholeUpload {
  readonly by?: string | undefined;
  /** Beyond the largest; that of a template unless given. */
  readonly tooLarge?: () => DocumentError;
}

const LARGEST = 50 * 1024 * 1024;
/** Held by uploads that come in, wait or are checked: four of the largest, or thousands of common ones. */
const MOST_AT_ONCE = 4 * LARGEST;
/** Of one caller: half, so that somebody else's upload finds room beside theirs. */
const MOST_OF_ONE = MOST_AT_ONCE / 2;

const templateTooLarge = () =>
  new DocumentError('template_too_large', 'A template has 50 MB at the most.');

/** Files are held whole while they are used; a flood of them is refused before it fills the memory. */
export function createWholeUploads(): WholeUploads {
  const room = createRoom({ all: MOST_AT_ONCE, ofCaller: MOST_OF_ONE });
  return async (upload, use, { by = '', tooLarge = templateTooLarge } = {}) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    const place = room.enter(by);
    try {
      for await (const chunk of upload?.bytes ?? []) {
        size += chunk.length;
        if (size > LARGEST) throw tooLarge();
        if (place.take(chunk.length) !== null)
          throw new DocumentError('busy', 'Too many files come in at once. Try again shortly.', {
            retryable: true,
          });
        chunks.push(chunk);
      }
      return await use(Buffer.concat(chunks));
    } finally {
      place.leave();
    }
  };
}
