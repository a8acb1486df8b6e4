import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { mark } from '../../test/scripted.ts';
import { CUTS, deadUrl, errorOf, openLine, openWire, whole } from '../test/line.ts';

const LARGE = 100_000;

describe('a request', () => {
  test('that nobody took was not sent', async () => {
    const error = await errorOf(openWire().send(await deadUrl(), { method: 'POST', body: null }));
    expect(error).toMatchObject({ code: 'unreachable', outcome: 'notSent', retryable: true });
    expect(error.message).toBe('The store could not be reached (ECONNREFUSED).');
  });

  test.each(CUTS)('whose line is cut %s: nobody knows whether it was done', async (_where, cut) => {
    const line = await openLine(cut);
    const { send } = openWire();
    const asked = send(line.url, { method: 'POST', body: Buffer.from('x') });
    const error = await errorOf(asked.then((answer) => answer.text(LARGE)));
    expect(error).toMatchObject({ code: 'unreachable', outcome: 'unknown', retryable: true });
    expect(error.message).toMatch(/^The connection to the store broke before the answer was whole/);
    expect(line.heard).toHaveLength(1);
  });

  test('goes over the connection of the one before, and over a new one where that was closed', async () => {
    const line = await openLine(
      (socket) => socket.write(whole('one', 'keep-alive')),
      (socket) => socket.end(whole('two', 'keep-alive')),
      (socket) => socket.end(whole('three')),
    );
    const { send } = openWire();
    expect(await (await send(line.url)).text(LARGE)).toBe('one');
    const closed = new Promise((resolve) => line.sockets[0]?.once('close', resolve));
    expect(await (await send(line.url)).text(LARGE)).toBe('two');
    expect(line.sockets).toHaveLength(1);
    await closed;
    expect(await (await send(line.url, { method: 'POST' })).text(LARGE)).toBe('three');
    expect([line.sockets.length, line.heard.length]).toEqual([2, 3]);
  });

  test('does not take a connection that was closed while nobody listened', async () => {
    const line = await openLine(
      (socket) => socket.write(whole('one', 'keep-alive')),
      (socket) => socket.end(whole('two')),
    );
    const { send } = openWire();
    expect(await (await send(line.url)).text(LARGE)).toBe('one');
    await turn();
    line.sockets[0]?.destroy();
    expect(await (await send(line.url, { method: 'POST' })).text(LARGE)).toBe('two');
    expect(line.sockets).toHaveLength(2);
  });

  test('that is over while it waits for a connection is never sent', async () => {
    const first = mark();
    const line = await openLine(first.reach, (socket) => socket.end(whole('third')));
    const { send } = openWire();
    const one = send(`${line.url}/first`);
    await first.reached;
    const caller = new AbortController();
    const two = errorOf(send(`${line.url}/second`, { method: 'POST', signal: caller.signal }));
    caller.abort();
    expect(await two).toMatchObject({ code: 'canceled', outcome: 'notSent', retryable: false });
    const three = send(`${line.url}/third`);
    line.sockets[0]?.end(whole('first'));
    expect(await (await one).text(LARGE)).toBe('first');
    expect(await (await three).text(LARGE)).toBe('third');
    expect(line.heard.map((text) => text.split(' ')[1])).toEqual(['/first', '/third']);
  });

  test('after the end is not sent', async () => {
    const line = await openLine();
    const { wire, send } = openWire();
    await wire.close();
    expect(await errorOf(send(line.url))).toMatchObject({ code: 'closed', outcome: 'notSent' });
  });

  test.each([[true], [false]])('goes out whole, in slices or not (idle: %s)', async (idle) => {
    const line = await openLine((socket) => socket.end(whole('')));
    const size = 600_000;
    const headers = { 'content-length': String(size + 3) };
    const body = [Buffer.from('abc'), Buffer.alloc(size, 'd')];
    await openWire().send(line.url, { method: 'PUT', headers, body, idle });
    expect(line.heard[0]?.endsWith(`\r\n\r\nabc${'d'.repeat(size)}`)).toBe(true);
  });
});

