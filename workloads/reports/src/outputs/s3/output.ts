import { type Hash, createHash } from 'node:crypto';
import type { ObjectStorage } from '@millrace/object-storage';
import { LostOutput } from '../errors.ts';
import { newName } from '../names.ts';
import type { OpenParams, Output, S3File, S3Place } from '../types.ts';
import { inStorage } from './failures.ts';
import { type Gathering, createGathering } from './gather.ts';
import { copyPrefix, settlePrefix } from './resume.ts';
import { beginUpload } from './upload.ts';

export interface S3Params extends OpenParams {
  readonly storage: ObjectStorage;
  /** Before the names of this installation's files. */
  readonly namespace: string;
  readonly partBytes: (offset: number) => number;
}

interface Opened {
  readonly gathering: Gathering;
  readonly hash: Hash;
}

/** An object of this execution's own: empty, or with what the place stands for. */
export async function openS3(params: S3Params): Promise<Output> {
  const { storage, namespace, job, epoch, at, signal } = params;
  if (at !== null && at.kind !== 's3')
    throw new LostOutput(
      'The file was begun elsewhere, and files are written to object storage now.',
    );
  const key = `${namespace}/${newName(job, epoch)}`;
  const opened =
    at === null
      ? { gathering: createGathering({ ...params, key, begun: null }), hash: createHash('sha256') }
      : await inStorage(storage.place, signal, () => resume({ ...params, key, at }));
  return outputOf({ storage, key, signal, opened, at });
}

async function resume(
  params: Omit<S3Params, 'at'> & { readonly key: string; readonly at: S3Place },
): Promise<Opened> {
  const { storage, key, at, signal } = params;
  const prefix = await settlePrefix(storage, at, signal);
  const upload = await beginUpload(storage, key, signal);
  try {
    return await copyPrefix({
      storage,
      at,
      prefix,
      upload,
      signal,
      gatheringFrom: (size) => createGathering({ ...params, begun: { upload, size } }),
    });
  } catch (error) {
    await upload.abort().catch(() => {}); // the sweep does it later
    throw error;
  }
}

/** A file that fits one part is put as it is. */
async function finished(
  { upload, held, size, flush }: Gathering,
  { storage, key, signal }: { storage: ObjectStorage; key: string; signal: AbortSignal },
): Promise<S3File> {
  const { etag } =
    upload === null
      ? await storage.put(key, held, { signal })
      : await (await flush()).complete(size);
  return { kind: 's3', key, bytes: size, etag };
}

function outputOf(params: {
  readonly storage: ObjectStorage;
  readonly key: string;
  readonly signal: AbortSignal;
  readonly opened: Opened;
  readonly at: S3Place | null;
}): Output {
  const { storage, key, signal, opened } = params;
  const { gathering, hash } = opened;
  let hasEnded = false;
  /** A place of this upload was given out, so a cursor may name it. */
  let isNamed = false;
  /** The object that was copied: of no use once a cursor names this one. */
  let superseded = params.at?.key ?? null;

  async function guarded<T>(work: () => Promise<T>): Promise<T> {
    if (hasEnded) throw new Error('This output has ended.');
    signal.throwIfAborted();
    try {
      return await inStorage(storage.place, signal, work);
    } catch (error) {
      hasEnded = true;
      throw error;
    }
  }

  /** The place that was given out before is saved by now. */
  async function removeSuperseded(): Promise<void> {
    if (!isNamed || superseded === null) return;
    await storage.delete(superseded, { signal }).catch(() => {}); // the sweep does it later
    superseded = null;
  }

  return {
    get canSync() {
      return gathering.fillsPart;
    },
    write: (bytes) =>
      guarded(async () => {
        hash.update(bytes);
        await gathering.write(bytes);
      }),
    sync: () =>
      guarded(async () => {
        if (!gathering.fillsPart)
          throw new Error('Too little was written for a part: look at canSync.');
        const upload = await gathering.flush();
        await removeSuperseded();
        isNamed = true;
        return {
          kind: 's3',
          ...upload.name,
          bytes: gathering.size,
          sha256: hash.copy().digest('hex'),
          parts: upload.parts.length,
          etags: upload.etags(),
        };
      }),
    finish: () =>
      guarded(async () => {
        const file = await finished(gathering, { storage, key, signal });
        await removeSuperseded();
        hasEnded = true;
        return { file, bytes: file.bytes, sha256: hash.digest('hex') };
      }),
    async abandon() {
      hasEnded = true;
    },
  };
}
