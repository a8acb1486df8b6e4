import { encodedKey } from '../calls/address.ts';
import type { Caller } from '../calls/call.ts';
import { readXml, skip } from '../calls/read.ts';
import { invalid, invalidAnswer } from '../errors.ts';
import type { CallOptions, ListedPart, ObjectStorage, UploadName } from '../types.ts';
import { type Xml, childrenOf, textOf } from '../xml/parse.ts';
import { etagOf } from './objects.ts';

export const MOST_PARTS = 10_000;
/** "Processing of a Complete request could take several minutes" (S3 API reference); the same holds for a copy of a gigabyte. */
export const SLOW_MS = 10 * 60_000;

/** What an upload is put together from: bytes that are sent, or that are in the bucket already. */
export type UploadParts = Pick<ObjectStorage, 'uploadPart' | 'copyPart' | 'listParts'>;

export function createParts(caller: Caller, bucket: string): UploadParts {
  const { address } = caller;

  const uploadPart: UploadParts['uploadPart'] = (upload, { number, bytes }, options = {}) =>
    caller.call({
      operation: 'UploadPart',
      method: 'PUT',
      ...partOf(upload, number),
      body: bytes,
      options,
      async read(answer) {
        await skip(answer);
        return { number, etag: etagOf(answer) };
      },
    });

  const copyPart: UploadParts['copyPart'] = (upload, { number, from, range }, options = {}) =>
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

  return { uploadPart, copyPart, listParts };
}

function partOf({ key, uploadId }: UploadName, number: number) {
  if (!Number.isInteger(number) || number < 1 || number > MOST_PARTS)
    throw invalid('invalid_parts', `A part has a number from 1 to ${MOST_PARTS}.`);
  return { key, query: { partNumber: String(number), uploadId } };
}
