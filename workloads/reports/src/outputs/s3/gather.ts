import type { ObjectStorage } from '@millrace/object-storage';
import { type Upload, beginUpload } from './upload.ts';

/** Bytes in memory until they are enough for a part. */
export interface Gathering {
  write(bytes: Uint8Array): Promise<void>;
  /** Whether all that was written is in parts, or fills one. */
  readonly fillsPart: boolean;
  /** Sends what is left, however little: a part that is not the last must fill one. Gives the upload. */
  flush(): Promise<Upload>;
  /** Null: nothing was sent yet. */
  readonly upload: Upload | null;
  /** What was never sent. */
  readonly held: readonly Uint8Array[];
  /** All bytes, sent or not. */
  readonly size: number;
}

export function createGathering(params: {
  readonly storage: ObjectStorage;
  readonly key: string;
  readonly signal: AbortSignal;
  readonly partBytes: (offset: number) => number;
  /** An upload that has parts already, of so many bytes. */
  readonly begun: { readonly upload: Upload; readonly size: number } | null;
}): Gathering {
  const { storage, key, signal, partBytes } = params;
  let upload = params.begun?.upload ?? null;
  let sent = params.begun?.size ?? 0;
  let held: Uint8Array[] = [];
  let heldBytes = 0;

  async function flush(): Promise<Upload> {
    upload ??= await beginUpload(storage, key, signal);
    if (heldBytes > 0) await upload.send(held, heldBytes);
    sent += heldBytes;
    held = [];
    heldBytes = 0;
    return upload;
  }

  return {
    async write(bytes) {
      held.push(bytes);
      heldBytes += bytes.length;
      // Whoever writes much between two syncs must not fill the memory.
      if (heldBytes >= 2 * partBytes(sent)) await flush();
    },
    flush,
    get fillsPart() {
      return heldBytes === 0 ? sent > 0 : heldBytes >= partBytes(sent);
    },
    get upload() {
      return upload;
    },
    get held() {
      return held;
    },
    get size() {
      return sent + heldBytes;
    },
  };
}
