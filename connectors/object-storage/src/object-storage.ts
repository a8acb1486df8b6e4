import { createWire, sleep as defaultSleep } from '@millrace/http';
import { addressOf } from './calls/address.ts';
import { createCaller } from './calls/call.ts';
import { s3Signer } from './calls/sign.ts';
import { invalid, peer } from './errors.ts';
import { createObjects } from './objects/objects.ts';
import { createUploads } from './objects/uploads.ts';
import type { ObjectStorage, ObjectStorageConfig, ObjectStorageParts } from './types.ts';

const DEFAULTS = { timeoutMs: 60_000, connections: 16 };
const LONGEST_TIMEOUT_MS = 60 * 60_000;

/** No request is made before the first call. Throws `invalid_config`. */
export function createObjectStorage(
  config: ObjectStorageConfig,
  parts: ObjectStorageParts = {},
): ObjectStorage {
  const { timeoutMs, connections } = checkedTimes(config);
  checkKey(config);
  const { credentials, bucket, region } = config;
  const { now = Date.now, random = Math.random, sleep = defaultSleep, onCall = () => {} } = parts;
  const address = addressOf(config);
  const wire = createWire({ peer, connections, timeoutMs });
  const caller = createCaller({
    address,
    signer: s3Signer(typeof credentials === 'function' ? credentials : () => credentials, region),
    wire,
    timeoutMs,
    now,
    random,
    sleep,
    onCall,
  });
  return {
    place: `${bucket}/${address.prefix}`,
    ...createObjects(caller),
    ...createUploads(caller, bucket),
    close: wire.close,
  };
}

export function checkedTimes(
  config: Pick<ObjectStorageConfig, 'timeoutMs' | 'connections'>,
): typeof DEFAULTS {
  const { timeoutMs = DEFAULTS.timeoutMs, connections = DEFAULTS.connections } = config;
  if (!(timeoutMs > 0 && timeoutMs <= LONGEST_TIMEOUT_MS))
    refuse(`timeoutMs must be more than 0 and at most ${LONGEST_TIMEOUT_MS}.`);
  if (!Number.isInteger(connections) || connections < 1)
    refuse('connections must be a whole number from 1.');
  return { timeoutMs, connections };
}

const refuse = (message: string): never => {
  throw invalid('invalid_config', message);
};

function checkKey(config: ObjectStorageConfig): void {
  if (config.region === '') refuse('region is empty. Where a server has none, us-east-1 will do.');
  const { credentials } = config;
  const isEmpty =
    typeof credentials === 'object' &&
    (credentials.accessKeyId === '' || credentials.secretAccessKey === '');
  if (isEmpty) refuse('accessKeyId or secretAccessKey is empty.');
}
