import type { ObjectStorageConfig } from '../types.ts';

/** A container of Azure Blob Storage. */
export interface BlobStorageConfig extends Pick<
  ObjectStorageConfig,
  'prefix' | 'plainHttp' | 'timeoutMs' | 'connections'
> {
  /** Such as `https://ACCOUNT.blob.core.windows.net`. */
  readonly endpoint: string;
  readonly container: string;
  readonly credentials: BlobCredentials;
}

export type BlobCredentials =
  /** The key as the portal shows it, in base64. */
  | { readonly account: string; readonly key: string }
  /** Of Entra ID, for https://storage.azure.com; asked for each request. */
  | { readonly token: () => Promise<string> };
