import { once } from 'node:events';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { type AddressInfo, type Socket, connect } from 'node:net';
import type { Contract } from '@millrace/api';
import Fastify from 'fastify';
import { afterEach, describe, expect, test } from 'vitest';
import type { Admitted } from './admit.ts';
import { registerUpload } from './register.ts';
import { type TurnTimes, createTurnServer } from './turns.ts';

const PATIENT: TurnTimes = { unreadMs: 60_000, restWithinMs: 60_000 };
/** More than the buffers of both sides hold. */
const LARGE = Buffer.alloc(12 * 1024 * 1024, 'x');

let server: Server;
let clients: Socket[] = [];

async function listen(handle: RequestListener, times: Partial<TurnTimes> = {}): Promise<void> {
  server = createTurnServer(handle, {}, { ...PATIENT, ...times });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
}

afterEach(async () => {
  for (const each of clients) each.destroy();
  clients = [];
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

async function client(): Promise<Socket> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  // The server may close while something is still being written.
  socket.on('error', () => {});
  clients.push(socket);
  await once(socket, 'connect');
  return socket;
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: here\r\n\r\n`;

/** Until the answers have so many times this text. */
async function readUntil(socket: Socket, text: string, times = 1): Promise<string> {
  let all = '';
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    all += String(chunk);
    if (all.split(text).length > times) break;
  }
  return all;
}

/** A request of another connection has its answer: what came before it has been looked at. */
async function another(): Promise<void> {
  const other = await client();
  other.write(get('/other'));
  await readUntil(other, 'other');
  other.destroy();
}

describe('requests that are sent without waiting for answers', () => {
  test('have their turn when the answer before was read', async () => {
    const asked: string[] = [];
    await listen(({ url = '' }, response) => {
      if (url === '/other') return void response.end('other');
      asked.push(url);
      response.end(LARGE);
    });
    const socket = await client();
    socket.pause();
    socket.write(Array.from({ length: 4 }, (_, at) => get(`/${at}`)).join(''));
    await once(server, 'request');
    await another();
    await another();
    expect(asked).toEqual(['/0']);
    let bytes = 0;
    socket.on('data', (chunk: Buffer) => (bytes += chunk.length));
    socket.resume();
    while (bytes < 4 * LARGE.length) await once(socket, 'data');
    expect(asked).toEqual(Array.from({ length: 4 }, (_, at) => `/${at}`));
  });

  test('let everything else be looked at between any two of them', async () => {
    let turnsOfLoop = 0;
    const count = (): void => {
      turnsOfLoop += 1;
      counting = setImmediate(count);
    };
    let counting = setImmediate(count);
    const taken: number[] = [];
    await listen((_request, response) => {
      taken.push(turnsOfLoop);
      response.end('small');
    });
    for (const socket of [await client(), await client()]) {
      socket.write(get('/').repeat(8));
      await readUntil(socket, 'small', 8);
    }
    clearImmediate(counting);
    expect(new Set(taken).size).toBe(16);
  });

  test('end the connection if they are too many', async () => {
    await listen(() => {});
    const socket = await client();
    socket.resume();
    socket.write(get('/').repeat(34));
    await once(socket, 'close');
  });
});

describe('a connection', () => {
  test('is closed when nobody reads its answer', async () => {
    let socketOfServer: Socket | undefined;
    await listen(
      (request, response) => {
        socketOfServer = request.socket;
        response.end(LARGE);
      },
      { unreadMs: 20 },
    );
    const socket = await client();
    socket.pause();
    socket.write(get('/'));
    const [request] = (await once(server, 'request')) as [IncomingMessage];
    if (!request.socket.destroyed) await once(request.socket, 'close');
    expect(socketOfServer?.destroyed).toBe(true);
  });

  test('is kept while its answer is being made', async () => {
    let answer = () => {};
    await listen((_request, response) => (answer = () => response.end('made')), { unreadMs: 20 });
    const socket = await client();
    socket.write(get('/'));
    for (let times = 0; times < 3; times++) await once(server, 'timeout');
    answer();
    expect(await readUntil(socket, 'made')).toContain('made');
  });
});

describe('a body that is refused before it was read', () => {
  const BODY = 8 * 1024 * 1024;
  const head = `POST /refused HTTP/1.1\r\nhost: here\r\ncontent-length: ${BODY}\r\n\r\n`;

  /** As a handler does that reads some of it and throws. */
  async function refuse(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for await (const _ of request.iterator({ destroyOnReturn: false })) break;
    response.statusCode = 413;
    response.end('refused');
  }

  const handle: RequestListener = (request, response) =>
    void (request.url === '/refused' ? refuse(request, response) : response.end('next'));

  test('is read to its end, and the next request is answered', async () => {
    await listen(handle);
    const socket = await client();
    socket.write(head);
    socket.write(Buffer.alloc(BODY));
    socket.write(get('/next'));
    const answers = await readUntil(socket, 'next');
    expect(answers).toMatch(/^HTTP\/1.1 413[^]*refused[^]*HTTP\/1.1 200[^]*next$/);
  });

  test('that never ends ends the connection', async () => {
    await listen(handle, { restWithinMs: 20 });
    const socket = await client();
    socket.write(head);
    socket.write(Buffer.alloc(1024));
    expect(await readUntil(socket, 'refused')).toContain('413');
    socket.resume();
    await once(socket, 'close');
  });
});

test('an upload that its handler stops reading is answered, and the next request too', async () => {
  const app = Fastify({
    serverFactory: (handle) => (server = createTurnServer(handle, {}, PATIENT)),
  });
  app.decorateRequest('admitted', null).decorateRequest('caller', null);
  const contract = { method: 'POST', path: '/refused', upload: ['application/zip'] };
  registerUpload(
    app,
    'enqueue',
    contract as unknown as Contract,
    async () => null as unknown as Admitted,
    async ({ upload }) => {
      for await (const _ of upload?.bytes ?? []) throw new Error('too large');
      throw new Error('nothing came');
    },
  );
  app.get('/next', () => 'next');
  await app.listen({ host: '127.0.0.1', port: 0 });
  const socket = await client();
  const length = 8 * 1024 * 1024;
  socket.write(
    `POST /refused HTTP/1.1\r\nhost: here\r\ncontent-type: application/zip\r\ncontent-length: ${length}\r\n\r\n`,
  );
  socket.write(Buffer.alloc(length));
  socket.write(get('/next'));
  expect(await readUntil(socket, 'next')).toMatch(
    /^HTTP\/1.1 500[^]*too large[^]*HTTP\/1.1 200[^]*next$/,
  );
});
