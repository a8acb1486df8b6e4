import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  MIB,
  NAMESPACE,
  PART,
  type S3PlaceToTest,
  chunkOf,
  closeSharedServer,
  openLocalPlace,
  openS3Place,
  readAll,
  sha256,
  sharedServer,
  thrownBy,
} from '../../../test/places.ts';
import { type Exchange, type StorageLine, openStorageLine } from '../../../test/storage-line.ts';
import { LostOutput } from '../errors.ts';
import type { FinishedOutput, OutputPlace, S3Place } from '../types.ts';
import { MOST_PARTS, SMALLEST_PART, checkedNumber, copyRanges, partBytes } from './parts.ts';
import { createS3Files } from './s3.ts';

let line: StorageLine;
let place: S3PlaceToTest;
beforeEach(async () => {
  const server = await sharedServer();
  line = await openStorageLine(server.config.endpoint);
  // Pauses between requests that are sent again are left out.
  place = await openS3Place((each) =>
    each.open({ endpoint: line.url }, { sleep: () => Promise.resolve() }),
  );
});
afterEach(() => line.close());
afterAll(closeSharedServer);

const chunk = (number: number): Buffer => chunkOf(number, PART + number);

/** An upload with one saved part. */
async function begun(): Promise<{ at: S3Place }> {
  const output = await place.open({ epoch: 1 });
  await output.write(chunk(1));
  const at: OutputPlace = await output.sync();
  if (at.kind !== 's3') throw new Error('not on S3');
  return { at };
}

async function expectFile(finished: FinishedOutput, wanted: Buffer): Promise<void> {
  const found = await readAll(place.outputs, finished.file);
  expect(found.equals(wanted)).toBe(true);
  expect(finished.sha256).toBe(sha256(wanted));
}

/** The first request of this name gets this answer; the others pass. */
function once(what: string, does: (exchange: Exchange) => Promise<void>): void {
  let isDone = false;
  line.onRequest = async (exchange) => {
    if (isDone || exchange.what !== what) return (await exchange.forward()).answer();
    isDone = true;
    return does(exchange);
  };
}

const answerXml =
  (status: number, code: string) =>
  async ({ request, response }: Exchange): Promise<void> => {
    request.resume();
    response.writeHead(status, { 'content-type': 'application/xml' });
    response.end(`<Error><Code>${code}</Code><Message>Words.</Message></Error>`);
  };

describe('parts', () => {
  test('of a file of 2 TiB are at most 10,000, and of a usual one small', () => {
    let offset = 0;
    let number = 0;
    while (offset < 2 * 1024 ** 4) {
      offset += partBytes(offset);
      number += 1;
    }
    expect(number).toBeLessThanOrEqual(MOST_PARTS);
    expect([0, 5 * 1024 ** 3].map(partBytes)).toEqual([8 * MIB, 8 * MIB]);
    for (const at of [0, 40e9, 200e9, 1e12]) {
      expect(partBytes(at)).toBeGreaterThanOrEqual(SMALLEST_PART);
    }
    expect(checkedNumber(MOST_PARTS)).toBe(MOST_PARTS);
    expect(() => checkedNumber(MOST_PARTS + 1)).toThrow(/larger than 2 TiB/);
  });

  test('that are copied cover all, and none is too small', () => {
    const most = 100 * MIB;
    for (const size of [
      SMALLEST_PART,
      most - 1,
      most,
      most + 1,
      most + SMALLEST_PART,
      3 * most + 1,
      3 * most + SMALLEST_PART - 1,
    ]) {
      const ranges = copyRanges(size, most);
      expect([ranges[0]?.from, ranges.at(-1)?.to]).toEqual([0, size]);
      for (const [index, { from, to }] of ranges.entries()) {
        expect(from).toBe(index === 0 ? 0 : ranges[index - 1]?.to);
        expect(to - from).toBeGreaterThanOrEqual(SMALLEST_PART);
        expect(to - from).toBeLessThan(most + SMALLEST_PART);
      }
    }
  });

  test('gather: what fills none can not be synced, and much is sent at once', async () => {
    const output = await place.open({ epoch: 1 });
    expect(output.canSync).toBe(false);
    await output.write(chunk(1).subarray(0, PART - 1));
    expect([output.canSync, line.seen]).toEqual([false, []]);
    await output.write(Buffer.from('xy'));
    expect(output.canSync).toBe(true);
    await output.write(chunk(2));
    expect(line.seen).toEqual(['POST uploads', 'PUT partNumber']);
    expect(output.canSync).toBe(true);
    const at = await output.sync();
    expect([at.bytes, line.seen.length]).toEqual([2 * PART + 3, 2]);
    await output.write(Buffer.from('too little'));
    expect(output.canSync).toBe(false);
    await expect(output.sync()).rejects.toThrow(/look at canSync/);
  });

  test('are not made for a small file', async () => {
    const output = await place.open({ epoch: 1 });
    await output.write(Buffer.from('small'));
    await expectFile(await output.finish(), Buffer.from('small'));
    expect(line.seen).toEqual(['PUT', 'GET']);
  });
});

