import {
  type ObjectStorage,
  createBlobStorage,
  createObjectStorage,
  credentialsFile,
} from '@millrace/object-storage';
import { AZURE_RESOURCES, type AzureIdentity, createAzureTokens } from '../azure-tokens.ts';
import { type Finding, there, unknown } from '../finding.ts';
import type { MeasuredCall } from '../workload.ts';
import type { StorageConfig } from './settings.ts';

/** The calls that are a request each, or some that are repeated. */
const CALLS = [
  'put',
  'get',
  'head',
  'delete',
  'createUpload',
  'uploadPart',
  'copyPart',
  'completeUpload',
  'abortUpload',
] as const satisfies readonly (keyof ObjectStorage)[];

/** No request is made before the first call. `call` measures each. */
export function openStorage(config: StorageConfig, call?: MeasuredCall): ObjectStorage {
  const storage = storageFor(config);
  if (call === undefined) return storage;
  const measured = CALLS.map((operation) => {
    const run = storage[operation] as (...given: unknown[]) => Promise<unknown>;
    return [
      operation,
      (...given: unknown[]) =>
        call({ dependency: 'object_storage', operation }, () => run(...given)),
    ];
  });
  return {
    ...storage,
    ...(Object.fromEntries(measured) as Pick<ObjectStorage, (typeof CALLS)[number]>),
  };
}

function storageFor(config: StorageConfig): ObjectStorage {
  if (config.kind === 'azure') {
    const { kind: _, credentials, ...rest } = config;
    return createBlobStorage({
      ...rest,
      credentials: 'key' in credentials ? credentials : { token: tokensOf(credentials) },
    });
  }
  const { kind: _, credentials, ...rest } = config;
  return createObjectStorage({
    ...rest,
    credentials: 'file' in credentials ? credentialsFile(credentials.file) : credentials,
  });
}

function tokensOf(identity: AzureIdentity): () => Promise<string> {
  const { password } = createAzureTokens({
    ...identity,
    resource: AZURE_RESOURCES.storage,
    now: Date.now,
  });
  return password;
}

/** For `millrace doctor`. Nothing is changed. */
export async function storageFinding(
  name: string,
  word: string,
  config: StorageConfig,
): Promise<Finding> {
  const opened = openStorage(config);
  try {
    await opened.check();
    return there(name, 'It answers, and the bucket is there.');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return unknown(
      name,
      why,
      config.kind === 's3'
        ? `Check ${word}_S3_*: endpoint, bucket, region, key.`
        : `Check ${word}_AZURE_*: endpoint, container, and the role Storage Blob Data Contributor.`,
    );
  } finally {
    await opened.close();
  }
}
