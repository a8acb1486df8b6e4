import { type ObjectStorage, ObjectStorageError } from '@millrace/object-storage';

/** An object storage in memory, which can be away or lose what is under way. */
export interface FakeStorage extends ObjectStorage {
  readonly objects: Map<string, Buffer>;
  readonly uploads: Map<string, { readonly key: string; startedAt: number; parts: Buffer[] }>;
  /** Calls that it refuses from now on. */
  readonly away: Set<keyof ObjectStorage>;
}

type Used =
  | 'put'
  | 'get'
  | 'head'
  | 'delete'
  | 'createUpload'
  | 'uploadPart'
  | 'completeUpload'
  | 'abortUpload'
  | 'listUploads'
  | 'check'
  | 'close'
  | 'place';

export function fakeStorage(): FakeStorage {
  const objects = new Map<string, Buffer>();
  const uploads: FakeStorage['uploads'] = new Map();
  const away: FakeStorage['away'] = new Set();
  const asked = (call: keyof ObjectStorage): void => {
    if (!away.has(call)) return;
    throw new ObjectStorageError('It does not answer.', {
      code: 'unreachable',
      kind: 'unavailable',
      outcome: 'notSent',
    });
  };
  const gone = (): never => {
    throw new ObjectStorageError('There is none.', {
      code: 'NoSuchKey',
      kind: 'notFound',
      outcome: 'refused',
    });
  };
  const etagOf = (key: string): string => `"${key}"`;
  const storage: Pick<ObjectStorage, Used> = {
    place: 'bucket/exports',
    async put(key, bytes) {
      asked('put');
      objects.set(key, Buffer.concat([...bytes]));
      return { etag: etagOf(key) };
    },
    async get(key, { range } = {}) {
      asked('get');
      const bytes = objects.get(key) ?? gone();
      const part = bytes.subarray(range?.from ?? 0, range?.to ?? bytes.length);
      return { etag: etagOf(key), size: part.length, body: only(part) };
    },
    async head(key) {
      asked('head');
      const size = objects.get(key)?.length;
      return size === undefined ? null : { size, etag: etagOf(key), modifiedAt: 0 };
    },
    async delete(key) {
      asked('delete');
      objects.delete(key);
    },
    async createUpload(key) {
      asked('createUpload');
      const uploadId = String(uploads.size + 1);
      uploads.set(uploadId, { key, startedAt: Date.now(), parts: [] });
      return { key, uploadId };
    },
    async uploadPart({ uploadId }, { number, bytes }) {
      asked('uploadPart');
      const upload = uploads.get(uploadId);
      if (upload !== undefined) upload.parts[number - 1] = Buffer.concat([...bytes]);
      return { number, etag: String(number) };
    },
    async completeUpload({ key, uploadId }) {
      objects.set(key, Buffer.concat(uploads.get(uploadId)?.parts ?? []));
      uploads.delete(uploadId);
      asked('completeUpload'); // done, and its answer is lost
      return { etag: etagOf(key) };
    },
    async abortUpload({ uploadId }) {
      asked('abortUpload');
      uploads.delete(uploadId);
    },
    async *listUploads() {
      asked('listUploads');
      yield [...uploads].map(([uploadId, { key, startedAt }]) => ({ key, uploadId, startedAt }));
    },
    async check() {
      asked('check');
    },
    async close() {},
  };
  return { ...(storage as ObjectStorage), objects, uploads, away };
}

async function* only(bytes: Buffer): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes;
}
