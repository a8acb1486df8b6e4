import { createHash } from 'node:crypto';
import {
  type ObjectFacts,
  type ObjectStorage,
  ObjectStorageError,
  type PartName,
  type UploadName,
} from '@millrace/object-storage';
import { outputFailure } from '../errors.ts';
import { checkedNumber } from './parts.ts';

/** An upload in parts, with the parts that it has. */
export interface Upload {
  readonly name: UploadName;
  readonly parts: readonly PartName[];
  /** The hash over number, ETag and size of the parts. */
  etags(): string;
  send(bytes: readonly Uint8Array[], size: number): Promise<void>;
  /** A part from an object that is there. */
  copy(key: string, range: { from: number; to: number }): Promise<void>;
  /** The parts become the object. */
  complete(size: number): Promise<ObjectFacts>;
  abort(): Promise<void>;
}

export async function beginUpload(
  storage: ObjectStorage,
  key: string,
  signal: AbortSignal,
): Promise<Upload> {
  const name = await storage.createUpload(key, { signal });
  const parts: PartName[] = [];
  const chain = etagChain();

  const nextNumber = (): number => checkedNumber(parts.length + 1);
  function add(part: PartName, size: number): void {
    parts.push(part);
    chain.add({ ...part, size });
  }

  return {
    name,
    parts,
    etags: () => chain.value(),
    async send(bytes, size) {
      const number = nextNumber();
      add(await storage.uploadPart(name, { number, bytes }, { signal }), size);
    },
    async copy(from, range) {
      const number = nextNumber();
      const part = await storage.copyPart(name, { number, from, range }, { signal });
      add(part, range.to - range.from);
    },
    complete: (size) => complete(storage, { name, parts, size, signal }),
    abort: () => storage.abortUpload(name),
  };
}

export function etagChain() {
  const hash = createHash('sha256');
  return {
    add({ number, etag, size }: PartName & { readonly size: number }): void {
      hash.update(`${number} ${etag} ${size}\n`);
    },
    value: () => hash.copy().digest('hex'),
  };
}

/** Throws `output_taken` where the object is not what these parts make. */
async function complete(
  storage: ObjectStorage,
  params: {
    readonly name: UploadName;
    readonly parts: readonly PartName[];
    readonly size: number;
    readonly signal: AbortSignal;
  },
): Promise<ObjectFacts> {
  const { name, parts, size, signal } = params;
  // A process that was asleep hears here that its lease is over: timers that are due come first.
  await new Promise((resolve) => setTimeout(resolve, 0));
  signal.throwIfAborted();
  let etag: string;
  try {
    ({ etag } = await storage.completeUpload(name, parts, { signal }));
  } catch (error) {
    // It was done, and its answer lost: the one that was sent again found the upload gone, or the object there.
    if (!isDone(error)) throw error;
    etag = etagOfParts(parts);
  }
  const facts = await storage.head(name.key, { signal });
  if (facts?.size === size && bare(facts.etag) === bare(etag)) return facts;
  throw outputFailure(
    'output_taken',
    `The object ${name.key} in ${storage.place} was completed by another execution. The next try goes on from the last chunk.`,
  );
}

export function isDone(error: unknown): boolean {
  return (
    error instanceof ObjectStorageError &&
    (error.code === 'PreconditionFailed' || error.code === 'NoSuchUpload')
  );
}

/**
 * As S3 makes the ETag of an object from those of its parts, where these are MD5 sums. Where the storage encrypts with keys of its own they
 * are not, and the object is taken for another's: the next try copies it.
 */
function etagOfParts(parts: readonly PartName[]): string {
  const hash = createHash('md5');
  for (const { etag } of parts) hash.update(bare(etag), 'hex');
  return `${hash.digest('hex')}-${parts.length}`;
}

function bare(etag: string): string {
  return etag.replaceAll('"', '');
}
