import { type AddressInfo, type Socket, createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { hangs, json, raw } from '../../../test/scripted.ts';
import { START, connect, errorOf, openCloud, tokenAnswer } from '../../test/cloud.ts';
import { createDeadline } from './deadline.ts';
import { type Answer, createWire } from './wire.ts';

// Below HTTP: a server that sees bytes and cuts the line where a test says so.

interface Line {
  readonly url: string;
  /** What was sent over each connection but for logins. */
  readonly heard: string[];
}

type Cut = (socket: Socket) => void;

/** A server that gives tokens, and does with the connection of each other request what its turn says. */
async function openLine(...cuts: Cut[]): Promise<Line> {
  const heard: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let text = '';
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      text += chunk.toString('utf8');
      const length = /content-length: (\d+)/i.exec(text)?.[1] ?? '0';
      const [head = '', body] = text.split('\r\n\r\n', 2);
      if (body === undefined || Buffer.byteLength(body) < Number(length)) return;
      text = '';
      if (head.startsWith('POST /v2/token')) {
        socket.end(whole(200, JSON.stringify(tokenAnswer(url, 'token-1'))));
        return;
      }
      heard.push(`${head}\r\n\r\n${body}`);
      cuts.shift()?.(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url, heard };
}

function whole(status: number, body: string): string {
  return `HTTP/1.1 ${status} Word\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

const fine = JSON.stringify({ isRunning: true, queryDefinitionId: 'q' });
const answers: Cut = (socket) => socket.end(whole(200, fine));

const CUTS: readonly (readonly [string, Cut])[] = [
  ['before the answer', (socket) => socket.destroy()],
  ['by a reset', (socket) => socket.resetAndDestroy()],
  ['inside the status line', (socket) => socket.end('HTTP/1.1 2')],
  ['inside the headers', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-le')],
  ['before the body', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 60\r\n\r\n')],
  ['inside the body', (socket) => socket.end(whole(200, fine).slice(0, -5))],
  [
    'inside a chunk',
    (socket) => socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n20\r\n{"isRun'),
  ],
  [
    'before the last chunk',
    (socket) =>
      socket.end(
        'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n12\r\n{"isRunning":true}\r\n',
      ),
  ],
  ['inside a body without a length', (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n{"isRunning"')],
  ['by what is not HTTP', (socket) => socket.end('220 mail.example ESMTP\r\n')],
];

describe('a line that is cut', () => {
  test.each(CUTS)('%s: a read is sent again', async (_where, cut) => {
    const line = await openLine(cut, answers);
    const { unit, reports } = connect(line);
    expect(await unit.isRunning('q')).toBe(true);
    expect(reports).toMatchObject([{ requests: 2, retried: 1, status: 200, errorCode: null }]);
  });

  test.each(CUTS)('%s: a start is never sent twice', async (_where, cut) => {
    const line = await openLine(cut, answers);
    const { unit, slept } = connect(line);
    const error = await errorOf(unit.startQuery('q'));
    expect(error).toMatchObject({ kind: 'unavailable', outcome: 'unknown', retryable: true });
    expect([line.heard.length, slept]).toEqual([1, []]);
  });

  test('after the answer is no harm', async () => {
    const line = await openLine((socket) => {
      socket.write(whole(200, fine).replace('connection: close', 'connection: keep-alive'), () =>
        socket.destroy(),
      );
    }, answers);
    const { unit } = connect(line);
    expect(await unit.isRunning('q')).toBe(true);
    expect(await unit.isRunning('q')).toBe(true);
  });

  test('where nobody listens: nothing was sent, and a start is tried again', async () => {
    const cloud = await openCloud();
    const nowhere = { soap_instance_url: 'http://127.0.0.1:1/' };
    cloud.login(json(200, tokenAnswer(cloud.url, 't', nowhere)));
    const { unit, slept, reports } = connect(cloud);
    const error = await errorOf(unit.startQuery('q'));
    expect(error).toMatchObject({ code: 'unreachable', outcome: 'notSent', retryable: true });
    expect(slept).toEqual([375, 750, 1_500]);
    expect(reports).toMatchObject([{ requests: 0, retried: 3, status: null }]);

    const without = connect({ url: 'http://127.0.0.1:1' });
    expect(await errorOf(without.unit.startQuery('q'))).toMatchObject({
      code: 'login_unavailable',
      outcome: 'notSent',
    });
  });
});

describe('time', () => {
  // Only the deadline's own timer: what moves bytes stays real.
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('ends a request that is not answered, and it is not sent again', async () => {
    const cloud = await openCloud();
    const { step, arrived } = hangs();
    cloud.will(step);
    const { unit } = connect(cloud, { timeoutMs: 5_000 });
    const failed = errorOf(unit.isRunning('q'));
    await arrived;
    vi.advanceTimersByTime(5_000);
    expect(await failed).toMatchObject({ code: 'timeout', outcome: 'unknown', retryable: true });
    expect(cloud.seen).toHaveLength(1);
  });

  test('ends an answer that drips', async () => {
    const cloud = await openCloud();
    let timer: NodeJS.Timeout | undefined;
    onTestFinished(() => clearInterval(timer));
    const dripping = new Promise<void>((resolve) => {
      cloud.will(({ response }) => {
        response.writeHead(200);
        timer = setInterval(() => response.write(' ', () => resolve()), 5);
      });
    });
    const failed = errorOf(connect(cloud, { timeoutMs: 5_000 }).unit.isRunning('q'));
    await dripping;
    vi.advanceTimersByTime(5_000);
    expect(await failed).toMatchObject({ code: 'timeout', outcome: 'unknown' });
  });

  test('of a login that is too slow ends the call before it was sent', async () => {
    const cloud = await openCloud();
    const { step, arrived } = hangs();
    cloud.login(step);
    const failed = errorOf(connect(cloud, { timeoutMs: 5_000 }).unit.startQuery('q'));
    await arrived;
    vi.advanceTimersByTime(5_000);
    expect(await failed).toMatchObject({ code: 'timeout', outcome: 'notSent' });
  });
});

describe('a caller', () => {
  test('calls it off: under way, during a pause, and before', async () => {
    const cloud = await openCloud();
    const { step, arrived } = hangs();
    cloud.will(step);
    const { unit } = connect(cloud);
    const caller = new AbortController();
    const failed = errorOf(unit.startQuery('q', { signal: caller.signal }));
    await arrived;
    caller.abort();
    expect(await failed).toMatchObject({ code: 'canceled', outcome: 'unknown', retryable: false });

    cloud.will(json(503, { message: 'Down' }));
    const pausing = new AbortController();
    const during = connect(
      cloud,
      {},
      {
        sleep: async () => {
          pausing.abort();
          pausing.signal.throwIfAborted();
        },
      },
    );
    const error = await errorOf(during.unit.isRunning('q', { signal: pausing.signal }));
    expect(error).toMatchObject({ message: 'Down' });

    const before = await errorOf(unit.startQuery('q', { signal: caller.signal }));
    expect(before).toMatchObject({ code: 'canceled', outcome: 'notSent' });
    expect(cloud.seen).toHaveLength(2);
  });
});

test('a request that was over while it waited for a connection is never sent', async () => {
  const cloud = await openCloud();
  let answer = (): void => {};
  const arrived = new Promise<void>((resolve) => {
    cloud.will((exchange) => {
      answer = () => void raw(200, 'first')(exchange);
      resolve();
    });
  });
  cloud.otherwise(raw(200, 'third'));
  const wire = createWire({ connections: 1, timeoutMs: 20_000, now: () => START });
  onTestFinished(() => wire.close());
  const caller = new AbortController();
  const send = (path: string, signal?: AbortSignal): Promise<Answer> => {
    const deadline = createDeadline(20_000, signal);
    onTestFinished(() => deadline.clear());
    const url = new URL(path, cloud.url);
    return wire.send({ method: 'POST', url, headers: {}, body: 'x' }, deadline);
  };
  const first = send('/first');
  await arrived;
  const second = errorOf(send('/second', caller.signal));
  caller.abort();
  expect(await second).toMatchObject({ code: 'canceled', outcome: 'notSent' });
  const third = send('/third');
  answer();
  expect([(await first).text, (await third).text]).toEqual(['first', 'third']);
  expect(cloud.seen.map(({ path }) => path)).toEqual(['/first', '/third']);
});

describe('an answer', () => {
  test('that is larger than allowed is not read to its end', async () => {
    const cloud = await openCloud();
    cloud.will(raw(200, 'x'.repeat(100_001)), raw(200, 'x'.repeat(100_000)));
    const wire = createWire({
      connections: 1,
      timeoutMs: 20_000,
      now: () => START,
      largestAnswer: 100_000,
    });
    onTestFinished(() => wire.close());
    const deadline = createDeadline(20_000, undefined);
    onTestFinished(() => deadline.clear());
    const request = { method: 'GET', url: new URL(cloud.url), headers: {}, body: null } as const;
    const error = await errorOf(wire.send(request, deadline));
    expect(error).toMatchObject({ code: 'answer_too_large', outcome: 'unknown', retryable: false });
    expect((await wire.send(request, deadline)).text).toHaveLength(100_000);
  });

  test('that sends us elsewhere is not followed', async () => {
    const cloud = await openCloud();
    cloud.otherwise(raw(302, '', { location: 'https://evil.example/' }));
    const error = await errorOf(connect(cloud).unit.isRunning('q'));
    expect(error).toMatchObject({ code: 'http_302', kind: 'unavailable', outcome: 'unknown' });
  });
});
