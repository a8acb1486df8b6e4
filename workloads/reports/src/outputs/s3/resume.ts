import { type Hash, createHash } from 'node:crypto';
import {
  type ListedPart,
  type ObjectFacts,
  type ObjectStorage,
  ObjectStorageError,
  readObject,
} from '@millrace/object-storage';
import { LostOutput } from '../errors.ts';
import type { S3Place } from '../types.ts';
import type { Gathering } from './gather.ts';
import { copyRanges } from './parts.ts';
import { type Upload, etagChain, isDone } from './upload.ts';

/**
 * Makes the bytes that a cursor stands for into an object: the parts of an upload cannot be read, and whoever has the upload's id could go on
 * with it. Once it is complete an execution that lost its lease can add nothing to it. Where it is complete already (that execution finished,
 * or an earlier try came this far) the object has these bytes at its beginning.
 */
export async function settlePrefix(
  storage: ObjectStorage,
  at: S3Place,
  signal: AbortSignal,
): Promise<ObjectFacts> {
  const found = (await storage.head(at.key, { signal })) ?? (await completed(storage, at, signal));
  if (found === null)
    throw new LostOutput(
      `The upload that the last execution began in ${storage.place} is not there any more.`,
    );
  if (found.size >= at.bytes) return found;
  throw new LostOutput(
    `The object ${at.key} in ${storage.place} has ${found.size} bytes and had ${at.bytes} when the last chunk was saved.`,
  );
}

async function completed(
  storage: ObjectStorage,
  at: S3Place,
  signal: AbortSignal,
): Promise<ObjectFacts | null> {
  try {
    const parts = await partsOf(storage, at, signal);
    await storage.completeUpload(at, parts, { signal });
  } catch (error) {
    if (error instanceof ObjectStorageError && error.code === 'InvalidPart') throw changed(storage);
    // Another was quicker, or the upload was aborted or has expired: the object says which.
    if (!isDone(error)) throw error;
  }
  return storage.head(at.key, { signal });
}

/** The parts that the cursor stands for. Others after them are of chunks that were not saved. */
async function partsOf(
  storage: ObjectStorage,
  at: S3Place,
  signal: AbortSignal,
): Promise<readonly ListedPart[]> {
  const parts: ListedPart[] = [];
  for await (const page of storage.listParts(at, { signal })) {
    parts.push(...page.filter(({ number }) => number <= at.parts));
    if (parts.length >= at.parts) break;
  }
  const chain = etagChain();
  for (const part of parts) chain.add(part);
  if (chain.value() !== at.etags) throw changed(storage);
  return parts;
}

function changed(storage: ObjectStorage): LostOutput {
  return new LostOutput(
    `The parts in ${storage.place} are not those that the last execution wrote there.`,
  );
}

/**
 * Copies the first bytes of an object into an upload, and hashes them. The storage copies by itself, so that the bytes come here once, for
 * the hash; where it cannot they are sent back. The ETag from before the copy holds for the reading after it, so both had the same object.
 */
export async function copyPrefix(params: {
  readonly storage: ObjectStorage;
  readonly at: S3Place;
  readonly prefix: ObjectFacts;
  readonly upload: Upload;
  readonly signal: AbortSignal;
  /** Goes on behind so many bytes of the upload. */
  readonly gatheringFrom: (size: number) => Gathering;
}): Promise<{ readonly gathering: Gathering; readonly hash: Hash }> {
  const { storage, at, prefix, upload, signal, gatheringFrom } = params;
  const isCopied = await copyThere(at, upload);
  const gathering = gatheringFrom(isCopied ? at.bytes : 0);
  const hash = createHash('sha256');
  const source = { key: at.key, etag: prefix.etag };
  for await (const bytes of readObject(storage, source, { from: 0, to: at.bytes }, signal)) {
    hash.update(bytes);
    if (!isCopied) await gathering.write(bytes);
  }
  if (hash.copy().digest('hex') === at.sha256) return { gathering, hash };
  throw new LostOutput(`The object ${at.key} in ${storage.place} is not what was written to it.`);
}

async function copyThere(at: S3Place, upload: Upload): Promise<boolean> {
  try {
    for (const range of copyRanges(at.bytes)) await upload.copy(at.key, range);
    return true;
  } catch (error) {
    const isUnsupported = error instanceof ObjectStorageError && error.kind === 'unsupported';
    if (isUnsupported && upload.parts.length === 0) return false;
    throw error;
  }
}
