import type { Readable } from 'node:stream';
import type { Answer } from '@millrace/http';
import type { Call, Caller } from '../calls/call.ts';
import { readXml, skip } from '../calls/read.ts';
import { ObjectStorageError, invalid, invalidAnswer } from '../errors.ts';
import type { ByteRange, ListedObject, ObjectFacts, ObjectStorage } from '../types.ts';
import { type Xml, childrenOf, textOf } from '../xml/parse.ts';
import { decoder } from './names.ts';

/** Bytes as they are: then a length says when the object is whole. */
const AS_IS = { 'accept-encoding': 'identity' };

export type Objects = Pick<ObjectStorage, 'put' | 'get' | 'head' | 'delete' | 'list' | 'check'>;

export function createObjects(caller: Caller): Objects {
  const { address } = caller;

  const put: Objects['put'] = (key, bytes, options = {}) =>
    caller.call({
      operation: 'PutObject',
      method: 'PUT',
      key,
      body: bytes,
      options,
      async read(answer) {
        await skip(answer);
        return { etag: etagOf(answer) };
      },
    });

  const get: Objects['get'] = async (key, { range, etag, ...options } = {}) => {
    if (range !== undefined && !(range.from >= 0 && range.from < range.to))
      throw invalid('invalid_range', 'A range begins at 0 or later and has at least one byte.');
    return caller.call({
      operation: 'GetObject',
      method: 'GET',
      key,
      headers: {
        ...AS_IS,
        ...(range !== undefined && { range: `bytes=${range.from}-${range.to - 1}` }),
        ...(etag !== undefined && { 'if-match': etag }),
      },
      options,
      async read(answer) {
        const size = sizeOf(answer, range);
        return { etag: etagOf(answer), size, body: exactly(answer.body, size) };
      },
    });
  };

  const head: Objects['head'] = async (key, options = {}) => {
    try {
      return await caller.call({
        operation: 'HeadObject',
        method: 'HEAD',
        key,
        headers: AS_IS,
        options,
        async read(answer) {
          await skip(answer);
          return factsOf(answer);
        },
      });
    } catch (error) {
      // HEAD has no body, so a missing bucket looks the same: `check` is there for that.
      if (error instanceof ObjectStorageError && error.kind === 'notFound') return null;
      throw error;
    }
  };

  const remove: Objects['delete'] = async (key, options = {}) => {
    try {
      await caller.call({
        operation: 'DeleteObject',
        method: 'DELETE',
        key,
        options,
        read: skip,
      });
    } catch (error) {
      if (error instanceof ObjectStorageError && error.code === 'NoSuchKey') return;
      throw error;
    }
  };

  const page = (
    query: Readonly<Record<string, string>>,
    options: Call<Xml>['options'],
  ): Promise<Xml> =>
    caller.call({
      operation: 'ListObjectsV2',
      method: 'GET',
      key: null,
      query: { 'list-type': '2', 'encoding-type': 'url', ...query },
      options,
      read: (answer, context) => readXml(answer, 'ListBucketResult', context),
    });

  async function* list(
    prefix: string,
    options: Call<Xml>['options'] = {},
  ): AsyncGenerator<readonly ListedObject[]> {
    let token = '';
    do {
      const answer = await page(
        {
          prefix: `${address.prefix}${prefix}`,
          ...(token !== '' && { 'continuation-token': token }),
        },
        options,
      );
      const decoded = decoder(answer);
      yield childrenOf(answer, 'Contents').flatMap((entry) => {
        const key = address.below(decoded(textOf(entry, 'Key')));
        return key === null ? [] : [{ key, ...listed(entry) }];
      });
      const next = textOf(answer, 'NextContinuationToken');
      if (next !== '' && next === token) throw invalidAnswer('A list of objects does not end.');
      token = textOf(answer, 'IsTruncated') === 'true' ? next : '';
    } while (token !== '');
  }

  return {
    put,
    get,
    head,
    delete: remove,
    list,
    async check(options = {}) {
      await page({ prefix: address.prefix, 'max-keys': '1' }, options);
    },
  };
}

function listed(entry: Xml): ObjectFacts {
  return {
    size: Number(textOf(entry, 'Size')),
    etag: textOf(entry, 'ETag'),
    modifiedAt: Date.parse(textOf(entry, 'LastModified')),
  };
}

export function etagOf({ headers, status }: Answer): string {
  const etag = headers['etag'] ?? '';
  if (etag === '') throw invalidAnswer('The object storage gave no ETag.', status);
  return etag;
}

function factsOf(answer: Answer): ObjectFacts {
  return {
    size: Number(answer.headers['content-length'] ?? Number.NaN),
    etag: etagOf(answer),
    modifiedAt: Date.parse(answer.headers['last-modified'] ?? ''),
  };
}

/** How many bytes are to come: exactly those that were asked for. */
function sizeOf({ headers, status }: Answer, range: ByteRange | undefined): number {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity' && encoding !== '')
    throw invalidAnswer(`An object came encoded as ${encoding.slice(0, 40)}.`, status);
  if (range === undefined) {
    const length = Number(headers['content-length'] ?? Number.NaN);
    if (status !== 200 || !Number.isSafeInteger(length))
      throw invalidAnswer('The object storage did not say how long the object is.', status);
    return length;
  }
  const wanted = `bytes ${range.from}-${range.to - 1}/`;
  if (status !== 206 || !(headers['content-range'] ?? '').startsWith(wanted))
    throw new ObjectStorageError(
      `The object storage did not give the range that was asked for (${status}, ${(headers['content-range'] ?? 'no range').slice(0, 60)}).`,
      { code: 'InvalidRange', kind: 'conflict', outcome: 'refused', status },
    );
  return range.to - range.from;
}

async function* exactly(body: Readable, size: number): AsyncGenerator<Uint8Array> {
  let came = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    came += chunk.length;
    if (came > size) break;
    yield chunk;
  }
  if (came === size) return;
  throw new ObjectStorageError(`${came} bytes of an object came instead of ${size}.`, {
    code: 'unreachable',
    kind: 'unavailable',
    outcome: 'unknown',
  });
}