describe('a cursor', () => {
  test('whose upload was aborted, or has expired, is lost', async () => {
    const { at } = await begun();
    await place.storage.abortUpload(at);
    const error = await thrownBy(place.open({ epoch: 2, at }));
    expect(error).toBeInstanceOf(LostOutput);
    expect(String(error)).toMatch(/is not there any more/);
  });

  test('whose parts somebody replaced is lost', async () => {
    const { at } = await begun();
    await place.storage.uploadPart(at, { number: 1, bytes: [chunkOf(9, PART + 1)] });
    const error = await thrownBy(place.open({ epoch: 2, at }));
    expect(error).toBeInstanceOf(LostOutput);
    expect(String(error)).toMatch(/are not those that the last execution wrote/);
  });

  test('of a folder is lost on S3, and the other way round', async () => {
    const { at } = await begun();
    const local = await openLocalPlace();
    expect(await thrownBy(local.open({ epoch: 2, at }))).toBeInstanceOf(LostOutput);
    const output = await local.open({ epoch: 1 });
    const there = await output.sync();
    await output.finish();
    expect(await thrownBy(place.open({ epoch: 2, at: there }))).toBeInstanceOf(LostOutput);
    await local.close();
  });

  test('with many parts is as small as with one', async () => {
    const output = await place.open({ epoch: 1 });
    const sizes: number[] = [];
    for (let number = 1; number <= 3; number++) {
      await output.write(chunk(number));
      sizes.push(JSON.stringify(await output.sync()).length);
    }
    expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThan(5);
  });
});

describe('going on', () => {
  test('where the storage does not copy: the bytes are sent again', async () => {
    const { at } = await begun();
    once('PUT copy', answerXml(501, 'NotImplemented'));
    const output = await place.open({ epoch: 2, at });
    await output.write(chunk(2));
    await expectFile(await output.finish(), Buffer.concat([chunk(1), chunk(2)]));
  });

  test('while the line breaks in the middle of reading', async () => {
    const { at } = await begun();
    once('GET', async ({ response }) => {
      response.writeHead(206, {
        etag: '"x"',
        'content-range': `bytes 0-${at.bytes - 1}/${at.bytes}`,
        'content-length': String(at.bytes),
      });
      response.write(chunk(1).subarray(0, 1_000_000), () => response.destroy());
    });
    const output = await place.open({ epoch: 2, at });
    await output.write(Buffer.from('end'));
    await expectFile(await output.finish(), Buffer.concat([chunk(1), Buffer.from('end')]));
    expect(line.seen.filter((what) => what === 'GET')).toHaveLength(3);
  });
});

