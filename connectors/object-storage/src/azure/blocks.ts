import { randomBytes } from 'node:crypto';
import type { Caller } from '../calls/call.ts';
import { readXml, skip } from '../calls/read.ts';
import { ObjectStorageError, invalid } from '../errors.ts';
import { etagOf } from '../objects/objects.ts';
import { MOST_PARTS, SLOW_MS } from '../objects/parts.ts';
import type { Uploads } from '../objects/uploads.ts';
import type { CallOptions, ListedPart, ObjectStorage, PartName, UploadName } from '../types.ts';
import { type Xml, childrenOf, textOf } from '../xml/parse.ts';
import { md5 } from './blobs.ts';

/**
 * Uploads in parts, of the blocks of a blob. Azure has blocks of a name, and knows of no upload: the id of each block says which upload it
 * is of, its number, and the MD5 of its bytes, which is its ETag here. So a list of blocks can be held against what was sent, and a blob
 * says whose blocks it was made of.
 */
export function createBlocks(
  caller: Caller,
  objects: Pick<ObjectStorage, 'head' | 'delete'>,
): Uploads {
  const blockList = async (key: string, type: string, options: CallOptions): Promise<Xml> =>
    caller.call({
      operation: 'GetBlockList',
      method: 'GET',
      key,
      query: { comp: 'blocklist', blocklisttype: type },
      options,
      read: (answer, context) => readXml(answer, 'BlockList', context),
    });

  async function* listParts(
    { key, uploadId }: UploadName,
    options: CallOptions = {},
  ): AsyncGenerator<readonly ListedPart[]> {
    let root: Xml;
    try {
      root = await blockList(key, 'uncommitted', options);
    } catch (error) {
      throw isCode(error, 'NoSuchKey') ? noUpload(key) : error;
    }
    const [blocks = ''] = childrenOf(root, 'UncommittedBlocks');
    yield childrenOf(blocks, 'Block')
      .flatMap((block) => {
        const part = partOf(uploadId, textOf(block, 'Name'));
        return part === null ? [] : [{ ...part, size: Number(textOf(block, 'Size')) }];
      })
      .toSorted((one, other) => one.number - other.number);
  }

  /** Whether the blob is what these parts make: the answer to Complete was lost, and it was sent again. */
  async function isMadeOf(key: string, ids: readonly string[], options: CallOptions) {
    const [blocks = ''] = childrenOf(await blockList(key, 'committed', options), 'CommittedBlocks');
    const found = childrenOf(blocks, 'Block').map((block) => textOf(block, 'Name'));
    return found.length === ids.length && found.every((id, index) => id === ids[index]);
  }

  async function completeUpload(
    { key, uploadId }: UploadName,
    parts: readonly PartName[],
    options: CallOptions = {},
  ): Promise<{ readonly etag: string }> {
    if (parts.length === 0 || parts.length > MOST_PARTS)
      throw invalid('invalid_parts', `An upload has 1 to ${MOST_PARTS} parts.`);
    const ids = parts.map((part) => blockId(uploadId, part));
    try {
      return await caller.call({
        operation: 'PutBlockList',
        method: 'PUT',
        key,
        query: { comp: 'blocklist' },
        // What is there is never replaced, as with S3.
        headers: { 'if-none-match': '*', 'content-type': 'application/xml' },
        body: [Buffer.from(listXml(ids))],
        options,
        timeoutMs: SLOW_MS,
        async read(answer) {
          await skip(answer);
          return { etag: etagOf(answer) };
        },
      });
    } catch (error) {
      if (!isCode(error, 'PreconditionFailed') || !(await isMadeOf(key, ids, options))) throw error;
      const facts = await objects.head(key, options);
      if (facts === null) throw error;
      return facts;
    }
  }

  /** Azure drops blocks after a week. A blob of none of them drops them now, and whoever completes the upload later finds them gone. */
  async function abortUpload({ key }: UploadName, options: CallOptions = {}): Promise<void> {
    try {
      await caller.call({
        operation: 'PutBlockList',
        method: 'PUT',
        key,
        query: { comp: 'blocklist' },
        headers: { 'if-none-match': '*', 'content-type': 'application/xml' },
        body: [Buffer.from(listXml([]))],
        options,
        read: skip,
      });
    } catch (error) {
      // It is complete already.
      if (isCode(error, 'PreconditionFailed')) return;
      throw error;
    }
    await objects.delete(key, options);
  }

  return {
    // Nothing is sent: an upload begins with its first block.
    createUpload: async (key) => ({ key, uploadId: randomBytes(4).toString('hex') }),
    async uploadPart({ key, uploadId }, { number, bytes }, options = {}) {
      if (!Number.isInteger(number) || number < 1 || number > MOST_PARTS)
        throw invalid('invalid_parts', `A part has a number from 1 to ${MOST_PARTS}.`);
      const sum = md5(bytes);
      const part = { number, etag: sum.toString('hex') };
      return caller.call({
        operation: 'PutBlock',
        method: 'PUT',
        key,
        query: { comp: 'block', blockid: blockId(uploadId, part) },
        headers: { 'content-md5': sum.toString('base64') },
        body: bytes,
        options,
        async read(answer) {
          await skip(answer);
          return part;
        },
      });
    },
    // Azure wants a second proof of who asks, for the source. Whoever copies reads the bytes anyway, for their hash, and sends them back.
    async copyPart() {
      throw new ObjectStorageError('Blocks are not copied within Azure.', {
        code: 'NotImplemented',
        kind: 'unsupported',
        outcome: 'notSent',
      });
    },
    listParts,
    completeUpload,
    abortUpload,
    // Azure does not say when a blob without a block list was begun, and drops it after a week by itself.
    async *listUploads() {
      yield [];
    },
  };
}

/** All ids of a blob have the same length, as Azure wants it: 47 characters before base64. */
function blockId(uploadId: string, { number, etag }: PartName): string {
  return Buffer.from(`${uploadId}.${String(number).padStart(5, '0')}.${etag}`).toString('base64');
}

function partOf(uploadId: string, id: string): PartName | null {
  const [own, number, etag] = Buffer.from(id, 'base64').toString('latin1').split('.');
  if (own !== uploadId || number === undefined || etag === undefined) return null;
  return { number: Number(number), etag };
}

function listXml(ids: readonly string[]): string {
  const blocks = ids.map((id) => `<Uncommitted>${id}</Uncommitted>`);
  return `<?xml version="1.0" encoding="utf-8"?><BlockList>${blocks.join('')}</BlockList>`;
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof ObjectStorageError && error.code === code;
}

function noUpload(key: string): ObjectStorageError {
  return new ObjectStorageError(`There are no blocks of ${key}.`, {
    code: 'NoSuchUpload',
    kind: 'notFound',
    outcome: 'refused',
  });
}
