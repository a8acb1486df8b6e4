import { encodedKey } from '../calls/address.ts';
import type { Call, Caller } from '../calls/call.ts';
import { readXml, skip } from '../calls/read.ts';
import { ObjectStorageError, invalid, invalidAnswer } from '../errors.ts';
import type {
  CallOptions,
  ListedPart,
  ListedUpload,
  ObjectStorage,
  PartName,
  UploadName,
} from '../types.ts';
import { type Xml, childrenOf, textOf } from '../xml/parse.ts';
import { completeXml } from '../xml/write.ts';
import { decoder } from './names.ts';
import { etagOf } from './objects.ts';

export const MOST_PARTS = 10_000;
/** "Processing of a Complete request could take several minutes" (S3 API reference); the same holds for a copy of a gigabyte. */
const SLOW_MS = 10 * 60_000;

export type Uploads = Pick<
  ObjectStorage,
  | 'createUpload'
  | 'uploadPart'
  | 'copyPart'
  | 'listParts'
  | 'completeUpload'
  | 'abortUpload'
  | 'listUploads'
>;

export function createUploads(caller: Caller, bucket: string): Uploads {
  const { address } = caller;

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

  const uploadPart: Uploads['uploadPart'] = (upload, { number, bytes }, options = {}) =>
    caller.call({
      operation: 'UploadPart',
      method: 'PUT',
      ...partOf(upload, number),
      body: bytes,
      options,
      async read(answer, { deadline }) {
        await skip(answer, deadline);
        return { number, etag: etagOf(answer) };
      },
    });

  const copyPart: Uploads['copyPart'] = (upload, { number, from, range }, options = {}) =>
    caller.call({
      operation: 'UploadPartCopy',
      method: 'PUT',
      ...partOf(upload, number),
      headers: {
        'x-amz-copy-source': `/${bucket}/${encodedKey(address.whole(from))}`,
        'x-amz-copy-source-range': `bytes=${range.from}-${range.to - 1}`,
      },
      options,
      timeoutMs: SLOW_MS,
      async read(answer, context) {
        const root = await readXml(answer, 'CopyPartResult', context);
        return { number, etag: textOf(root, 'ETag') };
      },
    });

  async function* listParts(
    { key, uploadId }: UploadName,
    options: CallOptions = {},
  ): AsyncGenerator<readonly ListedPart[]> {
    let marker = '';
    do {
      const answer: Xml = await caller.call({
        operation: 'ListParts',
        method: 'GET',
        key,
        query: { uploadId, ...(marker !== '' && { 'part-number-marker': marker }) },
        options,
        read: (got, context) => readXml(got, 'ListPartsResult', context),
      });
      yield childrenOf(answer, 'Part').map((part) => ({
        number: Number(textOf(part, 'PartNumber')),
        etag: textOf(part, 'ETag'),
        size: Number(textOf(part, 'Size')),
      }));
      const next = textOf(answer, 'NextPartNumberMarker');
      const isMore = textOf(answer, 'IsTruncated') === 'true';
      if (isMore && !(Number(next) > Number(marker)))
        throw invalidAnswer('A list of parts does not end.');
      marker = isMore ? next : '';
    } while (marker !== '');
  }

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
        read: (answer, { deadline }) => skip(answer, deadline),
      });
    } catch (error) {
      // Swift answers NoSuchKey for an upload that is complete.
      const isGone =
        error instanceof ObjectStorageError && ['NoSuchUpload', 'NoSuchKey'].includes(error.code);
      if (!isGone) throw error;
    }
  }

  async function* listUploads(
    prefix: string,
    options: CallOptions = {},
  ): AsyncGenerator<readonly ListedUpload[]> {
    let markers: Readonly<Record<string, string>> | null = {};
    while (markers !== null) {
      const answer: Xml = await caller.call({
        operation: 'ListMultipartUploads',
        method: 'GET',
        key: null,
        query: {
          uploads: '',
          'encoding-type': 'url',
          prefix: `${address.prefix}${prefix}`,
          ...markers,
        },
        options,
        read: (got, context) => readXml(got, 'ListMultipartUploadsResult', context),
      });
      const decoded = decoder(answer);
      yield childrenOf(answer, 'Upload').flatMap((upload) => {
        const key = address.below(decoded(textOf(upload, 'Key')));
        const uploadId = textOf(upload, 'UploadId');
        const startedAt = Date.parse(textOf(upload, 'Initiated'));
        return key === null || uploadId === '' ? [] : [{ key, uploadId, startedAt }];
      });
      markers = nextMarkers(answer, decoded, markers);
    }
  }

  return {
    createUpload,
    uploadPart,
    copyPart,
    listParts,
    completeUpload,
    abortUpload,
    listUploads,
  };
}

function partOf({ key, uploadId }: UploadName, number: number) {
  if (!Number.isInteger(number) || number < 1 || number > MOST_PARTS)
    throw invalid('invalid_parts', `A part has a number from 1 to ${MOST_PARTS}.`);
  return { key, query: { partNumber: String(number), uploadId } };
}

function nextMarkers(
  answer: Xml,
  decoded: (text: string) => string,
  before: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> | null {
  if (textOf(answer, 'IsTruncated') !== 'true') return null;
  const next = {
    'key-marker': decoded(textOf(answer, 'NextKeyMarker')),
    'upload-id-marker': textOf(answer, 'NextUploadIdMarker'),
  };
  const isStuck =
    next['key-marker'] === '' ||
    (next['key-marker'] === before['key-marker'] &&
      next['upload-id-marker'] === before['upload-id-marker']);
  if (isStuck) throw invalidAnswer('A list of uploads does not end.');
  return next;
}
