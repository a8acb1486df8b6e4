import { once } from 'node:events';
import { type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { atMost, noLargerThan } from './limits.ts';

setFlagsFromString('--expose_gc');
const collect = runInNewContext('gc') as () => void;

let server: Server;
let url: string;
let gone: Promise<unknown>;
let answer: (response: ServerResponse) => void;

beforeEach(async () => {
  let hangUp = (): void => {};
  gone = new Promise<void>((resolve) => (hangUp = resolve));
  server = createServer((_, response) => {
    response.on('close', hangUp);
    response.writeHead(200);
    answer(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

test('an answer that drips for ever ends in time, although garbage is collected meanwhile', async () => {
  answer = (response) => {
    const dripping = setInterval(() => response.write(' '), 5);
    response.on('close', () => clearInterval(dripping));
  };
  const collecting = setInterval(collect, 5);
  const interrupted = new AbortController();
  // In one: on a busy machine the time may be up before the answer has begun.
  const read = fetch(url, { signal: atMost(300, interrupted.signal) }).then((response) =>
    response.text(),
  );
  await expect(read).rejects.toMatchObject({ name: 'TimeoutError' });
  clearInterval(collecting);
});

test('an answer without an end is not read on', async () => {
  let sent = 0;
  answer = (response) => {
    const more = (): void => {
      do sent += 65_536;
      while (!response.destroyed && response.write(Buffer.alloc(65_536)));
    };
    response.on('drain', more);
    more();
  };
  const response = noLargerThan(100_000, await fetch(url));
  await expect(response.text()).rejects.toThrow('larger than 100000 bytes');
  await gone;
  // What the sockets between hold is sent all the same.
  expect(sent).toBeLessThan(64 * 1024 * 1024);
});

test('any other answer comes as it is', async () => {
  answer = (response) => void response.end('hello');
  const response = noLargerThan(5, await fetch(url));
  expect([response.status, await response.text()]).toEqual([200, 'hello']);
  const none = new Response(null, { status: 204 });
  expect(noLargerThan(5, none)).toBe(none);
});