describe('an answer', () => {
  test('that is larger than allowed is not read to its end', async () => {
    const line = await openLine(
      (socket) => socket.write(whole('x'.repeat(LARGE + 1))),
      (socket) => socket.end(whole('x'.repeat(LARGE))),
    );
    const { send } = openWire();
    const error = await errorOf((await send(line.url)).text(LARGE));
    expect(error).toMatchObject({ code: 'answer_too_large', outcome: 'unknown', kind: 'data' });
    expect(await (await send(line.url)).text(LARGE)).toHaveLength(LARGE);
  });

  test('that never ends is cut off', async () => {
    const line = await openLine((socket) => {
      const more = (): void => {
        while (!socket.destroyed && socket.write('x'.repeat(65_536)));
      };
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.on('drain', more);
      more();
    });
    const answer = await openWire().send(line.url);
    const closed = new Promise((resolve) => line.sockets[0]?.once('close', resolve));
    expect((await errorOf(answer.bytes(LARGE))).code).toBe('answer_too_large');
    await closed;
  });

  test('whose reader stops ends the connection, also before he began', async () => {
    const [first, second] = [mark(), mark()];
    const half = (closed: () => void) => (socket: Socket) =>
      socket.once('close', closed).write(whole('abcdef').slice(0, -3));
    const line = await openLine(half(first.reach), half(second.reach));
    const { send } = openWire();
    const { body } = await send(line.url);
    for await (const chunk of body as AsyncIterable<Buffer>) {
      expect(chunk.toString()).toBe('abc');
      break;
    }
    await first.reached;
    const unread = await send(line.url);
    unread.body.destroy();
    await second.reached;
  });

  test('that breaks before its reader came fails at the first read, and only there', async () => {
    const line = await openLine((socket) =>
      socket.write(whole('abcdef').slice(0, -3), () => socket.resetAndDestroy()),
    );
    const answer = await openWire().send(line.url);
    await new Promise((resolve) => answer.body.once('close', resolve));
    expect(await errorOf(answer.text(LARGE))).toMatchObject({ code: 'unreachable' });
  });

  // undici's parser ended the process here.
  test.each<[string, string, (socket: Socket) => unknown, string | null]>([
    ['ends', '', (socket) => socket.end(), null],
    ['breaks', 'content-length: 900000\r\n', (socket) => socket.resetAndDestroy(), 'unreachable'],
  ])('that %s while its reader is behind', async (_how, length, cut, code) => {
    const size = 300_000;
    const line = await openLine((socket) =>
      socket.write(`HTTP/1.1 200 OK\r\nconnection: close\r\n${length}\r\n${'x'.repeat(size)}`),
    );
    const { body } = await openWire().send(line.url, { idle: true });
    let read = 0;
    const reading = (async () => {
      for await (const chunk of body as AsyncIterable<Buffer>) {
        if (read === 0) cut(line.sockets[0] as Socket);
        read += chunk.length;
        await turn();
      }
    })();
    if (code !== null) expect((await errorOf(reading)).code).toBe(code);
    else await reading.then(() => expect(read).toBe(size));
  });

  test('comes no faster than it is read', async () => {
    const full = mark();
    let written = 0;
    const line = await openLine((socket) => {
      const more = (): void => {
        while (written < 64) {
          written += 1;
          if (socket.write(Buffer.alloc(1024 * 1024))) continue;
          full.reach();
          socket.once('drain', more);
          return;
        }
        socket.end();
      };
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      more();
    });
    const { body } = await openWire().send(line.url, { idle: true });
    await full.reached;
    let read = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      read += chunk.length;
      await turn();
      expect(body.readableLength).toBeLessThan(1024 * 1024);
      // What lies between is in the buffers of the two sockets.
      expect(written * 1024 * 1024 - read).toBeLessThan(32 * 1024 * 1024);
    }
    expect(read).toBe(64 * 1024 * 1024);
  });
});

describe('time', () => {
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

  /** After a garbage collection: nothing but the request may listen. */
  async function pass(ms: number): Promise<void> {
    for (let i = 0; i < 3; i++) {
      collect();
      await turn();
    }
    vi.advanceTimersByTime(ms);
  }

  test.each([[true], [false]])('ends a line that has gone silent (idle: %s)', async (idle) => {
    const heard = mark();
    const line = await openLine(heard.reach);
    const asked = errorOf(openWire().send(line.url, { method: 'POST', ms: 5_000, idle }));
    await heard.reached;
    await pass(5_000);
    expect(await asked).toMatchObject({ code: 'timeout', outcome: 'unknown', retryable: true });
  });

  test('ends headers that drip', async () => {
    const dripped = mark();
    const line = await openLine((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nx-a: 1\r\n', () => socket.write('x-b', dripped.reach));
    });
    const asked = errorOf(openWire().send(line.url, { ms: 5_000, idle: true }));
    await dripped.reached;
    await pass(5_000);
    expect(await asked).toMatchObject({ code: 'timeout', outcome: 'unknown' });
  });

  test('runs to the last byte, whatever drips, or begins again with what moves', async () => {
    for (const idle of [false, true]) {
      const line = await openLine((socket) => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
      const { body } = await openWire().send(line.url, { ms: 5_000, idle });
      const reader = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
      const next = async (): Promise<string> => {
        const read = reader.next();
        read.catch(() => {});
        await turn();
        vi.advanceTimersByTime(3_000);
        line.sockets[0]?.write('x');
        return String((await read).value);
      };
      expect(await next()).toBe('x');
      if (idle) expect(await next()).toBe('x');
      else expect(await errorOf(next())).toMatchObject({ code: 'timeout' });
    }
  });

  test('stands still while the reader takes his, and goes on when he waits', async () => {
    const line = await openLine((socket) => socket.write(whole('abcdef').slice(0, -3)));
    const { body } = await openWire().send(line.url, { ms: 5_000, idle: true });
    const reader = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    expect(String((await reader.next()).value)).toBe('abc');
    await pass(60_000);
    line.sockets[0]?.write('d');
    expect(String((await reader.next()).value)).toBe('d');
    const rest = errorOf(reader.next());
    await turn();
    await pass(5_000);
    expect(await rest).toMatchObject({ code: 'timeout' });
  });

  test('leaves no timer behind: after an answer, an error, a reader who left', async () => {
    const line = await openLine(
      (socket) => socket.end(whole('abc')),
      (socket) => socket.destroy(),
      (socket) => socket.write(whole('abcdef').slice(0, -3)),
    );
    const { send } = openWire();
    const caller = new AbortController();
    await (await send(line.url, { signal: caller.signal })).text(LARGE);
    await errorOf(send(line.url));
    const { body } = await send(line.url, { idle: true });
    await new Promise((resolve) => body.once('close', resolve).destroy());
    expect(vi.getTimerCount()).toBe(0);
  });
});
