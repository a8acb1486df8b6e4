export interface ObjectStorageConfig {
  /** Such as `https://s3.eu-central-1.amazonaws.com`, without the bucket. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  /**
   * Where the bucket's name goes: `path` is `https://host/bucket/key` (most servers of one's own), `host` is
   * `https://bucket.host/key` (Amazon).
   */
  readonly addressing?: 'path' | 'host';
  /** Stands before every key: the rest of the bucket is never touched. */
  readonly prefix?: string;
  /** Asked for each request: a file that is rotated is read again. */
  readonly credentials: Credentials | (() => Credentials | Promise<Credentials>);
  /** Plain http beyond this machine: whoever listens on the line reads the files. */
  readonly plainHttp?: boolean;
  /** How long nothing may move before a request is given up. */
  readonly timeoutMs?: number;
  readonly connections?: number;
}

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** Injected in tests. */
export interface ObjectStorageParts {
  readonly now?: () => number;
  readonly random?: () => number;
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly onCall?: (report: CallReport) => void;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** One call, however it ended. */
export interface CallReport {
  /** Such as `UploadPart`. */
  readonly operation: string;
  readonly status: number | null;
  readonly errorCode: string | null;
  readonly durationMs: number;
  /** How often it was sent again. */
  readonly repeats: number;
}

export interface ObjectFacts {
  readonly size: number;
  readonly etag: string;
  readonly modifiedAt: number;
}

export interface ListedObject extends ObjectFacts {
  readonly key: string;
}

/** From `from` up to but without `to`. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

export interface GetOptions extends CallOptions {
  readonly range?: ByteRange;
  /** Fails with `PreconditionFailed` where the object is another by now. */
  readonly etag?: string;
}

export interface ObjectStream extends Pick<ObjectFacts, 'etag'> {
  /** Of what is sent: the range's, if there is one. */
  readonly size: number;
  /** Ends with an error where fewer bytes come. A reader that stops early ends the request. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** An upload in parts that is not complete. */
export interface UploadName {
  readonly key: string;
  readonly uploadId: string;
}

export interface ListedUpload extends UploadName {
  readonly startedAt: number;
}

/** What Complete names. */
export interface PartName {
  readonly number: number;
  readonly etag: string;
}

export interface ListedPart extends PartName {
  readonly size: number;
}

/**
 * One bucket of S3-compatible storage, below a prefix. Keys are without the prefix. Every call may throw an `ObjectStorageError`,
 * and was sent up to four times before it did.
 */
export interface ObjectStorage {
  /** `bucket/prefix`, for messages. */
  readonly place: string;
  put(
    key: string,
    bytes: readonly Uint8Array[],
    options?: CallOptions,
  ): Promise<Pick<ObjectFacts, 'etag'>>;
  get(key: string, options?: GetOptions): Promise<ObjectStream>;
  /** Null: there is none. */
  head(key: string, options?: CallOptions): Promise<ObjectFacts | null>;
  /** That there is none is no error. */
  delete(key: string, options?: CallOptions): Promise<void>;
  /** In the order of their keys, a page of 1,000 at a time. */
  list(prefix: string, options?: CallOptions): AsyncIterable<readonly ListedObject[]>;

  createUpload(key: string, options?: CallOptions): Promise<UploadName>;
  /** At least 5 MiB, but for the last one. The same number again replaces the part. */
  uploadPart(
    upload: UploadName,
    part: { readonly number: number; readonly bytes: readonly Uint8Array[] },
    options?: CallOptions,
  ): Promise<PartName>;
  /** A part from an object that is there, copied by the storage itself. `unsupported`: it cannot. */
  copyPart(
    upload: UploadName,
    part: {
      readonly number: number;
      readonly from: string;
      readonly range: ByteRange;
    },
    options?: CallOptions,
  ): Promise<PartName>;
  listParts(upload: UploadName, options?: CallOptions): AsyncIterable<readonly ListedPart[]>;
  /**
   * The parts become the object, once: where the key has an object already the error's code is `PreconditionFailed` (`NoSuchUpload`
   * where the upload is gone), unless the storage ignores conditions.
   */
  completeUpload(
    upload: UploadName,
    parts: readonly PartName[],
    options?: CallOptions,
  ): Promise<Pick<ObjectFacts, 'etag'>>;
  /** That there is none is no error. */
  abortUpload(upload: UploadName, options?: CallOptions): Promise<void>;
  listUploads(prefix: string, options?: CallOptions): AsyncIterable<readonly ListedUpload[]>;

  /** Throws unless the bucket can be listed: address, key, clock and bucket are right. */
  check(options?: CallOptions): Promise<void>;
  /** Waits for the requests under way. */
  close(): Promise<void>;
}
