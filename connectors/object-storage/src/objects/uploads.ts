import type { Call, Caller } from '../calls/call.ts';
import { readXml, skip } from '../calls/read.ts';
import { ObjectStorageError, invalid, invalidAnswer } from '../errors.ts';
import type { CallOptions, ObjectStorage, PartName, UploadName } from '../types.ts';
import { type Xml, textOf } from '../xml/parse.ts';
import { completeXml } from '../xml/write.ts';
import { listUploads } from './list-uploads.ts';
import { MOST_PARTS, SLOW_MS, type UploadParts, createParts } from './parts.ts';

/** The life of an upload: it is begun, gets its parts, and is completed or given up. */
export type Uploads = UploadParts &
  Pick<ObjectStorage, 'createUpload' | 'completeUpload' | 'abortUpload' | 'listUploads'>;

export function createUploads(caller: Caller, bucket: string): Uploads {
  const createUpload: Uploads['createUpload'] = (key, options = {}) =>
    caller.call({
      operation: 'CreateMultipartUpload',
      method: 'POST',
      key,
      query: { uploads: '' },
      options,
      async read(answer, context) {
        const root = await readXml(answer, 'InitiateMultipartUploadResult', context);
        const uploadId = textOf(root, 'UploadId');
        if (uploadId === '') throw invalidAnswer('A new upload has no id.', answer.status);
        return { key, uploadId };
      },
    });

  /**
   * With the condition that the key has no object yet: an execution that lost its lease, and completes the same upload with parts of
   * its own, must not replace what is there. A storage without conditions on uploads either ignores it or says so.
   */
  async function completeUpload(
    upload: UploadName,
    parts: readonly PartName[],
    options: CallOptions = {},
  ): Promise<{ readonly etag: string }> {
    if (parts.length === 0 || parts.length > MOST_PARTS)
      throw invalid('invalid_parts', `An upload has 1 to ${MOST_PARTS} parts.`);
    const body = [Buffer.from(completeXml(parts))];
    const complete = (headers: Call<Xml>['headers'] & object): Promise<{ etag: string }> =>
      caller.call({
        operation: 'CompleteMultipartUpload',
        method: 'POST',
        key: upload.key,
        query: { uploadId: upload.uploadId },
        headers,
        body,
        options,
        timeoutMs: SLOW_MS,
        async read(answer, context) {
          const root = await readXml(answer, 'CompleteMultipartUploadResult', context);
          return { etag: textOf(root, 'ETag') };
        },
      });
    try {
      return await complete({ 'if-none-match': '*' });
    } catch (error) {
      if (error instanceof ObjectStorageError && error.kind === 'unsupported') return complete({});
      throw error;
    }
  }

  async function abortUpload(upload: UploadName, options: CallOptions = {}): Promise<void> {
    try {
      await caller.call({
        operation: 'AbortMultipartUpload',
        method: 'DELETE',
        key: upload.key,
        query: { uploadId: upload.uploadId },
        options,
        read: skip,
      });
    } catch (error) {
      // Swift answers NoSuchKey for an upload that is complete.
      const isGone =
        error instanceof ObjectStorageError && ['NoSuchUpload', 'NoSuchKey'].includes(error.code);
      if (!isGone) throw error;
    }
  }

  return {
    ...createParts(caller, bucket),
    createUpload,
    completeUpload,
    abortUpload,
    listUploads: (prefix, options) => listUploads(caller, prefix, options),
  };
}
