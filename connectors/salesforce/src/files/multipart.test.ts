import { Readable } from 'node:stream';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { hangs, json, losesAnswer } from '../../../test/scripted.ts';
import { connect, errorOf, openOrg, refuses } from '../../test/org.ts';
import type { UploadFile } from '../types.ts';

const MB = 1024 * 1024;

/** Every byte there is, so that a wrong decoding shows. */
const everyByte = Uint8Array.from({ length: 1_024 }, (_, n) => n % 256);

/** What a multipart body holds: the JSON, and the file's bytes. */
function partsOf(body: string, type: string): { record: unknown; head: string; file: Buffer } {
  const boundary = /boundary=(.+)$/.exec(type)?.[1] ?? '';
  const [, first = '', second = '', end] = body.split(`--${boundary}`);
  if (end !== '--\r\n') throw new Error('The body has no end.');
  const [, jsonPart = ''] = first.split('\r\n\r\n');
  const split = second.indexOf('\r\n\r\n');
  return {
    record: JSON.parse(Buffer.from(jsonPart, 'latin1').toString('utf8')),
    head: second.slice(0, split),
    file: Buffer.from(second.slice(split + 4, -2), 'latin1'),
  };
}

const file = (body: UploadFile['body'], size: number): UploadFile => ({
  name: 'Vertrag "Grün".pdf',
  title: 'Vertrag',
  fields: { Origin: 'H' },
  size,
  body,
});

async function* pieces(...chunks: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

describe('an upload', () => {
  test('is one multipart request with its record and its bytes', async () => {
    const org = await openOrg();
    org.will(json(201, { id: '068a', success: true, errors: [] }));
    const { salesforce } = connect(org);
    const body = pieces(everyByte.subarray(0, 500), everyByte.subarray(500));
    expect(await salesforce.upload(file(body, 1_024))).toEqual({ id: '068a' });
    const [seen] = org.seen;
    expect(seen).toMatchObject({
      method: 'POST',
      path: '/services/data/v59.0/sobjects/ContentVersion',
    });
    const parts = partsOf(seen?.body ?? '', seen?.headers['content-type'] ?? '');
    expect(parts.record).toEqual({
      PathOnClient: 'Vertrag "Grün".pdf',
      Title: 'Vertrag',
      Origin: 'H',
    });
    expect(parts.head).toContain('name="VersionData"; filename="Vertrag _Gr_n_.pdf"');
    expect(parts.file).toEqual(Buffer.from(everyByte));
    expect(Number(seen?.headers['content-length'])).toBe(seen?.body.length);
  });

  test('of megabytes arrives whole and is read no faster than it is sent', async () => {
    const org = await openOrg();
    let opened = 0;
    let received = 0;
    let most = 0;
    org.unread(async ({ request, response }) => {
      for await (const chunk of request as AsyncIterable<Buffer>) {
        most = Math.max(most, opened * MB - received);
        received += chunk.length;
      }
      response.writeHead(201).end('{"id":"068a"}');
    });
    const { salesforce } = connect(org);
    const piece = Buffer.alloc(MB, 'x');
    async function* source(): AsyncGenerator<Uint8Array> {
      for (; opened < 256; opened++) yield piece;
    }
    expect(await salesforce.upload(file(source, 256 * MB))).toEqual({ id: '068a' });
    expect(received).toBeGreaterThan(256 * MB);
    // What lies between is in the buffers of the two sockets.
    expect(most).toBeLessThan(32 * MB);
  });

  test('takes as long as it needs while it moves', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const org = await openOrg();
    org.will(json(201, { id: '068a' }));
    const { salesforce } = connect(org, { timeoutMs: 1_000 });
    async function* slow(): AsyncGenerator<Uint8Array> {
      for (let n = 0; n < 5; n++) {
        vi.advanceTimersByTime(900);
        yield everyByte;
      }
    }
    expect(await salesforce.upload(file(slow, 5 * 1_024))).toEqual({ id: '068a' });
  });

  test('whose answer is lost is not sent twice', async () => {
    const org = await openOrg();
    org.will(losesAnswer);
    const { salesforce } = connect(org);
    const error = await errorOf(salesforce.upload(file(everyByte, 1_024)));
    expect(error).toMatchObject({ code: 'unreachable', outcome: 'unknown' });
    expect(org.seen).toHaveLength(1);
  });

  test('after an expired session is repeated if its body can be opened again', async () => {
    const org = await openOrg();
    const expired = refuses(401, 'INVALID_SESSION_ID');
    const { salesforce } = connect(org);
    for (const body of [everyByte, () => pieces(everyByte)]) {
      org.will(expired, json(201, { id: '068a' }));
      expect(await salesforce.upload(file(body, 1_024))).toEqual({ id: '068a' });
    }
    org.will(expired);
    const error = await errorOf(salesforce.upload(file(pieces(everyByte), 1_024)));
    expect(error).toMatchObject({ kind: 'session', outcome: 'refused', retryable: true });
    expect(org.seen).toHaveLength(5);
  });

  test.each([
    ['shorter than said', () => pieces(everyByte), 1_025, 'invalid_file'],
    ['longer than said', () => pieces(everyByte, everyByte), 1_025, 'invalid_file'],
    [
      'broken',
      () =>
        Readable.from(pieces(everyByte)).destroy(new Error('disk')) as AsyncIterable<Uint8Array>,
      1_024,
      'file_unreadable',
    ],
  ])('of a file that is %s is not done', async (_what, body, size, code) => {
    const org = await openOrg();
    const { salesforce } = connect(org);
    const error = await errorOf(salesforce.upload(file(body, size)));
    expect(error).toMatchObject({ code, kind: 'data', outcome: 'notSent' });
    expect(org.seen).toHaveLength(0);
  });

  test('refused before it was read has the refusal', async () => {
    const org = await openOrg();
    org.unread(refuses(400, 'STORAGE_LIMIT_EXCEEDED'));
    const { salesforce } = connect(org);
    const error = await errorOf(salesforce.upload(file(everyByte, 1_024)));
    expect(error).toMatchObject({ code: 'STORAGE_LIMIT_EXCEEDED', kind: 'storage' });
  });

  test('that does not move is timed', async () => {
    const org = await openOrg();
    const { salesforce } = connect(org, { timeoutMs: 1_000 });
    await salesforce.limits();
    org.unread(hangs().step);
    const error = await errorOf(salesforce.upload(file(everyByte, 1_024)));
    expect(error).toMatchObject({ code: 'timeout', outcome: 'unknown' });
  });
});
