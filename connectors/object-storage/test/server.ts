import { randomBytes } from 'node:crypto';
import { AwsClient } from 'aws4fetch';
import { need } from '../../../scripts/need.mjs';
import { startObjectStorage } from '../../../scripts/services.mjs';
import {
  type ObjectStorage,
  type ObjectStorageConfig,
  type ObjectStorageParts,
  createObjectStorage,
} from '../src/index.ts';

/**
 * A real S3 server: OpenStack Swift with its s3api, from Debian. It checks signatures and the hash of a body, the clock, ETags of
 * parts, the 5 MiB of a part, conditions, ranges; Complete may be repeated. What it does not do, or does otherwise than Amazon:
 *
 * - SlowDown, redirects, an Error with the status 200: a scripted server stands for these;
 * - a condition on a plain PUT (501); the condition of Complete it answers with InvalidRequest and the status 412;
 * - after Complete the id of the upload stays known: its parts are still listed, and another Complete without a condition
 *   replaces the object;
 * - the ETag of an object that came in parts is not known to a copy's condition;
 * - it never ends an upload by itself, as a lifecycle rule does.
 */
export interface Server {
  readonly config: ObjectStorageConfig;
  /** A storage below a prefix of its own. */
  open(config?: Partial<ObjectStorageConfig>, parts?: ObjectStorageParts): ObjectStorage;
  /** Another client, for what a test looks at or does from outside. */
  readonly outside: (path: string, init?: RequestInit) => Promise<Response>;
  close(): Promise<void>;
}

await need('object storage');

const BUCKET = 'reports';

export async function openServer(): Promise<Server> {
  const server = await startObjectStorage();
  const { accessKeyId, secretAccessKey, region } = server;
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 0 });
  const outside: Server['outside'] = (path, init) => client.fetch(`${server.url}${path}`, init);
  const made = await outside(`/${BUCKET}`, { method: 'PUT' });
  if (!made.ok) throw new Error(`The bucket was not made: ${await made.text()}`);

  const config: ObjectStorageConfig = {
    endpoint: server.url,
    region,
    bucket: BUCKET,
    credentials: { accessKeyId, secretAccessKey },
  };
  const opened: ObjectStorage[] = [];
  return {
    config,
    outside,
    open(changes = {}, parts = {}) {
      const prefix = randomBytes(6).toString('hex');
      const storage = createObjectStorage({ ...config, prefix, ...changes }, parts);
      opened.push(storage);
      return storage;
    },
    async close() {
      await Promise.all(opened.map((storage) => storage.close()));
      await server.remove();
    },
  };
}
