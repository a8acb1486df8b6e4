import { createHash } from 'node:crypto';
import type { Call, Caller } from '../calls/call.ts';
import { readXml, skip } from '../calls/read.ts';
import { invalidAnswer } from '../errors.ts';
import { etagOf } from '../objects/objects.ts';
import type { ListedObject, ObjectStorage } from '../types.ts';
import { type Xml, childrenOf, textOf } from '../xml/parse.ts';

/** What Azure does otherwise than S3 with whole objects: put, list. */
export function createBlobs(caller: Caller): Pick<ObjectStorage, 'put' | 'list' | 'check'> {
  const { address } = caller;

  const page = (
    query: Readonly<Record<string, string>>,
    options: Call<Xml>['options'],
  ): Promise<Xml> =>
    caller.call({
      operation: 'ListBlobs',
      method: 'GET',
      key: null,
      query: { restype: 'container', comp: 'list', ...query },
      options,
      read: (answer, context) => readXml(answer, 'EnumerationResults', context),
    });

  async function* list(
    prefix: string,
    options: Call<Xml>['options'] = {},
  ): AsyncGenerator<readonly ListedObject[]> {
    let marker = '';
    do {
      const answer = await page(
        {
          prefix: `${address.prefix}${prefix}`,
          maxresults: '1000',
          ...(marker !== '' && { marker }),
        },
        options,
      );
      const [blobs = ''] = childrenOf(answer, 'Blobs');
      yield childrenOf(blobs, 'Blob').flatMap((blob) => {
        const key = address.below(textOf(blob, 'Name'));
        return key === null ? [] : [{ key, ...listed(blob) }];
      });
      const next = textOf(answer, 'NextMarker');
      if (next !== '' && next === marker) throw invalidAnswer('A list of blobs does not end.');
      marker = next;
    } while (marker !== '');
  }

  return {
    put: (key, bytes, options = {}) =>
      caller.call({
        operation: 'PutBlob',
        method: 'PUT',
        key,
        headers: { 'x-ms-blob-type': 'BlockBlob', 'content-md5': md5(bytes).toString('base64') },
        body: bytes,
        options,
        async read(answer) {
          await skip(answer);
          return { etag: etagOf(answer) };
        },
      }),
    list,
    async check(options = {}) {
      await page({ prefix: address.prefix, maxresults: '1' }, options);
    },
  };
}

/** Azure refuses bytes that are not those of the sum, as a signature over the body has S3 do it. */
export function md5(bytes: readonly Uint8Array[]): Buffer {
  const hash = createHash('md5');
  for (const each of bytes) hash.update(each);
  return hash.digest();
}

function listed(blob: Xml) {
  const [properties = ''] = childrenOf(blob, 'Properties');
  const etag = textOf(properties, 'Etag');
  return {
    size: Number(textOf(properties, 'Content-Length')),
    // In a list without the quotes that the header has.
    etag: etag.startsWith('"') ? etag : `"${etag}"`,
    modifiedAt: Date.parse(textOf(properties, 'Last-Modified')),
  };
}
