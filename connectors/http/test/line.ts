import { type AddressInfo, type Socket, createServer } from 'node:net';
import { onTestFinished } from 'vitest';
import {
  type Answer,
  HttpError,
  type Wire,
  type WireRequest,
  createDeadline,
  createPeer,
  createWire,
} from '../src/index.ts';

// Below HTTP: a server that sees bytes and cuts the line where a test says so.

export interface Line {
  readonly url: string;
  /** The requests that came whole, head and body. */
  readonly heard: string[];
  /** All connections so far. */
  readonly sockets: Socket[];
}

export type Cut = (socket: Socket) => unknown;

/** Does with the connection of each request, once it came whole, what its turn says. */
export async function openLine(...cuts: Cut[]): Promise<Line> {
  const heard: string[] = [];
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    let text = '';
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      const [head = '', body] = text.split('\r\n\r\n', 2);
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? '0');
      if (body === undefined || body.length < length) return;
      heard.push(text);
      text = '';
      cuts.shift()?.(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard, sockets };
}

/** A port where nobody listens. */
export async function deadUrl(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

export function whole(body: string, connection: 'close' | 'keep-alive' = 'close'): string {
  return `HTTP/1.1 200 OK\r\nconnection: ${connection}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** Where a line can be cut, once the request was sent. */
export const CUTS: readonly (readonly [string, Cut])[] = [
  ['before the answer', (socket) => socket.destroy()],
  ['by a reset', (socket) => socket.resetAndDestroy()],
  ['inside the status line', (socket) => socket.end('HTTP/1.1 2')],
  ['inside the headers', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-le')],
  ['before the body', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 60\r\n\r\n')],
  ['inside the body', (socket) => socket.end(whole('{"fine":true}').slice(0, -5))],
  [
    'by a reset inside the body',
    (socket) => socket.write(whole('abc').slice(0, -1), () => socket.resetAndDestroy()),
  ],
  [
    'inside a chunk',
    (socket) => socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n20\r\n{"fine'),
  ],
  [
    'before the last chunk',
    (socket) =>
      socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nd\r\n{"fine":true}\r\n'),
  ],
  ['by what is not HTTP', (socket) => socket.end('220 mail.example ESMTP\r\n')],
];

export const peer = createPeer('the store', HttpError);

export interface Sending {
  readonly wire: Wire;
  send(
    url: string,
    options?: Partial<WireRequest> & {
      readonly idle?: boolean;
      readonly signal?: AbortSignal;
      readonly ms?: number;
    },
  ): Promise<Answer>;
}

export function openWire(connections = 1): Sending {
  const wire = createWire({ peer, connections, timeoutMs: 20_000 });
  onTestFinished(() => wire.close());
  return {
    wire,
    send(url, { idle = false, signal, ms = 20_000, ...request } = {}) {
      const deadline = createDeadline({ ms, idle, signal });
      onTestFinished(() => deadline.clear());
      const { origin, pathname } = new URL(url);
      return wire.send(
        { origin, path: pathname, method: 'GET', headers: {}, ...request },
        deadline,
      );
    },
  };
}

/** The error it ends with; a success is a failure here. */
export async function errorOf(promise: Promise<unknown>): Promise<HttpError> {
  try {
    await promise;
  } catch (error) {
    return error as HttpError;
  }
  throw new Error('It did not fail.');
}
