import { describe, expect, test } from 'vitest';
import { losesAnswer, raw } from '../../../test/scripted.ts';
import { EMPTY_LIST, all, connect, error, errorOf, openBucket, xml } from '../../test/bucket.ts';

const UPLOAD = { key: 'k', uploadId: 'u' };

describe('sent again', () => {
  test.each([
    ['SlowDown', xml(503, error('SlowDown')), 1_500],
    ['429 without a body', raw(429, ''), 1_500],
    ['503 of a gateway', raw(503, '<!DOCTYPE html><html>Busy'), 1_500],
    ['InternalError', xml(500, error('InternalError')), 375],
    ['502 of a gateway', raw(502, 'Bad Gateway'), 375],
    ['a body that came too slowly', xml(400, error('RequestTimeout')), 375],
    ['bytes that were changed on the way', xml(400, error('BadDigest')), 375],
    ['a lost answer', losesAnswer, 375],
  ])('%s', async (_what, step, pause) => {
    const bucket = await openBucket();
    bucket.will(step, EMPTY_LIST);
    const { storage, slept, reports } = connect(bucket);
    await storage.check();
    expect([bucket.seen.length, slept]).toEqual([2, [pause]]);
    expect(reports).toMatchObject([{ status: 200, errorCode: null, repeats: 1 }]);
  });

  test('with the same bytes: a part, an object', async () => {
    const bucket = await openBucket();
    bucket.will(xml(503, error('SlowDown')), losesAnswer, raw(200, '', { etag: '"e"' }));
    const { storage } = connect(bucket);
    const bytes = [Buffer.from('abc'), Buffer.alloc(600_000, 'd')];
    await storage.uploadPart(UPLOAD, { number: 7, bytes });
    const bodies = bucket.seen.map(({ body }) => body === `abc${'d'.repeat(600_000)}`);
    expect(bodies).toEqual([true, true, true]);
    expect(bucket.seen[0]?.path).toBe('/reports/out/k?partNumber=7&uploadId=u');
  });

  test('after the time that it asks for, and four times at the most', async () => {
    const bucket = await openBucket();
    bucket.otherwise(xml(503, error('SlowDown'), { 'retry-after': '7' }));
    const { storage, slept, reports } = connect(bucket);
    const failed = await errorOf(storage.check());
    expect(failed).toMatchObject({ code: 'SlowDown', kind: 'limit', retryAfterMs: 7_000 });
    expect(slept).toEqual([8_500, 10_000, 13_000]);
    expect(reports).toMatchObject([{ status: 503, errorCode: 'SlowDown', repeats: 3 }]);
  });
});

describe('not sent again', () => {
  test('a pause that is longer than a minute is the caller’s', async () => {
    const bucket = await openBucket();
    bucket.will(xml(503, error('SlowDown'), { 'retry-after': '120' }));
    const { storage, slept } = connect(bucket);
    expect(await errorOf(storage.check())).toMatchObject({
      retryable: true,
      retryAfterMs: 120_000,
    });
    expect(slept).toEqual([]);
  });

  test.each([
    ['AccessDenied', 403, 'permission', false],
    ['InvalidAccessKeyId', 403, 'permission', false],
    ['ExpiredToken', 400, 'data', false],
    ['NoSuchBucket', 404, 'notFound', false],
    ['RequestTimeTooSkewed', 403, 'clock', true],
    ['QuotaExceeded', 403, 'space', true],
    ['InvalidArgument', 400, 'data', false],
    ['NotImplemented', 501, 'unsupported', false],
  ])('%s', async (code, status, kind, retryable) => {
    const bucket = await openBucket();
    bucket.otherwise(xml(status, error(code)));
    const { storage } = connect(bucket);
    expect(await errorOf(storage.check())).toMatchObject({ code, status, kind, retryable });
    expect(bucket.seen).toHaveLength(1);
  });

  test('what its caller called off, before, during and after a request', async () => {
    const bucket = await openBucket();
    const controller = new AbortController();
    controller.abort();
    const { storage } = connect(bucket);
    const early = await errorOf(storage.check({ signal: controller.signal }));
    expect(early).toMatchObject({ code: 'canceled', outcome: 'notSent', retryable: false });
    expect(bucket.seen).toHaveLength(0);

    const during = new AbortController();
    bucket.will(() => during.abort());
    const late = await errorOf(storage.check({ signal: during.signal }));
    expect(late).toMatchObject({ code: 'canceled', outcome: 'unknown', retryable: false });
    expect(bucket.seen).toHaveLength(1);

    const paused = new AbortController();
    const { storage: other } = connect(
      bucket,
      {},
      {
        sleep: async () => {
          paused.abort();
          throw new Error('woken');
        },
      },
    );
    bucket.will(xml(500, error('InternalError')));
    expect(await errorOf(other.check({ signal: paused.signal }))).toMatchObject({
      code: 'InternalError',
    });
  });

  test('where nobody listens, in the end', async () => {
    const { storage, slept } = connect({ url: 'http://127.0.0.1:1' });
    expect(await errorOf(storage.check())).toMatchObject({
      code: 'unreachable',
      outcome: 'notSent',
      retryable: true,
    });
    expect(slept).toHaveLength(3);
  });

  test('after closing', async () => {
    const bucket = await openBucket();
    const { storage } = connect(bucket);
    await storage.close();
    expect(await errorOf(all(storage.list('')))).toMatchObject({ code: 'closed' });
  });
});
