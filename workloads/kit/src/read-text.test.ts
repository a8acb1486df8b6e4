import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { readText } from './read-text.ts';
import { withinTime } from './within-time.ts';

setFlagsFromString('--expose_gc');
const collect = runInNewContext('gc') as () => void;

/** Over a socket: there is more between a signal and a body than in a Response that was made here. */
test('an answer that drips for ever ends in time, although garbage is collected meanwhile', async () => {
  const server = createServer((_, response) => {
    const dripping = setInterval(() => response.write(' '), 5);
    response.on('close', () => clearInterval(dripping));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const collecting = setInterval(collect, 5);
  const read = withinTime(300, undefined, async (signal) =>
    readText(await fetch(url, { signal }), 1024 * 1024),
  );
  await expect(read).rejects.toMatchObject({ name: 'TimeoutError' });
  clearInterval(collecting);
  server.closeAllConnections();
  server.close();
});
