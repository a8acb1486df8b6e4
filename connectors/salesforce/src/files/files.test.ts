import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Step, mark } from '../../../test/scripted.ts';
import { connect, cutsOff, errorOf, openOrg, refuses } from '../../test/org.ts';

const PATH = 'sobjects/ContentVersion/068000000000001/VersionData';
const MB = 1024 * 1024;

const gives =
  (bytes: Uint8Array, headers: Record<string, string> = {}): Step =>
  ({ response }) => {
    response.writeHead(200, { 'content-type': 'application/octetstream', ...headers }).end(bytes);
  };

/** Every byte there is, so that a wrong decoding shows. */
const everyByte = Uint8Array.from({ length: 1_024 }, (_, n) => n % 256);

describe('a download', () => {
  test('gives the bytes as they are', async () => {
    const org = await openOrg();
    org.will(gives(everyByte));
    const { salesforce } = connect(org);
    expect(Buffer.from(await salesforce.download(PATH))).toEqual(Buffer.from(everyByte));
    expect(org.seen[0]?.headers['accept-encoding']).toBe('identity');
    expect(salesforce.stats().byRoute).toEqual({ 'sobjects/ContentVersion/VersionData': 1 });
  });

  test.each([
    [404, 'NOT_FOUND', 'notFound'],
    [404, 'ENTITY_IS_DELETED', 'notFound'],
    [403, 'INSUFFICIENT_ACCESS', 'data'],
  ])('that is refused never gives the error as a file: %i %s', async (status, code, kind) => {
    const org = await openOrg();
    org.otherwise(refuses(status, code));
    const { salesforce } = connect(org);
    expect(await errorOf(salesforce.download(PATH))).toMatchObject({ code, kind, status });
    expect(await errorOf(salesforce.stream(PATH))).toMatchObject({ code, kind, status });
  });

  test('that breaks off is started again', async () => {
    const org = await openOrg();
    org.will(cutsOff('half a fi'), gives(everyByte));
    const { salesforce } = connect(org);
    expect((await salesforce.download(PATH)).length).toBe(1_024);
  });

  test('larger than wanted, or packed against our wish, is refused', async () => {
    const org = await openOrg();
    org.will(gives(everyByte), gives(everyByte, { 'content-encoding': 'gzip' }));
    const { salesforce } = connect(org);
    const large = await errorOf(salesforce.download(PATH, { most: 1_023 }));
    expect(large).toMatchObject({ code: 'answer_too_large', kind: 'data' });
    expect((await errorOf(salesforce.download(PATH))).code).toBe('invalid_answer');
  });
});

describe('a stream', () => {
  test('gives headers first and the bytes as they are read', async () => {
    const org = await openOrg();
    const { reached: rest, reach: goOn } = mark();
    org.will(async ({ response }) => {
      response.writeHead(200, { 'content-length': 6 }).write('abc');
      await rest;
      response.end('def');
    });
    const { salesforce } = connect(org);
    const { body, size, headers } = await salesforce.stream(PATH);
    expect([size, headers['content-length']]).toEqual([6, '6']);
    expect(org.seen[0]?.headers['accept-encoding']).toBe('identity');
    const parts: string[] = [];
    for await (const chunk of body as AsyncIterable<Buffer>) {
      parts.push(chunk.toString());
      goOn();
    }
    expect(parts).toEqual(['abc', 'def']);
  });

  test('takes from Salesforce no faster than it is read', async () => {
    const org = await openOrg();
    const full = mark();
    let written = 0;
    org.will(({ response }) => {
      response.writeHead(200, { 'content-length': 256 * MB });
      const piece = Buffer.alloc(MB);
      const more = (): void => {
        while (written < 256) {
          written += 1;
          if (!response.write(piece)) {
            full.reach();
            response.once('drain', more);
            return;
          }
        }
        response.end();
      };
      more();
    });
    const { salesforce } = connect(org);
    const { body } = await salesforce.stream(PATH);
    await full.reached;
    let read = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      read += chunk.length;
      // What lies between is in the buffers of the two sockets.
      expect(written * MB - read).toBeLessThan(32 * MB);
    }
    expect(read).toBe(256 * MB);
  });

  test('waits for its reader as long as he likes', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const org = await openOrg();
    org.will(gives(new Uint8Array(4 * MB)));
    const { salesforce } = connect(org, { timeoutMs: 1_000 });
    const { body } = await salesforce.stream(PATH);
    body.read(0); // begins to fill it
    while (body.readableLength === 0) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    vi.advanceTimersByTime(5_000);
    const parts = (await body.toArray()) as Buffer[];
    expect(Buffer.concat(parts)).toHaveLength(4 * MB);
  });

  test('that breaks off ends with an error, not as a shorter file', async () => {
    const org = await openOrg();
    org.will(cutsOff('half a fi'));
    const { salesforce } = connect(org);
    const { body } = await salesforce.stream(PATH);
    expect((await errorOf(body.toArray())).code).toBe('unreachable');
  });

  test('that stops is timed, and gives its slot back', async () => {
    const org = await openOrg();
    const { salesforce } = connect(org, { timeoutMs: 1_000, concurrency: 1 });
    await salesforce.limits();
    org.will(({ response }) => void response.writeHead(200, { 'content-length': 9 }).write('abc'));
    const { body } = await salesforce.stream(PATH);
    expect((await errorOf(body.toArray())).code).toBe('timeout');
    await salesforce.limits();
  });

  test.each([
    ['called off while it is read', { isRead: true, code: 'canceled' }],
    ['called off unread', { isRead: false, code: 'canceled' }],
    ['destroyed unread', { isRead: false, code: null }],
  ])('that is %s gives its slot back', async (_how, { isRead, code }) => {
    const org = await openOrg();
    const { salesforce } = connect(org, { concurrency: 1 });
    const controller = new AbortController();
    org.will(({ response }) => void response.writeHead(200, { 'content-length': 9 }).write('a'));
    const { body } = await salesforce.stream(PATH, { signal: controller.signal });
    const read = isRead ? errorOf(body.toArray()) : null;
    if (code === null) body.destroy();
    else controller.abort();
    await salesforce.limits(); // waits for the only slot
    if (code !== null) expect((await (read ?? errorOf(body.toArray()))).code).toBe(code);
  });

  test('ends with an error when the connection is closed', async () => {
    const org = await openOrg();
    const { salesforce } = connect(org);
    org.will(({ response }) => void response.writeHead(200, { 'content-length': 9 }).write('a'));
    const { body } = await salesforce.stream(PATH);
    const read = errorOf(body.toArray());
    await salesforce.close();
    expect((await read).code).toBe('closed');
  });
});