describe('Complete', () => {
  test('whose answer was lost was done: it is found out', async () => {
    const output = await place.open({ epoch: 1 });
    await output.write(chunk(1));
    await output.sync();
    let requests = 0;
    line.onRequest = async (exchange) => {
      if (exchange.what !== 'POST uploadId') return (await exchange.forward()).answer();
      requests += 1;
      if (requests === 2) return answerXml(404, 'NoSuchUpload')(exchange);
      await exchange.forward();
      exchange.response.destroy();
    };
    await expectFile(await output.finish(), chunk(1));
    expect(requests).toBe(2);
  });

  test('by another execution is not taken for one’s own: the next try goes on', async () => {
    const output = await place.open({ epoch: 1 });
    await output.write(chunk(1));
    const at = await output.sync();
    if (at.kind !== 's3') throw new Error('not on S3');
    const other = await place.storage.uploadPart(at, { number: 2, bytes: [Buffer.from('zombie')] });
    const parts = [];
    for await (const page of place.storage.listParts(at)) parts.push(...page);
    await place.storage.completeUpload(at, [...parts.slice(0, 1), other]);
    await output.write(Buffer.from('mine'));
    const error = await thrownBy(output.finish());
    expect(error).toMatchObject({ name: 'JobFailure', code: 'output_taken', retryable: true });

    const next = await place.open({ epoch: 2, at });
    await next.write(Buffer.from('mine'));
    await expectFile(await next.finish(), Buffer.concat([chunk(1), Buffer.from('mine')]));
  });

  test('with a part that is another’s is refused', async () => {
    const output = await place.open({ epoch: 1 });
    await output.write(chunk(1));
    const at = await output.sync();
    if (at.kind !== 's3') throw new Error('not on S3');
    await place.storage.uploadPart(at, { number: 1, bytes: [chunkOf(9, PART + 1)] });
    const error = await thrownBy(output.finish());
    expect(error).toMatchObject({ name: 'JobFailure', code: 'output_taken', retryable: true });
    expect(await thrownBy(place.open({ epoch: 2, at }))).toBeInstanceOf(LostOutput);
  });
});

describe('a storage', () => {
  test.each([
    [403, 'AccessDenied', 'output_refused', false],
    [404, 'NoSuchBucket', 'output_refused', false],
    [503, 'SlowDown', 'output_failed', true],
    [500, 'InternalError', 'output_failed', true],
    [403, 'QuotaExceeded', 'output_full', true],
    [403, 'RequestTimeTooSkewed', 'output_failed', true],
  ])('that says %d %s', async (status, code, wanted, retryable) => {
    line.onRequest = answerXml(status, code);
    const output = await place.open({ epoch: 1 });
    await output.write(chunk(1));
    const error = await thrownBy(output.sync());
    expect(error).toMatchObject({ name: 'JobFailure', code: wanted, retryable });
    expect(String(error)).toContain(place.storage.place);
    await expect(output.finish()).rejects.toThrow(/has ended/);
    await output.abandon();
  });

  test('that asks for a long pause: the job waits for it', async () => {
    line.onRequest = async ({ request, response }) => {
      request.resume();
      response.writeHead(503, { 'retry-after': '300' });
      response.end();
    };
    const output = await place.open({ epoch: 1 });
    await output.write(chunk(1));
    expect(await thrownBy(output.sync())).toMatchObject({ retryAfterMs: 300_000 });
  });

  test('whose object is not the one that was written', async () => {
    const output = await place.open({ epoch: 1 });
    await output.write(Buffer.from('mine'));
    const { file } = await output.finish();
    if (file.kind !== 's3') throw new Error('not on S3');
    await place.storage.put(file.key, [Buffer.from('ours')]);
    expect(await thrownBy(readAll(place.outputs, file))).toMatchObject({ code: 'file_damaged' });
    line.onRequest = answerXml(500, 'InternalError');
    expect(await thrownBy(readAll(place.outputs, file))).toMatchObject({
      code: 'storage_unavailable',
    });
  });

  test('is swept below this installation’s names only', async () => {
    const keys = [
      'elsewhere/pg-1.1.0123abcd',
      `${NAMESPACE}/notes.txt`,
      `${NAMESPACE}/pg-1.1.0123abcd`,
    ];
    for (const key of keys) await place.storage.put(key, [Buffer.from('x')]);
    const other = await place.storage.createUpload('elsewhere/pg-1.2.0123abcd');
    const now = Date.now() + 2 * 60 * 60_000;
    const wanted = async () => new Set<string>();
    expect(await place.outputs.sweep({ wanted, now })).toEqual({ files: 1, uploads: 0 });
    const left = [];
    for await (const page of place.storage.list('')) left.push(...page.map(({ key }) => key));
    expect(left).toEqual(keys.slice(0, 2));
    await place.storage.abortUpload(other);
    const { storage } = place;
    expect(() => createS3Files({ storage, namespace: '' })).toThrow(/namespace/);
    expect(() => createS3Files({ storage, namespace: 'a/b' })).toThrow(/namespace/);
  });
});
