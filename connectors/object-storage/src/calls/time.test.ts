import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { hangs, mark } from '../../../test/scripted.ts';
import { EMPTY_LIST, connect, errorOf, openBucket, whole } from '../../test/bucket.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
setFlagsFromString('--no-expose-gc');

// Only the deadline's own timer: what moves bytes stays real.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

async function collectGarbage(): Promise<void> {
  for (let i = 0; i < 5; i++) {
    collect();
    await turn();
  }
}

describe('time', () => {
  test('ends a request that is not answered, after a garbage collection too; it is sent again', async () => {
    const bucket = await openBucket();
    const { step, arrived } = hangs();
    bucket.will(step, EMPTY_LIST);
    const { storage, slept } = connect(bucket, { timeoutMs: 5_000 });
    const checked = storage.check();
    await arrived;
    await collectGarbage();
    vi.advanceTimersByTime(5_000);
    await checked;
    expect([bucket.seen.length, slept.length]).toEqual([2, 1]);
  });

  test('ends an upload that nobody takes', async () => {
    const bucket = await openBucket();
    const { reached, reach } = mark();
    // The body is left on the line: when its buffers are full nothing moves.
    bucket.unread(reach);
    bucket.otherwise(EMPTY_LIST);
    const { storage } = connect(bucket, { timeoutMs: 5_000 }, { sleep: () => Promise.reject() });
    const failed = errorOf(storage.put('k', [Buffer.alloc(64 * 1024 * 1024)]));
    await reached;
    await collectGarbage();
    vi.advanceTimersByTime(5_000);
    expect(await failed).toMatchObject({ code: 'timeout', outcome: 'unknown', retryable: true });
  });

  test('ends an object that stops in the middle, and stands still while its reader is busy', async () => {
    const bucket = await openBucket();
    let write = (_text: string): void => {};
    bucket.will(({ response }) => {
      response.writeHead(200, { etag: '"e"', 'content-length': '9' });
      write = (text) => void response.write(text);
      write('abc');
    });
    const { storage } = connect(bucket, { timeoutMs: 5_000 });
    const { body } = await storage.get('k');
    const reader = body[Symbol.asyncIterator]();
    const next = async () => String(Buffer.from((await reader.next()).value ?? []));
    expect(await next()).toBe('abc');
    vi.advanceTimersByTime(60_000);
    write('def');
    expect(await next()).toBe('def');
    const rest = errorOf(reader.next());
    await collectGarbage();
    vi.advanceTimersByTime(5_000);
    expect(await rest).toMatchObject({ code: 'timeout', retryable: true });
  });

  test('does not end what moves', async () => {
    const bucket = await openBucket();
    let write = (_text: string): void => {};
    bucket.will(({ response }) => {
      response.writeHead(200, { etag: '"e"', 'content-length': '10' });
      write = (text) => void response.write(text);
      response.flushHeaders();
    });
    const { storage } = connect(bucket, { timeoutMs: 5_000 });
    const { body } = await storage.get('k');
    const reader = body[Symbol.asyncIterator]();
    for (let i = 0; i < 10; i++) {
      const next = reader.next();
      await turn();
      vi.advanceTimersByTime(4_000);
      write('x');
      expect((await next).value).toHaveLength(1);
    }
    expect(await whole({ [Symbol.asyncIterator]: () => reader })).toBe('');
    expect(vi.getTimerCount()).toBe(0);
  });
});
