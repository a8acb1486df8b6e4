import { createWire, sleep as defaultSleep } from '@millrace/http';
import { addressOf } from '../calls/address.ts';
import { createCaller } from '../calls/call.ts';
import { peer } from '../errors.ts';
import { checkedTimes } from '../object-storage.ts';
import { createObjects } from '../objects/objects.ts';
import type { ObjectStorage, ObjectStorageParts } from '../types.ts';
import { createBlobs } from './blobs.ts';
import { createBlocks } from './blocks.ts';
import { blobSigner } from './sign.ts';
import type { BlobStorageConfig } from './types.ts';

/** A container of Azure Blob Storage behind the same face as a bucket. No request is made before the first call. Throws `invalid_config`. */
export function createBlobStorage(
  config: BlobStorageConfig,
  parts: ObjectStorageParts = {},
): ObjectStorage {
  const { timeoutMs, connections } = checkedTimes(config);
  const { container } = config;
  const { now = Date.now, random = Math.random, sleep = defaultSleep, onCall = () => {} } = parts;
  const address = addressOf({ ...config, bucket: container, addressing: 'path', slash: false });
  const wire = createWire({ peer, connections, timeoutMs });
  const signer = blobSigner(config.credentials);
  const caller = createCaller({ address, signer, wire, timeoutMs, now, random, sleep, onCall });
  const { get, head, delete: remove } = createObjects(caller);
  const objects = { get, head, delete: remove, ...createBlobs(caller) };
  return {
    place: `${container}/${address.prefix}`,
    ...objects,
    ...createBlocks(caller, objects),
    close: wire.close,
  };
}
