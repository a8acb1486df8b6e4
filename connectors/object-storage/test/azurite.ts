import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { need } from '../../../scripts/need.mjs';
import {
  type BlobStorageConfig,
  type ObjectStorage,
  type ObjectStorageParts,
  createBlobStorage,
} from '../src/index.ts';

/**
 * Azurite, Microsoft's own emulator of Azure Storage, in memory. It checks signatures, sums, conditions and block lists. Tokens of Entra ID it
 * takes over https alone; a scripted server stands for these.
 */
export interface Azurite {
  readonly config: BlobStorageConfig;
  /** A storage below a prefix of its own. */
  open(config?: Partial<BlobStorageConfig>, parts?: ObjectStorageParts): ObjectStorage;
  close(): Promise<void>;
}

await need('azurite');

/** The account and the key that Microsoft publishes for it. */
const ACCOUNT = 'devstoreaccount1';
const KEY =
  'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';

export async function openAzurite(): Promise<Azurite> {
  const program = join(
    import.meta.dirname,
    '../azurite/node_modules/azurite/dist/src/blob/main.js',
  );
  const child = spawn(
    process.execPath,
    [
      program,
      '--blobHost=127.0.0.1',
      '--blobPort=0',
      '--inMemoryPersistence',
      '--disableTelemetry',
      '--skipApiVersionCheck',
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let url = '';
  for await (const line of createInterface(child.stdout)) {
    [, url = ''] = /listen\w* (?:at|on) (http:\S+)/.exec(line) ?? [];
    if (url !== '') break;
  }
  if (url === '') throw new Error('Azurite did not start.');
  child.stdout.resume();
  const config: BlobStorageConfig = {
    endpoint: `${url.replace(/\/$/, '')}/${ACCOUNT}`,
    container: 'reports',
    credentials: { account: ACCOUNT, key: KEY },
  };
  await makeContainer(config);
  const opened: ObjectStorage[] = [];
  return {
    config,
    open(changes = {}, parts = {}) {
      const prefix = randomBytes(6).toString('hex');
      const storage = createBlobStorage({ ...config, prefix, ...changes }, parts);
      opened.push(storage);
      return storage;
    },
    async close() {
      await Promise.all(opened.map((storage) => storage.close()));
      child.kill();
      await once(child, 'exit');
    },
  };
}

/** The connector makes none: who runs the service does. */
async function makeContainer({ endpoint, container, credentials }: BlobStorageConfig) {
  const { blobSigner } = await import('../src/azure/sign.ts');
  const url = `${endpoint}/${container}?restype=container`;
  const signer = await blobSigner(credentials)();
  const headers = await signer.headers({ method: 'PUT', url, headers: {}, body: [] }, Date.now());
  const made = await fetch(url, { method: 'PUT', headers });
  if (!made.ok) throw new Error(`The container was not made: ${await made.text()}`);
}
