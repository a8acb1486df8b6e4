import type { Upload } from '@millrace/workload-kit';
import { DocumentError } from '../errors.ts';

/** Reads an upload whole, for as long as it is used. One for all callers: what they hold is counted together. */
export type WholeUploads = <T>(
  upload: Upload | null,
  use: (bytes: Uint8Array) => Promise<T>,
) => Promise<T>;

const LARGEST = 50 * 1024 * 1024;
/** Held by uploads that come in, wait or are checked: four of the largest, or thousands of common ones. */
const MOST_AT_ONCE = 4 * LARGEST;

/** Files are held whole while they are used; a flood of them is refused before it fills the memory. */
export function createWholeUploads(): WholeUploads {
  let held = 0;
  return async (upload, use) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    try {
      for await (const chunk of upload?.bytes ?? []) {
        size += chunk.length;
        held += chunk.length;
        if (size > LARGEST)
          throw new DocumentError('template_too_large', 'A template has 50 MB at the most.');
        if (held > MOST_AT_ONCE)
          throw new DocumentError(
            'busy',
            'Too many templates come in at once. Try again shortly.',
            {
              retryable: true,
            },
          );
        chunks.push(chunk);
      }
      return await use(Buffer.concat(chunks));
    } finally {
      held -= size;
    }
  };
}
