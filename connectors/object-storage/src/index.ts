export { createBlobStorage } from './azure/blob-storage.ts';
export type { BlobCredentials, BlobStorageConfig } from './azure/types.ts';
export { credentialsFile } from './credentials.ts';
export { type ErrorKind, ObjectStorageError, type Outcome } from './errors.ts';
export { createObjectStorage } from './object-storage.ts';
export { readObject } from './objects/read-object.ts';
export type {
  ByteRange,
  CallOptions,
  CallReport,
  Credentials,
  GetOptions,
  ListedObject,
  ListedPart,
  ListedUpload,
  ObjectFacts,
  ObjectStorage,
  ObjectStorageConfig,
  ObjectStorageParts,
  ObjectStream,
  PartName,
  UploadName,
} from './types.ts';
